import type {
  CaseChange,
  Comparison,
  Evaluation,
  EvaluationCase,
  Figure,
  Gates,
  ScorerEvaluation,
} from '../../../entries/evaluate.ts';
import { asRecord } from '../../../kit.ts';
import { readJson } from '../catalog/json.ts';
import { catalogOptions, type LoadedCatalog, loadCatalog, readText } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { readCasesFile, scorerOption, scorersOf } from '../inputs.ts';
import {
  type Column,
  checkWritable,
  counted,
  escaped,
  type Format,
  formatOf,
  percent,
  several,
  table,
  writeResult,
} from '../output.ts';
import { FAILED, OK, shown, type Terminal, UsageError } from '../terminal.ts';

/** What a gate's option is a share of, or a number of points: its bounds are those of `failedGates`. */
const SHARES = {
  'min-hit1': 'minHit1',
  'min-recall': 'minRecall',
  'min-mrr': 'minMrr',
  'min-ndcg': 'minNdcg10',
  'max-false-alarms': 'maxFalseAlarms',
  'max-missed-nothings': 'maxMissedNothings',
} as const;

export const evalCommand: Command = {
  name: 'eval',
  summary: 'Measure how well queries find the tools that they should.',
  usage: 'CATALOG [CASES]',
  about: [
    'CASES has a case a line: { "query": "…", "relevant": ["tool"] }, with no tool where nothing fits; or of a log of real use { "query": "…", "called": "tool" }. Left out, they are the "cases" of the module.',
    'Ends with 1 where a gate fails.',
  ],
  options: {
    scorer: { ...scorerOption, multiple: true },
    top: { type: 'string', short: 'n', hint: 'N', text: 'Results that a model is shown (5)' },
    baseline: { type: 'string', hint: 'FILE', isFile: true, text: 'Compare with what --save-baseline wrote' },
    'save-baseline': { type: 'string', hint: 'FILE', isFile: true, text: 'Write the result, for --baseline' },
    'min-hit1': {
      type: 'string',
      hint: 'SHARE',
      text: 'Gate: the first result fits, in this share of the cases at least',
    },
    'min-recall': { type: 'string', hint: 'SHARE', text: 'Gate: the share of needs that what is shown serves' },
    'min-mrr': { type: 'string', hint: 'SHARE', text: 'Gate: the mean of 1 over the place of the first that fits' },
    'min-ndcg': { type: 'string', hint: 'SHARE', text: 'Gate: nDCG@10' },
    'max-false-alarms': { type: 'string', hint: 'SHARE', text: 'Gate: "nothing fits" is said, and something does' },
    'max-missed-nothings': { type: 'string', hint: 'SHARE', text: 'Gate: nothing fits, and it is not said' },
    'max-regression': {
      type: 'string',
      hint: 'POINTS',
      text: 'Gate: nDCG@10 below the baseline, in points of 100 (0)',
    },
    worst: { type: 'string', hint: 'N', text: 'Cases and confusions that are listed (10)' },
    ...catalogOptions,
  },
  examples: [
    ['eval tools.json cases.jsonl', 'figures, worst cases and confusions'],
    ['eval tools.json cases.jsonl --scorer bm25 --scorer tiered', 'two rankings'],
    ['eval tools.json cases.jsonl --save-baseline baseline.json', 'keep what there is'],
    ['eval tools.json cases.jsonl --baseline baseline.json --max-regression 1', 'fail when it gets worse'],
    ['eval tools.ts --min-recall 0.9 --markdown >> "$GITHUB_STEP_SUMMARY"', 'in CI'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { terminal, values } = call;
  const format = formatOf(call);
  const topK = values.number('top', { least: 1, isWhole: true }) ?? 5;
  const worst = values.number('worst', { least: 0, isWhole: true }) ?? 10;
  const gates = gatesOf(call);
  const file = values.text('save-baseline');
  checkWritable('save-baseline', file);
  const { catalog, rest } = await loadCatalog(call, 1);
  const cases = await casesOf(rest, catalog, terminal);
  const { compareEvaluations, evaluate, failedGates } = await import('../../../entries/evaluate.ts');
  const { tools, keywords = {}, groups } = catalog;
  const scorers = await scorersOf(call, catalog);
  const evaluations: Evaluation[] = [];
  for (const [at, scorer] of scorers.entries()) {
    const counts = `${Object.keys(tools).length} tools, ${cases.length} cases`;
    terminal.progress(`Evaluating ${scorer.name} (${at + 1}/${scorers.length}): ${counts}…`);
    evaluations.push(
      await evaluate({ tools, cases, scorers: [scorer], topK, keywords, ...(groups ? { groups } : {}) }),
    );
  }
  const evaluation: Evaluation = {
    ...{ tools: evaluations[0]?.tools ?? 0, topK },
    scorers: numbered(evaluations.flatMap(({ scorers }) => scorers)),
  };
  const { baseline } = gates;
  const comparisons: readonly Comparison[] | undefined = baseline && compareEvaluations(baseline, evaluation);
  const failures = failedGates(evaluation, gates);
  const result = { catalog: catalog.title, evaluation, ...(comparisons ? { comparisons } : {}), failures };
  const hasGates = Object.keys(gates).length > 0;
  if (file !== undefined) writeResult('save-baseline', file, `${JSON.stringify(evaluation)}\n`);
  terminal.print(
    format === 'json'
      ? JSON.stringify(result, null, 2)
      : evaluationPage({ ...result, hasGates }, worst, format, terminal),
  );
  return failures.length > 0 ? FAILED : OK;
}

/** Results of which each has a name of its own: the second "bm25" is "bm25 2". */
function numbered(scorers: readonly ScorerEvaluation[]): readonly ScorerEvaluation[] {
  const taken = new Set<string>();
  return scorers.map((one) => {
    let name = one.scorer;
    for (let count = 2; taken.has(name); count++) name = `${one.scorer} ${count}`;
    taken.add(name);
    return { ...one, scorer: name };
  });
}

function gatesOf({ values }: Call): Gates {
  const shares = Object.entries(SHARES).flatMap(([option, gate]) => {
    const share = values.number(option, { least: 0, most: 1 });
    return share === undefined ? [] : [[gate, share] as const];
  });
  const file = values.text('baseline');
  const points = values.number('max-regression', { least: 0, most: 100 });
  if (points !== undefined && file === undefined) {
    throw new UsageError('--max-regression needs --baseline FILE, which --save-baseline writes.');
  }
  return {
    ...Object.fromEntries(shares),
    ...(file === undefined ? {} : { baseline: readBaseline(file) }),
    ...(points === undefined ? {} : { maxRegression: points / 100 }),
  };
}

function readBaseline(file: string): Evaluation {
  const value = asRecord(readJson(readText(file), file));
  // As --json writes it, too.
  const evaluation = asRecord(value?.['evaluation']) ?? value;
  const isOne = (one: unknown): boolean =>
    Array.isArray(asRecord(one)?.['cases']) && typeof asRecord(one)?.['scorer'] === 'string';
  const scorers = evaluation?.['scorers'];
  if (Array.isArray(scorers) && scorers.every(isOne)) return evaluation as unknown as Evaluation;
  throw new UsageError(`${shown(file)} is no baseline. Write one with --save-baseline.`);
}

async function casesOf(
  [file]: readonly string[],
  catalog: LoadedCatalog,
  terminal: Terminal,
): Promise<readonly EvaluationCase[]> {
  if (file !== undefined) return readCasesFile(file, terminal);
  if (catalog.cases) return catalog.cases;
  throw new UsageError('Which cases? Give a file with a line for each: { "query": "…", "relevant": ["tool"] }.');
}

/** An evaluation with what is said of it. */
export interface Evaluated {
  readonly catalog: string;
  readonly evaluation: Evaluation;
  readonly comparisons?: readonly Comparison[];
  readonly failures: readonly string[];
  readonly hasGates: boolean;
}

/** What is written of an evaluation: figures, the difference to a baseline, the worst cases, confusions, gates. */
function evaluationPage(evaluated: Evaluated, worst: number, format: Format, terminal: Terminal): string {
  const { evaluation, comparisons = [], failures, hasGates } = evaluated;
  const { colors } = terminal;
  const isMarkdown = format === 'markdown';
  const heading = (text: string): string => (isMarkdown ? `### ${escaped(text)}` : colors.bold(shown(text)));
  const cases = evaluation.scorers[0]?.cases.length ?? 0;
  const hasSeveral = evaluation.scorers.length > 1;
  const sections = [
    heading(`${evaluated.catalog}: ${several(evaluation.tools, 'tool')}, ${several(cases, 'case')}`),
    figuresTable(evaluation, format, terminal),
    ...comparisons.flatMap((comparison) => comparisonOf(comparison, worst, format, terminal, heading)),
    ...evaluation.scorers.flatMap((one) => {
      const of = hasSeveral ? ` of ${one.scorer}` : '';
      const [worstCases, confusions] = [
        worstTable(one, worst, format, terminal),
        confusionsTable(one, worst, format, terminal),
      ];
      return [
        ...(worstCases === undefined ? [] : [heading(`Worst cases${of}`), worstCases]),
        ...(confusions === undefined ? [] : [heading(`Confusions${of}`), confusions]),
      ];
    }),
    ...(failures.length > 0 ? [failures.map((failure) => gateLine(failure, isMarkdown, terminal)).join('\n')] : []),
    ...(hasGates && failures.length === 0 ? [isMarkdown ? 'All gates hold.' : colors.green('All gates hold.')] : []),
  ];
  return sections.join('\n\n');
}

function gateLine(failure: string, isMarkdown: boolean, { colors }: Terminal): string {
  return isMarkdown ? `- **Gate failed:** ${escaped(failure)}` : colors.red(`Gate failed: ${shown(failure)}`);
}

/** Figures in rows, scorers in columns. */
function figuresTable({ scorers, topK }: Evaluation, format: Format, terminal: Terminal): string {
  const rows: readonly (readonly [title: string, of: (one: ScorerEvaluation) => string])[] = [
    ['hit@1', ({ figures }) => interval(figures?.hit1)],
    [`recall@${topK}`, ({ figures }) => interval(figures?.recall)],
    ['MRR', ({ figures }) => interval(figures?.mrr)],
    ['nDCG@10', ({ figures }) => interval(figures?.ndcg10)],
    ['false alarms', ({ verdicts }) => share(verdicts?.falseAlarms)],
    ['missed nothings', ({ verdicts }) => share(verdicts?.missedNothings)],
  ];
  const told = rows.map(([title, of]) => [title, ...scorers.map(of)]).filter(([, ...cells]) => cells.some(Boolean));
  const columns: readonly Column[] = [
    { title: '' },
    ...scorers.map(({ scorer }) => ({ title: scorer, isNumber: true })),
  ];
  return table(columns, told, format, terminal);
}

/** A figure with the interval in which it lies on 95 of 100 other draws of the cases. */
function interval(figure: Figure | undefined): string {
  if (!figure) return '';
  return `${percent(figure.mean, 1)} (${(100 * figure.low).toFixed(1)}–${(100 * figure.high).toFixed(1)})`;
}

function share(value: number | undefined): string {
  return value === undefined ? '' : percent(value, 1);
}

function comparisonOf(
  { scorer, difference, better, worse, unmatched }: Comparison,
  most: number,
  format: Format,
  terminal: Terminal,
  heading: (text: string) => string,
): readonly string[] {
  const change = difference?.ndcg10;
  const sign = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(1)}`;
  const range = change && change.low < change.high ? ` (${sign(change.low)} to ${sign(change.high)})` : '';
  const points = change ? `nDCG@10 ${sign(change.mean)} points${range}, ` : '';
  const others = unmatched > 0 ? `, ${counted(unmatched)} only in one of them` : '';
  const columns: readonly Column[] = [
    { title: 'before', isNumber: true },
    { title: 'now', isNumber: true },
    { title: 'query', isWide: true },
  ];
  const place = (rank: number | undefined): string => (rank === undefined ? 'none' : `${rank}`);
  const rows = (changes: readonly CaseChange[]): string =>
    table(
      columns,
      changes.slice(0, most).map(({ before, after, query }) => [place(before), place(after), query]),
      format,
      terminal,
    );
  return [
    heading(`Against the baseline: ${scorer}`),
    `${points}${counted(better.length)} better, ${counted(worse.length)} worse${others}.`,
    ...(worse.length > 0 && most > 0 ? [`Worse:\n\n${rows(worse)}`] : []),
    ...(better.length > 0 && most > 0 ? [`Better:\n\n${rows(better)}`] : []),
  ];
}

/** The cases of which the first result is not what was wanted: what was not found first, then by place. */
function worstTable({ cases }: ScorerEvaluation, most: number, format: Format, terminal: Terminal): string | undefined {
  const placeOf = (rank: number | undefined): number => rank ?? Number.POSITIVE_INFINITY;
  const missed = cases
    .filter(({ relevant, rank }) => relevant.length > 0 && rank !== 1)
    .toSorted((one, other) =>
      placeOf(other.rank) > placeOf(one.rank) ? 1 : placeOf(other.rank) < placeOf(one.rank) ? -1 : 0,
    );
  if (missed.length === 0 || most === 0) return undefined;
  const columns: readonly Column[] = [
    { title: 'place', isNumber: true },
    { title: 'query', isWide: true },
    { title: 'wanted', paint: terminal.colors.bold },
    { title: 'first' },
  ];
  const rows = missed
    .slice(0, most)
    .map(({ rank, query, relevant, found }) => [rank ?? 'none', query, relevant.join(', '), found[0] ?? '']);
  return table(columns, rows, format, terminal);
}

function confusionsTable(
  { confusions }: ScorerEvaluation,
  most: number,
  format: Format,
  terminal: Terminal,
): string | undefined {
  if (confusions.length === 0 || most === 0) return undefined;
  const columns: readonly Column[] = [
    { title: 'cases', isNumber: true },
    { title: 'wanted', paint: terminal.colors.bold },
    { title: 'came first' },
    { title: 'by', isWide: true },
  ];
  const rows = confusions
    .slice(0, most)
    .map(({ count, wanted, instead, words }) => [count, wanted, instead ?? 'nothing', words.slice(0, 5).join(', ')]);
  return table(columns, rows, format, terminal);
}
