// Speed and memory beside @mastra/core's ToolSearchProcessor, in one run: npm run bench:speed
// All options: npm run bench:speed -- --help
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BARS, checkBars } from './bars.ts';
import { block, build } from './cases/build.ts';
import { COMMON_WORD, filters } from './cases/filter.ts';
import { heap } from './cases/heap.ts';
import { resolved, resolvedBlock } from './cases/resolved.ts';
import { searches } from './cases/search.ts';
import { steps } from './cases/steps.ts';
import { plainCatalog, toolsOf } from './catalogs.ts';
import { core, ours } from './contestants.ts';
import { type Figure, PLAIN } from './figures.ts';
import { generatedQueries, queriesFor } from './queries.ts';
import { barsTable, figuresTable } from './report.ts';
import type { Subject } from './subject.ts';

const SIZES = [100, 1_000, 10_000, 50_000, 100_000];
const USAGE = `npm run bench:speed -- [options]
  --sizes A,B     so many tools instead of ${SIZES.join(',')}; the catalog as it is comes anyway
  --catalog DIR   a folder that holds tools.jsonl, or "generated"
  --queries FILE  JSON lines with a "query" each, or "generated"
  --only A,B      of heap, build, steps, resolved, search, filter
  --core-100k     core with more than 50,000 tools too, where it takes minutes
  --json FILE     all figures, as JSON`;
/** core's constructor takes four times as long for twice the tools. */
const MOST_FOR_CORE = 50_000;
const FILTERED = [1_000, 10_000];
/** And the catalog as it is. */
const HEAPS = [10_000, 100_000];

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: SIZES.join(',') },
    catalog: { type: 'string' },
    queries: { type: 'string' },
    only: { type: 'string' },
    'core-100k': { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

try {
  if (values.help) console.log(USAGE);
  else await main();
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const sizes = values.sizes.split(',').map(Number);
  if (!sizes.every((size) => Number.isInteger(size) && size > 0))
    throw new Error(`Not sizes: ${values.sizes}.\n${USAGE}`);
  const plain = plainCatalog(values.catalog);
  const queries = queriesFor(plain, values.queries);
  const source = { catalog: plain.name, queries: queries.name };
  const count = plain.tools.length.toLocaleString('en');
  console.log(`Catalog: ${plain.name}, ${count} tools ("${PLAIN}" below), cut or extended by variation to the sizes.`);
  console.log(
    `Queries: ${queries.name}, ${queries.texts.length}. Async filter: 2 ms; all tools have "${COMMON_WORD}".\n`,
  );

  const subject = (size: number, catalog = String(size)): Subject => ({
    catalog,
    tools: toolsOf(plain, size),
    contestants: size <= MOST_FOR_CORE || values['core-100k'] ? [core, ours] : [ours],
    queries: queries.texts,
  });
  await warmUp({ ...subject(1_000), queries: generatedQueries(plain, 100) });
  const figures: Figure[] = [];
  const only = values.only?.split(',');
  const measure = async (one: Subject, name: string, isWanted: boolean, ...cases: readonly Case[]): Promise<void> => {
    if (!isWanted || only?.includes(name) === false) return;
    console.error(`${one.catalog} tools: ${name}`);
    for (const run of cases) figures.push(...(await run(one)));
  };
  for (const size of sizes) {
    const one = subject(size);
    await measure(one, 'heap', HEAPS.includes(size), (it) => heap(it, source));
    await measure(one, 'build', true, build, block);
    await measure(one, 'steps', true, steps);
    await measure(one, 'resolved', true, resolved, resolvedBlock);
    await measure(one, 'search', true, searches);
    await measure(one, 'filter', FILTERED.includes(size), filters);
  }
  const whole = subject(plain.tools.length, PLAIN);
  await measure(whole, 'heap', true, (it) => heap(it, source));
  await measure(whole, 'search', true, searches);

  const bars = checkBars(BARS, figures);
  console.log(`${figuresTable(figures)}\n\n${barsTable(bars)}`);
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ ...source, node: process.version, figures, bars }, null, 2)}\n`);
  }
  if (bars.some(({ isMet }) => !isMet)) process.exitCode = 1;
}

type Case = (subject: Subject) => Promise<readonly Figure[]>;

/** So that the first size is not measured with code that is not compiled yet. */
async function warmUp(subject: Subject): Promise<void> {
  for (const run of [build, steps, resolved, searches]) await run(subject);
}
