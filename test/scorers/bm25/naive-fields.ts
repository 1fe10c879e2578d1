import type { Field } from '../../../src/scorers/bm25/settings.ts';
import type { ToolDocument } from '../../../src/scorers/document.ts';
import { isStopWord, splitIdentifier, words } from '../../../src/util/words.ts';

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
  return documents.map((entry, id) => fieldsOf(entry, sentences[id] ?? []));
}

function fieldsOf({ name, title, server, keywords, parameters }: ToolDocument, sentences: readonly string[]) {
  const nameParts = splitIdentifier(name);
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
