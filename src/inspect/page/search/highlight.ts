import { lazyRegex, type MatchExplanation, splitIdentifier, stem, type WordExplanation, words } from '../../../kit.ts';
import type { WordPoints } from '../engine/local-scorers.ts';

/** The way in which a lit-up word was found. */
export type FoundBy = Exclude<WordExplanation['by'], 'nothing'>;

/** A piece of a text. */
export interface Segment {
  readonly text: string;
  /** Left out where nothing was found. */
  readonly by?: FoundBy;
}

/** The words to be lit up: whole words with all their forms, or letters wherever they stand. */
export interface Lit {
  /** The words that were found, by themselves and by their stems. */
  readonly words: ReadonlyMap<string, FoundBy>;
  /** Letters, lower-case, in the name and the description. */
  readonly letters: readonly string[];
}

export const NOTHING_LIT: Lit = { words: new Map(), letters: [] };

/** A word within a text, lower-case. */
interface Token {
  readonly start: number;
  readonly end: number;
  readonly word: string;
}

interface Mark {
  readonly start: number;
  readonly end: number;
  readonly by: FoundBy;
}

/** Letters, marks and digits in a row. */
const RUNS = lazyRegex(String.raw`[\p{L}\p{M}\p{N}]+`, 'gu');
/** Letters that are lit up within other words. */
const LEAST_LETTERS = 3;
/** Characters of the longest text that is looked through; the rest stays as it is. */
const MAX_TEXT = 20_000;

/** What the explanation of a match lights up. */
export function litBy(explanation: MatchExplanation | undefined, points: readonly WordPoints[] = []): Lit {
  const found = new Map<string, FoundBy>();
  for (const { found: text, by } of explanation?.words ?? []) {
    if (by === 'nothing') continue;
    for (const word of text.split(' ')) {
      for (const form of word === '' ? [] : [word, stem(word)]) if (!found.has(form)) found.set(form, by);
    }
  }
  const earning = points.filter((each) => each.points > 0).map(({ word }) => word.toLowerCase());
  // A single letter stands almost everywhere: only as a word of its own does it say anything.
  for (const word of earning) if (word.length < LEAST_LETTERS) found.set(word, 'word');
  return { words: found, letters: earning.filter((word) => word.length >= LEAST_LETTERS) };
}

/** A text in pieces, with what was found in it. Joined, they are the text. */
export function segmentsOf(text: string, { words: found, letters }: Lit): readonly Segment[] {
  if (text === '' || (found.size === 0 && letters.length === 0)) return [{ text }];
  const searched = text.slice(0, MAX_TEXT);
  const marks = [...(found.size > 0 ? wordMarks(searched, found) : []), ...letterMarks(searched, letters)];
  marks.sort((one, other) => one.start - other.start || other.end - one.end);
  const segments: Segment[] = [];
  let at = 0;
  for (const { start, end, by } of marks) {
    if (start < at) continue;
    if (start > at) segments.push({ text: text.slice(at, start) });
    segments.push({ text: text.slice(start, end), by });
    at = end;
  }
  if (at < text.length) segments.push({ text: text.slice(at) });
  return segments;
}

/** Whether anything of a text is lit up. */
export function isLit(segments: readonly Segment[]): boolean {
  return segments.some(({ by }) => by !== undefined);
}

function wordMarks(text: string, found: Lit['words']): readonly Mark[] {
  const byOf = (word: string): FoundBy | undefined => found.get(word) ?? found.get(stem(word));
  const tokens = tokensOf(text, (word) => byOf(word) !== undefined);
  const marks = tokens.flatMap(({ start, end, word }) => {
    const by = byOf(word);
    return by ? [{ start, end, by }] : [];
  });
  // Two words that the index has as one: the parts of "web_hook", for webhook.
  for (let at = 1; at < tokens.length; at++) {
    const [one, other] = [tokens[at - 1], tokens[at]];
    if (!one || !other || other.start - one.end > 1) continue;
    const by = byOf(one.word + other.word);
    if (by) marks.push({ start: one.start, end: other.end, by });
  }
  return marks;
}

/**
 * The words of a text with their places. Identifiers are taken apart, unless they are wanted as a whole: GitHub is one
 * word in a sentence.
 */
function tokensOf(text: string, isWanted: (word: string) => boolean): readonly Token[] {
  return Array.from(text.matchAll(RUNS())).flatMap(({ 0: run, index: start }) => {
    const [whole = '', ...more] = words(run);
    if (more.length === 0 && isWanted(whole)) return [{ start, end: start + run.length, word: whole }];
    return inPlaces(splitIdentifier(run), run, start) ?? [{ start, end: start + run.length, word: whole }];
  });
}

/** Words one behind the other; undefined where they are written otherwise than in the run. */
function inPlaces(parts: readonly string[], run: string, start: number): readonly Token[] | undefined {
  if (parts.join('').length !== run.length) return undefined;
  let at = start;
  return parts.map((word) => {
    const token = { start: at, end: at + word.length, word };
    at = token.end;
    return token;
  });
}

function letterMarks(text: string, letters: readonly string[]): readonly Mark[] {
  const lower = text.toLowerCase();
  // Letters that have another length in lower case would move all behind them.
  if (lower.length !== text.length) return [];
  return letters.flatMap((wanted) => {
    const marks: Mark[] = [];
    for (let start = lower.indexOf(wanted); start >= 0; start = lower.indexOf(wanted, start + wanted.length))
      marks.push({ start, end: start + wanted.length, by: 'word' });
    return marks;
  });
}
