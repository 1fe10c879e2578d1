import { type AskedWord, inverseDocumentFrequency } from '../kit.ts';
import { alternativesOf, type KnownWords, quoted } from './wanted-words.ts';

/** Lexemes that raise the weight of a candidate by about as much. */
export interface LexemeLevel {
  /** A `tsquery` of any of them. */
  readonly query: string;
  /** What they are worth together: `ts_rank` divides by their count. */
  readonly value: number;
}

/** Lexemes that are weighed: the least distinctive ones hardly change what the best candidates are. */
const MAX_LEXEMES = 64;
/** The least of a level, as a share of its best. */
const LEAST = 0.35;

/** The lexemes of a query by what they are worth, in few levels: the database ranks by each with one call for a row. */
export function levelsOf(asked: readonly AskedWord[], known: KnownWords): readonly LexemeLevel[] {
  const levels: { readonly first: number; readonly lexemes: string[]; sum: number }[] = [];
  const sorted = [...valuesOf(asked, known)].sort(([, one], [, other]) => other - one).slice(0, MAX_LEXEMES);
  for (const [lexeme, value] of sorted) {
    let level = levels.at(-1);
    if (!level || value < LEAST * level.first) {
      level = { first: value, lexemes: [], sum: 0 };
      levels.push(level);
    }
    level.lexemes.push(lexeme);
    level.sum += value;
  }
  return levels.map(({ lexemes, sum }) => ({ query: lexemes.map(quoted).join(' | '), value: sum }));
}

/** What each lexeme is worth: as rare as it is, but no more than the word for which it stands. */
function valuesOf(asked: readonly AskedWord[], known: KnownWords): ReadonlyMap<string, number> {
  const { total, countOf } = known;
  const values = new Map<string, number>();
  const idfOf = (root: string): number => inverseDocumentFrequency(countOf(root), total);
  const raise = (root: string, value: number): void => {
    if (countOf(root) > 0) values.set(root, Math.max(value, values.get(root) ?? 0));
  };
  for (const word of asked) {
    // Of a word that no document has, this is the highest.
    const most = idfOf(word.stem);
    raise(word.stem, word.weight * most);
    for (const { stems, weight } of alternativesOf(word, known)) {
      for (const root of stems) raise(root, (word.weight * weight * Math.min(most, idfOf(root))) / stems.length);
    }
  }
  return values;
}
