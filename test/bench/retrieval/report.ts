import type { Bin, Reliability, ReliabilityEntry } from './reliability.ts';
import type { Entry, Figure, MeanResults, Results, SetEntry, SetResults } from './results.ts';
import { markdownTable, type Table, textTable } from './table.ts';
import { verdictReport } from './verdict/report.ts';

/** Everything for a terminal. */
export function textReport(results: Results): string {
  const parts = results.sets.flatMap((set) => setReport(set, results.baseline));
  if (results.sets.length > 1) for (const mean of results.means) parts.push(meanReport(mean, results));
  if (results.reliability) parts.push(...reliabilityReport(results.reliability));
  if (results.verdict) parts.push(verdictReport(results.verdict));
  return parts.join('\n\n');
}

/** The one table for docs/performance.md. */
export function markdownReport(results: Results): string {
  const [set] = results.sets;
  if (results.sets.length === 1 && set) return markdownTable(setTable(set, results.baseline));
  return results.means
    .flatMap((mean) => [...(results.means.length > 1 ? [title(mean)] : []), markdownTable(overview(mean, results))])
    .join('\n\n');
}

function setReport(set: SetResults, baseline: string): readonly string[] {
  const parts = [`${set.set}: ${set.tools} tools, ${set.queries} queries\n${textTable(setTable(set, baseline))}`];
  const styles = Object.entries(set.contestants[0]?.styles ?? {});
  if (styles.length > 0) parts.push(`${set.set}: nDCG@10 by style of query\n${textTable(styleTable(set))}`);
  const misses = set.contestants.flatMap((entry) => missLines(set.set, entry));
  return misses.length > 0 ? [...parts, misses.join('\n')] : parts;
}

function setTable({ contestants }: SetResults, baseline: string): Table {
  const heading = ['', 'hit@1', 'recall@5', 'nDCG@10', `versus ${baseline}`, 'build ms', 'search ms'];
  return [
    heading,
    ...contestants.map((entry) => [
      entry.contestant,
      ...threeFigures(entry),
      signed(entry.versusBaseline?.ndcg10),
      entry.buildMilliseconds.toFixed(0),
      entry.searchMilliseconds.median.toFixed(2),
    ]),
  ];
}

function styleTable({ contestants }: SetResults): Table {
  const styles = Object.entries(contestants[0]?.styles ?? {});
  return [
    ['', ...styles.map(([style, { queries }]) => `${style} (${queries})`)],
    ...contestants.map((entry) => [
      entry.contestant,
      ...styles.map(([style]) => percent(entry.styles[style]?.ndcg10 ?? Number.NaN)),
    ]),
  ];
}

function meanReport(mean: MeanResults, results: Results): string {
  const heading = ['', 'hit@1', 'recall@5', 'nDCG@10', `versus ${results.baseline}`];
  const rows = mean.contestants.map((entry) => [
    entry.contestant,
    ...threeFigures(entry),
    signed(entry.versusBaseline?.ndcg10),
  ]);
  return [
    `${title(mean)}: the mean`,
    textTable([heading, ...rows]),
    `${title(mean)}: nDCG@10`,
    textTable(overview(mean, results)),
  ].join('\n');
}

/** nDCG@10 of every set side by side, and the means. */
function overview(mean: MeanResults, { sets }: Results): Table {
  const chosen = sets.filter(({ set }) => mean.sets.includes(set));
  return [
    ['', ...chosen.map(({ set }) => set), 'mean nDCG@10', 'mean recall@5', 'mean hit@1'],
    ...mean.contestants.map(({ contestant, figures }, position) => [
      contestant,
      ...chosen.map(({ contestants }) => percent(contestants[position]?.figures.ndcg10.mean ?? Number.NaN)),
      withInterval(figures.ndcg10),
      percent(figures.recall5.mean),
      percent(figures.hit1.mean),
    ]),
  ];
}

function reliabilityReport(entries: readonly ReliabilityEntry[]): readonly string[] {
  if (entries.length === 0) return ['No contestant gives confidences.'];
  return entries.map((entry) => {
    const bins = entry.first.bins.map((first, position) => [
      `${position / 10}–${(position + 1) / 10}`,
      ...binCells(first),
      ...binCells(entry.firstFive.bins[position]),
    ]);
    const all = ['all', ...binCells(entry.first), ...binCells(entry.firstFive)];
    const heading = ['confidence', 'first results', 'mean', 'relevant', 'first five', 'mean', 'relevant'];
    return [
      `${title(entry)}: ${entry.contestant}, how far its confidences are to be believed (percent)`,
      textTable([heading, ...bins, all]),
      `  first results: ${errors(entry.first)}; first five: ${errors(entry.firstFive)}`,
    ].join('\n');
  });
}

function binCells({ results, meanConfidence, shareRelevant }: Bin = EMPTY): readonly string[] {
  if (results === 0) return ['0', '', ''];
  return [String(results), percent(meanConfidence), percent(shareRelevant)];
}

const EMPTY: Bin = { results: 0, meanConfidence: Number.NaN, shareRelevant: Number.NaN };

function errors({ brier, calibrationError }: Reliability): string {
  return `Brier score ${brier.toFixed(4)}, expected calibration error ${calibrationError.toFixed(4)}`;
}

function title({ of, sets }: Pick<MeanResults, 'of' | 'sets'>): string {
  return `${of === 'all' ? 'All' : of === 'tune' ? 'Tuned on' : 'Held out'} (${sets.length} ${sets.length === 1 ? 'set' : 'sets'})`;
}

function missLines(set: string, { contestant, misses = [] }: SetEntry): readonly string[] {
  return misses.map(({ id, query, style, relevant, found }) =>
    [
      `${set} ${contestant} ${id}${style === undefined ? '' : ` (${style})`}: ${query}`,
      `    wanted ${relevant.join(', ')}`,
      `    found  ${found.slice(0, 5).join(', ') || 'nothing'}`,
    ].join('\n'),
  );
}

function threeFigures({ figures }: Entry): readonly string[] {
  return [figures.hit1, figures.recall5, figures.ndcg10].map(withInterval);
}

function withInterval({ mean, low, high }: Figure): string {
  return `${percent(mean)} [${percent(low)}, ${percent(high)}]`;
}

/** A difference with its sign; empty where there is none. */
function signed(figure: Figure | undefined): string {
  if (!figure) return '';
  const [mean, low, high] = [figure.mean, figure.low, figure.high].map(
    (value) => `${value < 0 ? '−' : '+'}${percent(Math.abs(value))}`,
  );
  return `${mean} [${low}, ${high}]`;
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}
