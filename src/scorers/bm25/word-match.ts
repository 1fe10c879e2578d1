import { stem } from '../../util/words.ts';
import {
  type Alternative,
  actionKinds,
  alternativesTo,
  isFiller,
  mayMeanDelete,
  type QueryWord,
  queryWords,
  readKeyword,
} from '../words/query-words.ts';
import type { Synonyms } from '../words/thesaurus/synonyms.ts';
import type { InvertedIndex } from './inverted-index.ts';
import type { Bm25Settings, CatalogStatistics, Guess } from './settings.ts';

const NONE: readonly never[] = [];

/** A synonym that counts this much stands for a required word, and for the verb of an action. */
export const SURE = 0.8;

/** What a word was found by: the forms of each word, of which one has to match. None for what a server says. */
export interface Source {
  readonly by: 'word' | 'form' | 'compound' | 'guess' | 'synonym' | 'server';
  readonly terms: readonly (readonly string[])[];
}

/** What a word asks for, wherever that is found. */
export interface MatchedWord {
  readonly word: string;
  /** The idf of the word; the highest one where only a guess or a synonym was found; 0 where nothing was. */
  readonly idf: number;
  readonly isFiller: boolean;
  /** Stems of names that may stand for the word, with what each counts. */
  readonly nameStems: ReadonlyMap<string, number>;
  /** The kind of action that it asks for; 0 for none. */
  readonly action: number;
  /** Whether it asks for something to be deleted or ended. */
  readonly asksToDelete: boolean;
}

export interface WordMatch extends MatchedWord {
  /** Documents, and for each its score, and how fully it has the word: 1, or less for a synonym. */
  readonly ids: Uint32Array;
  readonly scores: Float64Array;
  readonly covers: Float64Array;
  /** 1 where the score is that of a synonym, or of what the server says. */
  readonly bySynonym: Uint8Array;
  readonly sources: readonly Source[];
}

/** The match of a word by itself, with the scores without synonyms. */
export interface LoneMatch extends WordMatch {
  readonly own: Float64Array;
}

/**
 * A match in two parts. Most words stand beside another one in each query, and together with it are found in a few documents
 * more: what is found of the word alone is read once for all queries.
 */
export interface PartedMatch extends MatchedWord {
  readonly alone: LoneMatch;
  /** The documents of which its neighbours change the score, with that and how fully these have the word. */
  readonly changed: ReadonlyMap<number, { readonly score: number; readonly cover: number }>;
}

/** What matches of all indexes are kept, as most queries have words that another one had: so many documents in them. */
const MAX_MATCHED = 750_000;
/** What a match takes in memory without a document, in documents. */
const EMPTY_MATCH = 60;

/** The matches that were used last: those since the last clean-up, and of those before it. A use moves nothing but an old one. */
const recent = {
  matches: new Map<string, WordMatch>(),
  before: new Map<string, WordMatch>(),
  size: 0,
  get(key: string): WordMatch | undefined {
    const match = this.matches.get(key);
    if (match) return match;
    const old = this.before.get(key);
    if (old) this.keep(key, old);
    return old;
  },
  keep(key: string, match: WordMatch): void {
    this.matches.set(key, match);
    const { ids, sources, nameStems } = match;
    this.size += EMPTY_MATCH + ids.length + 5 * (sources.length + nameStems.size);
    if (this.size <= MAX_MATCHED / 2) return;
    this.before = this.matches;
    this.matches = new Map();
    this.size = 0;
  },
};
let matchers = 0;

/** Matches the words of queries with the documents of an index, each word by itself: the sum of the formula's first half. */
export class WordMatcher {
  readonly size: number;
  /** The idf of a word that no tool has. */
  readonly highestIdf: number;
  readonly #terms: InvertedIndex;
  readonly #settings: Bm25Settings;
  readonly #synonyms: Synonyms;
  readonly #given: CatalogStatistics | undefined;
  readonly #number = matchers++;
  #scratch: Scratch | undefined;

  /** @param given - figures of the whole catalog, where the index has a part of it. What is found counts where it is more. */
  constructor(terms: InvertedIndex, settings: Bm25Settings, synonyms: Synonyms, given?: CatalogStatistics) {
    this.#terms = terms;
    this.#settings = settings;
    this.#synonyms = synonyms;
    this.#given = given;
    this.size = Math.max(terms.tools, given?.documents ?? 0);
    this.highestIdf = this.#idf(0);
  }

  /** The weight of a word among so many: below 1 for one that mostly says nothing. */
  weightOf(match: MatchedWord, words: number): number {
    return words > 2 && match.isFiller ? this.#settings.filler : 1;
  }

  read(keywords: readonly string[]): readonly (readonly string[])[] {
    return keywords.map((keyword) => readKeyword(keyword, this.#synonyms, (word) => this.#isKnown(word)));
  }

  match(keywords: readonly string[], read: readonly (readonly string[])[] = this.read(keywords)): readonly WordMatch[] {
    return queryWords(keywords, read, this.#synonyms, (word) => this.#isKnown(word)).map((asked) => {
      const compounds = asked.compounds.filter((compound) => this.#hasWord(compound));
      const around = [compounds.join('+'), ...asked.phrases.map(({ key }) => key)].join(' ');
      const key = `${asked.word} ${this.#number} ${asked.isName ? 1 : 0} ${around}`;
      // An index of a part of a catalog, which has its figures given, serves one query: its matches are of no use to others.
      const known = this.#given ? undefined : recent.get(key);
      if (known) return known;
      this.#scratch ??= scratchFor(this.#terms.documents.length);
      // A word that was cut out of a query would keep the whole query in memory.
      const match = this.#matchWord({ ...asked, word: key.slice(0, asked.word.length), compounds }, this.#scratch);
      if (!this.#given) recent.keep(key, match);
      return match;
    });
  }

  /**
   * The matches of `match` in two parts.
   *
   * @param cache - matches of words alone, by words.
   * @param placeOf - where a document stands in a match; -1 where it does not.
   */
  parted(
    keywords: readonly string[],
    read: readonly (readonly string[])[],
    cache: Map<string, LoneMatch>,
    placeOf: (match: LoneMatch, id: number) => number,
  ): readonly PartedMatch[] {
    this.#scratch ??= scratchFor(this.#terms.documents.length);
    const scratch = this.#scratch;
    return queryWords(keywords, read, this.#synonyms, (word) => this.#isKnown(word)).map((asked) => {
      const key = `${asked.isName ? 1 : 0} ${asked.part ?? ''} ${asked.word}`;
      const word = key.slice(key.length - asked.word.length);
      const alone = cache.get(key) ?? this.#matchAlone({ ...asked, word, compounds: NONE, phrases: NONE }, scratch);
      cache.set(key, alone);
      const compounds = asked.compounds.filter((compound) => this.#hasWord(compound));
      if (compounds.length === 0 && asked.phrases.length === 0) return { ...wordOf(alone), alone, changed: NO_CHANGE };
      return this.#besideOthers({ ...asked, word, compounds }, alone, scratch, placeOf);
    });
  }

  #matchAlone(asked: QueryWord, scratch: Scratch): LoneMatch {
    const match = this.#matchWord(asked, scratch, true);
    return { ...match, own: match.own ?? match.scores };
  }

  /** The match of a word beside others: what these change of the match of the word alone. */
  #besideOthers(
    asked: QueryWord,
    alone: LoneMatch,
    scratch: Scratch,
    placeOf: (match: LoneMatch, id: number) => number,
  ): PartedMatch {
    const root = stem(asked.word);
    const isKnown = this.#isKnown(asked.word, root);
    const sources: Source[] = [];
    for (const compound of asked.compounds) this.#addCompound(compound, sources, scratch);
    const phrases = { ...asked, word: '', part: undefined, isName: true };
    const synonyms = alternativesTo(phrases, this.#synonyms, this.#settings).filter(
      ({ forUnknown }) => !(forUnknown && isKnown),
    );
    const most = alone.idf || this.highestIdf;
    for (const synonym of synonyms) this.#addSynonym(synonym, most, sources, scratch);
    const { ids, scores, covers, own } = resultOf(scratch, true);
    const changed = new Map<number, { score: number; cover: number }>();
    for (const [at, id] of ids.entries()) {
      const place = placeOf(alone, id);
      const ownScore = (alone.own[place] ?? 0) + (own?.[at] ?? 0);
      const score = Math.max(ownScore, alone.scores[place] ?? 0, scores[at] ?? 0);
      changed.set(id, { score, cover: ownScore > 0 ? 1 : Math.max(covers[at] ?? 0, alone.covers[place] ?? 0) });
    }
    const wish = this.#wishOf(root, synonyms, new Map(alone.nameStems));
    return {
      ...{ ...wordOf(alone), alone, changed, nameStems: wish.nameStems },
      idf: sources.length > 0 ? most : alone.idf,
      action: alone.action || wish.action,
      asksToDelete: alone.asksToDelete || wish.asksToDelete,
    };
  }

  #matchWord(asked: QueryWord, scratch: Scratch, keepsOwn = false): WordMatch & Partial<LoneMatch> {
    const { word, compounds, isName } = asked;
    const root = stem(word);
    const isKnown = this.#isKnown(word, root);
    const sources: Source[] = [];
    const idf = this.#addWord(word, root, isKnown || isName, sources, scratch);
    const itself = sources.length;
    for (const compound of compounds) this.#addCompound(compound, sources, scratch);
    const synonyms = alternativesTo(asked, this.#synonyms, this.#settings).filter(
      (each) => !(each.forUnknown && isKnown),
    );
    // A rare synonym must not count for more than the common word that the user wrote.
    const most = idf || this.highestIdf;
    for (const synonym of synonyms) this.#addSynonym(synonym, most, sources, scratch);
    this.#addServers(root, most, sources, scratch);
    const guesses = sources.flatMap(({ by, terms }): readonly string[] => (by === 'guess' ? terms.flat() : NONE));
    const wish = this.#wishOf(root, synonyms, new Map());
    return {
      ...resultOf(scratch, keepsOwn),
      ...wish,
      idf: sources.length > itself ? most : idf,
      ...{ word, isFiller: isFiller(word), sources },
      asksToDelete: wish.asksToDelete || guesses.some((guess) => mayMeanDelete(stem(guess))),
    };
  }

  /** What a word and its synonyms ask for. */
  #wishOf(
    root: string,
    synonyms: readonly Alternative[],
    nameStems: Map<string, number>,
  ): Pick<MatchedWord, 'nameStems' | 'action' | 'asksToDelete'> {
    let asksToDelete = mayMeanDelete(root);
    for (const { stems, weight } of [...synonyms, { stems: [root], weight: 1 }]) {
      for (const each of stems) {
        asksToDelete ||= mayMeanDelete(each);
        if (this.#terms.namedBy(each).length > 0) nameStems.set(each, Math.max(weight, nameStems.get(each) ?? 0));
      }
    }
    return { nameStems, action: actionOf(root, synonyms), asksToDelete };
  }

  /** The word and its other forms; what it may mean where the catalog has none of them. Returns its idf. */
  #addWord(word: string, root: string, isMeant: boolean, sources: Source[], { own }: Scratch): number {
    const guess = isMeant ? undefined : this.#given?.guesses?.get(word);
    const forms = isMeant ? this.#terms.formsOf(root, word) : this.#guessed(word, guess);
    const [weight, given] = isMeant ? [1, this.#givenStem(root)] : [this.#settings.guess, guess?.documents];
    const count = this.#score(forms, word, own, weight, given);
    for (const form of forms.length > 0 ? this.#wordsOf(forms) : (guess?.stems ?? NONE)) {
      sources.push({ by: isMeant ? (form === word ? 'word' : 'form') : 'guess', terms: [[form]] });
    }
    if (count === 0) return 0;
    return isMeant ? this.#idf(count) : this.highestIdf;
  }

  #guessed(word: string, guess: Guess | undefined): readonly number[] {
    if (this.#given) return (guess?.stems ?? NONE).flatMap((each) => this.#terms.formsOf(each, ''));
    return this.#terms.guesses(word).flatMap((each) => this.#terms.find(each) ?? NONE);
  }

  #addCompound(compound: string, sources: Source[], { own, found }: Scratch): void {
    const number = this.#terms.find(compound);
    const forms = number === undefined ? NONE : [number];
    this.#score(forms, compound, found, this.#settings.compound, this.#givenWord(compound));
    for (const id of found.ids) own.add(id, found.values[id] ?? 0);
    found.clear();
    sources.push({ by: 'compound', terms: [[compound]] });
  }

  #addSynonym(synonym: Alternative, most: number, sources: Source[], scratch: Scratch): void {
    const { words, stems } = synonym;
    const { others, covers, found, next } = scratch;
    // Most synonyms are in no tool.
    if (stems.some((root) => this.#givenStem(root) === 0 && !this.#terms.hasStem(root))) return;
    const terms: (readonly string[])[] = [];
    let idf = 0;
    for (const [position, part] of words.entries()) {
      const root = stems[position] ?? '';
      const forms = this.#terms.formsOf(root, part);
      const count = this.#score(forms, part, position === 0 ? found : next, 1, this.#givenStem(root));
      terms.push(this.#wordsOf(forms));
      idf = Math.max(idf, this.#idf(count));
      // All words of a phrase have to match: the least of their scores counts.
      if (position > 0) found.lower(next);
      next.clear();
    }
    if (found.ids.length === 0 && this.#givenStem(stems.join(' ')) === 0) return;
    const weight = synonym.weight * synonym.share;
    const factor = weight * Math.min(1, most / idf);
    for (const id of found.ids) {
      if (others.raise(id, factor * (found.values[id] ?? 0))) covers[id] = Math.max(weight, covers[id] ?? 0);
    }
    found.clear();
    sources.push({ by: 'synonym', terms });
  }

  /** What the server of a tool says of all its tools counts a little where the tool itself does not say it. */
  #addServers(root: string, most: number, sources: Source[], { others, covers }: Scratch): void {
    const ids = this.#terms.toldByServer(root);
    const count = Math.max(this.#terms.countTools(ids), this.#given?.instructions?.get(root) ?? 0);
    // A word of most of the catalog tells nothing apart.
    if (count === 0 || 2 * count > this.size) return;
    const weight = this.#settings.instructions;
    const score = weight * Math.min(most, this.#idf(count));
    for (const id of ids) {
      others.raise(id, score);
      covers[id] = Math.max(weight, covers[id] ?? 0);
    }
    sources.push({ by: 'server', terms: NONE });
  }

  /**
   * BM25F over several forms of one word, into empty scores. Returns the count of tools that have one of them.
   *
   * @param exact - the form that counts fully.
   * @param given - that count, as far as the statistics tell it.
   */
  #score(forms: readonly number[], exact: string, to: Scores, weight: number, given = 0): number {
    const { saturation, otherForm } = this.#settings;
    const terms = this.#terms;
    for (const form of forms) {
      const share = terms.words[form] === exact ? 1 : otherForm;
      const { ids, counts } = terms.postings(form);
      for (let at = 0; at < ids.length; at++) {
        const id = ids[at] ?? 0;
        const frequency = terms.frequency(id, counts[at] ?? 0);
        if (frequency > 0) to.add(id, share * frequency);
      }
    }
    const { ids, values } = to;
    const count = Math.max(terms.countTools(ids), given);
    const factor = weight * this.#idf(count) * (saturation + 1);
    for (const id of ids) {
      const frequency = values[id] ?? 0;
      values[id] = (factor * frequency) / (saturation + frequency);
    }
    return count;
  }

  #idf(count: number): number {
    return inverseDocumentFrequency(Math.min(count, this.size), this.size);
  }

  #wordsOf(forms: readonly number[]): readonly string[] {
    return forms.map((form) => this.#terms.words[form] ?? '');
  }

  /** Whether tools have all the words, or one word that says the same. */
  mentions(words: readonly string[]): boolean {
    return words.every((word) => this.#isKnown(word)) || this.#hasWord(words.join('')) || this.#hasSynonym(words);
  }

  #hasSynonym(words: readonly string[]): boolean {
    const synonyms = this.#synonyms.of(words.map(stem).join('_')) ?? [];
    return synonyms.some(
      ({ words: others, weight }) => weight >= SURE && others.every((other) => this.#isKnown(other)),
    );
  }

  #isKnown(word: string, root: string = stem(word)): boolean {
    return this.#givenStem(root) > 0 || this.#terms.hasStem(root);
  }

  #hasWord(word: string): boolean {
    return this.#terms.find(word) !== undefined || this.#givenWord(word) > 0;
  }

  #givenStem(root: string): number {
    return this.#given?.stems.get(root) ?? 0;
  }

  #givenWord(word: string): number {
    if (!this.#given) return 0;
    return this.#given.words ? (this.#given.words.get(word) ?? 0) : this.#givenStem(stem(word));
  }
}

const NO_CHANGE: PartedMatch['changed'] = new Map();

function wordOf({ word, idf, isFiller, nameStems, action, asksToDelete }: MatchedWord): MatchedWord {
  return { word, idf, isFiller, nameStems, action, asksToDelete };
}

export function inverseDocumentFrequency(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5));
}

/** The kind of action that a word asks for, in any language of the vocabulary; 0 for none. */
function actionOf(root: string, synonyms: readonly Alternative[]): number {
  const sure = synonyms.filter(({ weight, stems }) => weight >= SURE && stems.length === 1);
  const kinds = [[root], ...sure.map(({ stems }) => stems)].map(([each = '']) => actionKinds().get(each));
  return kinds.find((kind) => kind !== undefined) ?? 0;
}

/** Scores by the number of a document: as fast as an array, and as easy to go through as a list. */
export class Scores {
  readonly values: Float64Array;
  /** The documents that have a score, as they came. */
  ids: number[] = [];

  constructor(documents: number) {
    this.values = new Float64Array(documents);
  }

  /** @param value - above 0. */
  add(id: number, value: number): void {
    const score = this.values[id] ?? 0;
    if (score === 0) this.ids.push(id);
    this.values[id] = score + value;
  }

  /** Keeps the higher value, and says whether it is the new one. */
  raise(id: number, value: number): boolean {
    const score = this.values[id] ?? 0;
    if (value <= score) return false;
    if (score === 0) this.ids.push(id);
    this.values[id] = value;
    return true;
  }

  /** Keeps the documents that the others have as well, each with the lower score. */
  lower({ values }: Scores): void {
    for (const id of this.ids) this.values[id] = Math.min(this.values[id] ?? 0, values[id] ?? 0);
    this.ids = this.ids.filter((id) => this.values[id] !== 0);
  }

  clear(): void {
    for (const id of this.ids) this.values[id] = 0;
    this.ids = [];
  }
}

type Scratch = ReturnType<typeof scratchFor>;

/** The scores of one word while it is matched: empty between two words. */
const scratchFor = (documents: number) => ({
  /** The scores by the word itself, its other forms, its compounds, or guesses at it. */
  own: new Scores(documents),
  /** The best scores by a synonym or a server, with how fully that covers the word. */
  others: new Scores(documents),
  covers: new Float64Array(documents),
  /** The scores by what is looked for just now, and by its next word. */
  found: new Scores(documents),
  next: new Scores(documents),
});

/** Takes the match out of the scratch scores, which are empty afterwards. */
function resultOf(
  { own, others, covers }: Scratch,
  keepsOwn: boolean,
): Pick<WordMatch, 'ids' | 'scores' | 'covers' | 'bySynonym'> & Partial<Pick<LoneMatch, 'own'>> {
  const found = own.ids.concat(others.ids.filter((id) => own.values[id] === 0));
  const result = {
    ids: Uint32Array.from(found),
    scores: new Float64Array(found.length),
    covers: new Float64Array(found.length),
    bySynonym: new Uint8Array(found.length),
    ...(keepsOwn ? { own: Float64Array.from(found, (id) => own.values[id] ?? 0) } : {}),
  };
  for (const [at, id] of found.entries()) {
    const [byItself, other] = [own.values[id] ?? 0, others.values[id] ?? 0];
    result.scores[at] = Math.max(byItself, other);
    result.covers[at] = byItself > 0 ? 1 : (covers[id] ?? 0);
    result.bySynonym[at] = other > byItself ? 1 : 0;
    covers[id] = 0;
  }
  own.clear();
  others.clear();
  return result;
}
