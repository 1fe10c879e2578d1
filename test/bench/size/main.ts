// Size and import time of the built package, entry by entry: npm run bench:size
// Ends with 1 where the main entry is beyond its bounds.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { textTable } from '../retrieval/table.ts';
import { importTime } from './import-time.ts';
import { type EntrySize, type Size, sizeOfCode, sizeOfEntry, sum } from './sizes.ts';

/** Bounds of the main entry: what it weighs packed, in KB of 1,000 bytes, and takes to import, in milliseconds. */
const MOST_KB = 80;
const MOST_MILLISECONDS = 25;
/** Fresh processes for each entry, in turns. */
const RUNS = 15;

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, string | { import: { default: string } }>;
};
const entries: (EntrySize & { name: string; file: string; times: number[] })[] = [];
for (const [name, target] of Object.entries(exports)) {
  if (typeof target === 'string') continue;
  const file = target.import.default;
  entries.push({ name, file, times: [], ...(await sizeOfEntry(file)) });
}
for (let run = 0; run < RUNS; run++) {
  for (const { file, packages, times } of entries) times.push(importTime(file, packages.filter(isOfTheApp)));
}

const rows = entries.flatMap(({ name, atOnce, later, times }) => [
  [name === '.' ? 'mastra-tool-search' : name, ...cells(atOnce), Math.min(...times).toFixed(1)],
  ...[...later].map(([chunk, size]) => [`  when needed: ${chunk}`, ...cells(size), '']),
  ...(later.size > 0 ? [['  all of it', ...cells([...later.values()].reduce(sum, atOnce)), '']] : []),
]);
const core = ["@mastra/core's class alone", ...cells(await sizeOfCode(`export default ${CoreProcessor}`)), ''];
console.log(`In KB; milliseconds beyond @mastra/core and zod, the fastest of ${RUNS} fresh processes.\n`);
console.log(textTable([['', 'min', 'min + gzip', 'import ms'], ...rows, core]));

const [main] = entries;
const kilobytes = (main?.atOnce.packed ?? 0) / 1_000;
// The fastest: whatever else runs on a machine only adds.
const milliseconds = Math.min(...(main?.times ?? []));
if (!(kilobytes <= MOST_KB && milliseconds <= MOST_MILLISECONDS)) {
  console.error(
    `\nThe main entry may weigh ${MOST_KB} KB and take ${MOST_MILLISECONDS} ms: ` +
      `it is ${kilobytes.toFixed(1)} KB and ${milliseconds.toFixed(1)} ms.`,
  );
  process.exitCode = 1;
}

function isOfTheApp(name: string): boolean {
  return isBuiltin(name) || /^(?:@mastra\/core|zod)\b/.test(name);
}

function cells({ minified, packed }: Size): readonly string[] {
  return [minified, packed].map((bytes) => (bytes / 1_000).toFixed(1));
}
