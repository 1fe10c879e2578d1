import { globSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type GetModuleInfo, rollup } from 'rollup';
import { defineConfig } from 'tsup';
import { writePage } from './page.config.ts';

const config: ReturnType<typeof defineConfig> = defineConfig({
  entry: ['src/index.ts', 'src/entries/*.ts'],
  format: ['esm', 'cjs'],
  // One copy of what entries share, so that a ToolSearchError is one class, and chunks for what is imported when needed.
  splitting: true,
  target: 'node22',
  dts: true,
  clean: true,
  // CommonJS has no import.meta.url, by which the page of the inspector is found.
  shims: true,
  onSuccess: async () => {
    await mergeChunks('dist');
    // Not before: chunks are merged by writing all scripts anew.
    await writePage();
  },
});

export default config;

/**
 * Merges the ESM chunks that the main entry always reads into two files: what a subpath reads as well, and the rest; what
 * most first steps read into a third; and what a first search reads into three more. esbuild makes a chunk for each
 * combination of entries and imports that share code, and many files take a third of an import.
 */
async function mergeChunks(folder: string): Promise<void> {
  const files = globSync('{index,entries/*}.js', { cwd: folder });
  const [main = '', ...entries] = files.map((file) => path.resolve(folder, file)).sort(indexFirst);
  // They read most of the package: nobody else should read more for them.
  const subpaths = entries.filter(
    (file) => !/^(?:evaluate|evals|inspect|postgres|source)\.js$/.test(path.basename(file)),
  );
  const chunk = (name: string): string => path.resolve(folder, globSync(`${name}-*.js`, { cwd: folder })[0] ?? '');
  const misses = chunk('run-misses');
  const bm25 = chunk('bm25');
  const searches = ['search-call', 'index-cache'].map(chunk);
  const others = [...subpaths, chunk('preselect')];
  const bundle = await rollup({
    input: Object.fromEntries(files.map((file) => [file.replace(/\.js$/, ''), path.join(folder, file)])),
    external: (id) => !/^[./]/.test(id),
    // The code is whole, and nothing of it may go.
    treeshake: false,
  });
  // All is in memory by now.
  for (const file of globSync('**/*.js', { cwd: folder })) rmSync(path.join(folder, file));
  await bundle.write({
    dir: folder,
    format: 'es',
    // The name without esbuild's hash.
    chunkFileNames: ({ name }) => `${name.replace(/-[A-Z0-9]{8}$/, '')}-[hash].js`,
    hashCharacters: 'hex',
    // Else each chunk imports the packages of those that it imports, and Node looks for them again.
    hoistTransitiveImports: false,
    manualChunks(id, { getModuleInfo }) {
      const isReadBy = (entry: string): boolean => readBy(entry, getModuleInfo).has(id);
      if (isReadBy(main)) return subpaths.some(isReadBy) ? 'shared' : id === main ? undefined : 'main';
      if (isReadBy(misses)) return 'run-misses';
      if (searches.some(isReadBy)) return 'search-call';
      if (isReadBy(bm25)) return others.some(isReadBy) ? 'words' : 'bm25';
      return undefined;
    },
  });
  await bundle.close();
}

function indexFirst(one: string, other: string): number {
  return Number(other.endsWith(`${path.sep}index.js`)) - Number(one.endsWith(`${path.sep}index.js`));
}

/** The modules that importing one reads at once. */
function readBy(id: string, infoOf: GetModuleInfo): ReadonlySet<string> {
  const all = new Set<string>();
  const visit = (module: string): void => {
    if (all.has(module)) return;
    all.add(module);
    for (const next of infoOf(module)?.importedIds ?? []) visit(next);
  };
  visit(id);
  return all;
}
