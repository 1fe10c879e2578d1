import type { ToolDocument } from '../catalog/document.ts';
import { contentWords, splitIdentifier, words } from '../query/words.ts';
import type { Bm25Settings } from './bm25-settings.ts';
import { fieldWords } from './fields.ts';
import type { Phrase, Synonym, Synonyms } from './synonyms.ts';
import { inverseDocumentFrequency, TermEngine } from './term-engine.ts';
import { Vocabulary } from './vocabulary.ts';
import { WeightedCache } from './weighted-cache.ts';

/** Words of one query that are looked for; what follows in a long text adds little. */
const MAX_WORDS = 64;

/** In a query of more than two words they are mostly noise, but "find" may be what is asked for. */
const FILLERS = new Set(
  `need needs needed want wants wanted like help helps tell give gives know hi hello hey thanks thank must may might just
  also really very much many any about after again am because before being between both but did does doing done each few
  further here he her him his itself me more most nor off once only other out over own same she such too under until
  while who whom why find finding looking look make sure try trying going go something someone anything everything good
  best great possible kindly able provide provides via per new`.split(/\s+/),
);

/** Terms that were looked for because of one word of the query. */
export interface Source {
  readonly by: 'word' | 'form' | 'compound' | 'guess' | 'synonym';
  /** One of each has to match: the forms of each word. */
  readonly terms: readonly (readonly string[])[];
}

/** One word of the query with what it found. */
export interface WordMatch {
  readonly word: string;
  /** Documents in ascending order, and for each its score and how fully it has the word: 1, or less for a synonym. */
  readonly ids: Int32Array;
  readonly scores: Float64Array;
  readonly covers: Float64Array;
  /** 1 where the score is a synonym's. */
  readonly bySynonym: Uint8Array;
  /** How telling the word is in this catalog; as if nobody had it where only a guess or a synonym was found. */
  readonly rarity: number;
  /** In the order in which they were tried. */
  readonly sources: readonly Source[];
  /** What else it may be called, alone or with its neighbours, whether anything was found by that or not. */
  readonly synonyms: readonly Synonym[];
}

/** A word's match while it is put together. Scores are by document. */
interface Draft {
  readonly word: string;
  /** By the word itself, by its other forms, or by a guess at it. */
  readonly own: Map<number, number>;
  /** The best score by a synonym, and how fully that counts as a match. */
  readonly others: Map<number, { score: number; weight: number }>;
  rarity: number;
  readonly sources: Source[];
  readonly synonyms: Synonym[];
}

/** Postings of words that are kept for later queries, their synonyms' included. */
const MAX_CACHED = 200_000;

/** Finds the documents that the words of a query match, each word by itself. */
export class WordMatcher {
  readonly #settings: Bm25Settings;
  readonly #synonyms: Synonyms;
  readonly #engine: TermEngine;
  readonly #vocabulary = new Vocabulary();
  /** By the word, for words that stand for themselves. */
  readonly #alone = new WeightedCache<WordMatch>(MAX_CACHED, ({ ids }) => ids.length + 1);

  constructor(documents: readonly ToolDocument[], settings: Bm25Settings, synonyms: Synonyms) {
    this.#settings = settings;
    this.#synonyms = synonyms;
    const fields = fieldWords(documents);
    this.#engine = new TermEngine(fields, settings.fields);
    for (const record of fields) {
      for (const list of Object.values(record)) for (const word of list) this.#vocabulary.add(word);
    }
  }

  /** How telling a word is that no document has. */
  get highestRarity(): number {
    return this.#rarity(0);
  }

  match(keywords: readonly string[]): WordMatch[] {
    const all = this.#words(keywords);
    const list = [...new Set(contentWords(all))].slice(0, MAX_WORDS);
    const joined = this.#compounds(list);
    const phrases = [...this.#synonyms.phrases(all.slice(0, 2 * MAX_WORDS))].filter(({ length }) => length > 1);
    return list.map((word) => {
      const compounds = joined.get(word) ?? [];
      const around = phrases.filter(({ start, length }) => all.slice(start, start + length).includes(word));
      if (compounds.length + around.length > 0) return this.#matchWord(word, compounds, around);
      return this.#alone.get(word, () => this.#matchWord(word, [], []));
    });
  }

  /** Below 1 for words that mostly say nothing, in a query of so many words. */
  weightOf(word: string, words: number): number {
    return words > 2 && FILLERS.has(word) ? this.#settings.filler : 1;
  }

  /** In which fields a document has a term, and how often, weighted. */
  fieldsOf(id: number, term: string): Readonly<Record<string, number>> {
    return this.#engine.fieldsOf(id, term);
  }

  /** The words of the keywords, in order. A word such as GitHub or PRs stays one where it is known as one. */
  #words(keywords: readonly string[]): readonly string[] {
    return keywords.flatMap((keyword) => {
      const list = words(keyword);
      const [word = '', ...rest] = list;
      const isKnown = rest.length > 0 || this.#vocabulary.forms(word).length > 0 || this.#synonyms.has(word);
      return isKnown ? list : splitIdentifier(keyword);
    });
  }

  /** For each word those compounds with its neighbours that the catalog has. */
  #compounds(list: readonly string[]): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const [position, word] of list.entries()) {
      const next = list[position + 1];
      if (next === undefined || !this.#vocabulary.has(word + next)) continue;
      for (const side of [word, next]) found.set(side, [...(found.get(side) ?? []), word + next]);
    }
    return found;
  }

  #matchWord(word: string, compounds: readonly string[], phrases: readonly Phrase[]): WordMatch {
    const draft = this.#begin(word);
    for (const compound of compounds) {
      draft.sources.push({ by: 'compound', terms: [[compound]] });
      draft.rarity ||= this.highestRarity;
      for (const [id, score] of this.#scores([compound], this.#settings.compound, compound)) add(draft.own, id, score);
    }
    for (const { length, synonyms } of [...this.#synonyms.phrases([word]), ...phrases]) {
      draft.synonyms.push(...synonyms);
      const share = length === 1 ? 1 : this.#settings.phrase;
      for (const synonym of synonyms) this.#matchSynonym(draft, synonym.words, synonym.weight * share);
    }
    return finish(draft);
  }

  /** By the word and its other forms; by guesses where the catalog has none of them. */
  #begin(word: string): Draft {
    const forms = this.#vocabulary.forms(word);
    const isKnown = forms.length > 0;
    const found = isKnown ? forms : this.#vocabulary.guesses(word);
    const own = this.#scores(found, isKnown ? 1 : this.#settings.guess, word);
    const sources = found.map((form): Source => {
      return { by: isKnown ? (form === word ? 'word' : 'form') : 'guess', terms: [[form]] };
    });
    const rarity = own.size === 0 ? 0 : this.#rarity(isKnown ? own.size : 0);
    return { word, own, others: new Map(), rarity, sources, synonyms: [] };
  }

  #matchSynonym(match: Draft, parts: readonly string[], weight: number): void {
    const terms: (readonly string[])[] = [];
    let found: Map<number, number> | undefined;
    let rarity = 0;
    for (const part of parts) {
      const forms = this.#vocabulary.forms(part);
      const scores = this.#scores(forms, 1, part);
      if (scores.size === 0) return;
      terms.push(forms);
      rarity = Math.max(rarity, this.#rarity(scores.size));
      found = found ? lowerOf(found, scores) : scores;
    }
    if (!found || found.size === 0) return;
    match.sources.push({ by: 'synonym', terms });
    // A rare synonym must not count for more than the common word that the user wrote.
    const factor = weight * (match.own.size > 0 ? Math.min(1, match.rarity / rarity) : 1);
    match.rarity ||= this.highestRarity;
    for (const [id, score] of found) {
      const known = match.others.get(id);
      if (known && known.score >= factor * score) continue;
      match.others.set(id, { score: factor * score, weight: Math.max(weight, known?.weight ?? 0) });
    }
  }

  /** BM25F over several forms of one word, by document. */
  #scores(forms: readonly string[], weight: number, exact: string): Map<number, number> {
    const { saturation, otherForm } = this.#settings;
    const scores = new Map<number, number>();
    for (const form of forms) {
      const formWeight = form === exact ? 1 : otherForm;
      const { ids, frequencies } = this.#engine.postings(form);
      for (let at = 0; at < ids.length; at++) add(scores, ids[at] ?? 0, formWeight * (frequencies[at] ?? 0));
    }
    const factor = weight * this.#rarity(scores.size) * (saturation + 1);
    for (const [id, frequency] of scores) scores.set(id, (factor * frequency) / (saturation + frequency));
    return scores;
  }

  #rarity(count: number): number {
    return inverseDocumentFrequency(count, this.#engine.size);
  }
}

function finish({ word, own, others, rarity, sources, synonyms }: Draft): WordMatch {
  const ids = Int32Array.from(new Set([...own.keys(), ...others.keys()])).sort();
  const scores = new Float64Array(ids.length);
  const covers = new Float64Array(ids.length);
  const bySynonym = new Uint8Array(ids.length);
  for (const [place, id] of ids.entries()) {
    const other = others.get(id);
    const byItself = own.get(id) ?? 0;
    scores[place] = Math.max(byItself, other?.score ?? 0);
    bySynonym[place] = other && other.score > byItself ? 1 : 0;
    covers[place] = own.has(id) ? 1 : (other?.weight ?? 0);
  }
  return { word, ids, scores, covers, bySynonym, rarity, sources, synonyms };
}

/** Where a document stands in a match; -1 for nowhere. */
export function placeOf({ ids }: WordMatch, id: number): number {
  let low = 0;
  let high = ids.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = ids[middle] ?? 0;
    if (found === id) return middle;
    if (found < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Documents that both have, with the lower score. */
function lowerOf(first: Map<number, number>, second: Map<number, number>): Map<number, number> {
  const both = new Map<number, number>();
  for (const [id, score] of first) {
    const other = second.get(id);
    if (other !== undefined) both.set(id, Math.min(score, other));
  }
  return both;
}

function add(sums: Map<number, number>, id: number, value: number): void {
  sums.set(id, (sums.get(id) ?? 0) + value);
}
