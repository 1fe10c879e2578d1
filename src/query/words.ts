import { stemmer } from 'stemmer';
import { cut } from '../cut.ts';

/** Longer texts are cut: no tool's description is worth more time. */
const MAX_TEXT = 20_000;
/** Longer runs without a break are no words. */
const MAX_WORD = 64;

/** Letters, marks and digits of any script; everything else separates. */
const RUNS = /[\p{L}\p{M}\p{N}]+/gu;
/** Accents of Latin letters: who types `creer` means `créer`. Marks of other scripts make other letters. */
const LATIN_MARKS = /(?<=\p{Script=Latin}\p{Mn}*)\p{Mn}/gu;
/** Scripts that write without spaces. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** `getHTTPUrl` → get HTTP Url, `v2Users` → v2 Users. Digits stay with the letters before them: k8s, s3, base64. */
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const LATIN = /^[a-z]+$/;
/** Dashes, quotes, arrows, boxes, pictures: separators as well, and often all that is beyond ASCII in a text. */
const SIGNS =
  /[\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u2010-\u2027\u2030-\u205e\u2190-\u245f\u2500-\u2775\u2794-\u27bf]|\ufe0f|[\ud83c-\ud83e][\udc00-\udfff]/g;
const ASCII_CAMEL = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const STARTS_LOWER = /^[a-z]/;
const SPACE = 32;

/**
 * The words of an identifier, lower-case: snake_case, kebab-case, dots, slashes, camelCase, PascalCase and acronyms
 * are taken apart.
 */
export function splitIdentifier(name: string): string[] {
  return readAscii(name, true) ?? runs(name).flatMap((run) => run.split(CAMEL).flatMap(finish));
}

/**
 * The words of a text, lower-case, in order. An identifier inside it (`getWeather`, `send_email`) is taken apart; a word
 * such as `GitHub` or `PostgreSQL` stays one.
 */
export function words(text: string): string[] {
  return (
    readAscii(text, false) ??
    readAscii(text.replace(SIGNS, ' '), false) ??
    runs(text).flatMap((run) => (/^\p{Ll}/u.test(run) ? run.split(CAMEL).flatMap(finish) : finish(run)))
  );
}

/**
 * The words of a plain ASCII text, by the same rules; undefined for any other. Most texts are ASCII, and this is several
 * times faster than Unicode's tables: the words of a catalog are most of what its index costs.
 */
function readAscii(text: string, splitsAll: boolean): string[] | undefined {
  const found: string[] = [];
  const end = Math.min(text.length, MAX_TEXT);
  let start = -1;
  let hasUpper = false;
  for (let at = 0; at <= end; at++) {
    const code = at < end ? text.charCodeAt(at) : SPACE;
    if (code > 127) return undefined;
    const isUpper = code >= 65 && code <= 90;
    if (isUpper || (code >= 97 && code <= 122) || (code >= 48 && code <= 57)) {
      if (start < 0) start = at;
      hasUpper ||= isUpper;
    } else if (start >= 0) {
      const run = text.slice(start, at);
      if (hasUpper && (splitsAll || STARTS_LOWER.test(run))) {
        for (const part of run.split(ASCII_CAMEL)) found.push(cut(part.toLowerCase(), MAX_WORD));
      } else {
        found.push(cut(hasUpper ? run.toLowerCase() : run, MAX_WORD));
      }
      start = -1;
      hasUpper = false;
    }
  }
  return found;
}

const stems = new Map<string, string>();
const MAX_STEMS = 50_000;

/** The English stem (Porter) of a lower-case word; words of other scripts, with digits, or short ones are their own. */
export function stem(word: string): string {
  if (word.length < 3 || !LATIN.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stemmed = stemmer(word);
  // Words of tools repeat; a hostile stream of new ones must not grow the memory.
  if (stems.size >= MAX_STEMS) stems.clear();
  stems.set(word, stemmed);
  return stemmed;
}

/** Words that say nothing about a tool. Small on purpose: "up", "all", "not" or "new" may be what is asked for. */
const STOP_WORDS = new Set(
  `a an and are as at be been by can could do does for from had has have how i if in into is it its let me my of on
  or our please should so some than that the their them then there these they this those to use used uses using want
  was we were what when where which will with would you your`.split(/\s+/),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** The words without those that say nothing, unless nothing else is there. */
export function contentWords(all: readonly string[]): readonly string[] {
  const content = all.filter((word) => !STOP_WORDS.has(word));
  return content.length > 0 ? content : all;
}

function runs(text: string): string[] {
  return text.slice(0, MAX_TEXT).normalize('NFKD').replace(LATIN_MARKS, '').normalize('NFKC').match(RUNS) ?? [];
}

/** Lower case, and words of scripts without spaces found by the dictionary. */
function finish(run: string): string[] {
  const word = run.toLowerCase();
  if (UNSPACED.test(word)) return segment(word);
  return word === '' ? [] : [cut(word, MAX_WORD)];
}

let segmenter: Intl.Segmenter | undefined;

function segment(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  const found: string[] = [];
  for (const { segment: word, isWordLike } of segmenter.segment(text)) {
    if (isWordLike) found.push(cut(word, MAX_WORD));
  }
  return found;
}
