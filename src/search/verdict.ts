/**
 * The likelihood that one of the results fits, below which most often none does. Several that may all be meant ("issue",
 * in a catalog of twelve tools for issues) are no weak answer.
 */
const WEAK = 0.37;

/** The likelihood that one of the results fits, by the confidence of each; one without a confidence may be certain. */
export function likelihoodOfAny(confidences: readonly (number | undefined)[]): number {
  return 1 - confidences.reduce<number>((none, confidence = 1) => none * (1 - confidence), 1);
}

/** Whether probably none of the results is what was asked for. */
export function isWeak(likelihood: number): boolean {
  return likelihood < WEAK;
}
