import { table } from '../report.ts';
import { grouped, mean } from '../statistics.ts';
import type { Outcome, Setup, WayName } from './run.ts';
import { HALVES, type Half } from './tasks.ts';

/** A line of the file: what came of a task in a way, and all that it takes to run it again. */
export interface RunRecord extends Outcome {
  readonly way: WayName;
  readonly task: string;
  readonly half: Half;
  readonly seed: number;
  readonly setup: Setup;
  /** Of the setup. */
  readonly hash: string;
}

/** Tables of the runs that were made alike, one for each such group. */
export function reportOf(records: readonly RunRecord[]): string {
  return [...grouped(records, ({ hash, seed }) => `${hash} ${seed}`).values()].map(groupReport).join('\n\n');
}

function groupReport(records: readonly RunRecord[]): string {
  const { setup, seed } = records[0]!;
  const ways = [...grouped(records, ({ way }) => way)];
  const failed = records.filter(({ outcome }) => outcome === 'error');
  const tasks = new Set(records.map(({ task }) => task));
  const sets = new Set(records.map(({ task }) => task.split('/')[0]));
  const limits = setup.firstSearch ? 'first search' : `at most ${setup.maxCalls} model calls`;
  const options = Object.keys(setup.options).length > 0 ? `, options ${JSON.stringify(setup.options)}` : '';
  const lines = ways.flatMap(([way, all]) => {
    // Texts that were changed between two starts are two experiments.
    const { size } = new Set(all.flatMap(({ texts = [] }) => texts));
    return size > 1 ? [`${way} was sent ${size} different texts about the search: the figures mix them.`] : [];
  });
  if (failed.length > 0)
    lines.push(`Runs that ended in an error, and count nowhere: ${failed.length}, as ${failed[0]?.error}`);
  return [
    setup.firstSearch ? ways.map(([way, all]) => firstMoves(way, all)).join('\n\n') : wholeRuns(ways),
    '',
    ...lines,
    `Model ${setup.model}, seed ${seed}, ${tasks.size} tasks of ${[...sets].join(', ')}, ${limits}, tool choice ${setup.toolChoice}${options}`,
  ].join('\n');
}

function wholeRuns(ways: readonly (readonly [string, readonly RunRecord[]])[]): string {
  const heading = ['', 'runs', 'right %', ...HALVES, 'wrong %', 'none %', 'model calls', 'prompt tokens'];
  const rows = ways.map(([way, all]) => {
    const done = all.filter(({ outcome }) => outcome !== 'error');
    // NaN where an endpoint does not count.
    const tokens = Math.round(mean(done.map(({ usage }) => usage.promptTokens ?? Number.NaN)));
    return [
      ...[way, `${done.length}`, ...wholeAndHalves(done, ({ outcome }) => outcome === 'right')],
      ...(['wrong', 'none'] as const).map((outcome) => share(done, (record) => record.outcome === outcome)),
      mean(done.map(({ usage }) => usage.modelCalls)).toFixed(2),
      Number.isNaN(tokens) ? '–' : tokens.toLocaleString('en'),
      `${done.filter(({ isCut }) => isCut).length}`,
      `${done.filter(isLoop).length}`,
      `${done.flatMap(({ calls }) => calls).filter(({ isInvalid }) => isInvalid).length}`,
      `${all.length - done.length}`,
      share(done, ({ outcome, called = outcome }) => called === 'right'),
    ];
  });
  return table([[...heading, 'cut', 'loops', 'invalid calls', 'errors', 'called right %'], ...rows]);
}

const FIRST_MOVES: Readonly<Record<string, (first: NonNullable<Outcome['first']>) => boolean>> = {
  'a right tool among five': ({ isFound }) => isFound,
  "by the user's words": ({ isFoundByMessage }) => isFoundByMessage,
  'by either': ({ isFound, isFoundByMessage }) => isFound || isFoundByMessage,
  searched: ({ queries }) => queries.length > 0,
  'an example copied': ({ copied }) => copied.length > 0,
  'asked for one result': ({ maxResults }) => Number(maxResults) === 1,
  'load_tool first': ({ kind }) => kind === 'load',
  'another tool first': ({ kind }) => kind === 'tool',
  prose: ({ kind }) => kind === 'prose',
};

function firstMoves(way: string, all: readonly RunRecord[]): string {
  const done = all.filter(({ outcome }) => outcome !== 'error');
  const sizes = [done, ...HALVES.map((half) => done.filter((record) => record.half === half))];
  const rows = Object.entries(FIRST_MOVES).map(([name, test]) => {
    return [name, ...wholeAndHalves(done, ({ first }) => first !== undefined && test(first))];
  });
  return table([
    [`${way}: % of tasks`, 'all', ...HALVES],
    ['tasks', ...sizes.map(({ length }) => `${length}`)],
    ...rows,
  ]);
}

/** Whether the same call came three times. */
function isLoop({ calls }: RunRecord): boolean {
  const same = grouped(calls, ({ tool, input }) => JSON.stringify([tool, input]));
  return [...same.values()].some(({ length }) => length >= 3);
}

type Test = (record: RunRecord) => boolean;

function wholeAndHalves(records: readonly RunRecord[], test: Test): readonly string[] {
  const halves = HALVES.map((half) => records.filter((record) => record.half === half));
  return [records, ...halves].map((some) => share(some, test));
}

function share(records: readonly RunRecord[], test: Test): string {
  return records.length === 0 ? '–' : ((100 * records.filter(test).length) / records.length).toFixed(0);
}
