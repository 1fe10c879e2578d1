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

/** From this weight on, a synonym stands in for a required word, for the verb of an action, and for an app's name. */
export const SURE = 0.8;

/**
 * How a query word matched. `terms` has the forms of each word that was found, of which one must match; empty for
 * `server`.
 */
export interface Source {
  readonly by: 'word' | 'form' | 'compound' | 'guess' | 'synonym' | 'server';
  readonly terms: readonly (readonly string[])[];
}

/** A query word and what it asks for, whatever the document. */
export interface MatchedWord {
  readonly word: string;
  /** The idf of the word. The highest idf if only a guess, a compound or a synonym was found; 0 if nothing was. */
  readonly idf: number;
  readonly isFiller: boolean;
  /** Stems in tool names that stand for the word, each with its weight. */
  readonly nameStems: ReadonlyMap<string, number>;
  /** The kind of action that the word asks for; 0 for none. */
  readonly action: number;
  /** Whether the word asks for something to be deleted or ended. */
  readonly asksToDelete: boolean;
}

export interface WordMatch extends MatchedWord {
  /** Parallel arrays: the documents, their scores, and how fully each has the word (1, or less for a synonym). */
  readonly ids: Uint32Array;
  readonly scores: Float64Array;
  readonly covers: Float64Array;
  /** 1 if the score comes from a synonym, or from the text about the server. */
  readonly bySynonym: Uint8Array;
  readonly sources: readonly Source[];
}

/** The match of a word without regard to its neighbours. `own` has the scores without synonyms. */
export interface LoneMatch extends WordMatch {
  readonly own: Float64Array;
}

/**
 * A match in two parts, so that most of it can be cached: `alone` is the same in all queries with the word, and
 * `changed` is what the neighbouring words of this query add, as compounds and phrases.
 */
export interface PartedMatch extends MatchedWord {
  readonly alone: LoneMatch;
  /** Documents whose score the neighbours change, with the new score and how fully the document has the word. */
  readonly changed: ReadonlyMap<number, { readonly score: number; readonly cover: number }>;
}

/** Size of the cache of matches, over all indexes, in documents. Most queries repeat a word of an earlier one. */
const MAX_MATCHED = 750_000;
/** Memory of a match without any document, counted in documents. */
const EMPTY_MATCH = 60;

/**
 * A cache in two generations. When the newer one is full it becomes `before`, and the former `before` is dropped.
 * Unlike in an LRU, a hit in the newer generation moves nothing.
 */
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

/** Matches each word of a query with the documents of an index: the BM25F part of a score. */
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

  /**
   * @param given - figures of the whole catalog, if the index holds only a part of it. Where the index counts more, its
   * count is used.
   */
  constructor(terms: InvertedIndex, settings: Bm25Settings, synonyms: Synonyms, given?: CatalogStatistics) {
    this.#terms = terms;
    this.#settings = settings;
    this.#synonyms = synonyms;
    this.#given = given;
    this.size = Math.max(terms.tools, given?.documents ?? 0);
    this.highestIdf = this.#idf(0);
  }

  /** The weight of a word in a query of `words` words: below 1 for a filler in a query of more than two. */
  weightOf(match: MatchedWord, words: number): number {
    return words > 2 && match.isFiller ? this.#settings.filler : 1;
  }

  /** The summed idf of a document that has all words. A word that no document has counts as `unknown`. */
  sizeOf(words: readonly MatchedWord[], unknown: number): number {
    return words.reduce((size, match) => size + this.weightOf(match, words.length) * (match.idf || unknown), 0);
  }

  read(keywords: readonly string[]): readonly (readonly string[])[] {
    return keywords.map((keyword) => readKeyword(keyword, this.#synonyms, (word) => this.#isKnown(word)));
  }

  match(keywords: readonly string[], read: readonly (readonly string[])[] = this.read(keywords)): readonly WordMatch[] {
    return queryWords(keywords, read, this.#synonyms, (word) => this.#isKnown(word)).map((asked) => {
      const compounds = asked.compounds.filter((compound) => this.#hasWord(compound));
      const around = [compounds.join('+'), ...asked.phrases.map(({ key }) => key)].join(' ');
      const key = `${asked.word} ${this.#number} ${asked.isName ? 1 : 0} ${around}`;
      // An index with given figures holds a part of a catalog and serves one query, so its matches are not cached.
      const known = this.#given ? undefined : recent.get(key);
      if (known) return known;
      this.#scratch ??= scratchFor(this.#terms.documents.length);
      // The word is cut out of the key: cut out of the query, it would keep the whole query in memory.
      const match = this.#matchWord({ ...asked, word: key.slice(0, asked.word.length), compounds }, this.#scratch);
      if (!this.#given) recent.keep(key, match);
      return match;
    });
  }

  /**
   * As `match`, with each match in two parts; see {@link PartedMatch}.
   *
   * @param cache - matches of words without their neighbours. New ones are added.
   * @param placeOf - the place of a document in a match; -1 if it is not there.
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

  /** Adds to the match of a word alone what the neighbouring words change. */
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

  /**
   * Scores all forms of a word, or guesses at it if the catalog has none. Returns the idf: the highest one for a guess,
   * 0 without a match.
   */
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
    // Most synonyms occur in no tool.
    if (stems.some((root) => this.#givenStem(root) === 0 && !this.#terms.hasStem(root))) return;
    const terms: (readonly string[])[] = [];
    let idf = 0;
    for (const [position, part] of words.entries()) {
      const root = stems[position] ?? '';
      const forms = this.#terms.formsOf(root, part);
      const count = this.#score(forms, part, position === 0 ? found : next, 1, this.#givenStem(root));
      terms.push(this.#wordsOf(forms));
      idf = Math.max(idf, this.#idf(count));
      // All words of a phrase have to match, so the lowest of their scores counts.
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

  /**
   * Scores documents by the text about their server: a little, and only where the tool itself does not have the word.
   */
  #addServers(root: string, most: number, sources: Source[], { others, covers }: Scratch): void {
    const ids = this.#terms.toldByServer(root);
    const count = Math.max(this.#terms.countTools(ids), this.#given?.instructions?.get(root) ?? 0);
    // A word in more than half of the catalog does not tell tools apart.
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
   * Puts the BM25F scores of several forms of one word into `to`, which has to be empty. Returns the count of tools
   * that have a form.
   *
   * @param exact - the form that counts fully.
   * @param given - the count in the whole catalog, if it is known; the higher count is used.
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

  /** Whether the catalog has all the words, or all of them written as one, or a sure synonym of them. */
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

/** The kind of action that a word or one of its sure synonyms asks for, so also in other languages; 0 for none. */
function actionOf(root: string, synonyms: readonly Alternative[]): number {
  const sure = synonyms.filter(({ weight, stems }) => weight >= SURE && stems.length === 1);
  const kinds = [[root], ...sure.map(({ stems }) => stems)].map(([each = '']) => actionKinds().get(each));
  return kinds.find((kind) => kind !== undefined) ?? 0;
}

/** Scores by document number: an array for fast access, with a list of the documents that have a score. */
export class Scores {
  readonly values: Float64Array;
  /** The documents that have a score, in order of insertion. */
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

  /** Keeps the higher value. Returns whether that is the new one. */
  raise(id: number, value: number): boolean {
    const score = this.values[id] ?? 0;
    if (value <= score) return false;
    if (score === 0) this.ids.push(id);
    this.values[id] = value;
    return true;
  }

  /** Keeps the documents that `values` has as well, each with the lower score. */
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

/** Buffers for matching one word, empty before and after. */
const scratchFor = (documents: number) => ({
  /** Scores by the word itself, its other forms, its compounds, or guesses at it. */
  own: new Scores(documents),
  /** The best scores by a synonym or the server's text, with how fully that covers the word. */
  others: new Scores(documents),
  covers: new Float64Array(documents),
  /** Scores of the current compound or synonym, and of the synonym's next word. */
  found: new Scores(documents),
  next: new Scores(documents),
});

/** Takes the match out of the buffers and empties them. */
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
