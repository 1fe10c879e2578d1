import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, transform } from 'esbuild';
import { type Plugin as RollupPlugin, rollup } from 'rollup';
import { build as buildWithTsup, defineConfig, type Options } from 'tsup';
import { pageOptions, writePage } from './page.config.ts';

/** The table of word vectors, as the source imports it. */
const WORD_VECTORS = /\/word-vectors\.js$/;

/**
 * The library: tsup writes the types, and rollup the code of both formats over tsup's. esbuild splits by files, so that `kit.ts` would
 * bring all of the kernel to every entry; rollup splits by the names that are used.
 */
const config: ReturnType<typeof defineConfig> = defineConfig({
  entry: ['src/index.ts', 'src/entries/*.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  splitting: false,
  clean: true,
  external: [WORD_VECTORS],
  onSuccess: async () => {
    await writeLibrary('dist');
    cpSync('src/scorers/meaning/word-vectors.js', 'dist/word-vectors.js');
    await writePage();
    writeSkill('dist/docs');
    await buildWithTsup(command);
  },
});

export default config;

const typescript: RollupPlugin = {
  name: 'typescript',
  transform: async (code) => ({ code: (await transform(code, { loader: 'ts', target: 'node22' })).code, map: null }),
};

/** The table of word vectors is one file, beside the main entry, that both formats import when an index is made. */
const oneTable: RollupPlugin = {
  name: 'one-table',
  resolveId: (id) => (WORD_VECTORS.test(id) ? { id: path.resolve('src/word-vectors.js'), external: 'relative' } : null),
};

async function writeLibrary(dir: string): Promise<void> {
  const entries = globSync('src/{index,entries/*}.ts');
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((file) => [file.replace(/^src\/|\.ts$/g, ''), path.resolve(file)])),
    external: (id) => !/^[./]/.test(id),
    treeshake: { moduleSideEffects: false },
    plugins: [oneTable, typescript],
  });
  // Without transitive imports: each chunk would import the packages of those that it imports, for Node to look up again.
  const common = { dir, hashCharacters: 'hex', hoistTransitiveImports: false } as const;
  await bundle.write({ ...common, format: 'es', chunkFileNames: '[name]-[hash].js' });
  await bundle.write({ ...common, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' });
  await bundle.close();
}

/** A skill for coding agents, where Mastra's packages have theirs. It links to the pages in `docs`, which the package has once. */
function writeSkill(folder: string): void {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string };
  const index = readFileSync('llms.txt', 'utf8').replace(/^# .*\n+/, '');
  const what = /^> (.*)$/m.exec(index)?.[1] ?? '';
  const head = [
    `name: ${name}`,
    `description: ${JSON.stringify(`${what} Use when working with ${name}.`)}`,
    `metadata:\n  package: "${name}"\n  version: "${version}"`,
  ];
  // Contributing is not in the package.
  const lines = index.split('\n').filter((line) => !line.includes('CONTRIBUTING.md'));
  const links = lines.join('\n').replaceAll(/\]\((?=docs\/|[A-Z]+\.md)/g, '](../../');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'SKILL.md'), ['---', ...head, '---', '', links].join('\n'));
}

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** What the command imports from the library, it imports from the built package: an error or a scorer is one class. */
const library: Plugin = {
  name: 'library',
  setup(build) {
    build.onResolve({ filter: /\/(?:index|entries\/[a-z-]+)\.ts$/ }, ({ path: id, resolveDir }) => {
      const file = path.relative('src', path.join(resolveDir, id));
      const entry = /^(?:index|entries\/([a-z-]+))\.ts$/.exec(file);
      if (!entry) return undefined;
      return { path: entry[1] === undefined ? 'mastra-tool-search' : `mastra-tool-search/${entry[1]}`, external: true };
    });
    // The library's file, seen from dist/cli/: the package holds the table once.
    build.onResolve({ filter: WORD_VECTORS }, () => ({ path: '../word-vectors.js', external: true }));
  },
};

/** Writes the licences of what is bundled in the command and in the page of the inspector, as those licences require. */
const licences: Plugin = {
  name: 'licences',
  setup(command) {
    command.initialOptions.metafile = true;
    command.onEnd(async ({ metafile }) => {
      const page = await build({ ...pageOptions, write: false, metafile: true });
      const outputs = [metafile, page.metafile].flatMap((of) => Object.values(of?.outputs ?? {}));
      const bundled = outputs.flatMap(({ inputs }) =>
        Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? packageOf(file) : [])),
      );
      const texts = [...new Set(bundled)].sort().map(licenceOf);
      writeFileSync('dist/LICENSES.txt', texts.join(`\n${'-'.repeat(80)}\n\n`));
    });
  },
};

/** The command: a build of its own, which adds nothing to the entries of the library. */
const command: Options = {
  config: false,
  entry: { cli: 'src/workbench/cli/main.ts' },
  format: ['esm'],
  splitting: true,
  target: 'node22',
  minify: true,
  silent: true,
  esbuildPlugins: [library, licences],
  esbuildOptions(options) {
    options.chunkNames = 'cli/[name]-[hash]';
  },
  // Bundled CommonJS packages require Node's modules.
  banner: {
    js: `import { createRequire as nodeRequire } from 'node:module';\nconst require = nodeRequire(import.meta.url);`,
  },
};

/** The folder of the package that a file is of; none for the project's own. */
function packageOf(file: string): readonly string[] {
  const at = file.lastIndexOf('node_modules/');
  if (at === -1) return [];
  const [scope = '', name = ''] = file.slice(at + 'node_modules/'.length).split('/');
  return [path.join(file.slice(0, at), 'node_modules', scope, scope.startsWith('@') ? name : '')];
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const [file] = globSync(path.join(folder, '{LICENSE,LICENCE,license,licence}*'));
  const text = file && existsSync(file) ? readFileSync(file, 'utf8').trim() : `License: ${license}`;
  return `${name} ${version} (${license})\n\n${text}\n`;
}
