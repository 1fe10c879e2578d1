import fc from 'fast-check';
import type { Field } from '../../../src/scorers/bm25/settings.ts';
import type { ToolDocument } from '../../../src/scorers/document.ts';
import { isStopWord, splitIdentifier, words } from '../../../src/util/words.ts';
import { document } from '../../fixtures/tools.ts';

/** The words of each field, in order. */
export type NaiveFields = Readonly<Record<Field, readonly string[]>>;

/** The words of the fields of each document, by plain lists and sets. */
export function naiveFields(documents: readonly ToolDocument[]): NaiveFields[] {
  const sentences = documents.map(({ description }) =>
    description
      .split(/(?<=[.!?])\s+|(?<=[。！？])\s*|\n+/u)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence !== ''),
  );
  const isShared = (sentence: string): boolean => sentences.filter((list) => list.includes(sentence)).length > 8;
  return documents.map((entry, id) => fieldsOf(entry, sentences[id]?.filter((sentence) => !isShared(sentence)) ?? []));
}

function fieldsOf({ name, title, server, keywords, parameters }: ToolDocument, sentences: readonly string[]) {
  const nameWords = splitIdentifier(name);
  const nameParts = nameWords.filter(
    (word, at) => at === 0 || at === nameWords.length - 1 || !['a', 'an', 'the'].includes(word),
  );
  let end = 0;
  while (end < sentences.length && sentences.slice(0, end).join('').length < 15) end++;
  const read = (texts: readonly string[]): string[] => inReadingOrder(texts).flatMap(words);
  const content = (texts: readonly string[]): string[] => read(texts).filter((word) => !isStopWord(word));
  return {
    name: [...nameParts, ...nameParts.slice(1).map((word, at) => `${nameParts[at]}${word}`)],
    keywords: read(keywords),
    title: words(title),
    summary: content(sentences.slice(0, end)),
    description: content(sentences.slice(end)),
    parameters: parameters.flatMap((parameter) => splitIdentifier(parameter.name)),
    parameterDescriptions: content(parameters.flatMap(({ description, values }) => [description, ...values])).slice(
      0,
      150,
    ),
    server: splitIdentifier(server),
  };
}

/** Texts in other letters than ASCII's are read last. */
function inReadingOrder(texts: readonly string[]): readonly string[] {
  const isPlain = (text: string): boolean => /^[ -~\s]*$/.test(text);
  return [...texts.filter(isPlain), ...texts.filter((text) => !isPlain(text))];
}

export const WORDS: readonly string[] = ['heron', 'stork', 'swan', '鶴', 'the', 'constructor', 'toString', 'Zürich'];
const SHARED = 'Ask the heron before you call this.';

const word = fc.constantFrom(...WORDS);
const text = fc.oneof(
  { weight: 4, arbitrary: fc.array(word, { maxLength: 5 }).map((list) => list.join(' ')) },
  // More often than is counted.
  {
    weight: 1,
    arbitrary: fc.tuple(word, fc.integer({ min: 12, max: 18 })).map(([one, count]) => `${one} `.repeat(count)),
  },
);
const description = fc
  .array(fc.oneof({ weight: 2, arbitrary: text }, { weight: 3, arbitrary: fc.constant(SHARED) }), { maxLength: 4 })
  .map((sentences) => sentences.join('.\n'));
const parameter = fc.tuple(word, text, text);

const entry = fc.record({
  name: fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join('_')),
  description,
  title: text,
  server: word,
  keywords: fc.array(text, { maxLength: 2 }),
  parameters: fc.array(parameter, { maxLength: 3 }),
});

/** Catalogs of a few tools that have their words in common, and sentences, on both sides of what is boilerplate. */
export const documentLists: fc.Arbitrary<readonly ToolDocument[]> = fc
  .uniqueArray(entry, { minLength: 1, maxLength: 14, selector: ({ name }) => name })
  .map((entries) => entries.map(({ name, description: about, ...more }) => document(name, about, more)));
