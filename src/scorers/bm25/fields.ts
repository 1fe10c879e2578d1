import type { ToolDocument } from '../../catalog/document.ts';
import { NumberList } from './number-list.ts';
import { FIELDS, type Field } from './settings.ts';
import { TextReader } from './text-reader.ts';
import type { WordNumbers } from './word-numbers.ts';

/** The numbers of the words of each field, in order. */
export type FieldWords = Readonly<Record<Field, NumberList>>;

/** Words of the parameters' descriptions and of the server's hints that count, for each tool. */
const MAX_PARAMETER_WORDS = 150;
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);
/** The first sentence, unless that is a mere heading. */
const MIN_SUMMARY = 15;

/** Takes tools apart into the words of their fields. */
export class FieldReader {
  /**
   * Words of the tool that was read last, by field. Reused: thousands of short lists would cost more than what is in
   * them.
   */
  readonly fields: FieldWords = {
    name: new NumberList(),
    keywords: new NumberList(),
    title: new NumberList(),
    summary: new NumberList(),
    description: new NumberList(),
    parameters: new NumberList(),
    parameterDescriptions: new NumberList(),
    server: new NumberList(),
  };
  /** The lists of words in the order of {@link FIELDS}. */
  readonly lists: readonly NumberList[] = FIELDS.map((field) => this.fields[field]);
  /** The words of its name alone, without its compounds. */
  readonly nameWords: NumberList = new NumberList();
  /** The words of its name without articles: `CREATE_A_TASK` is as short as `CREATE_TASK`. */
  readonly nameParts: NumberList = new NumberList();
  readonly #reader: TextReader;

  constructor(numbers: WordNumbers) {
    this.#reader = new TextReader(numbers);
  }

  /** @param sentences - those of its description that count. */
  read({ name, title, server, keywords, hints = [], parameters }: ToolDocument, sentences: readonly string[]): void {
    const reader = this.#reader;
    const { fields } = this;
    for (const list of this.lists) list.clear();
    this.#readName(name);
    reader.readTexts(keywords, fields.keywords);
    if (title !== '') reader.readTexts([title], fields.title);
    if (server !== '') reader.readIdentifier(server, fields.server);
    const end = endOfSummary(sentences);
    const [summary, rest] = end < sentences.length ? [sentences.slice(0, end), sentences.slice(end)] : [sentences, []];
    reader.readTexts(summary, fields.summary, true);
    reader.readTexts(rest, fields.description, true);
    const texts = [...hints];
    for (const parameter of parameters) {
      reader.readIdentifier(parameter.name, fields.parameters);
      texts.push(parameter.description);
      for (const value of parameter.values) texts.push(value);
    }
    reader.readTexts(texts, fields.parameterDescriptions, true);
    fields.parameterDescriptions.length = Math.min(fields.parameterDescriptions.length, MAX_PARAMETER_WORDS);
  }

  #readName(name: string): void {
    const { nameWords, nameParts: parts } = this;
    nameWords.clear();
    parts.clear();
    this.#reader.readIdentifier(name, nameWords);
    // An article stands between two words: a letter at either end, as of a vitamin, is none.
    for (let at = 0; at < nameWords.length; at++) {
      const word = nameWords.at(at);
      const isAtEnd = at === 0 || at === nameWords.length - 1;
      if (isAtEnd || !ARTICLES.has(this.#reader.numbers.words[word] ?? '')) parts.push(word);
    }
    for (let at = 0; at < parts.length; at++) this.fields.name.push(parts.at(at));
    // Neighbouring words written as one: "web hook" also as webhook.
    for (let at = 1; at < parts.length; at++) {
      this.fields.name.push(this.#reader.compoundOf(parts.at(at - 1), parts.at(at)));
    }
  }
}

/** Counts the sentences of the summary. */
function endOfSummary(sentences: readonly string[]): number {
  let end = 0;
  for (let length = 0; end < sentences.length && length < MIN_SUMMARY; end++) length += sentences[end]?.length ?? 0;
  return end;
}
