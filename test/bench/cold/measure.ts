// First searches in processes that have searched nothing yet, beside @mastra/core's.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FIRST_QUERY, plainCatalog, queriesFor, toolsOf } from '../speed/catalogs.ts';
import { inTurns, median } from '../statistics.ts';
import { markdownTable } from '../table.ts';
import type { ColdOrder, ColdTimes } from './child.ts';

/** The sizes that are measured unless others are asked for. */
export const SIZES: readonly number[] = [100, 1_000, 10_000, 50_000];

/** What a cold first search may take, as a multiple of what core takes, by the size of the catalog. */
const MOST: ReadonlyMap<number, number> = new Map([
  [100, 4],
  [1_000, 2.65],
  [10_000, 0.5],
  [50_000, 0.4],
]);

export interface ColdOptions {
  readonly sizes?: readonly number[];
  /** A folder that holds tools.jsonl, or `generated`. */
  readonly catalog?: string | undefined;
  /** JSON lines with a `query` each, or `generated`. */
  readonly queries?: string | undefined;
  /** Processes of each; without it, the fewer, the more tools. */
  readonly rounds?: number | undefined;
}

export interface Cold {
  /** Where the tools and the queries are from. */
  readonly catalog: string;
  readonly queries: string;
  readonly figures: readonly ColdFigure[];
}

/** The medians of several processes, by who was measured. */
interface ColdFigure {
  readonly size: number;
  readonly times: ReadonlyMap<'core' | 'ours', ColdTimes>;
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
/** Node 22.13 runs TypeScript only when it is told to. */
const NODE = ['--expose-gc', '--experimental-strip-types', '--no-warnings'];

/** Builds the package, and measures each size in turn, each first search in a process of its own. */
export async function coldStarts({
  sizes = SIZES,
  catalog: folder,
  queries: file,
  rounds,
}: ColdOptions): Promise<Cold> {
  const catalog = plainCatalog(folder);
  const queries = queriesFor(catalog, file);
  execFileSync('npm', ['run', 'build', '--silent', '--', '--silent'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const builds = [
    ['core', {}],
    ['ours', { build: path.join(ROOT, 'dist/index.js') }],
  ] as const;
  const scratch = mkdtempSync(path.join(tmpdir(), 'cold-'));
  const figures: ColdFigure[] = [];
  try {
    for (const size of sizes) {
      console.error(`cold start: ${size} tools`);
      const tools = path.join(scratch, 'tools.json');
      writeFileSync(tools, JSON.stringify(toolsOf(catalog, size)));
      const runs = new Map(
        builds.map(([name, build]) => [name, () => ask({ tools, queries: [FIRST_QUERY, ...queries.texts], ...build })]),
      );
      const taken = { core: [] as ColdTimes[], ours: [] as ColdTimes[] };
      for (let round = 0; round < (rounds ?? roundsFor(size)); round++) {
        await inTurns(runs, round, (name, times) => taken[name].push(times));
      }
      figures.push({ size, times: new Map([...runs.keys()].map((name) => [name, mediansOf(taken[name])])) });
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return { catalog: catalog.name, queries: `${queries.name}, ${queries.texts.length}`, figures };
}

async function ask(order: ColdOrder): Promise<ColdTimes> {
  const child = await promisify(execFile)(process.execPath, [...NODE, CHILD, JSON.stringify(order)]);
  return JSON.parse(child.stdout) as ColdTimes;
}

function roundsFor(size: number): number {
  return size <= 1_000 ? 15 : size <= 10_000 ? 7 : 3;
}

function mediansOf(all: readonly ColdTimes[]): ColdTimes {
  const keys = Object.keys(all[0] ?? {}) as (keyof ColdTimes)[];
  return Object.fromEntries(keys.map((key) => [key, median(all.map((times) => times[key]))])) as unknown as ColdTimes;
}

/** What is beyond the bars, in words: the first search, and the slowest of those behind it. */
export function beyondBars({ figures }: Cold): readonly string[] {
  return figures.flatMap(({ size, times }) => {
    const [core, ours] = [times.get('core')!, times.get('ours')!];
    const most = MOST.get(size) ?? Number.POSITIVE_INFINITY;
    const share = ours.cold / core.cold;
    const late = (name: 'p50' | 'p99'): string =>
      `${size} tools: ${name} ${ours[name].toFixed(2)} ms, core's ${core[name].toFixed(2)}`;
    return [
      ...(share > most
        ? [`${size} tools: the first search takes ${share.toFixed(2)} times core's, at most ${most}`]
        : []),
      ...(ours.p99 > core.p99 ? [late('p99')] : []),
      ...(size <= 100 && ours.p50 > core.p50 ? [late('p50')] : []),
    ];
  });
}

const COLUMNS: readonly (readonly [heading: string, key: keyof ColdTimes])[] = [
  ['constructor', 'constructor'],
  ['step', 'step'],
  ['search', 'search'],
  ['all three', 'cold'],
  ['their CPU', 'coldCpu'],
  ['search p50', 'p50'],
  ['search p99', 'p99'],
  ['import', 'import'],
];

/** Who took what, size by size, with the ratio to core, and which bars are not met. */
export function coldReport(cold: Cold): string {
  const { catalog, queries, figures } = cold;
  const rows = figures.flatMap(({ size, times }) => {
    const core = times.get('core')!;
    return [...times].map(([name, taken]) => [
      size.toLocaleString('en'),
      name,
      ...COLUMNS.map(([, key]) => taken[key].toFixed(taken[key] < 10 ? 2 : 1)),
      `${(taken.cold / core.cold).toFixed(2)} (${(taken.coldCpu / core.coldCpu).toFixed(2)})`,
    ]);
  });
  const beyond = beyondBars(cold).map((line) => `  ${line}`);
  return [
    'Cold start: constructor, first step and first search, each in a process of its own. Milliseconds, medians.',
    `Catalog: ${catalog}. Queries: ${queries}.\n`,
    markdownTable([['tools', '', ...COLUMNS.map(([heading]) => heading), '/ core (CPU)'], ...rows]),
    ...(beyond.length > 0 ? ['\nNot met:', ...beyond] : []),
  ].join('\n');
}
