// Speed and memory beside @mastra/core's ToolSearchProcessor, in one run: npm run bench:speed
// All options: npm run bench:speed -- --help. Ends with 1 where a bar is missed.
import { parseArgs } from 'node:util';
import { threeDigits } from '../statistics.ts';
import { markdownTable } from '../table.ts';
import {
  block,
  build,
  type Case,
  COMMON_WORD,
  type Figure,
  filters,
  heap,
  MEASURES,
  resolved,
  type Subject,
  searches,
  steps,
} from './cases.ts';
import { generatedQueries, plainCatalog, queriesFor, toolsOf } from './catalogs.ts';

const SIZES = '100,1000,10000,50000,100000';
const USAGE = `npm run bench:speed -- [options]
  --sizes A,B     so many tools instead of ${SIZES}; the catalog as it is comes anyway
  --catalog DIR   a folder that holds tools.jsonl, or "generated"
  --queries FILE  JSON lines with a "query" each, or "generated"
  --only A,B      of heap, build, steps, resolved, search, filter`;
/** The catalog as it is, neither cut nor extended. */
const PLAIN = 'plain';
/** core's constructor takes four times as long for twice the tools. */
const MOST_FOR_CORE = 50_000;

interface Bar {
  readonly measure: string;
  readonly catalog: string;
  /** Least ratio of core to ours, or most that ours takes: of itself, or as a multiple of another measure. */
  readonly limit: number;
  readonly of: 'core / ours' | 'ours' | string;
}

/** Not slower in a step is 0.95, as both take some 20 µs, which no clock tells apart by less. */
const BARS: readonly Bar[] = [
  { measure: MEASURES.build, catalog: '10000', of: 'core / ours', limit: 1.5 },
  { measure: MEASURES.build, catalog: '50000', of: 'core / ours', limit: 5 },
  { measure: MEASURES.block, catalog: '10000', of: 'ours', limit: 50 },
  { measure: MEASURES.step, catalog: '10000', of: 'core / ours', limit: 0.95 },
  { measure: MEASURES.later, catalog: '10000', of: 'core / ours', limit: 100 },
  { measure: MEASURES.search, catalog: '10000', of: 'core / ours', limit: 10 },
  { measure: MEASURES.longSearch, catalog: '1000', of: MEASURES.search, limit: 5 },
  { measure: MEASURES.denied, catalog: '10000', of: 'core / ours', limit: 100 },
  { measure: MEASURES.injected, catalog: '10000', of: 'core / ours', limit: 100 },
  { measure: MEASURES.heap, catalog: PLAIN, of: 'ours', limit: 6 },
];

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    ...{ sizes: { ...text, default: SIZES }, catalog: text, queries: text, only: text },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(USAGE);
else await main();

async function main(): Promise<void> {
  const sizes = values.sizes.split(',').map(Number);
  if (!sizes.every((size) => Number.isInteger(size) && size > 0))
    throw new Error(`Not sizes: ${values.sizes}.\n${USAGE}`);
  const plain = plainCatalog(values.catalog);
  const queries = queriesFor(plain, values.queries);
  const count = plain.tools.length.toLocaleString('en');
  console.log(`Catalog: ${plain.name}, ${count} tools ("${PLAIN}" below), cut or extended by variation to the sizes.`);
  console.log(
    `Queries: ${queries.name}, ${queries.texts.length}. Async filter: 2 ms; all tools have "${COMMON_WORD}".\n`,
  );

  const subject = (size: number, catalog = String(size)): Subject => ({
    catalog,
    tools: toolsOf(plain, size),
    sides: size <= MOST_FOR_CORE ? ['core', 'ours'] : ['ours'],
    queries: queries.texts,
    source: plain.name,
  });
  // So that the first size is not measured with code that is not compiled yet.
  const warmUp = { ...subject(1_000), queries: generatedQueries(plain, 100) };
  for (const run of [build, steps, resolved, searches]) await run(warmUp);

  const figures: Figure[] = [];
  const only = values.only?.split(',');
  const measure = async (one: Subject, name: string, ...cases: readonly Case[]): Promise<void> => {
    if (only?.includes(name) === false) return;
    console.error(`${one.catalog} tools: ${name}`);
    for (const run of cases) figures.push(...(await run(one)));
  };
  for (const size of sizes) {
    const one = subject(size);
    if ([10_000, 100_000].includes(size)) await measure(one, 'heap', heap);
    await measure(one, 'build', build, block);
    await measure(one, 'steps', steps);
    await measure(one, 'resolved', resolved);
    await measure(one, 'search', searches);
    if ([1_000, 10_000].includes(size)) await measure(one, 'filter', filters);
  }
  const whole = subject(plain.tools.length, PLAIN);
  await measure(whole, 'heap', heap);
  await measure(whole, 'search', searches);

  const bars = BARS.flatMap((bar) => checked(bar, figures));
  console.log(`${figuresTable(figures)}\n\n${markdownTable([['bar', 'wanted', 'measured', ''], ...bars])}`);
  if (bars.some((bar) => bar.at(-1) !== 'ok')) process.exitCode = 1;
}

/** A row of the table of bars; none where what it is about was not measured. */
function checked({ measure, catalog, of, limit }: Bar, figures: readonly Figure[]): readonly (readonly string[])[] {
  const figure = (one: string): Figure | undefined =>
    figures.find((each) => each.measure === one && each.catalog === catalog);
  const { core = Number.NaN, ours = Number.NaN } = figure(measure) ?? {};
  const isLeast = of === 'core / ours';
  const measured = isLeast ? core / ours : of === 'ours' ? ours : ours / (figure(of)?.ours ?? Number.NaN);
  if (Number.isNaN(measured)) return [];
  const isMet = isLeast ? measured >= limit : measured <= limit;
  const name = `${withoutUnit(measure)}: ${of.replace(/, ms$/, '')}, ${catalog} tools`;
  return [[name, `${isLeast ? '≥' : '≤'} ${limit}`, threeDigits(measured), isMet ? 'ok' : 'MISSED']];
}

function withoutUnit(measure: string): string {
  return measure.slice(0, measure.lastIndexOf(','));
}

/** What was measured, thing by thing, each over the sizes. */
function figuresTable(figures: readonly Figure[]): string {
  const shown = (value: number | undefined): string => (value === undefined ? 'not run' : threeDigits(value));
  const rows = Object.values(MEASURES).flatMap((measure) =>
    figures
      .filter((figure) => figure.measure === measure)
      .map(({ catalog, core, ours }) => {
        const ratio = core === undefined || ours === undefined ? undefined : core / ours;
        return [measure, catalog, shown(core), shown(ours), shown(ratio)];
      }),
  );
  return markdownTable([['measured', 'tools', 'core', 'ours', 'core / ours'], ...rows]);
}
