import type { ToolDocument } from '../../catalog/document.ts';
import { asciiParts, asciiWords, MAX_TEXT, MAX_WORD, splitIdentifier, words } from '../words/words.ts';
import type { Field } from './settings.ts';

/** Words of a tool, in order, in the casing in which they are written. */
export interface ToolWords {
  readonly fields: Readonly<Record<Field, readonly string[]>>;
  /** The words of its name alone, lower-case, without its compounds. */
  readonly name: readonly string[];
  /** The words of its name, lower-case, without articles: `CREATE_A_TASK` is as short as `CREATE_TASK`. */
  readonly nameParts: readonly string[];
}

/** The fields that are sentences: only words that say something count, at most so many. */
export const PROSE: ReadonlyMap<Field, number> = new Map<Field, number>([
  ['summary', Number.POSITIVE_INFINITY],
  ['description', Number.POSITIVE_INFINITY],
  ['parameterDescriptions', 150],
]);

const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);
/** The first sentence, unless that is a mere heading. */
const MIN_SUMMARY = 15;

/**
 * Takes a tool apart into the words of its fields.
 *
 * @param sentences - those of its description that count.
 */
export function toolWords(
  { name, title, server, keywords, hints, parameters }: ToolDocument,
  sentences: readonly string[],
): ToolWords {
  const ofName = splitIdentifier(name);
  const nameParts = withoutArticles(ofName);
  // Neighbouring words written as one: "web hook" also as webhook.
  const compounds = nameParts
    .slice(1)
    .map((word, at) => `${nameParts[at]}${word}`)
    .filter((compound) => compound.length <= MAX_WORD);
  const end = endOfSummary(sentences);
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

/** Words of several texts. Those in other letters than ASCII's come last: read together, they cost less. */
function wordsOf(texts: readonly string[]): readonly string[] {
  const found = inOne(texts, asciiWords);
  if (found) return found;
  const plain: string[] = [];
  const others: string[] = [];
  for (const text of texts) {
    const list = asciiWords(text);
    if (list) plain.push(...list);
    else others.push(text);
  }
  return [...plain, ...words(others.join('\n'))];
}

function partsOf(names: readonly string[]): readonly string[] {
  return inOne(names, asciiParts) ?? names.flatMap(splitIdentifier);
}

/** What is read of several texts as one; undefined where they have no room in one, as each has room of its own. */
function inOne<Read>(texts: readonly string[], read: (text: string) => Read | undefined): Read | undefined {
  const all = texts.join('\n');
  return all.length > MAX_TEXT ? undefined : read(all);
}

/** An article stands between two words: a letter at either end, as of a vitamin, is none. */
function withoutArticles(list: readonly string[]): readonly string[] {
  return list.filter((word, at) => at === 0 || at === list.length - 1 || !ARTICLES.has(word));
}

/** Counts the sentences of the summary. */
function endOfSummary(sentences: readonly string[]): number {
  let end = 0;
  for (let length = 0; end < sentences.length && length < MIN_SUMMARY; end++) length += sentences[end]?.length ?? 0;
  return end;
}
