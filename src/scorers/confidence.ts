/** The first results, whose confidences together say whether anything fits: more would add up to a likelihood by their number. */
export const RATED = 5;

/** The likelihood that one of the first results fits, by the confidence of each. One without a confidence may be certain. */
export function likelihoodOfAny(confidences: readonly (number | undefined)[]): number {
  return 1 - confidences.slice(0, RATED).reduce<number>((none, confidence = 1) => none * (1 - confidence), 1);
}

/** A logistic regression: the weight of each piece of evidence, and the log odds of what has none. */
export interface LikelihoodModel<Evidence> {
  readonly weights: { readonly [Name in keyof Evidence]: number };
  readonly intercept: number;
}

/** What is known of the results together; `apart` is the likelihood of any of them by their confidences, in log odds. */
export type Together<Evidence> = Evidence & { readonly apart: number };

/**
 * Confidences of results, best first, after it is judged how likely any of them fits. Their order stays.
 *
 * @param reasons - for each, the one thing that speaks for it, if it is one: results that have the same count once. They are
 *   all right or all wrong.
 */
export function judgedTogether<Evidence extends Readonly<Record<string, number>>>(
  confidences: readonly number[],
  evidence: Evidence,
  model: LikelihoodModel<Together<Evidence>>,
  reasons: readonly (string | undefined)[] = [],
): readonly number[] {
  const isFirst = (at: number): boolean => reasons[at] === undefined || reasons.indexOf(reasons[at]) === at;
  const distinct = confidences.slice(0, RATED).filter((_, at) => isFirst(at));
  const together: Together<Evidence> = { ...evidence, apart: logOddsOf(likelihoodOfAny(distinct)) };
  return comingTo(likelihoodBy(together, model), confidences);
}

/** Confidences that come to a likelihood of any of them: the doubt in each is raised to the same power. */
export function comingTo(likelihood: number, confidences: readonly number[]): readonly number[] {
  const doubt = Math.log1p(-likelihoodOfAny(confidences));
  if (!Number.isFinite(doubt) || doubt === 0) return confidences;
  const power = Math.log1p(-Math.min(likelihood, CERTAIN)) / doubt;
  return confidences.map((confidence) => 1 - (1 - confidence) ** power);
}

/** The likelihood from which on log odds are not counted any more. */
const CERTAIN = 0.9999;

export function logOddsOf(likelihood: number): number {
  const bounded = Math.min(CERTAIN, Math.max(1 - CERTAIN, likelihood));
  return Math.log(bounded / (1 - bounded));
}

export function likelihoodBy<Evidence extends Readonly<Record<string, number>>>(
  evidence: Evidence,
  { weights, intercept }: LikelihoodModel<Evidence>,
): number {
  let logOdds = intercept;
  for (const name in evidence) logOdds += weights[name] * (evidence[name] ?? 0);
  return 1 / (1 + Math.exp(-logOdds));
}
