import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { pageOptions } from './page.config.ts';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** What the command takes from the library, it takes from the built package: an error or a scorer is one class. */
const library: Plugin = {
  name: 'library',
  setup(build) {
    build.onResolve({ filter: /\/(?:index|entries\/[a-z-]+)\.ts$/ }, ({ path: id, resolveDir }) => {
      const file = path.relative('src', path.join(resolveDir, id));
      const entry = /^(?:index|entries\/([a-z-]+))\.ts$/.exec(file);
      if (!entry) return undefined;
      return { path: entry[1] === undefined ? 'mastra-tool-search' : `mastra-tool-search/${entry[1]}`, external: true };
    });
  },
};

/** Writes the licences of what is bundled here and in the page of the inspector, as those licences ask for. */
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

/** The command: a build of its own behind that of the library, of which no entry grows with it. */
const config: ReturnType<typeof defineConfig> = defineConfig({
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
  // What is bundled of CommonJS asks for Node's modules so.
  banner: {
    js: `import { createRequire as nodeRequire } from 'node:module';\nconst require = nodeRequire(import.meta.url);`,
  },
});

export default config;

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
