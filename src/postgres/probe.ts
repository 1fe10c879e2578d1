import type { AskedWord } from '../kit.ts';
import { type LexemeLevel, levelsOf } from './levels.ts';
import { all, type KnownWords, type Literal, quoted, wantedWords } from './wanted-words.ts';
import { serverLexeme } from './words.ts';

/** What the database looks for, and how it weighs what it finds. */
export interface Probe {
  /** Each a `tsquery`; a candidate fits one of them. Simple ones are many times faster than one of them all. */
  readonly conjunctions: readonly string[];
  readonly levels: readonly LexemeLevel[];
}

/** Conjunctions of a probe: the statement has a place for each. */
export const MAX_PROBES = 16;
/** Rows that the database may read for one search, as far as it can be told before. */
const ROWS = 1_600;
/** Documents of a small catalog: all that have any of the words are read. */
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

/** Literals that a document has to have together. */
interface Conjunction {
  readonly parts: readonly Literal[];
  readonly value: number;
  /** The value of the best conjunction that asks for a little less. */
  readonly slack: number;
  readonly rows: number;
}

/**
 * What to look for, so that a common word never makes the database read all that have it: words that together are worth
 * the most, as many as there are rows for. Undefined where no document has any of them.
 */
export function probeOf(asked: readonly AskedWord[], known: KnownWords): Probe | undefined {
  const wanted = wantedWords(asked, known);
  if (wanted.length === 0) return undefined;
  const levels = levelsOf(asked, known);
  const literals = wanted.map(({ own, others }) => (others ? [...own, others] : own));
  const rows = literals.reduce((sum, list) => sum + Math.max(...list.map(({ documents }) => documents)), 0);
  if (Math.min(rows, known.total) <= FEW) {
    const said = asked.map(({ stem }) => serverLexeme(stem)).filter((lexeme) => known.countOf(lexeme) > 0);
    return { conjunctions: [[...levels.map(({ query }) => query), ...said.map(quoted)].join(' | ')], levels };
  }
  const tried = wanted
    .slice(0, MAX_WORDS)
    .map(({ own, others }) => (others && (wanted.length <= SHORT || own.length === 0) ? [...own, others] : own));
  return { conjunctions: joined(worthMost(conjunctionsOf(tried, known.total))), levels };
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

function conjunctionsOf(words: readonly (readonly Literal[])[], total: number): readonly Conjunction[] {
  const found: Conjunction[] = [];
  const add = (parts: readonly Literal[], start: number): void => {
    for (let at = start; at < words.length; at++) {
      for (const literal of words[at] ?? []) {
        const more = [...parts, literal];
        found.push(conjunction(more, total));
        if (more.length < MAX_TOGETHER) add(more, at + 1);
      }
    }
  };
  add([], 0);
  return found;
}

function conjunction(parts: readonly Literal[], total: number): Conjunction {
  const value = parts.reduce((sum, part) => sum + part.value, 0);
  const least = Math.min(...parts.map(({ documents }) => documents));
  const byChance = parts.reduce((rows, { documents }) => (rows * documents) / total, total);
  const together = Math.min(least, byChance * TOGETHER ** (parts.length - 1));
  const slack = value - Math.min(...parts.map(({ step }) => step));
  return { parts, value, slack, rows: together + least * PASSED };
}

/** The conjunctions worth the most, as many as there are rows for; none that asks for more than another one. */
function worthMost(conjunctions: readonly Conjunction[]): readonly Conjunction[] {
  const values = conjunctions.map(({ value }) => value).sort((one, other) => one - other);
  let best: readonly Conjunction[] = [];
  let [low, high] = [0, values.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const least = values[middle] ?? 0;
    const chosen = conjunctions.filter(({ value, slack }) => value >= least && slack < least);
    const rows = chosen.reduce((sum, each) => sum + each.rows, 0);
    const isCheap = chosen.length <= MAX_CONJUNCTIONS && rows <= ROWS;
    if (isCheap) [best, high] = [chosen, middle - 1];
    else low = middle + 1;
  }
  // Even what is worth the most is in many documents.
  if (best.length === 0) return [conjunctions.reduce((one, other) => (other.value > one.value ? other : one))];
  return best;
}

/** Conjunctions that have their rarest literal in common, as one: the index passes over the documents of that one. */
function joined(conjunctions: readonly Conjunction[]): readonly string[] {
  const others = new Map<Literal, string[]>();
  for (const { parts } of conjunctions) {
    const rarest = parts.reduce((one, other) => (other.documents < one.documents ? other : one));
    const rest = parts.filter((part) => part !== rarest).map(({ query }) => query);
    const list = others.get(rarest) ?? [];
    list.push(rest.length > 1 ? `(${rest.join(' & ')})` : (rest[0] ?? ''));
    others.set(rarest, list);
  }
  const queries = [...others].map(([{ query }, rest]) =>
    rest.includes('') ? query : `${query} & (${rest.join(' | ')})`,
  );
  if (queries.length <= MAX_PROBES) return queries;
  const last = queries.slice(MAX_PROBES - 1).map((query) => `(${query})`);
  return [...queries.slice(0, MAX_PROBES - 1), last.join(' | ')];
}

/** The conjunctions with what every candidate has to have besides: the lexeme of its tenant, required words. */
export function narrowed(
  conjunctions: readonly string[],
  lexeme: string | undefined,
  required: string,
): readonly string[] {
  const besides = [...(lexeme === undefined ? [] : [quoted(lexeme)]), ...(required === '' ? [] : [required])];
  return besides.length === 0 ? conjunctions : conjunctions.map((query) => [...besides, `(${query})`].join(' & '));
}
