import { clean, echo, isStopWord, Spellings, splitIdentifier, stem, type ToolDocument, words } from '../../kit.ts';

/**
 * The reason why a keyword is not kept.
 *
 * @example
 * ```ts
 * const isOfCases = (why: DropReason) => why === 'no-gain' || why === 'loses-case';
 * ```
 */
export type DropReason =
  /** It is no text, or has no letter or digit. */
  | 'no-words'
  /** It has markup, an address, or characters that are not seen. */
  | 'unclean'
  /** It has more than five words, or a hundred characters. */
  | 'too-long'
  /** It is the name of another tool. */
  | 'tool-name'
  /** The tool, or an earlier keyword, has its words already. */
  | 'known'
  /** Half of the catalog has, or would get, its words. */
  | 'common'
  /** The tool has as many keywords as it may. */
  | 'surplus'
  /** The cases that want the tool do not gain. */
  | 'no-gain'
  /** A case loses by it. */
  | 'loses-case'
  /** The work was ended before its cases were asked. */
  | 'not-judged';

/**
 * A keyword that is not kept.
 *
 * @example
 * ```ts
 * const say = ({ keyword, why }: DroppedKeyword) => `${keyword} (${why})`;
 * ```
 */
export interface DroppedKeyword {
  /** The keyword as it was written, cut at 64 characters. */
  readonly keyword: string;
  readonly why: DropReason;
}

export interface ValidKeywords {
  readonly keywords: readonly string[];
  readonly dropped: readonly DroppedKeyword[];
}

const MAX_WORDS = 5;
const MAX_CHARACTERS = 100;
const MAX_READ = 100;
const MAX_KEYWORDS = 50;
/** Tools that make a word common, in the smallest catalogs. */
const MIN_COMMON = 3;
/** What no word has: markup, templates, addresses. */
const MARKUP = /[<>{}[\]`\\|]|:\/\/|www\.|@/;

export function validate(
  written: ReadonlyMap<string, readonly unknown[]>,
  documents: readonly ToolDocument[],
  most: number,
): ReadonlyMap<string, ValidKeywords> {
  const names = new Spellings(documents.map(({ name }) => name));
  const own = new Map(documents.map((document) => [document.name, stemsOf(document)]));
  const read = documents.map((document, id) => {
    const known = new Set(own.get(document.name));
    const list = (written.get(document.name) ?? []).slice(0, MAX_READ);
    return { document, keywords: list.map((one) => readKeyword(one, id, names, known)) };
  });
  const counts = new Map<string, number>();
  const countAll = (stems: Iterable<string>): void => {
    for (const one of stems) counts.set(one, (counts.get(one) ?? 0) + 1);
  };
  for (const stems of own.values()) countAll(stems);
  for (const { keywords } of read) countAll(new Set(keywords.flatMap(({ adds }) => adds)));
  const isCommon = (one: string): boolean => {
    const count = counts.get(one) ?? 0;
    return count >= MIN_COMMON && count * 2 >= documents.length;
  };
  return new Map(
    read.map(({ document, keywords }) => {
      const room = Math.max(0, Math.min(most, MAX_KEYWORDS - document.keywords.length));
      const kept: string[] = [];
      const dropped: DroppedKeyword[] = [];
      for (const { asWritten, text, adds, why } of keywords) {
        const reason = why ?? (adds.every(isCommon) ? 'common' : kept.length >= room ? 'surplus' : undefined);
        if (reason) dropped.push({ keyword: asWritten, why: reason });
        else kept.push(text);
      }
      return [document.name, { keywords: kept, dropped }];
    }),
  );
}

interface ReadKeyword {
  readonly asWritten: string;
  readonly text: string;
  /** The stems that the tool does not have. */
  readonly adds: readonly string[];
  readonly why?: DropReason;
}

/**
 * @param id - the number of the tool.
 * @param known - stems that the tool has; those of the keyword are added.
 */
function readKeyword(written: unknown, id: number, names: Spellings, known: Set<string>): ReadKeyword {
  const asWritten = echo(typeof written === 'string' ? written : String(typeof written));
  const not = (why: DropReason): ReadKeyword => ({ asWritten, text: '', adds: [], why });
  if (typeof written !== 'string') return not('no-words');
  if (written.length > MAX_CHARACTERS) return not('too-long');
  if (MARKUP.test(written) || clean(written, MAX_CHARACTERS) !== written.trim()) return not('unclean');
  const list = words(written);
  const content = list.filter((word) => !isStopWord(word));
  if (content.length === 0) return not('no-words');
  if (list.length > MAX_WORDS) return not('too-long');
  if (names.of(list).some((other) => other !== id)) return not('tool-name');
  const adds = [...new Set(content.map(stem))].filter((one) => !known.has(one));
  if (adds.length === 0) return not('known');
  for (const one of adds) known.add(one);
  return { asWritten, text: list.join(' '), adds };
}

/** The stems of a tool's own words: what a keyword can add nothing to. Descriptions of parameters weigh too little for it. */
function stemsOf({ name, title, description, keywords, hints = [], parameters }: ToolDocument): ReadonlySet<string> {
  const texts = [title, description, ...keywords, ...hints, ...parameters.flatMap(({ values }) => values)];
  const identifiers = [name, ...parameters.map((parameter) => parameter.name)];
  return new Set([...identifiers.flatMap(splitIdentifier), ...texts.flatMap(words)].map(stem));
}
