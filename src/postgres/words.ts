import { hash } from 'node:crypto';
import {
  CHUNK,
  contentWords,
  countIn,
  DEFAULT_SETTINGS,
  FIELDS,
  type Field,
  InvertedIndex,
  type SlicedWork,
  stem,
  type ToolDocument,
  words,
} from '../kit.ts';

/** What the database keeps of a document's words. */
export interface DocumentWords {
  /** The literal of its tsvector: each stem once, with the best weight of the fields that have it. */
  readonly words: string;
  /** Counts of different words in each field, as the ranking counts them. */
  readonly lengths: readonly number[];
}

/** The weight of each field in a tsvector. */
const WEIGHTS: Readonly<Record<Field, string>> = {
  name: 'A',
  keywords: 'B',
  title: 'B',
  server: 'B',
  summary: 'C',
  description: 'D',
  parameters: 'D',
  parameterDescriptions: 'D',
};
/** The fields by their weight, the best first. */
const BY_WEIGHT = FIELDS.map((key, field) => ({ field, weight: WEIGHTS[key] })).sort((one, other) =>
  one.weight < other.weight ? -1 : 1,
);

/** The words of documents without boilerplate, read as the ranking reads them. */
export function* documentWords(
  tenant: string,
  documents: readonly ToolDocument[],
): SlicedWork<readonly DocumentWords[]> {
  const index = yield* InvertedIndex.ofPart(documents, DEFAULT_SETTINGS.fields);
  const all = documents.map(() => new Map([[tenantLexeme(tenant), 'D']]));
  for (const [read, word] of index.words.entries()) {
    const root = lexemeOf(index.wordOf(word));
    const { documents: ids, counts, start, end } = index.postings(word);
    for (let at = start; at < end; at++) {
      const found = all[ids[at] ?? 0] as Map<string, string>;
      const weight = weightOf(counts[at] ?? 0);
      if (weight < (found.get(root) ?? 'E')) found.set(root, weight);
      if (weight === 'A') found.set(inName(root), 'A');
    }
    if (read % CHUNK === 0) yield;
  }
  for (const [id, { instructions }] of documents.entries()) {
    for (const root of instructions === undefined ? [] : rootsOf(instructions))
      all[id]?.set(providedByServer(root), 'D');
    if (id % CHUNK === 0) yield;
  }
  return all.map((found, id) => ({
    words: [...found].map(([lexeme, weight]) => `'${lexeme}':1${weight}`).join(' '),
    lengths: FIELDS.map((_, field) => index.lengthOf(id, field)),
  }));
}

/** The lexeme of a word: its stem. Words are letters, marks and digits alone, and need no escapes. */
export function lexemeOf(word: string): string {
  return stem(word);
}

/** The lexeme that all documents of a tenant have, and no others: no word begins so. */
export function tenantLexeme(tenant: string): string {
  return `@${hash('sha256', tenant, 'hex').slice(0, 20)}`;
}

/** The lexeme of a stem for documents that have it in their name, so that these are counted apart. */
export function inName(root: string): string {
  return `=${root}`;
}

/** The lexeme of a stem for documents whose server says it of all its tools. */
export function providedByServer(root: string): string {
  return `~${root}`;
}

/** The stems of the words that say something, as the ranking reads them. */
function rootsOf(instructions: string): ReadonlySet<string> {
  return new Set(contentWords(words(instructions)).map(stem));
}

/** @param counts - of a word, by field. */
function weightOf(counts: number): string {
  return BY_WEIGHT.find(({ field }) => countIn(counts, field) > 0)?.weight ?? 'D';
}
