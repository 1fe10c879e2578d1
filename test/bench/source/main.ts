// A catalog in PostgreSQL that no process could hold, beside the index in the process: npm run bench:source
// Ends with 1 where a bar is missed.
import { Pool } from 'pg';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { optionsOf, percent, threeDigits as shown, table } from '../report.ts';
import type { LabelledTool } from '../retrieval/sets.ts';
import { randomFrom } from '../speed/random.ts';
import { mean, percentile, sum } from '../statistics.ts';
import { Documents, readCorpus, sample } from './documents.ts';
import {
  inProcess,
  inTable,
  load,
  qualityOf,
  SETTINGS,
  type SearchTimes,
  searchInProcess,
  searchTable,
} from './measure.ts';

const USAGE = `npm run bench:source -- [options]
  --documents N    so many documents instead of 1,000,000
  --sets FOLDER    all sets in this folder, instead of the one that comes with the project
  --keep FOLDER    the database is kept there; what an earlier run has loaded is not loaded again`;
const options = optionsOf(USAGE, { documents: '1000000', sets: undefined, keep: undefined });

/** Tables of the cost, beside that of all documents. */
const SIZES = [1_000, 10_000, 50_000, 100_000];
/** The most that a process holds: the sets are hidden among so many in the process too. */
const HIDDEN = 50_000;
const WARM_UP = 100;
const QUERIES = 400;
/** The tenant of all documents; each set has one of its own beside it. */
const ALL = 'all';
/** What has to hold at the most documents: nDCG points behind the process, milliseconds, MB, and how the cost grows. */
const MOST = { behind: 1, p50: 30, p99: 120, megabytes: 150, exponent: 1 };

const total = Number(options.documents);
const { tools, sets } = readCorpus(options.sets);
const documents = new Documents(tools);
const labelled = sum(sets.map((set) => set.tools.length));
const catalogOf = (size: number): Iterable<LabelledTool> => sample(documents, size, { total, labelled });
const sizes = [...SIZES.filter((size) => size < total), total];
const tableOf = (size: number): string => `bench_${size}`;
const print = (title: string, heading: readonly string[], rows: readonly (readonly string[])[]): void =>
  console.log(`\n${title}\n\n${table([heading, ...rows])}`);
const bars: (readonly string[])[] = [];
const bar = (name: string, limit: number, measured: number): void => {
  bars.push([name, `≤ ${limit}`, measured.toFixed(2), measured <= limit ? 'ok' : 'MISSED']);
};

// Real queries, in an order by chance: some to warm up with, others to measure.
const random = randomFrom(1);
const mixed = sets
  .flatMap((set) => set.queries.map(({ query }) => ({ query: parseQuery(query), place: random() })))
  .sort((one, other) => one.place - other.place)
  .map(({ query }) => query);
const warmUp = mixed.slice(0, Math.min(WARM_UP, Math.ceil(mixed.length / 4)));
const queries = { warmUp, queries: mixed.slice(warmUp.length, warmUp.length + QUERIES) };

const server = await startPostgres({
  settings: SETTINGS,
  ...(options.keep === undefined ? {} : { folder: options.keep }),
});
const pool = new Pool({ connectionString: server.url, max: 4 });
try {
  console.log(`${queries.queries.length} queries. Times in milliseconds.`);
  await loadAll();
  await searchDatabase();
  await searchProcesses();
  await compareQuality();
} finally {
  await pool.end();
  await server.stop();
}
print('Bars', ['bar', 'wanted', 'measured', ''], bars);
if (bars.some((cells) => cells.at(-1) === 'MISSED')) process.exitCode = 1;

async function loadAll(): Promise<void> {
  const rows: string[][] = [];
  for (const size of sizes) {
    console.error(`${shown(size)} documents: loading`);
    const { seconds, megabytes } = await load(pool, tableOf(size), ALL, catalogOf(size), size);
    const speed = seconds === undefined ? '' : shown(size / seconds);
    rows.push([shown(size), speed, shown(megabytes), ((megabytes * 1_024) / size).toFixed(1)]);
  }
  for (const set of sets) await load(pool, tableOf(total), set.name, set.tools, set.tools.length);
  print('Loading', ['documents', 'documents a second', 'MB on disk', 'KB a document'], rows);
}

async function searchDatabase(): Promise<void> {
  const measured: SearchTimes[] = [];
  for (const size of sizes) {
    console.error(`${shown(size)} documents: speed`);
    measured.push(await searchTable(server.url, tableOf(size), ALL, queries));
  }
  const rows = measured.map(({ alone, together, seconds, cpuHere, cpuThere, megabytes }, at) =>
    [
      ...[sizes[at]!, percentile(alone, 0.5), percentile(alone, 0.99), cpuHere + cpuThere, cpuThere],
      ...[percentile(together, 0.5), percentile(together, 0.99), together.length / seconds, megabytes],
    ].map(shown),
  );
  const heading = ['documents', 'p50', 'p99', 'CPU', 'of it in the database', '32 at once: p50', 'p99', 'a second'];
  print('Searching in PostgreSQL', [...heading, 'MB of the process'], rows);
  const most = measured.at(-1)!;
  bar(`p50 at ${shown(total)}, ms`, MOST.p50, percentile(most.alone, 0.5));
  bar(`p99 at ${shown(total)}, ms`, MOST.p99, percentile(most.alone, 0.99));
  bar(`memory of the process at ${shown(total)}, MB`, MOST.megabytes, most.megabytes);
  // From 10,000 on, the exponent of the curve through what was measured: 1 where twice the documents take twice the time.
  const points = measured
    .map(({ cpuHere, cpuThere }, at) => [Math.log(sizes[at]!), Math.log(cpuHere + cpuThere)] as const)
    .filter((_, at) => sizes[at]! >= 10_000);
  if (points.length < 2) return;
  const [x, y] = [mean(points.map((point) => point[0])), mean(points.map((point) => point[1]))];
  const covariance = sum(points.map((point) => (point[0] - x) * (point[1] - y)));
  const exponent = covariance / sum(points.map((point) => (point[0] - x) ** 2));
  bar('power of the documents with which CPU time grows', MOST.exponent, exponent);
}

async function searchProcesses(): Promise<void> {
  const rows: string[][] = [];
  for (const size of SIZES.filter((each) => each <= total)) {
    console.error(`${shown(size)} documents: in the process`);
    const { tools: held, build, alone, cpu, megabytes } = await searchInProcess(catalogOf(size), queries);
    rows.push([held, build, percentile(alone, 0.5), percentile(alone, 0.99), cpu, megabytes].map(shown));
  }
  print('In the process', ['tools', 'building', 'p50', 'p99', 'CPU', 'MB of the process'], rows);
}

/** The sets alone, and hidden among others: in the process as far as it holds them, and in the database. */
async function compareQuality(): Promise<void> {
  const held = sizes.includes(HIDDEN) && total > HIDDEN ? await inProcess([...catalogOf(HIDDEN)]) : undefined;
  const rows: string[][] = [];
  for (const set of sets) {
    console.error(`${set.name}: quality`);
    const measured = async (among: string, engine: string, find: Parameters<typeof qualityOf>[0]): Promise<number> => {
      const quality = await qualityOf(find, set);
      rows.push([set.name, among, engine, ...quality.map(percent)]);
      return quality[0]!;
    };
    const own = `its own ${shown(set.tools.length)}`;
    const here = await measured(own, 'in process', await inProcess(set.tools));
    const there = await measured(own, 'PostgreSQL', inTable(pool, tableOf(total), set.name));
    bar(`points of nDCG@10 behind the process on ${set.name} alone`, MOST.behind, (here - there) * 100);
    if (held) await measured(shown(HIDDEN), 'in process', held);
    for (const size of new Set([HIDDEN, total].filter((each) => sizes.includes(each))))
      await measured(shown(size), 'PostgreSQL', inTable(pool, tableOf(size), ALL));
  }
  print('Quality, percent', ['set', 'among', 'engine', 'nDCG@10', 'hit@1', 'recall@5'], rows);
}
