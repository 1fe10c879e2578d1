// A catalog in PostgreSQL that no process could hold, beside the index in the process: npm run bench:source
// All options: npm run bench:source -- --help. Ends with 1 where a bar is missed.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import type { LabelledTool } from '../retrieval/sets.ts';
import { randomFrom } from '../speed/random.ts';
import { threeDigits as shown } from '../statistics.ts';
import { markdownTable } from '../table.ts';
import { type Corpus, readCorpus, sample } from './corpus.ts';
import { Documents } from './documents.ts';
import {
  Database,
  inProcess,
  inSource,
  type Quality,
  type Queries,
  qualityOf,
  type SearchFigures,
  searchInProcess,
  searchTable,
} from './measure.ts';

const PARTS = ['speed', 'process', 'quality'];
const USAGE = `npm run bench:source -- [options]
  --documents N    so many documents instead of 1,000,000
  --sets FOLDER    all sets in this folder, instead of the one that comes with the project
  --only A,B       of ${PARTS.join(', ')}`;

/** Tables of the cost, beside that of all documents. */
const SIZES = [1_000, 10_000, 50_000, 100_000];
/** The most that a process holds: the sets are hidden among so many in the process too. */
const HIDDEN = 50_000;
const WARM_UP = 100;
const QUERIES = 400;
/** The tenant of all documents; each set has one of its own beside it. */
const ALL = 'all';

/** What has to hold at the most documents: nDCG points behind the process, milliseconds, MB, and how the cost grows. */
const BARS = { behind: 2, p50: 30, p99: 150, megabytes: 150, exponent: 1 };

interface Bar {
  readonly name: string;
  readonly limit: number;
  readonly measured: number;
}

interface SetQuality extends Quality {
  readonly set: string;
  readonly among: string;
  readonly engine: 'in process' | 'PostgreSQL';
}

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    ...{ documents: { ...text, default: '1000000' }, sets: text, only: { ...text, default: PARTS.join() } },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(USAGE);
else await main();

async function main(): Promise<void> {
  const total = Number(values.documents);
  if (!Number.isInteger(total) || total < 1_000)
    throw new Error(`--documents is a whole number from 1,000 on, not "${values.documents}".\n${USAGE}`);
  const only = values.only.split(',');
  const corpus = readCorpus(values.sets);
  const documents = new Documents(corpus.tools);
  const labelled = corpus.sets.reduce((sum, set) => sum + set.tools.length, 0);
  const catalogOf = (size: number): Iterable<LabelledTool> => sample(documents, size, { total, labelled });
  const sizes = [...SIZES.filter((size) => size < total), total];
  const queries = queriesOf(corpus);
  const database = await Database.open();
  const bars: Bar[] = [];
  try {
    const machine = `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}`;
    const count = shown(queries.queries.length);
    console.log(`Documents: ${corpus.name}, varied. ${count} queries, ${machine}. Times in milliseconds.`);
    await load(database, corpus, sizes, catalogOf);
    if (only.includes('speed')) bars.push(...(await searchDatabase(database, sizes, queries)));
    if (only.includes('process')) {
      const held = SIZES.filter((size) => size <= total);
      await searchProcesses(held, queries, catalogOf);
    }
    if (only.includes('quality')) bars.push(...(await compareQuality(database, corpus, sizes, catalogOf)));
  } finally {
    await database.close();
  }
  const rows = bars.map(({ name, limit, measured }) => {
    return [name, `≤ ${limit}`, measured.toFixed(2), measured <= limit ? 'ok' : 'MISSED'];
  });
  print('Bars', ['bar', 'wanted', 'measured', ''], rows);
  if (bars.some(({ measured, limit }) => measured > limit)) process.exitCode = 1;
}

/** Real ones, in an order by chance: some to warm up with, others to measure. */
function queriesOf({ sets }: Corpus): Queries {
  const random = randomFrom(1);
  const mixed = sets
    .flatMap(({ queries }) => queries.map(({ query }) => ({ query: parseQuery(query), place: random() })))
    .sort((one, other) => one.place - other.place)
    .map(({ query }) => query);
  const warmUp = mixed.slice(0, Math.min(WARM_UP, Math.ceil(mixed.length / 4)));
  return { warmUp, queries: mixed.slice(warmUp.length, warmUp.length + QUERIES) };
}

type CatalogOf = (size: number) => Iterable<LabelledTool>;

async function load(database: Database, corpus: Corpus, sizes: readonly number[], catalogOf: CatalogOf): Promise<void> {
  const rows: string[][] = [];
  for (const size of sizes) {
    const { documents, seconds, megabytes } = await database.load(tableOf(size), ALL, catalogOf(size));
    const kilobytes = (megabytes * 1_024) / documents;
    rows.push([shown(documents), shown(documents / seconds), shown(megabytes), kilobytes.toFixed(1)]);
  }
  for (const { name, tools } of corpus.sets) await database.load(tableOf(sizes.at(-1)!), name, tools);
  print('Loading', ['documents', 'documents a second', 'MB on disk', 'KB a document'], rows);
}

async function searchDatabase({ url }: Database, sizes: readonly number[], queries: Queries): Promise<readonly Bar[]> {
  const measured: (SearchFigures & { readonly documents: number })[] = [];
  for (const documents of sizes) {
    console.error(`${shown(documents)} documents: speed`);
    measured.push({ documents, ...(await searchTable({ url, table: tableOf(documents), tenant: ALL }, queries)) });
  }
  const heading = ['documents', 'p50', 'p99', 'CPU', 'of it in the database', '32 at once: p50', 'p99', 'a second'];
  const rows = measured.map(({ documents, alone, together, perSecond, cpuHere, cpuThere, first, megabytes }) =>
    [
      ...[documents, alone.p50, alone.p99, cpuHere + cpuThere, cpuThere],
      ...[together.p50, together.p99, perSecond, first, megabytes],
    ].map(shown),
  );
  print('Searching in PostgreSQL', [...heading, 'first', 'MB of the process'], rows);
  const exponent = exponentOf(measured);
  const most = measured.at(-1)!;
  const at = shown(most.documents);
  return [
    { name: `p50 at ${at}, ms`, limit: BARS.p50, measured: most.alone.p50 },
    { name: `p99 at ${at}, ms`, limit: BARS.p99, measured: most.alone.p99 },
    { name: `memory of the process at ${at}, MB`, limit: BARS.megabytes, measured: most.megabytes },
    ...(Number.isNaN(exponent)
      ? []
      : [{ name: 'power of the documents with which CPU time grows', limit: BARS.exponent, measured: exponent }]),
  ];
}

/**
 * How the CPU time of a search grows with the documents, from 10,000 on: the exponent of the curve through what was
 * measured, 1 where twice the documents take twice the time. NaN with fewer than two sizes.
 */
function exponentOf(measured: readonly (SearchFigures & { readonly documents: number })[]): number {
  const points = measured
    .filter(({ documents }) => documents >= 10_000)
    .map(({ documents, cpuHere, cpuThere }) => [Math.log(documents), Math.log(cpuHere + cpuThere)] as const);
  const mean = (place: 0 | 1): number => points.reduce((sum, point) => sum + point[place], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return covariance / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

async function searchProcesses(sizes: readonly number[], queries: Queries, catalogOf: CatalogOf): Promise<void> {
  const rows: string[][] = [];
  for (const size of sizes) {
    console.error(`${shown(size)} documents: in the process`);
    const { tools, build, alone, cpu, megabytes } = await searchInProcess(catalogOf(size), queries);
    rows.push([tools, build, alone.p50, alone.p99, cpu, megabytes].map(shown));
  }
  print('In the process', ['tools', 'building', 'p50', 'p99', 'CPU', 'MB of the process'], rows);
}

/** The sets alone, and hidden among others: in the process as far as it holds them, and in the database. */
async function compareQuality(
  database: Database,
  { sets }: Corpus,
  sizes: readonly number[],
  catalogOf: CatalogOf,
): Promise<readonly Bar[]> {
  const measured: SetQuality[] = [];
  const bars: Bar[] = [];
  const total = sizes.at(-1)!;
  for (const set of sets) {
    console.error(`${set.name}: quality, alone`);
    const own = { set: set.name, among: `its own ${shown(set.tools.length)}` };
    const here = await qualityOf(await inProcess(set.tools), set);
    const there = await qualityOf(inSource(database.source(tableOf(total), set.name)), set);
    measured.push({ ...own, engine: 'in process', ...here }, { ...own, engine: 'PostgreSQL', ...there });
    const name = `points of nDCG@10 behind the process on ${set.name} alone`;
    bars.push({ name, limit: BARS.behind, measured: (here.ndcg10 - there.ndcg10) * 100 });
  }
  const hidden = [...new Set([HIDDEN, total])].filter((size) => sizes.includes(size));
  for (const size of hidden) {
    console.error(`quality, hidden among ${shown(size)}`);
    const finds = { PostgreSQL: inSource(database.source(tableOf(size), ALL)) };
    const here = size === HIDDEN && total > HIDDEN ? { 'in process': await inProcess([...catalogOf(size)]) } : {};
    for (const [engine, find] of Object.entries({ ...here, ...finds })) {
      for (const set of sets) {
        const quality = await qualityOf(find, set);
        measured.push({ set: set.name, among: shown(size), engine: engine as SetQuality['engine'], ...quality });
      }
    }
  }
  const rows = sets.flatMap(({ name }) =>
    measured
      .filter(({ set }) => set === name)
      .map(({ set, among, engine, ndcg10, hit1, recall5 }) => [
        ...[set, among, engine],
        ...[ndcg10, hit1, recall5].map((share) => (share * 100).toFixed(1)),
      ]),
  );
  print('Quality, percent', ['set', 'among', 'engine', 'nDCG@10', 'hit@1', 'recall@5'], rows);
  return bars;
}

function tableOf(size: number): string {
  return `bench_${size}`;
}

function print(title: string, heading: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`\n${title}\n\n${markdownTable([heading, ...rows])}`);
}
