import type { WordExplanation } from '../scorer.ts';
import type { WordMatch, WordMatcher } from './word-match.ts';

/** Evidence for a match when it is shown. */
export interface Evidence {
  /** The score, less where the catalog does not know a word of the query, on a logarithmic scale. */
  readonly strength: number;
  /** The score of the match, as a share of the best one shown. */
  readonly ratio: number;
  /** The lead of the best match over the second, from 0 to 1; 0 for all others. */
  readonly lead: number;
  /** The lead of the best match over the noise: what ranks far behind, from 0 to 1. */
  readonly contrast: number;
  /** The query without the most distinctive word that the best match lacks, as a share of all of it. */
  readonly wholeness: number;
}

/**
 * A logistic regression over the first five results of the labelled sets, each set weighing the same, and, with a tenth
 * of the weight, over queries that nothing fits: `npm run bench:retrieval -- --fit`. It never rises down a ranking, as
 * no weight is below 0.
 */
const WEIGHTS: Evidence = { strength: 1.31, ratio: 3.02, lead: 2.61, contrast: 2.36, wholeness: 0.82 };
const INTERCEPT = -8.74;

/** The place in a ranking from which on most of it is noise: a third down a small catalog. */
const NOISE = { least: 15, most: 30, share: 1 / 3 };
/** Tools beyond the catalog that are thought to have no word of the query: in a catalog of a few, no word is rare. */
const BEYOND = 100;
/** Strength is counted in quarters of a word that no tool has. */
const SCALE = 4;

/** Rates how likely the match is what was asked for, from 0 to 1. */
export function confidenceOf({ strength, ratio, lead, contrast, wholeness }: Evidence): number {
  const logOdds =
    INTERCEPT +
    WEIGHTS.strength * strength +
    WEIGHTS.ratio * ratio +
    WEIGHTS.lead * lead +
    WEIGHTS.contrast * contrast +
    WEIGHTS.wholeness * wholeness;
  return 1 / (1 + Math.exp(-logOdds));
}

/** The matches of a query, and those that are shown. */
export interface Findings {
  readonly words: readonly WordMatch[];
  /** The score of a rank among the distinct tools, counted from 1; 0 behind the last one. */
  readonly scoreAt: (rank: number) => number;
  /** The matches that are shown, best first; a tool that does not match has an id or score that says nothing. */
  readonly shown: readonly { readonly id: number; readonly score: number; readonly coverage: number }[];
  readonly matcher: Pick<WordMatcher, 'weightOf' | 'size' | 'highestIdf'>;
}

/** The evidence for each match that is shown. */
export function evidenceOf(findings: Findings): readonly Evidence[] {
  const { shown, scoreAt, matcher } = findings;
  const { score: best = 0, coverage = 0 } = shown[0] ?? {};
  if (best === 0) return shown.map(() => ({ strength: 0, ratio: 0, lead: 0, contrast: 0, wholeness: 0 }));
  const { worth, wholeness } = bestMatch(findings);
  const noise = Math.max(NOISE.least, Math.min(NOISE.most, Math.ceil(NOISE.share * matcher.size)));
  const contrast = Math.max(0, 1 - scoreAt(noise) / best);
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
function bestMatch({ words, shown, matcher }: Findings): { worth: number; wholeness: number } {
  const { id = -1, score = 0 } = shown[0] ?? {};
  const { size, highestIdf } = matcher;
  const rarer = Math.log(1 + BEYOND / (size + 1));
  let [found, raised, known, asked, lost] = [0, 0, 0, 0, 0];
  for (const match of words) {
    const { ids, idf, scores, covers } = match;
    const place = ids.indexOf(id);
    const weight = matcher.weightOf(match, words.length);
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

/**
 * What a word of a query found in a document.
 *
 * @param weight - of the word in the query.
 * @param fieldsOf - the fields in which the document has a word, with the weighted frequency of each.
 */
export function explainWord(
  { word, ids, scores, bySynonym, sources }: WordMatch,
  id: number,
  weight: number,
  fieldsOf: (word: string) => Readonly<Record<string, number>>,
): WordExplanation {
  const place = ids.indexOf(id);
  for (const { by, terms } of place < 0 ? [] : sources) {
    if ((by === 'synonym' || by === 'server') !== (bySynonym[place] === 1)) continue;
    const found = terms.map((forms) => forms.find((form) => Object.keys(fieldsOf(form)).length > 0));
    if (!found.every((form) => form !== undefined)) continue;
    const fields: Record<string, number> = {};
    for (const form of found) {
      for (const [field, frequency] of Object.entries(fieldsOf(form))) fields[field] = (fields[field] ?? 0) + frequency;
    }
    return { word, found: found.join(' '), by, fields, score: weight * (scores[place] ?? 0) };
  }
  return { word, found: '', by: 'nothing', fields: {}, score: 0 };
}
