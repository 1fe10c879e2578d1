import type { WordExplanation } from '../scorer.ts';
import type { WordMatch } from './match-cache.ts';
import { placeOf, type WordMatcher } from './word-matcher.ts';

/**
 * What a word of a query found in a document.
 *
 * @param words - count of the query's words.
 */
export function explainWord(match: WordMatch, id: number, words: number, matcher: WordMatcher): WordExplanation {
  const { word, scores, bySynonym, sources } = match;
  const place = placeOf(match, id);
  for (const { by, terms } of place < 0 ? [] : sources) {
    if ((by === 'synonym' || by === 'server') !== (bySynonym[place] === 1)) continue;
    const found = terms.map((forms) => forms.find((form) => Object.keys(matcher.fieldsOf(id, form)).length > 0));
    if (!found.every((form) => form !== undefined)) continue;
    const fields: Record<string, number> = {};
    for (const form of found) {
      for (const [field, frequency] of Object.entries(matcher.fieldsOf(id, form))) {
        fields[field] = (fields[field] ?? 0) + frequency;
      }
    }
    const score = matcher.weightOf(match, words) * (scores[place] ?? 0);
    return { word, found: found.join(' '), by, fields, score };
  }
  return { word, found: '', by: 'nothing', fields: {}, score: 0 };
}
