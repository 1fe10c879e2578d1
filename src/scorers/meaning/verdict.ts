import { type Evidence, NAMED_CONFIDENCE, type VerdictEvidence } from '../bm25/evidence.ts';
import { judgedTogether, type LikelihoodModel, likelihoodBy, type Together } from '../confidence.ts';

/** Evidence for one shown match. Cosines of the table are left out: a near miss has a high one too. */
export type FusedEvidence = Pick<Evidence, 'strength' | 'contrast' | 'wholeness'> & {
  /** The score of the match less that of the best one shown. */
  readonly behind: number;
  /** The lead of the best match over the second; for a single match its coverage times `MAX_LEAD`; 0 for all others. */
  readonly lead: number;
};

/** Evidence that any result fits, beside the separate confidences. */
export type FusedVerdict = VerdictEvidence & {
  /** The share of the query that is left without the weightiest word whose meaning all of the best matches lack. */
  readonly meant: number;
};

/** The evidence behind the confidences of ranked names. */
export interface RatedEvidence {
  /** Undefined for a tool that the query names unmistakably. */
  readonly each: readonly (FusedEvidence | undefined)[];
  /** Undefined if the query names the best match. */
  readonly together?: FusedVerdict;
  /** For each name, the only query word that speaks for it, if there is just one; see `reasons` of `judgedTogether`. */
  readonly onlyWords: readonly (string | undefined)[];
}

/** Leads are capped here: a greater lead is no further evidence. */
export const MAX_LEAD = 3;
/**
 * Logistic regressions, fitted as those of `bm25Scorer`: `npm run bench:retrieval -- --scorers "words and meaning"
 * --fit`.
 */
const APART: LikelihoodModel<FusedEvidence> = {
  weights: { strength: 0.85, contrast: 1.61, wholeness: 1.37, behind: 0.65, lead: 0.78 },
  intercept: -4.7,
};
const TOGETHER: LikelihoodModel<Together<FusedVerdict>> = {
  weights: { apart: 1.18, breadth: 0.65, kept: 1.84, deed: 0.22, app: 1.71, meant: 2.77 },
  intercept: -6.09,
};

/** The likelihood that each name is what was asked for. It never rises down the ranking. */
export function confidencesBy({ each, together, onlyWords }: RatedEvidence): readonly number[] {
  let least = NAMED_CONFIDENCE;
  const apart = each.map((evidence) => {
    if (evidence) least = Math.min(least, likelihoodBy(evidence, APART));
    return least;
  });
  return together ? judgedTogether(apart, together, TOGETHER, onlyWords) : apart;
}
