/** Results whose confidences decide whether anything fits: with more of them, their number alone would raise the likelihood. */
export const RATED = 5;

/** The likelihood that at least one of the first results fits. A result without a confidence counts as certain. */
export function likelihoodOfAny(confidences: readonly (number | undefined)[]): number {
  return 1 - confidences.slice(0, RATED).reduce<number>((none, confidence = 1) => none * (1 - confidence), 1);
}

/** The confidence of a tool that was asked for by its name. */
const NAMED_CONFIDENCE = 0.99;

/** A logistic regression: the weight of each piece of evidence, and the intercept. */
export interface LikelihoodModel<Evidence> {
  readonly weights: { readonly [Name in keyof Evidence]: number };
  readonly intercept: number;
}

/** Evidence about all results together. `apart`: log odds that any result fits, by their separate confidences. */
export type Together<Evidence> = Evidence & { readonly apart: number };

/** The evidence behind the confidences of ranked names. */
export interface RatedEvidence<Each, All> {
  /** Undefined for a tool that the query names unmistakably. */
  readonly each: readonly (Each | undefined)[];
  /** Undefined if the query names the best match, or nothing matches. */
  readonly together?: All;
  /**
   * For each, the only telling query word that it has; undefined if it has several, or the query has fewer than two. See
   * `reasons` of `judgedTogether`.
   */
  readonly onlyWords: readonly (string | undefined)[];
}

/** The models of a scorer: for each result apart, and for the first results together. */
export interface ConfidenceModels<Each, All> {
  readonly apart: LikelihoodModel<Each>;
  readonly together: LikelihoodModel<Together<All>>;
}

type Numbers = Readonly<Record<string, number>>;

/** The likelihood that each result is what was asked for, best first. It never rises down the ranking. */
export function confidencesBy<Each extends Numbers, All extends Numbers>(
  { each, together, onlyWords }: RatedEvidence<Each, All>,
  models: ConfidenceModels<Each, All>,
): readonly number[] {
  let least = NAMED_CONFIDENCE;
  const apart = each.map((evidence) => {
    if (evidence) least = Math.min(least, likelihoodBy(evidence, models.apart));
    return least;
  });
  return together ? judgedTogether(apart, together, models.together, onlyWords) : apart;
}

/**
 * Adjusts ranked confidences to the model's likelihood that any result fits. The order of the results stays.
 *
 * @param reasons - for each result the single reason for it, if there is only one. Results with the same reason are all right
 *   or all wrong, so they count once.
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

/** Adjusts confidences until their `likelihoodOfAny` is `likelihood`, by raising each 1 − confidence to the same power. */
export function comingTo(likelihood: number, confidences: readonly number[]): readonly number[] {
  const doubt = Math.log1p(-likelihoodOfAny(confidences));
  if (!Number.isFinite(doubt) || doubt === 0) return confidences;
  const power = Math.log1p(-Math.min(likelihood, CERTAIN)) / doubt;
  return confidences.map((confidence) => 1 - (1 - confidence) ** power);
}

/** Likelihoods are bounded by this and by 1 minus this, so that log odds stay finite. */
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
