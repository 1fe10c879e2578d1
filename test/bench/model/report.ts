import { textTable } from '../table.ts';
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
  readonly versions: string;
}

type Test = (record: RunRecord) => boolean;

/** Tables of the runs that were made alike, one for each such group. */
export function reportOf(records: readonly RunRecord[]): string {
  const groups = grouped(records, ({ hash, seed }) => `${hash} ${seed}`);
  return [...groups.values()].map(groupReport).join('\n\n');
}

function groupReport(records: readonly RunRecord[]): string {
  const { setup, seed, versions } = records[0] as RunRecord;
  const ways = [...grouped(records, ({ way }) => way)];
  const failed = records.filter(({ outcome }) => outcome === 'error');
  const sets = new Set(records.map(({ task }) => task.split('/')[0]));
  const tasks = new Set(records.map(({ task }) => task)).size;
  const limits = setup.firstSearch ? 'first search' : `at most ${setup.maxCalls} model calls`;
  const options = Object.keys(setup.options).length > 0 ? `, options ${JSON.stringify(setup.options)}` : '';
  const lines = [
    setup.firstSearch ? ways.map(([way, all]) => firstMoves(way, all)).join('\n\n') : runs(ways),
    '',
    ...ways.flatMap(([way, all]) => textsNote(way, all)),
    ...(failed.length > 0
      ? [`Runs that ended in an error, and count nowhere: ${failed.length}, as ${failed[0]?.error}`]
      : []),
    `Model ${setup.model}, seed ${seed}, ${tasks} tasks of ${[...sets].join(', ')}, ${limits}, tool choice ${setup.toolChoice}${options}; ${versions}`,
  ];
  return lines.join('\n');
}

/** Texts that were changed between two starts are two experiments. */
function textsNote(way: string, records: readonly RunRecord[]): readonly string[] {
  const { size } = new Set(records.flatMap(({ texts = [] }) => texts));
  return size > 1 ? [`${way} was sent ${size} different texts about the search: the figures mix them.`] : [];
}

function runs(ways: readonly (readonly [string, readonly RunRecord[]])[]): string {
  const heading = ['', 'runs', 'right %', ...HALVES, 'wrong %', 'none %', 'model calls', 'prompt tokens'];
  const rows = ways.map(([way, all]) => {
    const done = all.filter(({ outcome }) => outcome !== 'error');
    const count = (test: Test): string => String(done.filter(test).length);
    const tokens = mean(done.map(({ usage }) => usage.promptTokens));
    return [
      ...[way, String(done.length), ...wholeAndHalves(done, ({ outcome }) => outcome === 'right')],
      ...(['wrong', 'none'] as const).map((outcome) => percent(done, (record) => record.outcome === outcome)),
      mean(done.map(({ usage }) => usage.modelCalls))?.toFixed(2) ?? '–',
      tokens === undefined ? '–' : Math.round(tokens).toLocaleString('en'),
      ...[count(({ isCut = false }) => isCut), count(isLoop)],
      String(done.flatMap(({ calls }) => calls).filter(({ isInvalid }) => isInvalid).length),
      String(all.length - done.length),
    ];
  });
  return textTable([[...heading, 'cut', 'loops', 'invalid calls', 'errors'], ...rows]);
}

const FIRST_MOVES: readonly (readonly [string, (first: NonNullable<Outcome['first']>) => boolean])[] = [
  ['a right tool among five', ({ isFound }) => isFound],
  ["by the user's words", ({ isFoundByMessage }) => isFoundByMessage],
  ['by either', ({ isFound, isFoundByMessage }) => isFound || isFoundByMessage],
  ['searched', ({ queries }) => queries.length > 0],
  ['an example copied', ({ copied }) => copied.length > 0],
  ['asked for one result', ({ maxResults }) => Number(maxResults) === 1],
  ['load_tool first', ({ kind }) => kind === 'load'],
  ['another tool first', ({ kind }) => kind === 'tool'],
  ['prose', ({ kind }) => kind === 'prose'],
];

function firstMoves(way: string, all: readonly RunRecord[]): string {
  const done = all.filter(({ outcome }) => outcome !== 'error');
  const sizes = [done, ...HALVES.map((half) => done.filter((record) => record.half === half))].map(
    ({ length }) => `${length}`,
  );
  const rows = FIRST_MOVES.map(([name, test]) => [
    name,
    ...wholeAndHalves(done, ({ first }) => first !== undefined && test(first)),
  ]);
  return textTable([[`${way}: % of tasks`, 'all', ...HALVES], ['tasks', ...sizes], ...rows]);
}

/** Whether the same call came three times. */
function isLoop({ calls }: RunRecord): boolean {
  const same = grouped(calls, ({ tool, input }) => JSON.stringify([tool, input]));
  return [...same.values()].some(({ length }) => length >= 3);
}

function wholeAndHalves(records: readonly RunRecord[], test: Test): readonly string[] {
  return [
    percent(records, test),
    ...HALVES.map((half) =>
      percent(
        records.filter((record) => record.half === half),
        test,
      ),
    ),
  ];
}

function percent(records: readonly RunRecord[], test: Test): string {
  return records.length === 0 ? '–' : ((100 * records.filter(test).length) / records.length).toFixed(0);
}

/** Undefined where a value is missing. */
function mean(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0 || values.includes(undefined)) return undefined;
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0) / values.length;
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
