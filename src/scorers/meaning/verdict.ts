import { type Evidence, NAMED_CONFIDENCE, type VerdictEvidence } from '../bm25/bm25.ts';
import { judgedTogether, type LikelihoodModel, likelihoodBy, type Together } from '../confidence.ts';

/** Evidence for a match when it is shown. The cosines of the table are no evidence that anything fits: a near miss is close. */
export type FusedEvidence = Pick<Evidence, 'strength' | 'contrast' | 'wholeness'> & {
  /** The score of the match less that of the best one shown. */
  readonly behind: number;
  /** The lead of the best match over the second; 0 for all others. */
  readonly lead: number;
};

/** Evidence that anything fits, beside the confidence of each result apart. */
export type FusedVerdict = VerdictEvidence & {
  /** The query without the word that tells most of what all of the best matches mean nothing like, as a share of all of it. */
  readonly meant: number;
};

/** The evidence behind the confidences of ranked names. */
export interface RatedEvidence {
  /** Undefined for a tool that was asked for. */
  readonly each: readonly (FusedEvidence | undefined)[];
  /** Undefined where the best was asked for. */
  readonly together?: FusedVerdict;
  /** For each name the one word that alone speaks for it, if there is one; see `reasons` of `judgedTogether`. */
  readonly onlyWords: readonly (string | undefined)[];
}

/** Leads are capped here: a greater lead is no further evidence. */
export const MAX_LEAD = 3;
/** Logistic regressions, as those of `bm25Scorer`: `npm run bench:retrieval -- --scorers "words and meaning" --fit`. */
const APART: LikelihoodModel<FusedEvidence> = {
  weights: { strength: 0.85, contrast: 1.61, wholeness: 1.37, behind: 0.65, lead: 0.78 },
  intercept: -4.7,
};
const TOGETHER: LikelihoodModel<Together<FusedVerdict>> = {
  weights: { apart: 1.18, breadth: 0.65, kept: 1.84, deed: 0.22, app: 1.71, meant: 2.77 },
  intercept: -6.09,
};

/** How likely each of the rated names is what was asked for. It never rises down the ranking. */
export function confidencesBy({ each, together, onlyWords }: RatedEvidence): readonly number[] {
  let least = NAMED_CONFIDENCE;
  const apart = each.map((evidence) => {
    if (evidence) least = Math.min(least, likelihoodBy(evidence, APART));
    return least;
  });
  return together ? judgedTogether(apart, together, TOGETHER, onlyWords) : apart;
}
