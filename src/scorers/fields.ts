import type { ToolDocument } from '../catalog/document.ts';
import { isStopWord, splitIdentifier, words } from '../query/words.ts';

/** The searched parts of a tool, from the most telling to the least. */
export const FIELDS = [
  'name',
  'keywords',
  'title',
  'summary',
  'description',
  'parameters',
  'parameterDescriptions',
] as const;

export type Field = (typeof FIELDS)[number];

/** The words of each field, in order. */
export type FieldWords = Readonly<Record<Field, readonly string[]>>;

/** A sentence that more tools than this have in common says nothing about any of them. */
const MAX_SHARED = 8;
/** Words of the parameters' descriptions that count, for each tool. */
const MAX_PARAMETER_WORDS = 150;

const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])\s*|\n+/u;
/** The first sentence, unless that is a mere heading. */
const MIN_SUMMARY = 15;

/** Takes the tools of a catalog apart into the words of their fields. */
export function fieldWords(documents: readonly ToolDocument[]): FieldWords[] {
  const sentences = documents.map(({ description }) => description.split(SENTENCE_END));
  const boilerplate = repeated(sentences);
  return documents.map((document, id) => wordsOf(document, sentences[id] ?? [], boilerplate));
}

function wordsOf(document: ToolDocument, sentences: readonly string[], boilerplate: ReadonlySet<string>): FieldWords {
  const { name, title, server, keywords, parameters } = document;
  const nameWords = splitIdentifier(name);
  const known = new Set(nameWords);
  const [summary, rest] = divide(sentences.filter((sentence) => !boilerplate.has(sentence.trim())));
  const texts = parameters.flatMap(({ description, values }) => [description, ...values]).join('\n');
  return {
    name: [...nameWords, ...compounds(nameWords)],
    keywords: words(keywords.join('\n')),
    // A server's name mostly stands in the tool's name as well; then it has been counted.
    title: [...words(title), ...splitIdentifier(server).filter((word) => !known.has(word))],
    summary: content(words(summary)),
    description: content(words(rest)),
    parameters: splitIdentifier(parameters.map((parameter) => parameter.name).join('\n')),
    parameterDescriptions: content(words(texts)).slice(0, MAX_PARAMETER_WORDS),
  };
}

/** Sentences that stand in too many descriptions. */
function repeated(sentences: readonly (readonly string[])[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const list of sentences) {
    for (const sentence of new Set(list.map((text) => text.trim()))) {
      counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
    }
  }
  return new Set([...counts].filter(([, count]) => count > MAX_SHARED).map(([sentence]) => sentence));
}

function divide(sentences: readonly string[]): [summary: string, rest: string] {
  let end = 0;
  let length = 0;
  while (end < sentences.length && length < MIN_SUMMARY) length += sentences[end++]?.length ?? 0;
  return [sentences.slice(0, end).join(' '), sentences.slice(end).join(' ')];
}

/** Neighbouring words written as one: "web hook" also as webhook. */
export function compounds(list: readonly string[]): string[] {
  return list.slice(1).map((word, position) => `${list[position]}${word}`);
}

function content(list: readonly string[]): string[] {
  return list.filter((word) => !isStopWord(word));
}
