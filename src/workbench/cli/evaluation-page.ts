import type { CaseChange, Comparison, Evaluation, Figure, ScorerEvaluation } from '../../entries/evaluate.ts';
import { type Column, counted, escaped, type Format, percent, several, table } from './output.ts';
import { shown, type Terminal } from './terminal.ts';

/** An evaluation with what is said of it. */
export interface Evaluated {
  readonly catalog: string;
  readonly evaluation: Evaluation;
  readonly comparisons?: readonly Comparison[];
  readonly failures: readonly string[];
  readonly hasGates: boolean;
}

/** What is written of an evaluation: figures, the difference to a baseline, the worst cases, confusions, gates. */
export function evaluationPage(evaluated: Evaluated, worst: number, format: Format, terminal: Terminal): string {
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
