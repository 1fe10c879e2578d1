import type { Evaluation } from './evaluate.ts';
import type { Figures } from './figures.ts';
import { type MeanFigures, meanFigures } from './mean-figures.ts';
import type { CaseResult, ScorerEvaluation } from './measure.ts';

/**
 * A case that went otherwise than before.
 *
 * @example
 * ```ts
 * const say = ({ query, before, after }: CaseChange) => `${query}: ${before ?? 'not found'} → ${after ?? 'not found'}`;
 * ```
 */
export interface CaseChange {
  readonly id: string;
  readonly query: string;
  /** The place of the first relevant tool; left out where none matched. */
  readonly before?: number;
  readonly after?: number;
}

/**
 * What changed for one scorer.
 *
 * @example
 * ```ts
 * const isWorse = ({ difference }: Comparison) => (difference?.ndcg10.high ?? 0) < 0;
 * ```
 */
export interface Comparison {
  readonly scorer: string;
  /** After minus before, case by case, with its interval; left out where no case with relevant tools is in both. */
  readonly difference?: MeanFigures;
  readonly better: readonly CaseChange[];
  readonly worse: readonly CaseChange[];
  /** Count of the cases that only one of the two has. */
  readonly unmatched: number;
}

/**
 * Compares two evaluations, scorer by scorer: those of one name that are in both. Cases are the same where id and query are.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 *
 * const baseline = JSON.parse(readFileSync('baseline.json', 'utf8')) as Evaluation;
 * const cases = parseCases(readFileSync('cases.jsonl', 'utf8'));
 * const [change] = compareEvaluations(baseline, await evaluate({ tools, cases }));
 * console.log(change?.worse.map(({ query }) => query));
 * ```
 */
export function compareEvaluations(before: Evaluation, after: Evaluation): readonly Comparison[] {
  return after.scorers.flatMap((now) => {
    const then = before.scorers.find(({ scorer }) => scorer === now.scorer);
    return then ? [compareScorers(then, now)] : [];
  });
}

function compareScorers(then: ScorerEvaluation, now: ScorerEvaluation): Comparison {
  const before = new Map(then.cases.map((one) => [keyOf(one), one]));
  const pairs = now.cases.flatMap((one) => {
    const other = before.get(keyOf(one));
    return other ? [{ before: other, after: one }] : [];
  });
  const differences = pairs.flatMap((pair) => differenceOf(pair.before.figures, pair.after.figures) ?? []);
  const changes = pairs.filter((pair) => placeOf(pair.before) !== placeOf(pair.after));
  return {
    scorer: now.scorer,
    ...(differences.length > 0 ? { difference: meanFigures(differences) } : {}),
    better: changes.filter((pair) => placeOf(pair.after) < placeOf(pair.before)).map(changeOf),
    worse: changes.filter((pair) => placeOf(pair.after) > placeOf(pair.before)).map(changeOf),
    unmatched: then.cases.length + now.cases.length - 2 * pairs.length,
  };
}

function differenceOf(before: Figures | undefined, after: Figures | undefined): Figures | undefined {
  if (!before || !after) return undefined;
  return {
    hit1: after.hit1 - before.hit1,
    recall: after.recall - before.recall,
    mrr: after.mrr - before.mrr,
    ndcg10: after.ndcg10 - before.ndcg10,
  };
}

function changeOf({ before, after }: { readonly before: CaseResult; readonly after: CaseResult }): CaseChange {
  return {
    id: after.id,
    query: after.query,
    ...(before.rank === undefined ? {} : { before: before.rank }),
    ...(after.rank === undefined ? {} : { after: after.rank }),
  };
}

function placeOf({ rank }: CaseResult): number {
  return rank ?? Number.POSITIVE_INFINITY;
}

function keyOf({ id, query }: CaseResult): string {
  return JSON.stringify([id, query]);
}
