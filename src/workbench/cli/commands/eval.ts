import type {
  Comparison,
  Evaluation,
  EvaluationCase,
  Figure,
  Gates,
  ScorerEvaluation,
} from '../../../entries/evaluate.ts';
import type { LoggedUse } from '../../../entries/learning.ts';
import type { ToolScorer } from '../../../index.ts';
import { asRecord, given } from '../../../util/record.ts';
import { compareScorers, differenceSentence } from '../../evaluate/compare.ts';
import { readJson } from '../catalog/json.ts';
import { catalogOptions, type LoadedCatalog, loadCatalog, readText } from '../catalog/load.ts';
import type { Call, Command, CommandOption } from '../command.ts';
import {
  embedderOption,
  isScorerCalled,
  readCasesFile,
  scorerOption,
  scorersCalled,
  scorersOf,
  WORDS,
} from '../inputs.ts';
import {
  type Cell,
  checkWritable,
  escaped,
  formatOf,
  numbers,
  type Page,
  percent,
  printResult,
  several,
  writeResult,
} from '../output.ts';
import { FAILED, OK, shown, type Terminal, UsageError } from '../terminal.ts';

/** The command-line option of each gate, with the gate's field in `Gates` and its help text. Gates are shares. */
const GATES: Readonly<Record<string, readonly [gate: keyof Gates, text: string]>> = {
  'min-hit1': ['minHit1', 'Gate: the first result fits, in this share of the cases at least'],
  'min-recall': ['minRecall', 'Gate: the share of needs that what is shown serves'],
  'min-mrr': ['minMrr', 'Gate: the mean of 1 over the place of the first that fits'],
  'min-ndcg': ['minNdcg10', 'Gate: nDCG@10'],
  'max-false-alarms': ['maxFalseAlarms', 'Gate: "nothing fits" is said, and something does'],
  'max-missed-nothings': ['maxMissedNothings', 'Gate: nothing fits, and it is not said'],
};

export const evalCommand: Command = {
  name: 'eval',
  summary: 'Measure how well queries find the tools that they should.',
  usage: 'CATALOG [CASES]',
  about: [
    'CASES has a case a line: { "query": "…", "relevant": ["tool"] }, with no tool where nothing fits; or of a log of real use { "query": "…", "called": "tool" }. Left out, they are the "cases" of the module.',
    'Scorers stand side by side, with those of --baseline. A sentence says of each whether it ranks better than the first, or than before. Without a scorer, words alone are measured beside the default ranking: gates are not about them. Ends with 1 where a gate fails.',
  ],
  options: {
    scorer: { ...scorerOption, multiple: true },
    embedder: embedderOption,
    top: { short: 'n', hint: 'N', text: 'Results that a model is shown (5)' },
    learning: {
      hint: 'LOG',
      text: 'Measure what learning from this log would bring, on the part of it that is held out',
    },
    baseline: { hint: 'FILE', text: 'Compare with what --save-baseline wrote' },
    'save-baseline': { hint: 'FILE', text: 'Write the result, for --baseline' },
    ...Object.fromEntries(
      Object.entries(GATES).map(([option, [, text]]): [string, CommandOption] => [option, { hint: 'SHARE', text }]),
    ),
    'max-regression': { hint: 'POINTS', text: 'Gate: nDCG@10 below the baseline, in points of 100 (0)' },
    worst: { hint: 'N', text: 'Cases and confusions that are listed (10)' },
    ...catalogOptions,
  },
  examples: [
    ['eval tools.json cases.jsonl', 'figures, worst cases and confusions'],
    ['eval tools.json cases.jsonl --scorer bm25 --scorer tiered', 'two rankings'],
    ['eval tools.json cases.jsonl --embedder ./embedder.ts', 'would an embedding model help?'],
    ['eval tools.json --learning events.jsonl', 'what learning would gain'],
    ['eval tools.json cases.jsonl --save-baseline baseline.json', 'keep what there is'],
    ['eval tools.json cases.jsonl --baseline baseline.json --max-regression 1', 'fail when it gets worse'],
    ['eval tools.ts --min-recall 0.9 --markdown >> "$GITHUB_STEP_SUMMARY"', 'in CI'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { terminal, values } = call;
  formatOf(call);
  const topK = values.whole('top', 1) ?? 5;
  const worst = values.whole('worst', 0) ?? 10;
  const gates = gatesOf(call);
  const file = values.text('save-baseline');
  checkWritable('save-baseline', file);
  const { catalog, rest } = await loadCatalog(call, 1);
  const log = values.text('learning');
  const logged = log === undefined ? undefined : await dividedLog(log, terminal);
  const cases = logged?.cases ?? (await casesOf(rest, catalog, terminal));
  const { compareEvaluations, evaluate, failedGates } = await import('../../../entries/evaluate.ts');
  const { tools, keywords = {}, groups } = catalog;
  const judged = await scorersOf(call, catalog);
  const beside = catalog.scorers || isScorerCalled(values) ? [] : await scorersCalled([WORDS], values);
  const learned = logged ? await Promise.all(judged.map(logged.learnedBy)) : [];
  const scorers = [...judged, ...beside, ...learned];
  const counts = `${Object.keys(tools).length} tools, ${cases.length} cases`;
  terminal.progress(`Evaluating ${scorers.map(({ name }) => name).join(', ')}: ${counts}…`);
  const measured = await evaluate({ tools, cases, scorers, topK, keywords, ...given({ groups }) });
  const evaluation: Evaluation = { ...measured, scorers: numbered(measured.scorers) };
  const comparisons = gates.baseline && compareEvaluations(gates.baseline, evaluation);
  const judgements = evaluation.scorers.slice(0, judged.length);
  const failures = failedGates({ ...evaluation, scorers: judgements }, gates);
  const [first, ...others] = evaluation.scorers;
  const differences = others.flatMap((one) => (first ? { against: first.scorer, ...compareScorers(first, one) } : []));
  const result = {
    ...{ catalog: catalog.title, evaluation, failures },
    ...given({ comparisons, differences: differences.length > 0 ? differences : undefined }),
  };
  if (file !== undefined) writeResult(file, `${JSON.stringify(evaluation)}\n`);
  const hasGates = Object.keys(gates).length > 0;
  const shownBaseline = gates.baseline?.scorers ?? [];
  const page = { ...result, differences, judgements, hasGates, baseline: shownBaseline };
  printResult(call, result, (to) => write(page, worst, to, terminal));
  return failures.length > 0 ? FAILED : OK;
}

/** One of so many conversations of a log is held out. */
const HELD_OUT = 3;

/** Splits a log: every third conversation is held out as cases. */
async function dividedLog(
  file: string,
  terminal: Terminal,
): Promise<{
  readonly cases: readonly EvaluationCase[];
  /** Returns the scorer after it has learned from the rest of the log. */
  readonly learnedBy: (scorer: ToolScorer) => Promise<ToolScorer>;
}> {
  const { scorerWithUses, usesInLog } = await import('../../../entries/learning.ts');
  const { uses } = usesInLog(file === '-' ? await terminal.input() : readText(file));
  const conversations = [...new Set(uses.map(({ conversation }) => conversation))];
  const places = new Map(conversations.map((conversation, at) => [conversation, at]));
  const isHeldOut = ({ conversation }: LoggedUse): boolean => (places.get(conversation) ?? 0) % HELD_OUT === 0;
  const cases = uses.filter(isHeldOut).map(({ query, toolName }) => ({ query, relevant: [toolName] }));
  const others = uses.filter((use) => !isHeldOut(use));
  if (others.length > 0 && cases.length > 0) return { cases, learnedBy: (scorer) => scorerWithUses(scorer, others) };
  throw new UsageError(
    `${shown(file)} has too few uses to hold some out: ${uses.length} in ${conversations.length} conversations.`,
  );
}

/** Gives each result a unique name: the second "bm25" becomes "bm25 2". */
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
  const shares = Object.entries(GATES).flatMap(([option, [gate]]) => {
    const share = values.number(option, 0, 1);
    return share === undefined ? [] : [[gate, share] as const];
  });
  const file = values.text('baseline');
  const points = values.number('max-regression', 0, 100);
  if (points !== undefined && file === undefined)
    throw new UsageError('--max-regression needs --baseline FILE, which --save-baseline writes.');
  return {
    ...Object.fromEntries(shares),
    ...(file === undefined ? {} : { baseline: readBaseline(file) }),
    ...(points === undefined ? {} : { maxRegression: points / 100 }),
  };
}

/** @throws UsageError for a file that `--save-baseline` did not write. */
export function readBaseline(file: string): Evaluation {
  const value = asRecord(readJson(readText(file), file));
  // Output of --json has the evaluation in a field.
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

interface Difference extends Comparison {
  readonly against: string;
}

interface Evaluated {
  readonly catalog: string;
  readonly evaluation: Evaluation;
  /** The scorers of the evaluation without those that are only there for comparison. */
  readonly judgements: readonly ScorerEvaluation[];
  /** Differences between the first scorer and each other one. */
  readonly differences: readonly Difference[];
  readonly baseline: readonly ScorerEvaluation[];
  readonly comparisons?: readonly Comparison[];
  readonly failures: readonly string[];
  readonly hasGates: boolean;
}

/** Writes an evaluation: figures, differences to a baseline, the worst cases, confusions, gates. */
function write(evaluated: Evaluated, worst: number, page: Page, { colors }: Terminal): void {
  const { catalog, evaluation, judgements, differences, baseline, comparisons = [], failures, hasGates } = evaluated;
  const { scorers, tools, topK } = evaluation;
  page.heading(`${catalog}: ${several(tools, 'tool')}, ${several(scorers[0]?.cases.length ?? 0, 'case')}`);
  const before = baseline.filter((one) => scorers.some(({ scorer }) => scorer === one.scorer));
  const titles = [...scorers.map(({ scorer }) => scorer), ...before.map(({ scorer }) => `${scorer} before`)];
  page.table([{ title: '' }, ...titles.map(numbers)], figureRows([...scorers, ...before], topK));
  for (const one of differences) writeDifference(one, one.against, page);
  for (const comparison of comparisons) writeComparison(comparison, worst, page);
  for (const one of judgements) {
    const of = judgements.length > 1 ? ` of ${one.scorer}` : '';
    const missed = worstCases(one).slice(0, worst);
    const confusions = one.confusions.slice(0, worst);
    const wanted = { title: 'wanted', paint: colors.bold };
    if (missed.length > 0) page.heading(`Worst cases${of}`);
    page.table(
      [numbers('place'), { title: 'query', isWide: true }, wanted, { title: 'first' }],
      missed.map(({ rank, query, relevant, found }) => [rank ?? 'none', query, relevant.join(', '), found[0] ?? '']),
    );
    if (confusions.length > 0) page.heading(`Confusions${of}`);
    page.table(
      [numbers('cases'), wanted, { title: 'came first' }, { title: 'by', isWide: true }],
      confusions.map(({ count, wanted: name, instead, words }) => [
        ...[count, name, instead ?? 'nothing', words.slice(0, 5).join(', ')],
      ]),
    );
  }
  const { isMarkdown } = page;
  const lines = failures.map((failure) =>
    isMarkdown ? `- **Gate failed:** ${escaped(failure)}` : colors.red(`Gate failed: ${shown(failure)}`),
  );
  if (lines.length > 0) page.add(lines.join('\n'));
  else if (hasGates) page.text('All gates hold.', colors.green);
}

/** Figures in rows, scorers in columns; without rows that no scorer has. */
function figureRows(scorers: readonly ScorerEvaluation[], topK: number): readonly (readonly Cell[])[] {
  // The interval is the 95 % bootstrap confidence interval of the mean.
  const interval = (figure: Figure | undefined): string =>
    figure ? `${percent(figure.mean, 1)} (${(100 * figure.low).toFixed(1)}–${(100 * figure.high).toFixed(1)})` : '';
  const share = (value: number | undefined): string => (value === undefined ? '' : percent(value, 1));
  const rows = [
    ['hit@1', ...scorers.map(({ figures }) => interval(figures?.hit1))],
    [`recall@${topK}`, ...scorers.map(({ figures }) => interval(figures?.recall))],
    ['MRR', ...scorers.map(({ figures }) => interval(figures?.mrr))],
    ['nDCG@10', ...scorers.map(({ figures }) => interval(figures?.ndcg10))],
    ['false alarms', ...scorers.map(({ verdicts }) => share(verdicts?.falseAlarms))],
    ['missed nothings', ...scorers.map(({ verdicts }) => share(verdicts?.missedNothings))],
  ];
  return rows.filter(([, ...cells]) => cells.some(Boolean));
}

function writeDifference(comparison: Comparison, against: string, page: Page): void {
  const sentence = differenceSentence(comparison, against);
  page.text(page.isMarkdown ? escaped(sentence) : shown(sentence), String);
}

function writeComparison(comparison: Comparison, most: number, page: Page): void {
  const { scorer, better, worse } = comparison;
  page.heading(`Against the baseline: ${scorer}`);
  writeDifference(comparison, 'before', page);
  for (const [title, changes] of [['Worse:', worse] as const, ['Better:', better] as const])
    page.table(
      [numbers('before'), numbers('now'), { title: 'query', isWide: true }],
      changes.slice(0, most).map(({ before, after, query }) => [`${before ?? 'none'}`, `${after ?? 'none'}`, query]),
      title,
    );
}

/** The cases whose first result is wrong: unfound ones first, then by descending rank. */
function worstCases({ cases }: ScorerEvaluation): ScorerEvaluation['cases'] {
  const placeOf = (rank = Number.MAX_VALUE): number => rank;
  return cases
    .filter(({ relevant, rank }) => relevant.length > 0 && rank !== 1)
    .toSorted((one, other) => placeOf(other.rank) - placeOf(one.rank));
}
