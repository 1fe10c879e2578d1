import { type AskedWord, GUESSED, inverseDocumentFrequency } from '../kit.ts';
import { inName } from './words.ts';

/** What a tenant's catalog has of the words of a query. */
export interface KnownWords {
  /** Count of its documents. */
  readonly total: number;
  /** Count of the documents that have a lexeme. */
  countOf(lexeme: string): number;
  /** The stems that a word may mean which no document has. */
  guessesOf(word: string): readonly string[];
}

/** A way in which a document may have a word. */
export interface Literal {
  /** A `tsquery`. */
  readonly query: string;
  /** What it is worth, roughly as the ranking has it. */
  readonly value: number;
  /** What it is worth more than the next weaker way of the same word, or than nothing. */
  readonly step: number;
  /** How many documents have it, as far as it can be told. */
  readonly documents: number;
}

/** A word that some documents have, or another word for it. */
export interface WantedWord {
  /** Its value in a name. */
  readonly value: number;
  /** The word in a name, and anywhere. */
  readonly own: readonly Literal[];
  /** One of the words that stand for it. */
  readonly others: Literal | undefined;
}

/** What BM25 makes of a word in a name, against 1 for one in a summary. */
const IN_NAME = 1.8;
/** What a synonym is worth, as most have a lower weight than the best one. */
const AS_OTHER = 0.8;
/** Other words that are looked for: the index reads a list for each. */
const MAX_OTHERS = 4;

/** The words of a query that documents have, the most distinctive ones first. */
export function wantedWords(asked: readonly AskedWord[], known: KnownWords): readonly WantedWord[] {
  const byStem = new Map(asked.map((word) => [word.stem, word]));
  return [...byStem.values()]
    .flatMap((word) => wantedWord(word, known) ?? [])
    .sort((one, other) => other.value - one.value);
}

function wantedWord(word: AskedWord, known: KnownWords): WantedWord | undefined {
  const { total, countOf } = known;
  const count = countOf(word.stem);
  const countInName = countOf(inName(word.stem));
  const idf = word.weight * inverseDocumentFrequency(count, total);
  const anywhere = { query: quoted(word.stem), value: idf, step: idf, documents: count };
  const named = {
    query: quoted(inName(word.stem)),
    value: IN_NAME * idf,
    step: (IN_NAME - 1) * idf,
    documents: countInName,
  };
  const own = count === 0 ? [] : countInName === 0 ? [anywhere] : [named, anywhere];
  const others = othersOf(word, known, count > 0 ? idf : undefined);
  if (own.length === 0 && !others) return undefined;
  return { value: own[0]?.value ?? others?.value ?? 0, own, others };
}

/** @param idf - of the word itself, where documents have it. */
function othersOf(word: AskedWord, known: KnownWords, idf: number | undefined): Literal | undefined {
  const { total, countOf } = known;
  const rarest = (stems: readonly string[]): number => Math.min(...stems.map(countOf));
  const found = alternativesOf(word, known)
    .map(({ stems, weight }) => ({ stems, weight, documents: rarest(stems) }))
    .filter(({ stems, documents }) => documents > 0 && !stems.includes(word.stem))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, idf === undefined ? 2 * MAX_OTHERS : MAX_OTHERS);
  if (found.length === 0) return undefined;
  const worth = idf ?? Math.max(...found.map(({ documents }) => inverseDocumentFrequency(documents, total)));
  const value = (idf === undefined ? word.weight : AS_OTHER) * worth * (found[0]?.weight ?? 0);
  return {
    query: `(${found.map(({ stems }) => all(stems)).join(' | ')})`,
    value,
    step: value,
    documents: Math.min(
      total,
      found.reduce((sum, { documents }) => sum + documents, 0),
    ),
  };
}

/** What counts for a word as well, each with its weight; guesses where no document has the word. */
export function alternativesOf(
  word: AskedWord,
  { countOf, guessesOf }: KnownWords,
): readonly Pick<AskedWord['others'][number], 'stems' | 'weight'>[] {
  if (countOf(word.stem) > 0) return word.others;
  return [...word.others, ...guessesOf(word.word).map((root) => ({ stems: [root], weight: GUESSED }))];
}

/** A `tsquery` for documents that have all of some stems. */
export function all(stems: readonly string[]): string {
  const list = stems.map(quoted).join(' & ');
  return stems.length > 1 ? `(${list})` : list;
}

/** A lexeme in a `tsquery`: whatever is in it stands for itself. */
export function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
