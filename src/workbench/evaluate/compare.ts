import type { Evaluation } from './evaluate.ts';
import type { Figures } from './figures.ts';
import { type MeanFigures, meanFigures } from './figures.ts';
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
  /**
   * After minus before, case by case, with its interval, which is empty where no case changed. Left out where no case with
   * relevant tools is in both.
   */
  readonly difference?: MeanFigures;
  readonly better: readonly CaseChange[];
  readonly worse: readonly CaseChange[];
  /** Count of the cases that only one of the two has. */
  readonly unmatched: number;
}

/**
 * Compares two evaluations, scorer by scorer: those of one name that are in both. Cases
 * are the same where their ids are, or else their queries; an id that is only the place in the list does not count.
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
  const pairs = pairsOf(then.cases, now.cases);
  const differences = pairs.flatMap((pair) => differenceOf(pair.before.figures, pair.after.figures) ?? []);
  const changes = pairs.filter((pair) => placeOf(pair.before) !== placeOf(pair.after));
  return {
    scorer: now.scorer,
    ...(differences.length > 0 ? { difference: meanFigures(differences, -1) } : {}),
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

/** A case as it went before and now. */
interface Pair {
  readonly before: CaseResult;
  readonly after: CaseResult;
}

function changeOf({ before, after }: Pair): CaseChange {
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

/** What two results of one case have in common, the surest first. */
const KEYS: readonly ((one: CaseResult, at: number) => string | undefined)[] = [
  ({ id, query }, at) => (isNamed(id, at) ? JSON.stringify([id, query]) : undefined),
  ({ id }, at) => (isNamed(id, at) ? id : undefined),
  ({ query }) => query,
];

/** Whether a case has a name of its own, and not its place in the list. */
function isNamed(id: string, at: number): boolean {
  return id !== `${at + 1}`;
}

/** The cases of which there are two results, in the order of the later ones. Of several alike, the first goes with the first. */
function pairsOf(then: readonly CaseResult[], now: readonly CaseResult[]): readonly Pair[] {
  const [before, after] = [new Map(then.entries()), new Map(now.entries())];
  const pairs = new Map<number, Pair>();
  for (const keyOf of KEYS) {
    const places = new Map<string, number[]>();
    for (const [at, one] of before) {
      const key = keyOf(one, at);
      if (key === undefined) continue;
      const alike = places.get(key);
      if (alike) alike.push(at);
      else places.set(key, [at]);
    }
    for (const [at, one] of after) {
      const place = places.get(keyOf(one, at) ?? '')?.shift();
      const other = place === undefined ? undefined : before.get(place);
      if (place === undefined || !other) continue;
      pairs.set(at, { before: other, after: one });
      before.delete(place);
      after.delete(at);
    }
  }
  return [...pairs].sort(([one], [other]) => one - other).map(([, pair]) => pair);
}
