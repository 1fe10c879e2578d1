// Speed and memory beside @mastra/core's ToolSearchProcessor, in one run: npm run bench:speed
// Ends with 1 where a bar is missed.
import { optionsOf, table, threeDigits } from '../report.ts';
import {
  build,
  type Case,
  type Figure,
  filters,
  heap,
  MEASURES,
  resolved,
  type Subject,
  searches,
  steps,
} from './cases.ts';
import { plainCatalog, queriesIn, toolsOf } from './catalogs.ts';

const SIZES = '100,1000,10000,50000,100000';
const USAGE = `npm run bench:speed -- [options]
  --sizes A,B     so many tools instead of ${SIZES}; the catalog as it is comes anyway
  --catalog DIR   a folder that holds tools.jsonl, instead of the set that comes with the project
  --queries FILE  JSON lines with a "query" each`;
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

const {
  sizes,
  catalog: folder,
  queries: file,
} = optionsOf(USAGE, {
  ...{ sizes: SIZES, catalog: undefined, queries: undefined },
});
const plain = plainCatalog(folder);
const queries = queriesIn(file);
console.log(
  `${plain.length.toLocaleString('en')} tools ("${PLAIN}" below), cut or extended by variation to the sizes.`,
);
console.log(`${queries.length} queries. Async filter: 2 ms; all tools match its query.\n`);

const subject = (size: number, catalog = String(size)): Subject => {
  const sides = size <= MOST_FOR_CORE ? (['core', 'ours'] as const) : (['ours'] as const);
  return { catalog, tools: toolsOf(plain, size), sides, queries, folder };
};
// So that the first size is not measured with code that is not compiled yet.
for (const run of [build, steps, resolved, searches]) await run({ ...subject(1_000), queries: queries.slice(0, 100) });

const figures: Figure[] = [];
const measure = async (one: Subject, cases: readonly Case[]): Promise<void> => {
  console.error(`${one.catalog} tools`);
  for (const run of cases) figures.push(...(await run(one)));
};
for (const size of sizes.split(',').map(Number)) {
  const withFilters = [1_000, 10_000].includes(size) ? [filters] : [];
  await measure(subject(size), [build, steps, resolved, searches, ...withFilters]);
}
await measure(subject(plain.length, PLAIN), [heap, searches]);

const shown = (value: number): string => (Number.isNaN(value) ? 'not run' : threeDigits(value));
const rows = Object.values(MEASURES).flatMap((name) =>
  figures
    .filter((figure) => figure.measure === name)
    .map(({ catalog, core = Number.NaN, ours = Number.NaN }) => {
      return [name, catalog, shown(core), shown(ours), shown(core / ours)];
    }),
);
console.log(table([['measured', 'tools', 'core', 'ours', 'core / ours'], ...rows]));
const bars = BARS.flatMap(checked);
console.log(`\n${table([['bar', 'wanted', 'measured', ''], ...bars])}`);
if (bars.some((bar) => bar.at(-1) !== 'ok')) process.exitCode = 1;

/** A row of the table of bars; none where what it is about was not measured. */
function checked({ measure: name, catalog, of, limit }: Bar): readonly (readonly string[])[] {
  const figure = (one: string): Figure | undefined =>
    figures.find((each) => each.measure === one && each.catalog === catalog);
  const { core = Number.NaN, ours = Number.NaN } = figure(name) ?? {};
  const isLeast = of === 'core / ours';
  const measured = isLeast ? core / ours : of === 'ours' ? ours : ours / (figure(of)?.ours ?? Number.NaN);
  if (Number.isNaN(measured)) return [];
  const isMet = isLeast ? measured >= limit : measured <= limit;
  const title = `${name.replace(/, [^,]*$/, '')}: ${of.replace(/, ms$/, '')}, ${catalog} tools`;
  return [[title, `${isLeast ? '≥' : '≤'} ${limit}`, threeDigits(measured), isMet ? 'ok' : 'MISSED']];
}
