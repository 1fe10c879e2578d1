import { asciiParts, asciiWords, MAX_TEXT, MAX_WORD, splitIdentifier, words } from '../../util/words.ts';
import type { ToolDocument } from '../document.ts';
import type { Field } from './settings.ts';

/** The words of a tool by field, in order, as they are written. */
export interface ToolWords {
  readonly fields: Readonly<Record<Field, readonly string[]>>;
  /** The words of the tool's name, lower-case, without compounds. */
  readonly name: readonly string[];
}

/** Prose fields, each with the most words that are read of it. Stop words are skipped and not counted. */
export const PROSE: ReadonlyMap<Field, number> = new Map<Field, number>([
  ['summary', Number.POSITIVE_INFINITY],
  ['description', Number.POSITIVE_INFINITY],
  ['parameterDescriptions', 150],
]);

/**
 * Fewest characters of a summary: a shorter first sentence is a heading, so the next sentence belongs to the summary
 * too.
 */
const MIN_SUMMARY = 15;
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])\s*|\n+/u;

/** @param sentences - the sentences of the tool's description. */
export function toolWords(
  { name, title, server, keywords, hints, parameters }: ToolDocument,
  sentences: readonly string[],
): ToolWords {
  const ofName = splitIdentifier(name);
  // Neighbouring words written as one: `web_hook` is also found as "webhook".
  const compounds = ofName
    .slice(1)
    .map((word, at) => `${ofName[at]}${word}`)
    .filter((compound) => compound.length <= MAX_WORD);
  const end = summaryOf(sentences);
  const names: string[] = [];
  const told = hints ? [...hints] : [];
  for (const parameter of parameters) {
    names.push(parameter.name);
    if (parameter.description !== '') told.push(parameter.description);
    if (parameter.values.length > 0) told.push(...parameter.values);
  }
  const fields: ToolWords['fields'] = {
    name: compounds.length > 0 ? [...ofName, ...compounds] : ofName,
    keywords: wordsOf(keywords),
    title: wordsOf([title]),
    summary: wordsOf(end < sentences.length ? sentences.slice(0, end) : sentences),
    description: wordsOf(end < sentences.length ? sentences.slice(end) : []),
    parameters: partsOf(names),
    parameterDescriptions: wordsOf(told),
    server: partsOf([server]),
  };
  return { fields, name: ofName };
}

/** The words of several texts. If some have characters beyond ASCII, the words of the others come first. */
function wordsOf(texts: readonly string[]): readonly string[] {
  const found = readAsOne(texts, asciiWords);
  if (found) return found;
  const plain = texts.map(asciiWords);
  return [...plain.flatMap((list) => list ?? []), ...words(texts.filter((_, at) => !plain[at]).join('\n'))];
}

function partsOf(names: readonly string[]): readonly string[] {
  return readAsOne(names, asciiParts) ?? names.flatMap(splitIdentifier);
}

/**
 * Reads several texts in one pass; undefined if they exceed `MAX_TEXT` together, or if `read` is undefined for them.
 */
function readAsOne<Read>(texts: readonly string[], read: (text: string) => Read | undefined): Read | undefined {
  const all = texts.join('\n');
  return all.length > MAX_TEXT ? undefined : read(all);
}

/** How many of the first sentences of a description are its summary. */
export function summaryOf(sentences: readonly string[]): number {
  let end = 0;
  for (let length = 0; end < sentences.length && length < MIN_SUMMARY; end++) length += sentences[end]?.length ?? 0;
  return end;
}

/** The sentences of a description. A line break ends a sentence. */
export function sentencesOf({ description }: Pick<ToolDocument, 'description'>): readonly string[] {
  const sentences = description.split(SENTENCE_END).map((sentence) => sentence.trim());
  return sentences.every((sentence) => sentence !== '') ? sentences : sentences.filter((sentence) => sentence !== '');
}
