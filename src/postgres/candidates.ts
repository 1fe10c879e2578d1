/**
 * Builds the queries for candidates. In a catalog of a million tools, a common word alone matches 100,000 documents, so a
 * candidate has to contain several words of a query together, or a rare word; the number of rows to read is limited.
 *
 * @module
 */
import { inverseDocumentFrequency } from '../kit.ts';
import type { AskedWord } from './asked-words.ts';
import type { KnownWords } from './counts.ts';
import { inName, serverLexeme } from './words.ts';

/** Full-text queries that select candidates, and levels that score them. */
export interface Probe {
  /** `tsquery` texts; a candidate matches one of them. Several simple queries are many times faster than one joined query. */
  readonly queries: readonly string[];
  readonly levels: readonly Level[];
}

/** Lexemes of about the same value, so that one call of `ts_rank` scores all of them. */
interface Level {
  /** A `tsquery` that matches any of the lexemes. */
  readonly query: string;
  /** Sum of the lexemes' values, because `ts_rank` divides by their number. */
  readonly value: number;
}

/** One way in which a document can match a word of the query. */
interface Literal {
  /** A `tsquery`. */
  readonly query: string;
  /** Approximates what the match adds to the score of the ranking. */
  readonly value: number;
  /** `value` minus the value of the next weaker literal of the same word, or minus 0. */
  readonly gain: number;
  /** Estimated number of matching documents. */
  readonly documents: number;
  /** Whether the literal matches alternatives instead of the word itself. */
  readonly isOther?: boolean;
}

/** Literals that a document must all match. */
interface Conjunction {
  readonly parts: readonly Literal[];
  readonly value: number;
  /** `value` minus the value of the best conjunction that is one step weaker. */
  readonly gain: number;
  readonly rarest: Literal;
  /** Estimated number of matching documents if words were independent. */
  readonly byChance: number;
  /** Estimated cost of the query, in rows read. */
  readonly rows: number;
}

/** Limit of estimated rows that one search may read. */
const ROWS = 800;
/** Up to this many rows, all documents with any of the words are read. Also the limit of rows read for one literal alone. */
const FEW = 4_500;
/** Conjunctions use the most distinctive words of a query (MAX_WORDS), and at most MAX_TOGETHER words each. */
const MAX_WORDS = 10;
const MAX_TOGETHER = 3;
const MAX_CONJUNCTIONS = 400;
/** Up to this many words, a query keeps the alternatives of all its words; a longer query has enough words of its own. */
const SHORT = 5;
/** How much more often two words occur together than by chance (an assumption). */
const TOGETHER = 2;
/** Cost of skipping one document in the index, as a share of reading a row. */
const PASSED = 1 / 200;
/** Approximate BM25 weight of a word in a name, where a word in a summary has 1. */
const IN_NAME = 1.8;
/** Factors for alternatives, most of which weigh less than the best one, and for guessed words. */
const AS_OTHER = 0.8;
const AS_GUESS = 0.3;
/** Limit of alternatives of a word, because the index reads one posting list for each. */
const MAX_OTHERS = 4;
/** Limit of scored lexemes; the least distinctive ones hardly change which candidates are the best. */
const MAX_LEXEMES = 64;
/** The lowest value in a level, as a share of the highest. */
const LEAST = 0.35;

/** Builds the queries for candidates; undefined if no document contains any of the words. */
export function probeOf(asked: readonly AskedWord[], known: KnownWords): Probe | undefined {
  const words = [...new Map(asked.map((word) => [word.stem, word])).values()]
    .map((word) => literalsOf(word, known))
    .filter((literals) => literals.length > 0)
    .sort(([one], [other]) => (other?.value ?? 0) - (one?.value ?? 0));
  if (words.length === 0) return undefined;
  const levels = levelsOf(asked, known);
  const rows = words.reduce((sum, literals) => sum + Math.max(...literals.map(({ documents }) => documents)), 0);
  if (Math.min(rows, known.total) <= FEW) {
    const ofServers = asked.map(({ stem }) => serverLexeme(stem)).filter((lexeme) => known.countOf(lexeme) > 0);
    return { queries: [[...levels.map(({ query }) => query), ...ofServers.map(quoted)].join(' | ')], levels };
  }
  const isShort = words.length <= SHORT;
  const tried = words
    .slice(0, MAX_WORDS)
    .map((literals) => (isShort ? literals : literals.filter(({ isOther }, at) => !isOther || at === 0)));
  return { queries: joined(worthMost(conjunctionsOf(tried, known.total))), levels };
}

/**
 * A `tsquery` for documents that match every required word; '' if no word is required, undefined if a required word matches no
 * document.
 */
export function requiredBy(required: readonly AskedWord[], known: KnownWords): string | undefined {
  const parts: string[] = [];
  for (const word of required) {
    const synonyms = word.alternatives.filter(({ isSure }) => isSure).map(({ stems }) => stems);
    const guesses = known.countOf(word.stem) > 0 ? [] : known.guessesOf(word.word).map((root) => [root]);
    const ways = [[word.stem], ...synonyms, ...guesses];
    const found = ways.filter((stems) => stems.every((root) => known.countOf(root) > 0));
    if (found.length === 0) return undefined;
    parts.push(`(${found.map(all).join(' | ')})`);
  }
  return parts.join(' & ');
}

/** Adds to each query what every candidate must contain: the tenant's lexeme and the required words. */
export function narrowed(queries: readonly string[], lexeme: string | undefined, required: string): readonly string[] {
  const besides = [...(lexeme === undefined ? [] : [quoted(lexeme)]), ...(required === '' ? [] : [required])];
  return besides.length === 0 ? queries : queries.map((query) => [...besides, `(${query})`].join(' & '));
}

/** A `tsquery` for documents that contain all stems. */
export function all(stems: readonly string[]): string {
  return together(stems.map(quoted));
}

function together(queries: readonly string[]): string {
  const list = queries.join(' & ');
  return queries.length > 1 ? `(${list})` : list;
}

/** Quotes a lexeme for a `tsquery`, so that operators in it are literal. */
export function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** The literals of a word, the best first: the word in a name, the word anywhere, alternatives. */
function literalsOf(word: AskedWord, known: KnownWords): readonly Literal[] {
  const { total, countOf } = known;
  const [count, inNames] = [countOf(word.stem), countOf(inName(word.stem))];
  const idf = word.weight * inverseDocumentFrequency(count, total);
  const own: Literal[] = [];
  const named = { query: quoted(inName(word.stem)), value: IN_NAME * idf, gain: (IN_NAME - 1) * idf };
  if (count > 0 && inNames > 0) own.push({ ...named, documents: inNames });
  if (count > 0) own.push({ query: quoted(word.stem), value: idf, gain: idf, documents: count });

  const alternatives = alternativesOf(word, known)
    .map(({ stems, weight }) => ({ stems, weight, documents: Math.min(...stems.map(countOf)) }))
    .filter(({ stems, documents }) => documents > 0 && !stems.includes(word.stem))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, count > 0 ? MAX_OTHERS : 2 * MAX_OTHERS);
  const [best] = alternatives;
  if (!best) return own;
  const rarest = Math.max(...alternatives.map(({ documents }) => inverseDocumentFrequency(documents, total)));
  const value = best.weight * (count > 0 ? AS_OTHER * idf : word.weight * rarest);
  const documents = alternatives.reduce((sum, other) => sum + other.documents, 0);
  const query = `(${alternatives.map(({ stems }) => all(stems)).join(' | ')})`;
  return [...own, { query, value, gain: value, documents: Math.min(total, documents), isOther: true }];
}

/** The alternatives of a word with their weights; guesses are added if no document contains the word. */
function alternativesOf(
  word: AskedWord,
  { countOf, guessesOf }: KnownWords,
): readonly Pick<AskedWord['alternatives'][number], 'stems' | 'weight'>[] {
  if (countOf(word.stem) > 0) return word.alternatives;
  return [...word.alternatives, ...guessesOf(word.word).map((root) => ({ stems: [root], weight: AS_GUESS }))];
}

/** All conjunctions of one to MAX_TOGETHER literals, each of another word. */
function conjunctionsOf(words: readonly (readonly Literal[])[], total: number): readonly Conjunction[] {
  const found: Conjunction[] = [];
  const add = (before: Conjunction | undefined, start: number): void => {
    for (let at = start; at < words.length; at++) {
      for (const literal of words[at] ?? []) {
        const more = withLiteral(before, literal, total);
        found.push(more);
        if (more.parts.length < MAX_TOGETHER) add(more, at + 1);
      }
    }
  };
  add(undefined, 0);
  return found;
}

function withLiteral(before: Conjunction | undefined, literal: Literal, total: number): Conjunction {
  const { parts = [], value = 0, gain = literal.gain, rarest: other = literal } = before ?? {};
  const rarest = other.documents <= literal.documents ? other : literal;
  const byChance = ((before?.byChance ?? total) * literal.documents) / total;
  const joint = Math.min(rarest.documents, byChance * TOGETHER ** parts.length);
  return {
    ...{ parts: [...parts, literal], value: value + literal.value, gain: Math.min(gain, literal.gain) },
    ...{ rarest, byChance, rows: joint + rarest.documents * PASSED },
  };
}

/** The conjunctions of the highest value within the limit of rows, without those that only narrow another chosen one. */
function worthMost(conjunctions: readonly Conjunction[]): readonly Conjunction[] {
  const values = conjunctions.map(({ value }) => value).sort((one, other) => one - other);
  let best: readonly Conjunction[] = [];
  let [low, high] = [0, values.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const least = values[middle] ?? 0;
    const chosen = conjunctions.filter(({ value, gain }) => value >= least && value - gain < least);
    const rows = chosen.reduce((sum, each) => sum + each.rows, 0);
    if (chosen.length <= MAX_CONJUNCTIONS && rows <= ROWS) [best, high] = [chosen, middle - 1];
    else low = middle + 1;
  }
  // Even the conjunction of the highest value exceeds the limit of rows.
  if (best.length === 0) return [conjunctions.reduce((one, other) => (other.value > one.value ? other : one))];
  return best;
}

/**
 * Merges conjunctions with the same rarest literal into one query: the index skips through that literal's documents, and reads
 * the posting lists of the others. If these lists cost more than reading all documents of the rarest literal, the query is that
 * literal alone.
 */
function joined(conjunctions: readonly Conjunction[]): readonly string[] {
  const groups = new Map<Literal, (readonly Literal[])[]>();
  for (const { parts, rarest } of conjunctions)
    groups.set(rarest, [...(groups.get(rarest) ?? []), parts.filter((part) => part !== rarest)]);
  const alone = new Set<Literal>();
  const queries: string[] = [];
  let read = 0;
  for (const [rarest, all] of [...groups].sort(([one], [other]) => one.documents - other.documents)) {
    const lists = all.filter((others) => !others.some((literal) => alone.has(literal)));
    const passed = [...new Set(lists.flat())].reduce((sum, { documents }) => sum + documents * PASSED, 0);
    if (lists.length === 0) continue;
    const costsLess = rarest.documents <= passed && read + rarest.documents <= FEW;
    if (costsLess || lists.some(({ length }) => length === 0)) {
      alone.add(rarest);
      read += rarest.documents;
      queries.push(rarest.query);
      continue;
    }
    const beside = lists.map((others) => together(others.map(({ query }) => query)));
    queries.push(`${rarest.query} & (${beside.join(' | ')})`);
  }
  return queries;
}

/** Groups the lexemes of a query by value: a lexeme's idf, but at most that of the word for which it stands. */
function levelsOf(asked: readonly AskedWord[], known: KnownWords): readonly Level[] {
  const values = new Map<string, number>();
  const raise = (root: string, value: number): void => {
    if (known.countOf(root) > 0) values.set(root, Math.max(value, values.get(root) ?? 0));
  };
  const idf = (root: string): number => inverseDocumentFrequency(known.countOf(root), known.total);
  for (const word of asked) {
    // A word that no document contains has the highest idf, so it limits no alternative.
    const most = idf(word.stem);
    raise(word.stem, word.weight * most);
    for (const { stems, weight } of alternativesOf(word, known)) {
      for (const root of stems) raise(root, (word.weight * weight * Math.min(most, idf(root))) / stems.length);
    }
  }
  const sorted = [...values].sort(([, one], [, other]) => other - one).slice(0, MAX_LEXEMES);
  const levels: { readonly first: number; readonly lexemes: string[]; value: number }[] = [];
  for (const [lexeme, value] of sorted) {
    const last = levels.at(-1);
    if (last && value >= LEAST * last.first) {
      last.lexemes.push(lexeme);
      last.value += value;
    } else levels.push({ first: value, lexemes: [lexeme], value });
  }
  return levels.map(({ lexemes, value }) => ({ query: lexemes.map(quoted).join(' | '), value }));
}
