// First searches in processes that have searched nothing yet, beside @mastra/core's.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Side } from '../processors.ts';
import type { Section } from '../report.ts';
import { FIRST_QUERY, plainCatalog, queriesIn, toolsOf } from '../speed/catalogs.ts';
import { inTurns, median } from '../statistics.ts';
import type { ColdOrder, ColdTimes } from './child.ts';

/** What a cold first search may take, as a multiple of what core takes, by the size of the catalog. */
const MOST: Readonly<Record<string, number>> = { 100: 4, 1000: 2.65, 10000: 0.5, 50000: 0.4 };
/** The sizes that are measured unless others are asked for. */
export const SIZES: string = Object.keys(MOST).join();

interface ColdOptions {
  readonly sizes?: string;
  /** A folder that holds tools.jsonl. */
  readonly catalog?: string | undefined;
  /** JSON lines with a `query` each. */
  readonly queries?: string | undefined;
}

/** The medians of several processes, by who was measured. */
type ColdFigure = Readonly<Record<Side, ColdTimes>> & { readonly size: number };

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
/** Node 22.13 runs TypeScript only when it is told to. */
const NODE = ['--expose-gc', '--experimental-strip-types', '--no-warnings'];

/** Builds the package, and measures each size in turn, each first search in a process of its own. */
export async function coldStarts({ sizes = SIZES, catalog, queries }: ColdOptions): Promise<readonly ColdFigure[]> {
  const plain = plainCatalog(catalog);
  const asked = [FIRST_QUERY, ...queriesIn(queries)];
  execFileSync('npm', ['run', 'build', '--silent', '--', '--silent'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const scratch = mkdtempSync(path.join(tmpdir(), 'cold-'));
  const tools = path.join(scratch, 'tools.json');
  const run = (build?: string) => async () => {
    const order: ColdOrder = { tools, queries: asked, ...(build ? { build } : {}) };
    const child = await promisify(execFile)(process.execPath, [...NODE, CHILD, JSON.stringify(order)]);
    return JSON.parse(child.stdout) as ColdTimes;
  };
  const figures: ColdFigure[] = [];
  try {
    for (const size of sizes.split(',').map(Number)) {
      console.error(`cold start: ${size} tools`);
      writeFileSync(tools, JSON.stringify(toolsOf(plain, size)));
      const rounds = size <= 1_000 ? 15 : size <= 10_000 ? 7 : 3;
      const [core, ours] = await inTurns([run(), run(path.join(ROOT, 'dist/index.js'))], { rounds });
      figures.push({ size, core: mediansOf(core!), ours: mediansOf(ours!) });
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return figures;
}

function mediansOf(all: readonly ColdTimes[]): ColdTimes {
  const medians = COLUMNS.map(([, key]) => [key, median(all.map((times) => times[key]))]);
  return Object.fromEntries(medians) as unknown as ColdTimes;
}

/** What is beyond the bars, in words: the first search, and the slowest of those behind it. */
export function beyondBars(figures: readonly ColdFigure[]): readonly string[] {
  return figures.flatMap(({ size, core, ours }) => {
    const most = MOST[size] ?? Number.POSITIVE_INFINITY;
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
  ['search p50', 'p50'],
  ['search p99', 'p99'],
  ['import', 'import'],
];

/** Who took what, size by size, with the ratio to core, and which bars are not met. */
export function coldTable(figures: readonly ColdFigure[]): Section {
  const rows = figures.flatMap(({ size, core, ours }) =>
    Object.entries({ core, ours }).map(([name, taken]) => [
      ...[size.toLocaleString('en'), name],
      ...COLUMNS.map(([, key]) => taken[key].toFixed(taken[key] < 10 ? 2 : 1)),
      (taken.cold / core.cold).toFixed(2),
    ]),
  );
  const beyond = beyondBars(figures).map((line) => `  ${line}`);
  return {
    title: 'Cold start: constructor, first step and first search, each in a process of its own. Milliseconds, medians.',
    rows: [['tools', '', ...COLUMNS.map(([heading]) => heading), '/ core'], ...rows],
    ...(beyond.length > 0 ? { note: ['Not met:', ...beyond].join('\n') } : {}),
  };
}
