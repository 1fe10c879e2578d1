import { lazyRegex } from '../../util/text.ts';
import { contentWords, isStopWord, splitIdentifier, stem, words } from '../../util/words.ts';
import type { Bm25Settings } from '../bm25/settings.ts';
import type { Phrase, Synonym, Synonyms } from './thesaurus/synonyms.ts';

/** Maximum number of query words that are looked up: about as many as 2,000 characters have. */
const MAX_WORDS = 128;
const NUMBER = /^\d+$/;

/** Words that are mostly noise in a query of more than two: "find" alone may be what is asked for. */
const FILLERS: ReadonlySet<string> = new Set(
  `need needs needed want wants wanted like help helps tell give gives know hi hello hey thanks thank must may might just
  also really very much many any about after again am because before being between both but did does doing done each few
  further here he her him his itself me more most nor off once only other out over own same she such too under until
  while who whom why find finding looking look make sure try trying going go something someone anything everything good
  best great possible kindly able provide provides via per new`.split(/\s+/),
);

/**
 * Articles, prepositions and the like of the vocabulary's other languages, except words that a tool may mean, such as
 * `es`.
 */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `der die das den dem des ein eine einen einem einer eines und oder mit von vom zum zur auf aus bei nach fur im am ist sind
  mein meine meinen meinem meiner mir mich dir du ich wir uns alle noch nicht bitte wie viele welche welcher welches zu
  le la les un une du de des au aux et ou dans sur pour par avec mon ma mes ce cet cette ces je tu nous vous sont ete est
  quel quelle quels quelles qui que se sa ses son leur d l el los las una unos unas y o del al en con por para mi mis tu su
  sus lo hay il gli i di da dal della delle dei nel nella per tra e con mio mia um uma os as no na nos nas do dos das meu
  minha pelo pela para seu sua het een van voor op met mijn naar и в на с по для из к от что как`.split(/\s+/),
);

export interface QueryWord {
  readonly word: string;
  /** The word joined with each of its neighbours. */
  readonly compounds: readonly string[];
  /** The word of a compound that is no stop word: "boarding" of "on-boarding". */
  readonly part: string | undefined;
  /** The phrases of several words, with synonyms, that the word belongs to. */
  readonly phrases: readonly Phrase[];
  /** Whether the word is a part of somebody's name. Such a word has no synonyms of its own and is not guessed at. */
  readonly isName: boolean;
}

/** Another way to say a word of a query. */
export interface Alternative extends Synonym {
  /** Factor of the weight, below 1 for a synonym of a phrase: each word of the phrase has that synonym. */
  readonly share: number;
}

/**
 * Splits a keyword into words. A word such as GitHub or PRs stays whole if it is known so. So does a compound with a
 * stop word, such as to-dos or on-call, whose stop word would be dropped. Without `isKnown`, the result has both
 * readings.
 */
export function readKeyword(
  keyword: string,
  synonyms: Synonyms,
  isKnown?: (word: string) => boolean,
): readonly string[] {
  const list = words(keyword);
  const compound = compoundOf(keyword, list)?.whole;
  if (compound !== undefined && !isKnown) return [compound, ...list];
  if (compound !== undefined && isKnown?.(compound)) return [compound];
  if (list.length > 1) return list;
  // A word without capitals has no further parts.
  if (list[0] === keyword) return list;
  const parts = splitIdentifier(keyword);
  if (parts.length < 2) return list;
  if (!isKnown) return [...list, ...parts];
  const [word = ''] = list;
  return isKnown(word) || synonyms.has(word) ? list : parts;
}

/** A hyphenated compound of two words, one of them a stop word. */
interface Compound {
  readonly whole: string;
  /** The word that is no stop word; undefined if both are. */
  readonly part: string | undefined;
}

function compoundOf(keyword: string, [first, second, ...others]: readonly string[]): Compound | undefined {
  const isCompound = keyword.includes('-') && first !== undefined && second !== undefined && others.length === 0;
  if (!isCompound || !(isStopWord(first) || isStopWord(second))) return undefined;
  return { whole: `${first}${second}`, part: [first, second].find((word) => !isStopWord(word)) };
}

/** The `part` of each compound among the keywords, by its `whole`. */
function partsOf(keywords: readonly string[]): ReadonlyMap<string, string | undefined> {
  const compounds = keywords.flatMap((keyword) => compoundOf(keyword, words(keyword)) ?? []);
  return new Map(compounds.map(({ whole, part }) => [whole, part]));
}

/**
 * The words that a query asks for. The index in memory and PostgreSQL both read queries by this function.
 *
 * @param read - the words of each keyword; see {@link readKeyword}.
 * @param isKnown - whether a document has the word.
 */
export function queryWords(
  keywords: readonly string[],
  read: readonly (readonly string[])[],
  synonyms: Synonyms,
  isKnown: (word: string) => boolean = () => true,
): readonly QueryWord[] {
  const all = read.flat();
  const list = [...new Set(contentWords(all))].slice(0, MAX_WORDS);
  const phrases = synonyms.phrases(all.slice(0, 2 * MAX_WORDS), 2);
  const names = namesAmong(keywords, (word) => isKnown(word) || synonyms.has(word));
  const compounds = list.slice(1).map((word, at) => `${list[at]}${word}`);
  const parts = partsOf(keywords);
  return list.map((word, at) => ({
    word,
    part: parts.get(word),
    compounds: compounds.slice(Math.max(0, at - 1), at + 1),
    phrases: phrases.filter(({ start, length }) => all.slice(start, start + length).includes(word)),
    isName: names.has(word),
  }));
}

/** The synonyms of a word and of its phrases, and the part of a compound that is no stop word. */
export function alternativesTo(
  { word, part, phrases, isName }: QueryWord,
  synonyms: Synonyms,
  { phrase, compound }: Pick<Bm25Settings, 'phrase' | 'compound'>,
): readonly Alternative[] {
  const own = isName ? [] : (synonyms.of(stem(word)) ?? []);
  const parts = part === undefined ? [] : [{ words: [part], stems: [stem(part)], weight: compound, forUnknown: false }];
  return [
    ...[...own, ...parts].map((synonym): Alternative => ({ ...synonym, share: 1 })),
    ...phrases.flatMap((said) => said.synonyms).map((synonym): Alternative => ({ ...synonym, share: phrase })),
  ];
}

/** Whether a word mostly says nothing. That includes numbers, which are mostly arguments. */
export function isFiller(word: string): boolean {
  return FILLERS.has(word) || FUNCTION_WORDS.has(word) || NUMBER.test(word);
}

/** A word as names are written: a capital, then small letters. */
const CAPITALISED = lazyRegex(String.raw`^\p{Lu}\p{Ll}+$`, 'u');
const SMALL = lazyRegex(String.raw`^\p{Ll}`, 'u');
/** Letters of the longest abbreviation. A longer word of a name keeps its synonyms. */
const MAX_ABBREVIATION = 4;

/**
 * The short words in people's names, lower-case: in "songs of Lana Del Rey", `del` is no abbreviation. A name is
 * several capitalised words in a row, at least one of them unknown, in a query that also has lower-case words.
 */
export function namesAmong(keywords: readonly string[], isKnown: (word: string) => boolean): ReadonlySet<string> {
  const names = new Set<string>();
  if (!keywords.some((keyword) => SMALL().test(keyword))) return names;
  let run: string[] = [];
  // The first word is skipped: it has a capital anyway. The empty keyword ends the last name.
  for (const keyword of [...keywords.slice(1), '']) {
    if (CAPITALISED().test(keyword)) {
      run.push(keyword.toLowerCase());
      continue;
    }
    if (run.length > 1 && !run.every(isKnown)) {
      for (const word of run) if (word.length <= MAX_ABBREVIATION) names.add(word);
    }
    run = [];
  }
  return names;
}

/** Verbs in tool names by kind of action. Authors choose freely among the verbs of one kind. */
const KINDS = [
  `get list show view find search fetch read retrieve describe check lookup query count display see browse look enumerate
  inspect`,
  `create add new make insert generate register build put compose write post schedule book send reply forward`,
  `update edit modify change set patch rename replace adjust alter`,
  `delete remove erase drop destroy clear purge trash discard`,
  `move copy duplicate clone transfer`,
  `start run execute launch trigger enable activate resume invoke`,
  `stop cancel pause disable deactivate kill terminate abort suspend`,
];

/** Further verbs that may mean to delete or to end something. */
const MAY_DELETE = `revoke detach strip prune empty flush dispose eliminate dismiss kick ban bin dump throw undo unpin unlike
  unfollow unlink uninstall unpublish unassign unsubscribe unstar unshare untag unregister unset unbind`;

/** The kind of action that changes nothing. */
export const READING = 1;
/** The kinds of action that delete and that end something: who cancels an event may delete it. */
export const DELETING = 4;
export const STOPPING = 7;

let mayDelete: ReadonlySet<string> | undefined;
let kinds: ReadonlyMap<string, number> | undefined;

/** The kinds of action, numbered from 1, by the stems of their verbs. */
export function actionKinds(): ReadonlyMap<string, number> {
  kinds ??= new Map(
    KINDS.flatMap((verbs, at) => verbs.split(/\s+/).map((verb): [string, number] => [stem(verb), at + 1])),
  );
  return kinds;
}

/** Whether a verb, given by its stem, may mean to delete or to end something. */
export function mayMeanDelete(root: string): boolean {
  mayDelete ??= new Set(MAY_DELETE.split(/\s+/).map(stem));
  const kind = actionKinds().get(root);
  return kind === DELETING || kind === STOPPING || mayDelete.has(root);
}
