import { stemmer } from 'stemmer';
import { cut, lazyRegex } from './text.ts';

/** Limit of a text, in characters. The rest is ignored: no tool description needs more. */
export const MAX_TEXT = 20_000;
/** Limit of a word, in characters. Longer words are cut. */
export const MAX_WORD = 64;

/** Letters, marks and digits of any script; everything else separates. */
const RUNS = lazyRegex(String.raw`[\p{L}\p{M}\p{N}]+`, 'gu');
/** Ranges that contain all marks. Most texts have none, and skip the Unicode classes of the next two expressions. */
const MAY_BE_MARK =
  /[\u02f0-\u1fff\u20a0-\u20ff\u2ce0-\u2dff\u3020-\u302f\u3098-\u309a\ua600-\uabff\ufb00-\ufe2f\ud800-\udfff]/;
/** Accents of Latin letters: who types `creer` means `créer`. Marks of other scripts make other letters. */
const LATIN_MARKS = lazyRegex(String.raw`(\p{Script=Latin})\p{Mn}+`, 'gu');
/**
 * More than 30 marks in a row, the limit of Unicode's stream-safe format. Normalising them would take quadratic time.
 */
const MANY_MARKS = lazyRegex(String.raw`(?<!\p{M})(\p{M}{30})\p{M}+`, 'gu');
/** Variation selectors, which choose the look of the sign before them. Unicode counts them as marks. */
const SELECTORS = /[\ufe00-\ufe0f]/g;
/** The ends of possessives and contractions: user's, what's, don't. Their letters are no words. */
const TAILS = lazyRegex(
  String.raw`(?:(?:ca|wo)?n['\u2019]t|(?<=[\p{L}\p{N}])['\u2019](?:s|m|d|re|ve|ll))(?![\p{L}\p{M}\p{N}])`,
  'giu',
);
/** The ends of possessives and contractions in a text of ASCII alone: many times faster. */
const ASCII_TAILS = /(?:(?:ca|wo)?n't|(?<=[a-z\d])'(?:s|m|d|re|ve|ll))(?![a-z\d])/gi;
/**
 * Letters of scripts that write without spaces (Thai, Lao, Myanmar, Khmer, Japanese, Chinese): a dictionary finds their
 * words. The ranges are spelled out, because a Unicode class takes half a millisecond to gather.
 */
const UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u303b\u3040-\u30fa\u30fd-\u30ff\u31f0-\u31ff\u3400-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff]|[\ud82b\ud82c\ud840-\ud88d]/;
/** Korean syllables. Letters and digits of other scripts may touch them without a space: `API를`. */
const HANGUL = /[\uac00-\ud7a3]/;
const HANGUL_OR_NOT = lazyRegex(String.raw`[\uac00-\ud7a3][\uac00-\ud7a3\p{M}]*|[^\uac00-\ud7a3]+`, 'gu');
/** `getHTTPUrl` → get HTTP Url, `v2Users` → v2 Users. Digits stay with the letters before them: k8s, s3, base64. */
const CAMEL = lazyRegex(String.raw`(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})`, 'u');
const PLAIN = /^[a-z]{1,64}$/;
const STARTS_SMALL = lazyRegex(String.raw`^\p{Ll}`, 'u');
/** Dashes, quotes, arrows, boxes, pictures: separators, and often the only characters of a text beyond ASCII. */
const SIGNS =
  /[\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u2010-\u2027\u2030-\u205e\u2190-\u245f\u2500-\u2775\u2794-\u27bf]|\ufe0f|[\ud83c-\ud83e][\udc00-\udfff]/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;
/** A part of an identifier: get, HTTP, Url2, 42. */
const ASCII_PARTS = /[A-Z]+(?![a-z])(?:\d[a-z\d]*)?|[A-Z]?[a-z\d]+/g;
/** A word of a text. A run that begins with a lower-case letter is split into its parts; any other run is one word. */
const ASCII_WORDS = /(?<![A-Za-z\d])[A-Z\d][A-Za-z\d]*|[A-Z]+(?![a-z])(?:\d[a-z\d]*)?|[A-Z]?[a-z\d]+/g;

/**
 * Splits an identifier into lower-case words: snake_case, kebab-case, dots, slashes, camelCase, PascalCase and
 * acronyms.
 */
export function splitIdentifier(name: string): string[] {
  if (PLAIN.test(name)) return [name];
  return inLowerCase(asciiParts(name)) ?? finish(runs(name).flatMap((run) => asciiParts(run) ?? partsOf(run)));
}

/**
 * Splits a text into lower-case words, in order. An identifier in it (`getWeather`, `send_email`) is split as well; a
 * word such as `GitHub` or `PostgreSQL` stays whole.
 */
export function words(text: string): string[] {
  if (PLAIN.test(text)) return [text];
  return (
    inLowerCase(asciiWords(text)) ??
    finish(
      runs(text).flatMap(
        (run) => asciiWords(run) ?? (hasCapital(run) && STARTS_SMALL().test(run) ? partsOf(run) : run),
      ),
    )
  );
}

/**
 * Splits a run at its capitals. A run without capitals, as in most scripts, skips the Unicode classes of the
 * expression.
 */
function partsOf(run: string): string[] {
  return hasCapital(run) ? run.split(CAMEL()) : [run];
}

function hasCapital(run: string): boolean {
  return run.toLowerCase() !== run;
}

/**
 * Returns the words of a text whose letters are plain ASCII, in their own case and at any length. Undefined for another
 * text. Most texts are plain ASCII, and this expression is many times faster than Unicode classes.
 */
export function asciiWords(text: string): readonly string[] | undefined {
  return matches(text, ASCII_WORDS);
}

/**
 * Returns the parts of an identifier whose letters are plain ASCII, in their own case. Undefined for another
 * identifier.
 */
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

function withoutTails(text: string): string {
  return text.includes("'") || text.includes('\u2019') ? text.replace(TAILS(), ' ') : text;
}

function runs(text: string): string[] {
  const safe = withoutTails(text.slice(0, MAX_TEXT));
  const apart = (MAY_BE_MARK.test(safe) ? safe.replace(MANY_MARKS(), '$1') : safe).normalize('NFKD');
  const letters = MAY_BE_MARK.test(apart) ? apart.replace(LATIN_MARKS(), '$1') : apart;
  return letters.normalize('NFKC').replace(SELECTORS, ' ').match(RUNS()) ?? [];
}

/** Lower-cases runs, and splits those of scripts that write without spaces. */
function finish(parts: readonly string[]): string[] {
  if (parts.length === 0) return [];
  // Lower-cases all runs in one call, because a call costs much more than its letters.
  const list = parts.join(' ').toLowerCase();
  const isSpaced = !UNSPACED.test(list) && !HANGUL.test(list);
  return (isSpaced ? list.split(' ') : list.split(' ').flatMap(segment)).map((word) => cut(word, MAX_WORD));
}

let segmenter: Intl.Segmenter | undefined;

/**
 * Splits a run into words. Creating the segmenter with its dictionary takes 8 ms, so only runs that need it get there.
 */
function segment(run: string): readonly string[] {
  if (!UNSPACED.test(run)) return HANGUL.test(run) ? (run.match(HANGUL_OR_NOT()) ?? []) : [run];
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return Array.from(segmenter.segment(run))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment: word }) => word);
}

/**
 * Exceptions to Porter's rules: words that would share a stem with a word of another meaning (news and new, customer
 * and custom, general and generate), and words whose forms would get different stems (indices and index). A semicolon
 * ends a group; its first word is the stem of all. Found by listing the words of 25,000 tools that share a stem.
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

export const STEMS: readonly (readonly [word: string, stem: string])[] = EXCEPTIONS.split(';').flatMap((group) => {
  const [root = '', ...others] = group.trim().split(/\s+/);
  return [root, ...others].map((word) => [word, root] as const);
});

const LATIN = /^[a-z]+$/;
/** Cache of stems by word. It begins with the exceptions. */
const stems = new Map(STEMS);
const MAX_STEMS = 50_000;

/**
 * Returns the English stem (Porter) of a lower-case word. A word of less than three letters, or with other characters
 * than a to z, is its own stem.
 */
export function stem(word: string): string {
  if (word.length < 3 || !LATIN.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const root = stemmer(word);
  // A stem of one letter is wrong: the currency aed is no form of the letter a.
  const stemmed = root.length < 2 ? word : root;
  // The words of tools repeat. A hostile stream of new words must not fill the memory.
  if (stems.size >= MAX_STEMS) {
    stems.clear();
    for (const [exception, root] of STEMS) stems.set(exception, root);
  }
  stems.set(word, stemmed);
  return stemmed;
}

/** Stems that differ from one of their words in more than the last letter: person and people. */
const IRREGULAR: ReadonlySet<string> = new Set(
  STEMS.filter(([word, root]) => !word.startsWith(root.slice(0, -1))).map(([, root]) => root),
);

/** Returns the letters with which all words of a stem begin. The rules may change its last letter. */
export function beginningOf(root: string): string {
  return root.length < 2 ? root : root.slice(0, IRREGULAR.has(root) ? 2 : -1);
}

/**
 * Words that say nothing about a tool. The list is short on purpose: "up", "all", "not" or "new" may matter in a query.
 */
const STOP_WORDS = new Set(
  `a an and are as at be been by can could do does for from had has have how i if in into is it its let me my of on
  or our please should so some than that the their them then there these they this those to use used uses using want
  was we were what when where which will with would you your`.split(/\s+/),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** Removes stop words, unless there are no other words. */
export function contentWords(all: readonly string[]): readonly string[] {
  const content = all.filter((word) => !STOP_WORDS.has(word));
  return content.length > 0 ? content : all;
}

/** Finds names of a catalog by their letters and digits alone: get-weather, getWeather and "get weather" are equal. */
export class Spellings {
  /** The spelling of each name, at the index of the name. */
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

  /** Returns the indexes of the names that the joined words spell, in any casing and with any separators. */
  of(words: readonly string[]): readonly number[] {
    return this.#ids.get(spellingOf(words)) ?? [];
  }

  /** Returns the indexes of the names that contain these lower-case letters and digits in a row. */
  containing(part: string): readonly number[] {
    return [...this.#spellings.keys()].filter((id) => this.#spellings[id]?.includes(part));
  }
}

/** Joins the letters and digits of words, in lower case. */
export function spellingOf(words: readonly string[]): string {
  return words.flatMap(splitIdentifier).join('');
}
