/**
 * What the database looks for. A catalog of a million tools has a common word a hundred thousand times: candidates are the
 * documents that have several words of a query together, or a rare one, as many as a search may read.
 *
 * @module
 */
import { inverseDocumentFrequency } from '../kit.ts';
import type { AskedWord } from './asked-words.ts';
import type { KnownWords } from './counts.ts';
import { inName, serverLexeme } from './words.ts';

/** What the database looks for, and how it weighs what it finds. */
export interface Probe {
  /** Each a `tsquery`; a candidate fits one of them. Simple ones are many times faster than one of them all. */
  readonly queries: readonly string[];
  readonly levels: readonly Level[];
}

/** Lexemes that raise the weight of a candidate by about as much: the database ranks by all of them with one call. */
interface Level {
  /** A `tsquery` of any of them. */
  readonly query: string;
  /** What they are worth together: `ts_rank` divides by their count. */
  readonly value: number;
}

/** A way in which a document may have a word of the query. */
interface Literal {
  /** A `tsquery`. */
  readonly query: string;
  /** What it is worth, roughly as the ranking has it. */
  readonly value: number;
  /** What it is worth more than the next weaker way of the same word, or than nothing. */
  readonly step: number;
  /** How many documents have it, as far as it can be told. */
  readonly documents: number;
  /** Whether it is another word that stands for the word. */
  readonly isOther?: boolean;
}

/** Literals that a document has to have together. */
interface Conjunction {
  readonly parts: readonly Literal[];
  readonly value: number;
  /** What the best conjunction that asks for a little less is worth less. */
  readonly step: number;
  readonly rarest: Literal;
  /** Documents that have all of them by chance. */
  readonly byChance: number;
  /** Rows that it costs to read. */
  readonly rows: number;
}

/** Rows that the database may read for one search, as far as it can be told before. */
const ROWS = 800;
/** Rows of a small catalog: all that have any of the words are read. And the most that are read for words alone. */
const FEW = 4_500;
/** Words that are tried together, the most distinctive ones of a query, and how many of them at once. */
const MAX_WORDS = 10;
const MAX_TOGETHER = 3;
const MAX_CONJUNCTIONS = 400;
/** Words of a short query: it needs synonyms. A longer one has other words. */
const SHORT = 5;
/** How much more often words stand together than by chance. */
const TOGETHER = 2;
/** What it costs to pass over a document in the index, as a share of a row. */
const PASSED = 1 / 200;
/** What BM25 makes of a word in a name, against 1 for one in a summary. */
const IN_NAME = 1.8;
/** What a synonym is worth, as most have a lower weight than the best one; and a word that is guessed. */
const AS_OTHER = 0.8;
const AS_GUESS = 0.3;
/** Other words that are looked for: the index reads a list for each. */
const MAX_OTHERS = 4;
/** Lexemes that are weighed: the least distinctive ones hardly change what the best candidates are. */
const MAX_LEXEMES = 64;
/** The least value of a level, as a share of its best. */
const LEAST = 0.35;

/** What to look for; undefined where no document has any of the words. */
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
 * A `tsquery` for documents that surely have every required word; '' where nothing is required, undefined where no document
 * has one of them.
 */
export function requiredBy(required: readonly AskedWord[], known: KnownWords): string | undefined {
  const parts: string[] = [];
  for (const word of required) {
    const synonyms = word.others.filter(({ isSure }) => isSure).map(({ stems }) => stems);
    const guesses = known.countOf(word.stem) > 0 ? [] : known.guessesOf(word.word).map((root) => [root]);
    const ways = [[word.stem], ...synonyms, ...guesses];
    const found = ways.filter((stems) => stems.every((root) => known.countOf(root) > 0));
    if (found.length === 0) return undefined;
    parts.push(`(${found.map(all).join(' | ')})`);
  }
  return parts.join(' & ');
}

/** The queries with what every candidate has to have besides: the lexeme of its tenant, required words. */
export function narrowed(queries: readonly string[], lexeme: string | undefined, required: string): readonly string[] {
  const besides = [...(lexeme === undefined ? [] : [quoted(lexeme)]), ...(required === '' ? [] : [required])];
  return besides.length === 0 ? queries : queries.map((query) => [...besides, `(${query})`].join(' & '));
}

/** A `tsquery` for documents that have all of some stems. */
export function all(stems: readonly string[]): string {
  return together(stems.map(quoted));
}

function together(queries: readonly string[]): string {
  const list = queries.join(' & ');
  return queries.length > 1 ? `(${list})` : list;
}

/** A lexeme in a `tsquery`: whatever is in it stands for itself. */
export function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** The ways in which documents have a word: in their name, anywhere, or another word for it; the best first. */
function literalsOf(word: AskedWord, known: KnownWords): readonly Literal[] {
  const { total, countOf } = known;
  const [count, inNames] = [countOf(word.stem), countOf(inName(word.stem))];
  const idf = word.weight * inverseDocumentFrequency(count, total);
  const own: Literal[] = [];
  const named = { query: quoted(inName(word.stem)), value: IN_NAME * idf, step: (IN_NAME - 1) * idf };
  if (count > 0 && inNames > 0) own.push({ ...named, documents: inNames });
  if (count > 0) own.push({ query: quoted(word.stem), value: idf, step: idf, documents: count });

  const others = alternativesOf(word, known)
    .map(({ stems, weight }) => ({ stems, weight, documents: Math.min(...stems.map(countOf)) }))
    .filter(({ stems, documents }) => documents > 0 && !stems.includes(word.stem))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, count > 0 ? MAX_OTHERS : 2 * MAX_OTHERS);
  const [best] = others;
  if (!best) return own;
  const rarest = Math.max(...others.map(({ documents }) => inverseDocumentFrequency(documents, total)));
  const value = best.weight * (count > 0 ? AS_OTHER * idf : word.weight * rarest);
  const documents = others.reduce((sum, other) => sum + other.documents, 0);
  const query = `(${others.map(({ stems }) => all(stems)).join(' | ')})`;
  return [...own, { query, value, step: value, documents: Math.min(total, documents), isOther: true }];
}

/** What counts for a word as well, each with its weight; guesses where no document has the word. */
function alternativesOf(
  word: AskedWord,
  { countOf, guessesOf }: KnownWords,
): readonly Pick<AskedWord['others'][number], 'stems' | 'weight'>[] {
  if (countOf(word.stem) > 0) return word.others;
  return [...word.others, ...guessesOf(word.word).map((root) => ({ stems: [root], weight: AS_GUESS }))];
}

/** Every one, two or three ways that are not of one word. */
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
  const { parts = [], value = 0, step = literal.step, rarest: other = literal } = before ?? {};
  const rarest = other.documents <= literal.documents ? other : literal;
  const byChance = ((before?.byChance ?? total) * literal.documents) / total;
  const joint = Math.min(rarest.documents, byChance * TOGETHER ** parts.length);
  return {
    ...{ parts: [...parts, literal], value: value + literal.value, step: Math.min(step, literal.step) },
    ...{ rarest, byChance, rows: joint + rarest.documents * PASSED },
  };
}

/** The conjunctions worth the most, as many as there are rows for; none that asks for more than another one. */
function worthMost(conjunctions: readonly Conjunction[]): readonly Conjunction[] {
  const values = conjunctions.map(({ value }) => value).sort((one, other) => one - other);
  let best: readonly Conjunction[] = [];
  let [low, high] = [0, values.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const least = values[middle] ?? 0;
    const chosen = conjunctions.filter(({ value, step }) => value >= least && value - step < least);
    const rows = chosen.reduce((sum, each) => sum + each.rows, 0);
    if (chosen.length <= MAX_CONJUNCTIONS && rows <= ROWS) [best, high] = [chosen, middle - 1];
    else low = middle + 1;
  }
  // Even what is worth the most is in many documents.
  if (best.length === 0) return [conjunctions.reduce((one, other) => (other.value > one.value ? other : one))];
  return best;
}

/**
 * Conjunctions that have their rarest literal in common, as one query: the index passes over the documents of that one, and
 * reads the lists of the others beside it. Where these are so long that it costs less to read all documents of the rarest,
 * it is looked for alone.
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

/** The lexemes of a query by what they are worth, as rare as each is, but no more than the word for which it stands. */
function levelsOf(asked: readonly AskedWord[], known: KnownWords): readonly Level[] {
  const values = new Map<string, number>();
  const raise = (root: string, value: number): void => {
    if (known.countOf(root) > 0) values.set(root, Math.max(value, values.get(root) ?? 0));
  };
  const idf = (root: string): number => inverseDocumentFrequency(known.countOf(root), known.total);
  for (const word of asked) {
    // Of a word that no document has, this is the highest.
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
