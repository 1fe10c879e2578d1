import { hash } from 'node:crypto';
import { documentWords, FIELDS, type Field, type SlicedWork, type ToolDocument } from '../kit.ts';

/** What the database keeps of a document's words. */
export interface DocumentLexemes {
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

/** The lexemes of documents without boilerplate: words are letters, marks and digits alone, and need no escapes. */
export function* lexemesOf(tenant: string, documents: readonly ToolDocument[]): SlicedWork<readonly DocumentLexemes[]> {
  return (yield* documentWords(documents)).map(({ stems, instructions, lengths }) => {
    const found = [`'${tenantLexeme(tenant)}':1D`];
    for (const [root, fields] of stems) {
      const weight = weightOf(fields);
      found.push(`'${root}':1${weight}`);
      if (weight === 'A') found.push(`'${inName(root)}':1A`);
    }
    for (const root of instructions) found.push(`'${serverLexeme(root)}':1D`);
    return { words: found.join(' '), lengths };
  });
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
export function serverLexeme(root: string): string {
  return `~${root}`;
}

/** @param fields - those that have a word. */
function weightOf(fields: number): string {
  return BY_WEIGHT.find(({ field }) => fields & (1 << field))?.weight ?? 'D';
}
