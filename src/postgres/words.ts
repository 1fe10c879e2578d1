/**
 * The words of documents in their stored form, of which a search parses only the words that it looks for.
 *
 * @module
 */
import { hash } from 'node:crypto';
import {
  DEFAULT_SETTINGS,
  FIELDS,
  fieldsIn,
  type IndexedDocument,
  InvertedIndex,
  instructionStems,
  type ToolDocument,
} from '../kit.ts';
import { CHUNK, runToEnd, type SlicedWork } from '../util/time-slices.ts';
import { stem } from '../util/words.ts';

/** The words of a document in their stored form. */
export interface DocumentLexemes {
  /** The literal of a tsvector: each stem once, with the best weight of the fields that contain it. */
  readonly words: string;
  /** Number of different words in each field, as the ranking counts them. */
  readonly lengths: readonly number[];
  /**
   * The words for the ranking, separated by blanks: a hash that copies of the tool share, the lengths, and each stem with its
   * words and their counts in the fields, as `run:running:1:runs:2`. A word that equals its stem is written as ''.
   */
  readonly terms: string;
}

/** The weight of each field in a tsvector; other fields have D. */
const WEIGHTS: Readonly<Record<string, string>> = { name: 'A', keywords: 'B', title: 'B', server: 'B', summary: 'C' };
/** The best weight of a set of fields, by the bit mask of the set. */
const BEST_WEIGHT = Array.from({ length: 1 << FIELDS.length }, (_, bits) =>
  FIELDS.reduce((best, field, at) => {
    const weight = (bits & (1 << at) && WEIGHTS[field]) || 'D';
    return weight < best ? weight : best;
  }, 'D'),
);

/** A document with its words grouped by stem. */
interface DocumentWords extends Omit<IndexedDocument, 'document' | 'words'> {
  readonly stems: ReadonlyMap<string, IndexedDocument['words']>;
}

/** Splits documents into words. */
function* documentWords(documents: readonly ToolDocument[]): SlicedWork<readonly DocumentWords[]> {
  const index = yield* InvertedIndex.build(documents, DEFAULT_SETTINGS.fields, undefined, {});
  const stems = documents.map(() => new Map<string, [word: string, counts: number][]>());
  for (const [number, word] of index.words.entries()) {
    const root = stem(word);
    const { ids, counts } = index.postings(number);
    for (const [at, id] of ids.entries()) {
      const words = stems[id]?.get(root) ?? [];
      words.push([word, counts[at] ?? 0]);
      stems[id]?.set(root, words);
    }
    if (number % CHUNK === 0) yield;
  }
  return documents.map(({ instructions }, id) => ({
    stems: stems[id] ?? new Map(),
    instructions: instructionStems(instructions),
    lengths: FIELDS.map((_, field) => index.lengthOf(id, field)),
  }));
}

/** The lexemes of documents. They need no escapes, because words consist of letters, marks and digits. */
export function* lexemesOf(tenant: string, documents: readonly ToolDocument[]): SlicedWork<readonly DocumentLexemes[]> {
  return (yield* documentWords(documents)).map(({ stems, instructions, lengths }, at) => {
    const found = [`'${tenantLexeme(tenant)}':1D`];
    const terms: string[] = [];
    for (const [root, words] of stems) {
      const fields = words.reduce((bits, [, counts]) => bits | fieldsIn(counts), 0);
      const weight = BEST_WEIGHT[fields] ?? 'D';
      found.push(`'${root}':1${weight}`);
      if (weight === 'A') found.push(`'${inName(root)}':1A`);
      const counted = words.map(([word, counts]) => `${word === root ? '' : word}:${counts.toString(36)}`);
      terms.push(`${root}:${counted.sort().join(':')}`);
    }
    for (const root of instructions) {
      found.push(`'${serverLexeme(root)}':1D`);
      terms.push(`${serverLexeme(root)}:`);
    }
    // Sorted, so that a document has the same text in every batch.
    const stored = [copyOf(documents[at] as ToolDocument), lengths.join(), ...terms.sort()];
    return { words: found.join(' '), lengths, terms: stored.join(' ') };
  });
}

/** A hash that copies of a tool share; empty without a description. */
function copyOf({ name: _, server: __, instructions: ___, ...texts }: ToolDocument): string {
  return texts.description === '' ? '' : hash('sha256', JSON.stringify(texts), 'base64').slice(0, 12);
}

/** The lexeme that all documents of a tenant have, and no others. No word begins with "@". */
export function tenantLexeme(tenant: string): string {
  return `@${hash('sha256', tenant, 'hex').slice(0, 20)}`;
}

/** The lexeme for a stem in a tool's name, so that names are counted separately. */
export function inName(root: string): string {
  return `=${root}`;
}

const SERVER = '~';

/** The lexeme for a stem in the instructions of a tool's server. */
export function serverLexeme(root: string): string {
  return `${SERVER}${root}`;
}

/** The columns of a candidate that a search reads. */
export interface CandidateRow {
  readonly name: string;
  readonly server: string;
  /** The `terms` of {@link lexemesOf}; for a tool stored by an earlier release, its document as JSON. */
  readonly terms: string;
}

/** A candidate with its document. */
export interface DocumentRow extends CandidateRow {
  readonly document: ToolDocument;
}

/** The columns of a {@link CandidateRow}. */
export const CANDIDATE = `name, server, coalesce(document->>'terms', document::text) AS terms`;

/** Parses a candidate for the ranking, with no more than the wanted words. */
export function indexed({ name, server, terms: stored }: CandidateRow, wanted: ReadonlySet<string>): IndexedDocument {
  const isDocument = stored.startsWith('{');
  const terms = isDocument ? (runToEnd(lexemesOf('', [JSON.parse(stored)]))[0]?.terms ?? '') : stored;
  const words: (readonly [word: string, counts: number])[] = [];
  const instructions = new Set<string>();
  const [copy = '', lengths = ''] = terms.split(' ', 2);
  // Only wanted stems are split further, because most of the text is irrelevant.
  for (let start = copy.length + lengths.length + 2; start < terms.length; ) {
    const [colon, blank] = [terms.indexOf(':', start), terms.indexOf(' ', start)];
    const end = blank < 0 ? terms.length : blank;
    const root = terms.slice(start, colon);
    if (wanted.has(root)) {
      if (root.startsWith(SERVER)) instructions.add(root.slice(SERVER.length));
      const parts = terms.slice(colon + 1, end).split(':');
      for (let at = 1; at < parts.length; at += 2)
        words.push([parts[at - 1] || root, Number.parseInt(parts[at] ?? '', 36)]);
    }
    start = end + 1;
  }
  const document = { name, server, description: copy, title: '', keywords: [], parameters: [] };
  return { document, words, instructions, lengths: lengths.split(',').map(Number) };
}
