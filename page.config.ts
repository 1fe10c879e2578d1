import { type BuildOptions, build } from 'esbuild';

/** The page of the inspector, in two texts that an HTML file holds. */
export interface BuiltPage {
  readonly script: string;
  readonly styles: string;
}

/** How the page is bundled. */
export const pageOptions: BuildOptions = {
  entryPoints: ['src/inspect/page/main.tsx'],
  bundle: true,
  // A plain script, which finds its own text and hands it to its workers.
  format: 'iife',
  platform: 'browser',
  target: ['chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  charset: 'ascii',
  outdir: 'dist/inspect',
  entryNames: 'page',
  logLevel: 'warning',
};

/** Bundles the page: script and styles, each without imports. */
export async function buildPage(): Promise<BuiltPage> {
  const { outputFiles = [] } = await build({ ...pageOptions, write: false });
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { script: textOf('.js'), styles: textOf('.css') };
}

/** Writes the bundled page to `dist/inspect`. */
export async function writePage(): Promise<void> {
  await build(pageOptions);
}
