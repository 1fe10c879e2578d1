import type { Evidence } from './confidence.ts';
import type { WordMatch } from './match-cache.ts';
import { placeOf } from './word-matcher.ts';

/** The place in a ranking from which on most of it is noise: a third down a small catalog. */
const NOISE = { least: 15, most: 30, share: 1 / 3 };
/** Tools beyond the catalog that are thought to have no word of the query: in a catalog of a few, no word is rare. */
const BEYOND = 100;
/** Scores that are sorted at once. Of more, only the best are looked for. */
const SORTED = 500;
/** Strength is counted in quarters of a word that no tool has. */
const SCALE = 4;

/** The findings of a query, and the matches that are shown. */
export interface Findings {
  readonly words: readonly WordMatch[];
  readonly weightOf: (match: WordMatch) => number;
  /** The scores of all matches, in no order. */
  readonly scores: Float64Array;
  /** The matches that are shown, best first; a tool that does not match has an id or score that says nothing. */
  readonly shown: readonly { readonly id: number; readonly score: number; readonly coverage: number }[];
  /** Count of the catalog's tools. */
  readonly size: number;
  /** The idf of a word that none of them has. */
  readonly highestIdf: number;
}

/** The evidence for each match that is shown. */
export function evidenceOf(findings: Findings): readonly Evidence[] {
  const { shown, scores, size } = findings;
  const { score: best = 0, coverage = 0 } = shown[0] ?? {};
  if (best === 0) return shown.map(() => ({ strength: 0, ratio: 0, lead: 0, contrast: 0, wholeness: 0 }));
  const { worth, wholeness } = bestMatch(findings);
  const noise = Math.max(NOISE.least, Math.min(NOISE.most, Math.ceil(NOISE.share * size)));
  const contrast = Math.max(0, 1 - scoreAt(scores, noise) / best);
  // One that stands alone leads for want of others: it is worth what it covers.
  const lead = shown.length === 1 ? coverage : Math.max(0, 1 - (shown[1]?.score ?? 0) / best);
  return shown.map(({ score }, position) => ({
    strength: Math.log1p((SCALE * worth * score) / best),
    ratio: score / best,
    lead: position === 0 ? lead : 0,
    contrast,
    wholeness,
  }));
}

/** The score of the best match in a catalog with the tools beyond, counted in words that no tool has; and how whole it is. */
function bestMatch({ words, weightOf, shown, size, highestIdf }: Findings): { worth: number; wholeness: number } {
  const { id = -1, score = 0 } = shown[0] ?? {};
  const rarer = Math.log(1 + BEYOND / (size + 1));
  let [found, raised, known, asked, lost] = [0, 0, 0, 0, 0];
  for (const match of words) {
    const { idf, scores, covers } = match;
    const place = placeOf(match, id);
    const weight = weightOf(match);
    const own = weight * (scores[place] ?? 0);
    const distinctive = weight * ((idf || highestIdf) + rarer);
    found += own;
    raised += own * (1 + rarer / (idf || highestIdf));
    if (idf > 0) known += distinctive;
    asked += distinctive;
    lost = Math.max(lost, distinctive * (1 - (covers[place] ?? 0)));
  }
  if (asked === 0) return { worth: 0, wholeness: 0 };
  const rise = found > 0 ? raised / found : 1;
  return { worth: (score * rise * known) / asked / (highestIdf + rarer), wholeness: 1 - lost / asked };
}

/** The score at this place of a ranking, counted from 1; 0 where it ends before. */
function scoreAt(scores: Float64Array, place: number): number {
  if (scores.length <= SORTED) return scores.toSorted()[scores.length - place] ?? 0;
  // The best so far, worst first.
  const best = new Float64Array(place);
  for (const score of scores) {
    let at = 0;
    for (; at < place && score > (best[at] ?? 0); at++) if (at > 0) best[at - 1] = best[at] ?? 0;
    if (at > 0) best[at - 1] = score;
  }
  return best[0] ?? 0;
}
