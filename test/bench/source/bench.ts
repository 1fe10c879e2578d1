import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import type { LabelledTool } from '../retrieval/sets.ts';
import { randomFrom } from '../speed/random.ts';
import { checkBars } from './bars.ts';
import { type Queries, searchInProcess, searchTable } from './children.ts';
import { type Corpus, readCorpus } from './corpus.ts';
import { Database } from './database.ts';
import { Documents } from './documents.ts';
import type { LoadFigures, ProcessFigures, QualityFigures, SearchFigures, SourceFigures } from './figures.ts';
import { type SourceBenchOptions, sourceBenchOptions, USAGE } from './options.ts';
import { plot } from './plot.ts';
import { inProcess, inSource, qualityOf } from './quality.ts';
import { sourceReport } from './report.ts';
import { sample } from './sample.ts';

type Progress = (line: string) => void;

export interface Outcome {
  readonly text: string;
  readonly isMet: boolean;
}

/** Tables of the cost, beside that of all documents. */
const SIZES = [1_000, 10_000, 50_000, 100_000];
/** The most that a process holds: the sets are hidden among so many in the process too. */
const HIDDEN = 50_000;
const WARM_UP = 100;
const QUERIES = 400;

/** Measures what the command line's arguments ask for. */
export async function bench(args: readonly string[], progress: Progress): Promise<Outcome> {
  const options = sourceBenchOptions(args);
  if (options.isHelp) return { text: USAGE, isMet: true };
  const before = options.from === undefined ? undefined : figuresIn(options.from);
  const figures = before && options.parts.size === 0 ? before : { ...before, ...(await measure(options, progress)) };
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
  if (options.plot !== undefined) writeFileSync(options.plot, plot(figures));
  const bars = checkBars(figures);
  return { text: sourceReport(figures, bars), isMet: bars.every(({ isMet }) => isMet) };
}

function figuresIn(file: string): SourceFigures {
  return JSON.parse(readFileSync(file, 'utf8')) as SourceFigures;
}

/** The figures of the parts that are wanted. All documents are loaded first. */
async function measure(options: SourceBenchOptions, progress: Progress): Promise<SourceFigures> {
  const corpus = readCorpus(options.sets);
  const catalogs = new Catalogs(corpus, options.documents);
  const queries = queriesOf(corpus);
  const database = await Database.open(options.data, progress);
  try {
    const load: LoadFigures[] = [];
    for (const size of catalogs.sizes) load.push(await database.load(tableOf(size), ALL, catalogs.of(size)));
    for (const { name, tools } of corpus.sets) await database.load(tableOf(options.documents), name, tools);
    const machine = `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}`;
    const { parts } = options;
    return {
      ...{ corpus: corpus.name, machine, queries: queries.queries.length, load },
      ...(parts.has('speed') ? { database: await speeds(catalogs, queries, database, progress) } : {}),
      ...(parts.has('process') ? { process: await processes(catalogs, queries, progress) } : {}),
      ...(parts.has('quality') ? { quality: await qualities(corpus, catalogs, database, progress) } : {}),
    };
  } finally {
    await database.close();
  }
}

async function speeds(
  { sizes }: Catalogs,
  queries: Queries,
  { url }: Database,
  progress: Progress,
): Promise<readonly SearchFigures[]> {
  const figures: SearchFigures[] = [];
  for (const documents of sizes) {
    progress(`${documents.toLocaleString('en')} documents: speed`);
    figures.push({ documents, ...(await searchTable({ url, table: tableOf(documents), tenant: ALL }, queries)) });
  }
  return figures;
}

async function processes(catalogs: Catalogs, queries: Queries, progress: Progress): Promise<readonly ProcessFigures[]> {
  const figures: ProcessFigures[] = [];
  for (const size of catalogs.inProcess) {
    progress(`${size.toLocaleString('en')} documents: in the process`);
    figures.push(await searchInProcess(catalogs.of(size), queries));
  }
  return figures;
}

/** The tenant of all documents; each set has one of its own beside it. */
const ALL = 'all';

function tableOf(size: number): string {
  return `bench_${size}`;
}

/** The documents of each size. */
class Catalogs {
  /** Ascending. */
  readonly sizes: readonly number[];
  readonly #documents: Documents;
  readonly #labelled: number;
  readonly #total: number;

  constructor({ tools, sets }: Corpus, total: number) {
    this.#documents = new Documents(tools);
    this.#labelled = sets.reduce((sum, set) => sum + set.tools.length, 0);
    this.#total = total;
    this.sizes = [...SIZES.filter((size) => size < total), total];
  }

  get inProcess(): readonly number[] {
    return SIZES.filter((size) => size <= this.#total);
  }

  of(size: number): Iterable<LabelledTool> {
    return sample(this.#documents, size, { total: this.#total, labelled: this.#labelled });
  }
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

async function qualities(
  { sets }: Corpus,
  catalogs: Catalogs,
  database: Database,
  progress: Progress,
): Promise<readonly QualityFigures[]> {
  const figures: QualityFigures[] = [];
  const total = catalogs.sizes.at(-1) ?? 0;
  const largest = tableOf(total);
  for (const set of sets) {
    progress(`${set.name}: quality, alone`);
    const alone = { set: set.name, documents: set.tools.length, isHidden: false };
    figures.push({ ...alone, engine: 'in process', ...(await qualityOf(await inProcess(set.tools), set)) });
    const source = database.source(largest, set.name);
    figures.push({ ...alone, engine: 'PostgreSQL', ...(await qualityOf(inSource(source), set)) });
  }
  if (total > HIDDEN) {
    progress(`quality, hidden among ${HIDDEN.toLocaleString('en')} in the process`);
    const find = await inProcess([...catalogs.of(HIDDEN)]);
    for (const set of sets) {
      const hidden = { set: set.name, documents: HIDDEN, isHidden: true };
      figures.push({ ...hidden, engine: 'in process', ...(await qualityOf(find, set)) });
    }
  }
  for (const documents of [HIDDEN, total].filter((size, at, all) => size <= total && all.indexOf(size) === at)) {
    const source = database.source(tableOf(documents), ALL);
    for (const set of sets) {
      progress(`${set.name}: quality, hidden among ${documents.toLocaleString('en')}`);
      const hidden = { set: set.name, documents, isHidden: true };
      figures.push({ ...hidden, engine: 'PostgreSQL', ...(await qualityOf(inSource(source), set)) });
    }
  }
  return figures;
}
