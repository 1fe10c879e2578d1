// What an entry weighs: its code after minification, and packed as servers send it. Dependencies are not counted.
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Metafile, transform } from 'esbuild';

/** In bytes. */
export interface Size {
  readonly minified: number;
  readonly packed: number;
}

export interface EntrySize {
  /** What importing the entry reads. */
  readonly atOnce: Size;
  /** What it imports when it is needed, by the name of the chunk, without what has been read by then. */
  readonly later: ReadonlyMap<string, Size>;
  /** Packages that importing the entry reads. */
  readonly packages: readonly string[];
}

/** Sizes of a built file, with all that it imports from its folder. */
export async function sizeOfEntry(file: string): Promise<EntrySize> {
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'node22',
    platform: 'node',
    packages: 'external',
    minify: true,
    write: false,
    logLevel: 'error',
    metafile: true,
    outdir: 'out',
  });
  const { outputs } = metafile;
  const entry = Object.keys(outputs).find((output) => outputs[output]?.entryPoint === path.relative('.', file)) ?? '';
  const texts = new Map(outputFiles.map((output) => [path.relative('.', output.path), output.text]));
  // Packed as one: a bundler makes one chunk of what is read together.
  const sizeOf = (names: Iterable<string>): Size => sizeOfText([...names].map((name) => texts.get(name)).join('\n'));

  const atOnce = reachable(outputs, entry);
  const later = new Map<string, Size>();
  for (const chunk of [...atOnce].flatMap((name) => importsOf(outputs, name, 'dynamic-import'))) {
    const more = [...reachable(outputs, chunk)].filter((name) => !atOnce.has(name));
    later.set(path.basename(outputs[chunk]?.entryPoint ?? chunk).replace(/-\w+\.js$/, ''), sizeOf(more));
  }
  const packages = [...atOnce].flatMap((name) =>
    (outputs[name]?.imports ?? []).filter(({ external, kind }) => external && kind === 'import-statement'),
  );
  return { atOnce: sizeOf(atOnce), later, packages: [...new Set(packages.map((one) => one.path))] };
}

/** The size of code that stands alone. */
export async function sizeOfCode(code: string): Promise<Size> {
  return sizeOfText((await transform(code, { minify: true, target: 'node22' })).code);
}

export function sum(first: Size, second: Size): Size {
  return { minified: first.minified + second.minified, packed: first.packed + second.packed };
}

function sizeOfText(text: string): Size {
  return { minified: Buffer.byteLength(text), packed: gzipSync(text).length };
}

function reachable(outputs: Metafile['outputs'], from: string): ReadonlySet<string> {
  const found = new Set([from]);
  for (const name of found) for (const other of importsOf(outputs, name, 'import-statement')) found.add(other);
  return found;
}

function importsOf(outputs: Metafile['outputs'], name: string, wanted: string): readonly string[] {
  return (outputs[name]?.imports ?? [])
    .filter(({ kind, external }) => kind === wanted && !external)
    .map((one) => one.path);
}
