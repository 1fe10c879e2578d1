import { cut, LETTER_OR_DIGIT, lazyRegex, regexFor, upToLast } from '../../util/text.ts';

/**
 * A query: what the model asked, parsed.
 *
 * @example
 * ```ts
 * const matches = (name: string, { required }: ToolQuery) => required.every((word) => name.includes(word));
 * ```
 */
export interface ToolQuery {
  /** The query as the model wrote it, trimmed. */
  readonly text: string;
  /** The words to rank by, in order, as written, without the `+` of required words. Empty for an empty query. */
  readonly keywords: readonly string[];
  /** The words marked with `+`: a tool that one of them does not match at all is left out. Also in `keywords`. */
  readonly required: readonly string[];
  /** The exact names of a `select:a,b` query, in the order written, each once. Absent in a keyword query. */
  readonly select?: readonly string[];
}

const SELECT = /^\s*select\s*:/i;
/** White space, commas and semicolons, also those of Chinese, Japanese and Arabic. */
const SEPARATORS = /[\s,;，、；،؛]+/u;
/**
 * What is cut off before a word, and the last character that a word may have. Inside a word, signs stay: `c++`, `v2.1`.
 */
const EDGE = regexFor(String.raw`^[^\p{L}\p{M}\p{N}_]+`, 'u');
const END = regexFor(String.raw`[\p{L}\p{M}\p{N}_+#]`, 'u');
/** A part of a query that is a keyword as it stands. Most parts are. */
const PLAIN = /^[A-Za-z\d]\w*$/;
/** A `+` before the first letter or digit. */
const PLUS = regexFor(String.raw`^[^\p{L}\p{N}]*\+`, 'u');
/**
 * A word that begins with a letter. A `+` before anything else is no mark: +15550001111 is a phone number, +50% a
 * change.
 */
const WORD = lazyRegex(String.raw`^[^\p{L}\p{N}]*\p{L}`, 'u');
const NO_QUOTE = /[^"'`]/;
/**
 * Maximum characters of a query, and of a `select:` list, which has room for a hundred names and more. Longer texts are
 * cut.
 */
const MAX_TEXT = 2_000;
const MAX_SELECTION = 100_000;

export function isSelection(text: string): boolean {
  return SELECT.test(text);
}

/**
 * Reads a query: keywords, `+word` for a word that has to match, `select:name_a,name_b` for exact names.
 *
 * Commas and white space separate keywords; quotes and stray punctuation are dropped. A `select:` without names is an
 * empty query.
 */
export function parseQuery(text: string): ToolQuery {
  const isList = isSelection(text);
  const trimmed = cut(text.trim(), isList ? MAX_SELECTION : MAX_TEXT);
  if (isList) {
    const names = trimmed.replace(SELECT, '').split(',').map(unquote);
    const select = [...new Set(names.filter((name) => name !== ''))];
    return select.length > 0
      ? { text: trimmed, keywords: [], required: [], select }
      : { text: trimmed, keywords: [], required: [] };
  }
  const keywords: string[] = [];
  const required: string[] = [];
  for (const part of trimmed.split(SEPARATORS)) {
    if (PLAIN.test(part)) {
      keywords.push(part);
      continue;
    }
    const word = upToLast(part.replace(EDGE(part), ''), END(part));
    if (!LETTER_OR_DIGIT(word).test(word)) continue;
    keywords.push(word);
    if (PLUS(part).test(part) && WORD().test(word)) required.push(word);
  }
  return { text: trimmed, keywords, required };
}

function unquote(name: string): string {
  const unquoted = upToLast(name.trim(), NO_QUOTE).replace(/^["'`]+/, '');
  return unquoted.trim();
}

/** Marks that end a sentence between two keywords, also in Chinese and Japanese. A comma does not. */
const ENDS = /[.!?:;\n。！？：；]/;

export function querySentences({
  text,
  keywords,
}: Pick<ToolQuery, 'text' | 'keywords'>): readonly (readonly string[])[] {
  const sentences: string[][] = [];
  let end = 0;
  for (const keyword of keywords) {
    const start = text.indexOf(keyword, end);
    const isFirst = sentences.length === 0 || ENDS.test(text.slice(end, start));
    if (isFirst) sentences.push([keyword]);
    else sentences.at(-1)?.push(keyword);
    end = start + keyword.length;
  }
  return sentences;
}

const GREETINGS: ReadonlySet<string> = new Set('hey hi hello ok so and please um uh well'.split(' '));
/**
 * First words of a question, in English and the vocabulary's other languages. Words that ask for a favour are left out.
 */
const ASKING: ReadonlySet<string> = new Set(
  `what which who whose where when why is are was were do does did has have any welche welcher welches welchem welchen wer
  quel quelle quels quelles qui combien que qué cuál cual cuáles cuales cuánto cuanto cuánta cuanta cuántos cuantos cuántas
  cuantas quién quien quiénes quienes`.split(/\s+/),
);
/** First words of a question if one of these words follows. */
const ASKING_WITH: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['how', new Set('many much long old far often big large'.split(' '))],
  ['wie', new Set('viel viele lang lange oft'.split(' '))],
  ['gibt', new Set(['es'])],
]);
/** First words of a question that follows another sentence or clause. */
const ASKING_BEHIND: ReadonlySet<string> = new Set('what which who whose where when does'.split(' '));
const ASKING_BEHIND_WITH: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['how', ASKING_WITH.get('how') ?? new Set()],
  ['is', new Set(['there'])],
  ['are', new Set(['there'])],
  ['do', new Set(['i'])],
  ['did', new Set(['i'])],
]);
const LETTERS = lazyRegex(String.raw`[\p{L}\p{N}]+`, 'gu');
/** Maximum characters of a query that are read, and words of a clause. */
const MAX_READ = 2_000;
const FIRST_WORDS = 8;

/** Whether a query asks for information, so that a reading tool answers it. "Can you …" asks for an action. */
export function isQuestion(text: string): boolean {
  const clauses = text
    .slice(0, MAX_READ)
    .toLowerCase()
    .split(/(?<=[.!?\n,;:])/);
  const start = firstWords(text.slice(0, MAX_READ).toLowerCase());
  const first = start.findIndex((word) => !GREETINGS.has(word));
  if (begins(start.slice(first), ASKING, ASKING_WITH)) return true;
  let isAsked = false;
  for (const [behind, clause] of [...clauses.entries()].reverse()) {
    if (clause.endsWith('?')) isAsked = true;
    else if (clause.endsWith('.') || clause.endsWith('!')) isAsked = false;
    if (behind > 0 && isAsked && begins(firstWords(clause), ASKING_BEHIND, ASKING_BEHIND_WITH)) return true;
  }
  return false;
}

function firstWords(text: string): readonly string[] {
  return (text.slice(0, 100).match(LETTERS()) ?? []).slice(0, FIRST_WORDS);
}

function begins(
  [first = '', second = '']: readonly string[],
  words: ReadonlySet<string>,
  pairs: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  return words.has(first) || pairs.get(first)?.has(second) === true;
}
