import { Lru } from '../../util/lru.ts';
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
import { editDistance } from '../words/suggest.ts';
import type { Synonym, Synonyms } from '../words/thesaurus/synonyms.ts';
import { stem } from '../words/words.ts';
import type { InvertedIndex } from './inverted-index.ts';
import type { Bm25Settings, CatalogStatistics } from './settings.ts';

const NONE: readonly never[] = [];

/** A synonym that counts this much stands for a required word, and for the verb of an action. */
export const SURE = 0.8;

/** What a word was found by: the forms of each word, of which one has to match. None for what a server says. */
export interface Source {
  readonly by: 'word' | 'form' | 'compound' | 'guess' | 'synonym' | 'server';
  readonly terms: readonly (readonly string[])[];
}

/** What a word of a query matches. */
export interface WordMatch {
  readonly word: string;
  /** Documents, and for each its score, and how fully it has the word: 1, or less for a synonym. */
  readonly ids: Uint32Array;
  readonly scores: Float64Array;
  readonly covers: Float64Array;
  /** 1 where the score is that of a synonym, or of what the server says. */
  readonly bySynonym: Uint8Array;
  /** The idf of the word; the highest one where only a guess or a synonym was found; 0 where nothing was. */
  readonly idf: number;
  /** The sources, in the order in which they were tried. */
  readonly sources: readonly Source[];
  readonly isFiller: boolean;
  /** Stems of names that may stand for the word, by number, with what each counts. One may be there twice. */
  readonly nameStems: readonly (readonly [number: number, weight: number])[];
  /** The kind of action that it asks for; 0 for none. */
  readonly action: number;
  /** Whether it asks for something to be deleted or ended. */
  readonly asksToDelete: boolean;
}

/** Scores by the number of a document: as fast as an array, and as easy to empty as a map. */
export class Scores {
  readonly values: Float64Array;
  readonly #ids: Uint32Array;
  size = 0;

  constructor(documents: number) {
    this.values = new Float64Array(documents);
    this.#ids = new Uint32Array(documents);
  }

  /** The documents that have a score, as they came: a view that is good until the next change. */
  get ids(): Uint32Array {
    return this.#ids.subarray(0, this.size);
  }

  /** @param value - above 0. */
  add(id: number, value: number): void {
    const score = this.values[id] ?? 0;
    if (score === 0) this.#ids[this.size++] = id;
    this.values[id] = score + value;
  }

  /** Keeps the higher value, and says whether it is the new one. */
  raise(id: number, value: number): boolean {
    const score = this.values[id] ?? 0;
    if (value <= score) return false;
    if (score === 0) this.#ids[this.size++] = id;
    this.values[id] = value;
    return true;
  }

  /** Keeps the documents whose new score is above 0. */
  change(score: (id: number, before: number) => number): void {
    let size = 0;
    for (const id of this.ids) {
      const value = score(id, this.values[id] ?? 0);
      this.values[id] = value;
      if (value > 0) this.#ids[size++] = id;
    }
    this.size = size;
  }

  clear(): void {
    for (const id of this.ids) this.values[id] = 0;
    this.size = 0;
  }
}

/** The scores of one word while it is matched: empty between two words of a query. */
class Scratch {
  /** By the word itself, its other forms, its compounds, or guesses at it. */
  readonly own: Scores;
  /** The best by a synonym, with how fully that covers the word. */
  readonly others: Scores;
  readonly otherCovers: Float64Array;
  /** By what is looked for just now, and by its next word. */
  readonly found: Scores;
  readonly next: Scores;
  readonly seen: Uint8Array;

  constructor(documents: number) {
    this.own = new Scores(documents);
    this.others = new Scores(documents);
    this.otherCovers = new Float64Array(documents);
    this.found = new Scores(documents);
    this.next = new Scores(documents);
    this.seen = new Uint8Array(documents);
  }
}

/** A match while it is put together. */
interface Draft {
  readonly isKnown: boolean;
  idf: number;
  readonly sources: Source[];
  readonly synonyms: Synonym[];
}

/** Bytes of matches that all indexes of a process keep: most queries have words that another one had. */
const MAX_BYTES = 16_000_000;
/** Bytes of a match without a document, measured and rounded up; of a document in four lists; of a source. */
const BYTES = { match: 1_200, document: 21, source: 100 };
const matches = new Lru<WordMatch>(
  Number.POSITIVE_INFINITY,
  MAX_BYTES,
  ({ ids, sources, nameStems }) =>
    BYTES.match + ids.length * BYTES.document + (sources.length + nameStems.length) * BYTES.source,
);
let matchers = 0;

/** Matches the words of queries with the documents of an index, each word by itself: the sum of the formula's first half. */
export class WordMatcher {
  /** Count of the catalog's distinct tools. */
  readonly size: number;
  /** The idf of a word that no tool has. */
  readonly highestIdf: number;
  readonly #index: InvertedIndex;
  readonly #settings: Bm25Settings;
  readonly #synonyms: Synonyms;
  readonly #given: CatalogStatistics | undefined;
  /** Tells its matches from those of other indexes. */
  readonly #number = matchers++;

  /** @param given - figures of the whole catalog, where the index has a part of it. What is found counts where it is more. */
  constructor(index: InvertedIndex, settings: Bm25Settings, synonyms: Synonyms, given?: CatalogStatistics) {
    this.#index = index;
    this.#settings = settings;
    this.#synonyms = synonyms;
    this.#given = given;
    this.size = Math.max(index.tools, given?.documents ?? 0);
    this.highestIdf = this.idf(0);
  }

  /** The idf of a word that so many tools have. */
  idf(count: number): number {
    return inverseDocumentFrequency(Math.min(count, this.size), this.size);
  }

  /** The words of each keyword. */
  read(keywords: readonly string[]): readonly (readonly string[])[] {
    return keywords.map((keyword) => readKeyword(keyword, this.#synonyms, (word) => this.#isKnown(word)));
  }

  /** @param read - the words of each keyword. */
  match(keywords: readonly string[], read: readonly (readonly string[])[] = this.read(keywords)): WordMatch[] {
    const asked = queryWords(keywords, read, this.#synonyms, (word) => this.#isKnown(word));
    let scratch: Scratch | undefined;
    return asked.map((each) => {
      const compounds = each.compounds.filter((compound) => this.#hasWord(compound));
      const around = [compounds.join('+'), ...each.phrases.map(({ key: phrase }) => phrase)].join(' ');
      const key = `${each.word} ${this.#number} ${each.isName ? 1 : 0} ${around}`;
      const known = matches.get(key);
      if (known) return known;
      scratch ??= new Scratch(this.#index.documents.length);
      // A word that was cut out of a query would keep the whole query in memory.
      const match = this.#match({ ...each, word: key.slice(0, each.word.length), compounds }, scratch);
      matches.set(key, match);
      return match;
    });
  }

  /** The weight of a word among so many: below 1 for one that mostly says nothing. */
  weightOf(match: WordMatch, words: number): number {
    return words > 2 && match.isFiller ? this.#settings.filler : 1;
  }

  #match(asked: QueryWord, scratch: Scratch): WordMatch {
    const { word } = asked;
    const root = stem(word);
    const { own, found } = scratch;
    const draft = this.#matchItself(word, root, asked.isName, scratch);
    for (const compound of asked.compounds) {
      draft.sources.push({ by: 'compound', terms: [[compound]] });
      draft.idf ||= this.highestIdf;
      const number = this.#index.find(compound);
      const forms = number === undefined ? NONE : [number];
      this.#score(forms, this.#settings.compound, compound, found, scratch, this.#givenWord(compound));
      for (const id of found.ids) own.add(id, found.values[id] ?? 0);
      found.clear();
    }
    for (const each of alternativesTo(asked, this.#synonyms, this.#settings)) {
      if (each.by === 'verb' && !this.#standsForVerb(word, root, each)) continue;
      this.#matchSynonym(draft, each, scratch);
    }
    this.#matchServers(draft, root, scratch);
    const { idf, sources, synonyms } = draft;
    return {
      ...{ word, isFiller: isFiller(word), idf, sources },
      ...resultOf(scratch),
      nameStems: this.#nameStems(root, synonyms),
      action: actionOf(root, synonyms),
      asksToDelete:
        mayMeanDelete(root) ||
        synonyms.some(({ stems }) => stems.some(mayMeanDelete)) ||
        sources.some(({ by, terms }) => by === 'guess' && terms.flat().some((form) => mayMeanDelete(stem(form)))),
    };
  }

  /** The word and its other forms; guesses where the catalog has none of them. */
  #matchItself(word: string, root: string, isName: boolean, scratch: Scratch): Draft {
    const forms = this.#index.formsOf(root, word);
    const given = this.#givenStem(root);
    const isKnown = forms.length > 0 || given > 0;
    if (isKnown || isName) {
      const count = this.#score(forms, 1, word, scratch.own, scratch, given);
      const found = forms.map((form) => this.#index.wordOf(form));
      const sources = found.map((form): Source => ({ by: form === word ? 'word' : 'form', terms: [[form]] }));
      return { isKnown, idf: count === 0 ? 0 : this.idf(count), sources, synonyms: [] };
    }
    const guess = this.#given?.guesses?.get(word);
    const numbers = this.#given
      ? (guess?.stems ?? NONE).flatMap((each) => this.#index.formsOf(each, ''))
      : guesses(word, this.#index).flatMap((each) => this.#index.find(each) ?? []);
    const count = this.#score(numbers, this.#settings.guess, word, scratch.own, scratch, guess?.documents);
    const found = numbers.length > 0 ? numbers.map((form) => this.#index.wordOf(form)) : (guess?.stems ?? NONE);
    const sources = found.map((form): Source => ({ by: 'guess', terms: [[form]] }));
    return { isKnown, idf: count === 0 ? 0 : this.highestIdf, sources, synonyms: [] };
  }

  /** A noun stands for its verb where the catalog has that alone. */
  #standsForVerb(noun: string, root: string, { words: [verb = ''], stems: [stemOfVerb] }: Synonym): boolean {
    return stemOfVerb !== root && this.#isKnown(verb, stemOfVerb) && !this.#hasWord(noun);
  }

  #matchSynonym(draft: Draft, synonym: Alternative, scratch: Scratch): void {
    if (synonym.forUnknown && draft.isKnown) return;
    draft.synonyms.push(synonym);
    const { words: parts, stems } = synonym;
    const { others, otherCovers, found, next } = scratch;
    // Most synonyms are in no tool.
    if (stems.some((root) => this.#givenStem(root) === 0 && !this.#index.hasStem(root))) return;
    const terms: (readonly string[])[] = [];
    let idf = 0;
    for (const [position, part] of parts.entries()) {
      const root = stems[position] ?? '';
      const forms = this.#index.formsOf(root, part);
      const scores = position === 0 ? found : next;
      const count = this.#score(forms, 1, part, scores, scratch, this.#givenStem(root));
      terms.push(forms.map((form) => this.#index.wordOf(form)));
      idf = Math.max(idf, this.idf(count));
      // All words of a phrase have to match: the least of their scores counts.
      if (position > 0) found.change((id, score) => Math.min(score, next.values[id] ?? 0));
      next.clear();
      if (found.size === 0 && this.#givenStem(stems.join(' ')) === 0) return;
    }
    draft.sources.push({ by: 'synonym', terms });
    const weight = synonym.weight * synonym.share;
    // A rare synonym must not count for more than the common word that the user wrote.
    const factor = weight * Math.min(1, (draft.idf || this.highestIdf) / idf);
    draft.idf ||= this.highestIdf;
    for (const id of found.ids) {
      if (others.raise(id, factor * (found.values[id] ?? 0))) otherCovers[id] = Math.max(weight, otherCovers[id] ?? 0);
    }
    found.clear();
  }

  /** What the server of a tool says of all its tools counts a little where the tool itself does not say it. */
  #matchServers(draft: Draft, root: string, { others, otherCovers, seen }: Scratch): void {
    const ids = this.#index.toldByServer(root);
    const count = Math.max(
      this.#index.countTools(Uint32Array.from(ids), seen),
      this.#given?.instructions?.get(root) ?? 0,
    );
    // A word of most of the catalog tells nothing apart.
    if (count === 0 || 2 * count > this.size) return;
    const weight = this.#settings.instructions;
    const score = weight * Math.min(draft.idf || this.highestIdf, this.idf(count));
    draft.sources.push({ by: 'server', terms: [] });
    draft.idf ||= this.highestIdf;
    for (const id of ids) {
      others.raise(id, score);
      otherCovers[id] = Math.max(weight, otherCovers[id] ?? 0);
    }
  }

  /**
   * BM25F over several forms of one word, into empty scores. Returns the count of tools that have one of them.
   *
   * @param exact - the form that counts fully.
   * @param given - that count, as far as the statistics tell it.
   */
  #score(
    forms: readonly number[],
    weight: number,
    exact: string,
    to: Scores,
    { seen }: Scratch,
    given: number = 0,
  ): number {
    const { saturation, otherForm } = this.#settings;
    const index = this.#index;
    for (const form of forms) {
      const share = index.wordOf(form) === exact ? 1 : otherForm;
      const { documents, counts, start, end } = index.postings(form);
      for (let at = start; at < end; at++) {
        const id = documents[at] ?? 0;
        const frequency = index.frequency(id, counts[at] ?? 0);
        if (frequency > 0) to.add(id, share * frequency);
      }
    }
    const { ids, values } = to;
    const count = Math.max(index.countTools(ids, seen), given);
    const factor = weight * this.idf(count) * (saturation + 1);
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] ?? 0;
      const frequency = values[id] ?? 0;
      values[id] = (factor * frequency) / (saturation + frequency);
    }
    return count;
  }

  #isKnown(word: string, root: string = stem(word)): boolean {
    return this.#givenStem(root) > 0 || this.#index.hasStem(root);
  }

  #hasWord(word: string): boolean {
    return this.#index.find(word) !== undefined || this.#givenWord(word) > 0;
  }

  #givenStem(root: string): number {
    return this.#given?.stems.get(root) ?? 0;
  }

  #givenWord(word: string): number {
    if (!this.#given) return 0;
    return this.#given.words ? (this.#given.words.get(word) ?? 0) : this.#givenStem(stem(word));
  }

  #nameStems(root: string, synonyms: readonly Synonym[]): WordMatch['nameStems'] {
    const found: [number, number][] = [];
    const add = (each: string, weight: number): void => {
      const number = this.#index.nameStemOf(each);
      if (number !== undefined) found.push([number, weight]);
    };
    for (const { stems, weight } of synonyms) for (const each of stems) add(each, weight);
    add(root, 1);
    return found;
  }
}

/** The kind of action that a word asks for, in any language of the vocabulary; 0 for none. */
function actionOf(root: string, synonyms: readonly Synonym[]): number {
  const own = actionKinds().get(root);
  if (own !== undefined) return own;
  for (const { stems, weight } of synonyms) {
    const translated = weight >= SURE && stems.length === 1 ? actionKinds().get(stems[0] ?? '') : undefined;
    if (translated !== undefined) return translated;
  }
  return 0;
}

/** Takes the match out of the scratch scores, which are empty afterwards. */
function resultOf({ own, others, otherCovers }: Scratch): Pick<WordMatch, 'ids' | 'scores' | 'covers' | 'bySynonym'> {
  const all = new Uint32Array(own.size + others.size);
  all.set(own.ids);
  let size = own.size;
  for (const id of others.ids) if (own.values[id] === 0) all[size++] = id;
  const ids = all.slice(0, size);
  const scores = new Float64Array(size);
  const covers = new Float64Array(size);
  const bySynonym = new Uint8Array(size);
  for (let place = 0; place < size; place++) {
    const id = ids[place] ?? 0;
    const byItself = own.values[id] ?? 0;
    const other = others.values[id] ?? 0;
    scores[place] = Math.max(byItself, other);
    bySynonym[place] = other > byItself ? 1 : 0;
    covers[place] = byItself > 0 ? 1 : (otherCovers[id] ?? 0);
  }
  for (const id of others.ids) otherCovers[id] = 0;
  own.clear();
  others.clear();
  return { ids, scores, covers, bySynonym };
}

/** The inverse document frequency of a word that `count` of `total` tools have, as in BM25. */
export function inverseDocumentFrequency(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5));
}

/** Letters of the shortest beginning, and of the shortest misspelled word: fewer say too little about what was meant. */
const MIN_PREFIX = 3;
const MIN_TYPO = 4;
const MAX_GUESSES = 8;

/**
 * What an unknown word may mean: words that begin with it; when there are none, those that differ by one letter, or two
 * in a long word. Nearest first, else by code units.
 */
export function guesses(
  word: string,
  index: Pick<InvertedIndex, 'wordsBeginningWith' | 'wordsLike'>,
): readonly string[] {
  if (word.length < MIN_PREFIX) return [];
  const longer = [...index.wordsBeginningWith(word)].sort().slice(0, MAX_GUESSES);
  if (longer.length > 0 || word.length < MIN_TYPO) return longer;
  const most = word.length < 8 ? 1 : 2;
  const byDistance: string[][] = [[], [], []];
  const [wordFirst, wordSecond] = [word.charCodeAt(0), word.charCodeAt(1)];
  for (const candidate of index.wordsLike(word, most)) {
    // Words that share neither the first nor the second letter are not tried.
    const [first, second] = [candidate.charCodeAt(0), candidate.charCodeAt(1)];
    if (first !== wordFirst && second !== wordSecond && first !== wordSecond && second !== wordFirst) continue;
    const distance = editDistance(word, candidate, most);
    if (distance !== undefined) byDistance[distance]?.push(candidate);
  }
  return (byDistance.find((candidates) => candidates.length > 0) ?? []).sort().slice(0, MAX_GUESSES);
}
