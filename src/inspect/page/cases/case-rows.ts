import type { CaseResult, Miss, SearchedCase } from '../../../workbench/evaluate/measure.ts';

/**
 * How a case went.
 *
 * - `first`: a relevant tool came first.
 * - `shown`: one was among the results that a model is shown.
 * - `missed`: none was.
 * - `rightly-nothing`: nothing is relevant, and the verdict says so.
 * - `missed-nothing`: nothing is relevant, and the verdict does not say so.
 * - `unjudged`: nothing is relevant, and the scorer gives no verdict.
 */
export type Outcome = 'first' | 'shown' | 'missed' | 'rightly-nothing' | 'missed-nothing' | 'unjudged';

/** A case as it stands in the list. */
export interface CaseRow {
  readonly result: CaseResult;
  /** What came first instead, and by which word; left out where a relevant tool came first. */
  readonly miss?: Miss;
  readonly outcome: Outcome;
  /** A relevant tool was shown, and yet the model would be told that probably nothing fits. */
  readonly isFalseAlarm: boolean;
  /** The rank before the edits: null for none, undefined where nothing moved. */
  readonly before?: number | null;
}

/** Which cases are listed. */
export type CaseFilter = 'all' | 'failed' | 'verdict' | 'moved';

/**
 * @param before - how the cases went before the edits, in the same order; undefined without edits.
 */
export function caseRows(
  cases: readonly SearchedCase[],
  before?: readonly CaseResult[] | undefined,
): readonly CaseRow[] {
  return cases.map(({ result, isShown, miss }, at) => {
    const then = before?.[at];
    return {
      result,
      ...(miss ? { miss } : {}),
      outcome: outcomeOf(result, isShown),
      isFalseAlarm: isShown && result.isWeak === true,
      ...(then && then.rank !== result.rank ? { before: then.rank ?? null } : {}),
    };
  });
}

function outcomeOf({ relevant, rank, isWeak }: CaseResult, isShown: boolean): Outcome {
  if (relevant.length > 0) return rank === 1 ? 'first' : isShown ? 'shown' : 'missed';
  if (isWeak === undefined) return 'unjudged';
  return isWeak ? 'rightly-nothing' : 'missed-nothing';
}

/** Whether a case went as it should: what the list shows in green. */
export function isGood({ outcome }: CaseRow): boolean {
  return outcome === 'first' || outcome === 'rightly-nothing';
}

/** Rows of a kind whose query, id or tools have the text, in the order of the cases. */
export function filterRows(rows: readonly CaseRow[], filter: CaseFilter, text: string): readonly CaseRow[] {
  const wanted = text.trim().toLowerCase();
  return rows.filter((row) => {
    const { id, query, relevant, found } = row.result;
    return (
      passes(row, filter) &&
      (wanted === '' ||
        [id, query, ...relevant, ...found.slice(0, 1)].some((one) => one.toLowerCase().includes(wanted)))
    );
  });
}

function passes(row: CaseRow, filter: CaseFilter): boolean {
  if (filter === 'failed') return !isGood(row) && row.outcome !== 'unjudged';
  if (filter === 'verdict') return row.isFalseAlarm || row.outcome === 'missed-nothing';
  return filter === 'all' || row.before !== undefined;
}

/** Whether an edit made it better: a rank now and none before, or a smaller one. */
export function isBetter({ result, before }: CaseRow): boolean {
  return before !== undefined && (result.rank ?? Number.POSITIVE_INFINITY) < (before ?? Number.POSITIVE_INFINITY);
}
