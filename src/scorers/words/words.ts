import { stemmer } from 'stemmer';
import { Lru } from '../../util/lru.ts';
import { cut, lazyRegex } from '../../util/text.ts';

/** Characters of the longest text; longer ones are cut: no tool's description is worth more time. */
export const MAX_TEXT = 20_000;
/** Characters of the longest word; longer runs without a break are none. */
export const MAX_WORD = 64;

/** Letters, marks and digits of any script; everything else separates. */
const RUNS = lazyRegex(String.raw`[\p{L}\p{M}\p{N}]+`, 'gu');
/** Accents of Latin letters: who types `creer` means `créer`. Marks of other scripts make other letters. */
const LATIN_MARKS = lazyRegex(String.raw`(\p{Script=Latin})\p{Mn}+`, 'gu');
/** Marks beyond those of Unicode's stream-safe form: putting so many in order takes quadratic time. */
const MANY_MARKS = lazyRegex(String.raw`(?<!\p{M})(\p{M}{30})\p{M}+`, 'gu');
/** Selectors, which choose between two looks of the sign before them, and count as marks. */
const SELECTORS = /[\ufe00-\ufe0f]/g;
/** The ends of possessives and contractions: user's, what's, don't. Their letters are no words. */
const TAILS = lazyRegex(
  String.raw`(?:(?:ca|wo)?n['\u2019]t|(?<=[\p{L}\p{N}])['\u2019](?:s|m|d|re|ve|ll))(?![\p{L}\p{M}\p{N}])`,
  'giu',
);
/** The ends of possessives and contractions in a text of ASCII alone: many times faster. */
const ASCII_TAILS = /(?:(?:ca|wo)?n't|(?<=[a-z\d])'(?:s|m|d|re|ve|ll))(?![a-z\d])/gi;
/** Scripts that write without spaces. */
const UNSPACED = lazyRegex(
  String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`,
  'u',
);
/** `getHTTPUrl` → get HTTP Url, `v2Users` → v2 Users. Digits stay with the letters before them: k8s, s3, base64. */
const CAMEL = lazyRegex(String.raw`(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})`, 'u');
/** A word that is nothing else: most words of queries. */
const PLAIN = /^[a-z]{1,64}$/;
const STARTS_SMALL = lazyRegex(String.raw`^\p{Ll}`, 'u');
/** Dashes, quotes, arrows, boxes, pictures: separators as well, and often all that is beyond ASCII in a text. */
const SIGNS =
  /[\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u2010-\u2027\u2030-\u205e\u2190-\u245f\u2500-\u2775\u2794-\u27bf]|\ufe0f|[\ud83c-\ud83e][\udc00-\udfff]/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;
/** A part of an identifier: get, HTTP, Url2, 42. */
const ASCII_PARTS = /[A-Z]+(?![a-z])(?:\d[a-z\d]*)?|[A-Z]?[a-z\d]+/g;
/** A part of a word: only a run that begins with a small letter is taken apart; another run is one word. */
const ASCII_WORDS = /(?<![A-Za-z\d])[A-Z\d][A-Za-z\d]*|[A-Z]+(?![a-z])(?:\d[a-z\d]*)?|[A-Z]?[a-z\d]+/g;

/**
 * The words of an identifier, lower-case: snake_case, kebab-case, dots, slashes, camelCase, PascalCase and acronyms
 * are taken apart.
 */
export function splitIdentifier(name: string): string[] {
  if (PLAIN.test(name)) return [name];
  return inLowerCase(asciiParts(name)) ?? finish(runs(name).flatMap(partsOf));
}

/**
 * The words of a text, lower-case, in order. An identifier inside it (`getWeather`, `send_email`) is taken apart; a
 * word such as `GitHub` or `PostgreSQL` stays one.
 */
export function words(text: string): string[] {
  if (PLAIN.test(text)) return [text];
  return (
    inLowerCase(asciiWords(text)) ??
    finish(runs(text).flatMap((run) => (hasCapital(run) && STARTS_SMALL().test(run) ? partsOf(run) : [run])))
  );
}

/** The parts of a run. One without a capital has none: that spares most scripts the tables of the expression. */
function partsOf(run: string): string[] {
  return hasCapital(run) ? run.split(CAMEL()) : [run];
}

function hasCapital(run: string): boolean {
  return run.toLowerCase() !== run;
}

/**
 * The words of a text whose letters are plain ASCII, as they are written, however long; undefined for any other text. Most
 * texts are such, and one regular expression is many times faster than Unicode's tables.
 */
export function asciiWords(text: string): readonly string[] | undefined {
  return matches(text, ASCII_WORDS);
}

/** The parts of an identifier whose letters are plain ASCII, as they are written; undefined for any other. */
export function asciiParts(name: string): readonly string[] | undefined {
  return matches(name, ASCII_PARTS);
}

function matches(text: string, pattern: RegExp): readonly string[] | undefined {
  let kept = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  if (BEYOND_ASCII.test(kept)) {
    kept = kept.replaceAll('\u2019', "'").replace(SIGNS, ' ');
    if (BEYOND_ASCII.test(kept)) return undefined;
  }
  if (kept.includes("'")) kept = kept.replace(ASCII_TAILS, ' ');
  return kept.match(pattern) ?? [];
}

function inLowerCase(list: readonly string[] | undefined): string[] | undefined {
  return list?.map((word) => word.slice(0, MAX_WORD).toLowerCase());
}

/** Texts in scripts without spaces whose words are kept, and their longest. */
const MAX_SEGMENTED = 5_000;
const MAX_SEGMENTED_LENGTH = 1_000;

function withoutTails(text: string): string {
  return text.includes("'") || text.includes('\u2019') ? text.replace(TAILS(), ' ') : text;
}

function runs(text: string): string[] {
  const safe = withoutTails(text.slice(0, MAX_TEXT)).replace(MANY_MARKS(), '$1');
  const letters = safe.normalize('NFKD').replace(LATIN_MARKS(), '$1').normalize('NFKC');
  return letters.replace(SELECTORS, ' ').match(RUNS()) ?? [];
}

/** Lower case, and words of scripts without spaces found by the dictionary. */
function finish(parts: readonly string[]): string[] {
  if (parts.length === 0) return [];
  // All at once: a call of the segmenter, or for small letters, costs as much as the words of a sentence.
  const list = parts.join(' ').toLowerCase();
  return UNSPACED().test(list) ? [...segment(list)] : list.split(' ').map((word) => cut(word, MAX_WORD));
}

let segmenter: Intl.Segmenter | undefined;
/** The words of texts that were found before: they come again whenever a catalog is read anew. */
const segmented = new Lru<readonly string[]>(MAX_SEGMENTED);

function segment(text: string): readonly string[] {
  const cached = segmented.get(text);
  if (cached) return cached;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  const found: string[] = [];
  for (const { segment: word, isWordLike } of segmenter.segment(text)) {
    if (isWordLike) found.push(cut(word, MAX_WORD));
  }
  if (text.length <= MAX_SEGMENTED_LENGTH) segmented.set(text, found);
  return found;
}

/**
 * Words to which Porter's rules give the stem of a word that means something else in a tool (news and new, customer and
 * custom, general and generate), or another stem than that of their own word (indices and index). Groups end with a
 * semicolon; the first word of a group is the stem of all. Found by listing the words of 25,000 tools that share a stem.
 */
const EXCEPTIONS = `
  news; marketing; united; evening; incoming; settings setting; savings; department departments;
  engineer engineers engineering; officer officers; population populations; transition transitions;
  exception exceptions; edition editions; optional optionally; activity activities; useful; indicator indicators;
  contentful; personality; personal personally personalize personalized personalization; applicant applicants;
  applicable; authorize authorizes authorized authorizing authorization authorizations; authority authorities;
  general generally; generic; presentation presentations; initiative initiatives; initial initially; accessibility;
  publication publications; publicity; important importance; fitness; positive positively; animal animals; anime;
  conversion conversions; organs organ; organic; organization organizations organizational; organism organisms;
  add added adding; international; original originally; commune; community communities;
  effective effectively effectiveness; terminal terminals; locale locales; ide;
  responsible responsibility responsibilities; responsive; digital; objective objectives; customer customers; customs;
  executive executives; experiment experiments; several; production productions; productivity; medication medications;
  hospitality; liquidity; capitalization; direction directions directional; university universities; universe; integrity;
  excellent; expensive; disability disabilities; busy; designated; literal; critical; wellness; allowance allowances;
  paste pasted pastes pasting; suite suites; venus; mobility; canvas canvases; pos; ios; cms; gps; index indices;
  matrix matrices; vertex vertices; analysis analyses; criteria criterion; child children; person people;
  status statuses; alias aliases; focus focuses focused focusing; virus viruses; bus buses
`;

/** The exceptions: a word, and its stem. */
export const STEMS: readonly (readonly [word: string, stem: string])[] = EXCEPTIONS.split(';').flatMap((group) => {
  const [root = '', ...others] = group.trim().split(/\s+/);
  return [root, ...others].map((word) => [word, root] as const);
});

const LATIN = /^[a-z]+$/;
/** Stems by word: the exceptions, and those that were found before. */
const stems = new Map(STEMS);
const MAX_STEMS = 50_000;

/** The English stem (Porter) of a lower-case word; words of other scripts, with digits, or short ones are their own. */
export function stem(word: string): string {
  if (word.length < 3 || !LATIN.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const root = stemmer(word);
  // The currency aed is no ending of the letter a.
  const stemmed = root.length < 2 ? word : root;
  // Words of tools repeat; a hostile stream of new ones must not grow the memory.
  if (stems.size >= MAX_STEMS) {
    stems.clear();
    for (const [exception, root] of STEMS) stems.set(exception, root);
  }
  stems.set(word, stemmed);
  return stemmed;
}

/** The letters that a word has in common with its stem: the first two, where y may become i. */
export function beginningOf(word: string): string {
  return word[1] === 'y' ? `${word[0]}i` : word.slice(0, 2);
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

/** The names of a catalog by their letters and digits alone: get-weather is getWeather is "get weather". */
export class Spellings {
  /** Spellings by the number of the name. */
  readonly #spellings: readonly string[];
  readonly #ids = new Map<string, number[]>();

  constructor(names: readonly string[]) {
    this.#spellings = names.map((name) => spellingOf([name]));
    for (const [id, spelling] of this.#spellings.entries()) {
      const ids = this.#ids.get(spelling);
      if (ids) ids.push(id);
      else if (spelling !== '') this.#ids.set(spelling, [id]);
    }
  }

  /** The numbers of the names that the words together are, in any casing and with any separators. */
  of(words: readonly string[]): readonly number[] {
    return this.#ids.get(spellingOf(words)) ?? [];
  }

  /** The numbers of the names that have these lower-case letters and digits in a row. */
  containing(part: string): readonly number[] {
    return [...this.#spellings.keys()].filter((id) => this.#spellings[id]?.includes(part));
  }
}

/** The letters and digits of words, in lower case. */
export function spellingOf(words: readonly string[]): string {
  return words.flatMap(splitIdentifier).join('');
}
