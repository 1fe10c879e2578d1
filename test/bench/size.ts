// Size and import time of the built package, entry by entry: npm run bench:size
// Sizes are those of the code after minification, and packed as servers send it. Dependencies are not counted.
// Ends with 1 where the main entry is beyond its bounds.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { build, transform } from 'esbuild';
import { table } from './report.ts';
import { sum } from './statistics.ts';

/** Bounds of the main entry: what it weighs packed, in KB of 1,000 bytes, and takes to import, in milliseconds. */
const MOST_KB = 80;
const MOST_MILLISECONDS = 25;
/** Fresh processes for each entry, in turns. */
const RUNS = 15;

/** Bytes: minified, and packed. */
type Size = readonly [minified: number, packed: number];

interface Entry {
  /** What importing the entry reads. */
  readonly atOnce: Size;
  /** What it imports when it is needed, by the name of the chunk, without what has been read by then. */
  readonly later: ReadonlyMap<string, Size>;
  /** Packages that importing the entry reads. */
  readonly packages: ReadonlySet<string>;
}

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, string | { import: { default: string } }>;
};
const entries: (Entry & { name: string; file: string; times: number[] })[] = [];
for (const [name, target] of Object.entries(exports)) {
  if (typeof target === 'string') continue;
  const file = target.import.default;
  entries.push({ name, file, times: [], ...(await entryOf(file)) });
}
for (let run = 0; run < RUNS; run++) {
  for (const { file, packages, times } of entries) times.push(importTime(file, packages));
}

const cells = (size: Size): readonly string[] => size.map((bytes) => (bytes / 1_000).toFixed(1));
const rows = entries.flatMap(({ name, atOnce, later, times }) => {
  const all = ([0, 1] as const).map((which) => sum([atOnce, ...later.values()].map((size) => size[which])));
  return [
    [name === '.' ? 'mastra-tool-search' : name, ...cells(atOnce), Math.min(...times).toFixed(1)],
    ...[...later].map(([chunk, size]) => [`  when needed: ${chunk}`, ...cells(size), '']),
    ...(later.size > 0 ? [['  all of it', ...cells(all as never), '']] : []),
  ];
});
const coreCode = await transform(`export default ${CoreProcessor}`, { minify: true, target: 'node22' });
const core = ["@mastra/core's class alone", ...cells(sizeOf(coreCode.code)), ''];
console.log(`In KB; milliseconds beyond @mastra/core and zod, the fastest of ${RUNS} fresh processes.\n`);
console.log(table([['', 'min', 'min + gzip', 'import ms'], ...rows, core]));

const kilobytes = entries[0]!.atOnce[1] / 1_000;
// The fastest: whatever else runs on a machine only adds.
const milliseconds = Math.min(...entries[0]!.times);
if (kilobytes > MOST_KB || milliseconds > MOST_MILLISECONDS) {
  console.error(
    `\nThe main entry may weigh ${MOST_KB} KB and take ${MOST_MILLISECONDS} ms: ` +
      `it is ${kilobytes.toFixed(1)} KB and ${milliseconds.toFixed(1)} ms.`,
  );
  process.exitCode = 1;
}

/** Milliseconds in a fresh process, beyond @mastra/core and zod, which an app has read before. */
function importTime(file: string, packages: ReadonlySet<string>): number {
  const ofTheApp = [...packages].filter((name) => isBuiltin(name) || /^(?:@mastra\/core|zod)\b/.test(name));
  const script = `
    for (const name of ${JSON.stringify(['@mastra/core/processors', ...ofTheApp])}) await import(name);
    const start = performance.now();
    await import(${JSON.stringify(pathToFileURL(file).href)});
    console.log(performance.now() - start);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }));
}

/** A built file, with all that it imports from its folder. */
async function entryOf(file: string): Promise<Entry> {
  const { outputFiles, metafile } = await build({
    ...{
      entryPoints: [file],
      bundle: true,
      splitting: true,
      minify: true,
      write: false,
      metafile: true,
      outdir: 'out',
    },
    ...{ format: 'esm', target: 'node22', platform: 'node', packages: 'external', logLevel: 'error' },
  });
  const texts = new Map(outputFiles.map((output) => [path.relative('.', output.path), output.text]));
  // Packed as one: a bundler makes one chunk of what is read together.
  const sizeOfAll = (names: Iterable<string>): Size => sizeOf([...names].map((name) => texts.get(name)).join('\n'));
  const importsOf = (name: string, wanted: string, isExternal = false): readonly string[] =>
    (metafile.outputs[name]?.imports ?? [])
      .filter(({ kind, external = false }) => kind === wanted && external === isExternal)
      .map((one) => one.path);
  const reachable = (from: string): ReadonlySet<string> => {
    const found = new Set([from]);
    for (const name of found) for (const other of importsOf(name, 'import-statement')) found.add(other);
    return found;
  };
  const outputs = Object.entries(metafile.outputs);
  const atOnce = reachable(outputs.find(([, { entryPoint }]) => entryPoint === path.relative('.', file))?.[0] ?? '');
  const later = new Map<string, Size>();
  for (const chunk of [...atOnce].flatMap((name) => importsOf(name, 'dynamic-import'))) {
    const more = [...reachable(chunk)].filter((name) => !atOnce.has(name));
    const name = metafile.outputs[chunk]?.entryPoint ?? chunk;
    later.set(path.basename(name).replace(/-\w+\.js$/, ''), sizeOfAll(more));
  }
  const packages = new Set([...atOnce].flatMap((name) => importsOf(name, 'import-statement', true)));
  return { atOnce: sizeOfAll(atOnce), later, packages };
}

function sizeOf(text: string): Size {
  return [Buffer.byteLength(text), gzipSync(text).length];
}
