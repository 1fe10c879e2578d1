/**
 * The words of documents, as the database keeps them. A search reads no more of a document than the words that it looks for.
 *
 * @module
 */
import { hash } from 'node:crypto';
import {
  CHUNK,
  DEFAULT_SETTINGS,
  FIELDS,
  fieldsIn,
  type IndexedDocument,
  InvertedIndex,
  instructionStems,
  runToEnd,
  type SlicedWork,
  stem,
  type ToolDocument,
} from '../kit.ts';

/** What the database keeps of a document's words. */
export interface DocumentLexemes {
  /** The literal of its tsvector: each stem once, with the best weight of the fields that have it. */
  readonly words: string;
  /** Counts of different words in each field, as the ranking counts them. */
  readonly lengths: readonly number[];
  /**
   * The words themselves, for the ranking: a text that copies of the tool have in common, the lengths, and each stem with its
   * words and how often the fields have them, as `run:running:1:runs:2`. A word that is its stem is left out there.
   */
  readonly terms: string;
}

/** The weight of each field in a tsvector; those of the other fields have D. */
const WEIGHTS: Readonly<Record<string, string>> = { name: 'A', keywords: 'B', title: 'B', server: 'B', summary: 'C' };
/** The best weight of some fields, by their bits. */
const BEST_WEIGHT = Array.from({ length: 1 << FIELDS.length }, (_, bits) =>
  FIELDS.reduce((best, field, at) => {
    const weight = (bits & (1 << at) && WEIGHTS[field]) || 'D';
    return weight < best ? weight : best;
  }, 'D'),
);

/** A document that was taken apart, with its words by their stems. */
interface DocumentWords extends Omit<IndexedDocument, 'document' | 'words'> {
  readonly stems: ReadonlyMap<string, IndexedDocument['words']>;
}

/** Takes documents apart into words. */
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

/** The lexemes of documents: words are letters, marks and digits alone, and need no escapes. */
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
    // Sorted: the same document is written as the same text in whatever batch it comes.
    const stored = [copyOf(documents[at] as ToolDocument), lengths.join(), ...terms.sort()];
    return { words: found.join(' '), lengths, terms: stored.join(' ') };
  });
}

/** A text that copies of a tool have in common; empty where nothing is said of it. */
function copyOf({ name: _, server: __, instructions: ___, ...texts }: ToolDocument): string {
  return texts.description === '' ? '' : hash('sha256', JSON.stringify(texts), 'base64').slice(0, 12);
}

/** The lexeme that all documents of a tenant have, and no others: no word begins so. */
export function tenantLexeme(tenant: string): string {
  return `@${hash('sha256', tenant, 'hex').slice(0, 20)}`;
}

/** The lexeme of a stem for documents that have it in their name, so that these are counted apart. */
export function inName(root: string): string {
  return `=${root}`;
}

const SERVER = '~';

/** The lexeme of a stem for documents whose server says it of all its tools. */
export function serverLexeme(root: string): string {
  return `${SERVER}${root}`;
}

/** What a search reads of a candidate. */
export interface CandidateRow {
  readonly name: string;
  readonly server: string;
  /** What {@link lexemesOf} made of its document; of a tool that an earlier release has stored, the document itself. */
  readonly terms: string;
}

/** A candidate with its document. */
export interface ToldRow extends CandidateRow {
  readonly document: ToolDocument;
}

/** The columns of a {@link CandidateRow}. */
export const CANDIDATE = `name, server, coalesce(document->>'terms', document::text) AS terms`;

/** A candidate as the ranking takes it, with the words alone that it looks for. */
export function indexed({ name, server, terms: stored }: CandidateRow, wanted: ReadonlySet<string>): IndexedDocument {
  const isDocument = stored.startsWith('{');
  const terms = isDocument ? (runToEnd(lexemesOf('', [JSON.parse(stored)]))[0]?.terms ?? '') : stored;
  const words: (readonly [word: string, counts: number])[] = [];
  const instructions = new Set<string>();
  const [copy = '', lengths = ''] = terms.split(' ', 2);
  // Most of the text is of no interest: nothing is cut out of it but the stems.
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
