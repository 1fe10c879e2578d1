import { CHUNK, type SlicedWork } from '../../util/time-slices.ts';
import { asciiParts, asciiWords, MAX_TEXT, MAX_WORD, splitIdentifier, words } from '../../util/words.ts';
import { copiesIn } from '../copies.ts';
import type { ToolDocument } from '../document.ts';
import type { Field } from './settings.ts';

/** The words of a tool, in order, as they are written. */
export interface ToolWords {
  readonly fields: Readonly<Record<Field, readonly string[]>>;
  /** The words of its name alone, lower-case, without its compounds. */
  readonly name: readonly string[];
  /** The words of its name, lower-case, without articles: `CREATE_A_TASK` is as short as `CREATE_TASK`. */
  readonly nameParts: readonly string[];
}

/** The fields that are sentences, with the number of words read of each. Stop words do not count there. */
export const PROSE: ReadonlyMap<Field, number> = new Map<Field, number>([
  ['summary', Number.POSITIVE_INFINITY],
  ['description', Number.POSITIVE_INFINITY],
  ['parameterDescriptions', 150],
]);

const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);
/** Characters of the shortest summary: a shorter first sentence is a heading, and the next one belongs to it. */
const MIN_SUMMARY = 15;
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])\s*|\n+/u;

/** A sentence that more distinct tools than this share is boilerplate: it is not indexed. */
export const MAX_SHARED = 8;

/** @param sentences - those of its description that are no boilerplate. */
export function toolWords(
  { name, title, server, keywords, hints, parameters }: ToolDocument,
  sentences: readonly string[],
): ToolWords {
  const { name: ofName, nameParts } = nameWords(name);
  // Neighbouring words written as one: "web hook" also as webhook.
  const compounds = nameParts
    .slice(1)
    .map((word, at) => `${nameParts[at]}${word}`)
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
    name: compounds.length > 0 ? [...nameParts, ...compounds] : nameParts,
    keywords: wordsOf(keywords),
    title: wordsOf([title]),
    summary: wordsOf(end < sentences.length ? sentences.slice(0, end) : sentences),
    description: wordsOf(end < sentences.length ? sentences.slice(end) : []),
    parameters: partsOf(names),
    parameterDescriptions: wordsOf(told),
    server: partsOf([server]),
  };
  return { fields, name: ofName, nameParts };
}

/** The words of a name: all, and those that are no articles. */
export function nameWords(name: string): Pick<ToolWords, 'name' | 'nameParts'> {
  const all = splitIdentifier(name);
  // A letter at either end, as of a vitamin, is no article.
  const nameParts = all.filter((word, at) => at === 0 || at === all.length - 1 || !ARTICLES.has(word));
  return { name: all, nameParts };
}

/** The words of several texts: those of ASCII texts first, as they are read in one pass. */
function wordsOf(texts: readonly string[]): readonly string[] {
  const found = readAsOne(texts, asciiWords);
  if (found) return found;
  const plain = texts.map(asciiWords);
  return [...plain.flatMap((list) => list ?? []), ...words(texts.filter((_, at) => !plain[at]).join('\n'))];
}

function partsOf(names: readonly string[]): readonly string[] {
  return readAsOne(names, asciiParts) ?? names.flatMap(splitIdentifier);
}

/** Reads several texts as one; undefined where they are longer together than one text may be. */
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

/** Counts the tools that have a sentence. Copies of a tool are to be added once. */
export class SentenceCounts {
  readonly #counts = new Map<string, number>();
  /** The sentences of more than {@link MAX_SHARED} tools. */
  readonly boilerplate: Set<string> = new Set();

  add(sentences: readonly string[]): void {
    for (const sentence of new Set(sentences)) {
      const count = (this.#counts.get(sentence) ?? 0) + 1;
      this.#counts.set(sentence, count);
      if (count > MAX_SHARED) this.boilerplate.add(sentence);
    }
  }

  /** The sentences that are no boilerplate: the same list where none is. */
  distinctive(sentences: readonly string[]): readonly string[] {
    const isShared = (sentence: string): boolean => this.boilerplate.has(sentence);
    return sentences.some(isShared) ? sentences.filter((sentence) => !isShared(sentence)) : sentences;
  }
}

/** Documents whose descriptions have lost their boilerplate: an index of any part of them need not look for it. */
export function* withoutBoilerplate(documents: readonly ToolDocument[]): SlicedWork<readonly ToolDocument[]> {
  const copies = copiesIn(documents);
  const sentences = new SentenceCounts();
  for (const [id, document] of documents.entries()) {
    if (!copies || copies.firsts[id] === id) sentences.add(sentencesOf(document));
    if (id % CHUNK === CHUNK - 1) yield;
  }
  const distinctive: ToolDocument[] = [];
  for (const document of documents) {
    const all = sentencesOf(document);
    const kept = sentences.distinctive(all);
    if (distinctive.push(kept === all ? document : { ...document, description: kept.join('\n') }) % CHUNK === 0) yield;
  }
  return distinctive;
}
