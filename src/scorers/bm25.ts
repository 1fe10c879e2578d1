import MiniSearch from 'minisearch';
import type { ToolDocument } from '../catalog/document.ts';
import { invalidOption } from '../errors.ts';
import type { ToolQuery } from '../query/query.ts';
import { contentWords, isStopWord, splitIdentifier, stem, words } from '../query/words.ts';
import type { Match, ToolIndex, ToolScorer } from './scorer.ts';
import { Vocabulary } from './vocabulary.ts';

/** What a match in a field counts. 1 is neutral, 0 leaves the field out of the ranking. */
export interface Bm25Boosts {
  /** The words of the name. @default 2 */
  readonly name: number;
  /** The human title, where it says more than the name. @default 1 */
  readonly title: number;
  /** @default 1 */
  readonly description: number;
  /** The words of the parameters' names. @default 0.3 */
  readonly parameters: number;
  /** The parameters' descriptions and enum values. @default 0.2 */
  readonly parameterDescriptions: number;
}

export interface Bm25ScorerOptions {
  readonly boosts?: Partial<Bm25Boosts>;
}

const DEFAULT_BOOSTS: Bm25Boosts = { name: 2, title: 1, description: 1, parameters: 0.3, parameterDescriptions: 0.2 };
const FIELDS = Object.keys(DEFAULT_BOOSTS) as (keyof Bm25Boosts)[];

/** Both the stem and the word as it is written are indexed: an exact match earns both, another form the stem alone. */
const STEM_WEIGHT = 1;
const WORD_WEIGHT = 0.4;
/** Two words written as one, or one as two. */
const COMPOUND_WEIGHT = 0.8;
/** A word that the catalog does not have, by its beginning or by a few wrong letters. */
const GUESS_WEIGHT = 0.5;
/** Marks stems in the index: no word contains a tilde. */
const STEM_MARK = '~';

/**
 * Ranks by BM25 over the words of names, descriptions and parameters. The default.
 *
 * Identifiers are taken apart, words are also matched by their English stems, a word that the catalog does not have
 * is matched by its beginning or with a few wrong letters. A query that is a tool's name, in any spelling, ranks that
 * tool first.
 *
 * @throws ToolSearchError `invalid-option` for a boost that is no finite number of at least 0.
 */
export function bm25Scorer(options: Bm25ScorerOptions = {}): ToolScorer {
  const boosts: Bm25Boosts = { ...DEFAULT_BOOSTS, ...options.boosts };
  for (const [field, boost] of Object.entries(boosts)) {
    if (FIELDS.includes(field as never) && typeof boost === 'number' && Number.isFinite(boost) && boost >= 0) continue;
    throw invalidOption(`boosts.${field}`, boost, `a number of at least 0 for one of ${FIELDS.join(', ')}`);
  }
  return { name: 'bm25', index: (documents) => new Bm25Index(documents, boosts) };
}

class Bm25Index implements ToolIndex {
  readonly #boosts: Record<string, number>;
  readonly #names: readonly string[];
  readonly #engine: MiniSearch;
  readonly #vocabulary = new Vocabulary();
  /** Names by their letters and digits alone, for queries that are a name. */
  readonly #spellings = new Map<string, number[]>();

  constructor(documents: readonly ToolDocument[], boosts: Bm25Boosts) {
    this.#boosts = { ...boosts };
    this.#names = documents.map(({ name }) => name);
    this.#engine = new MiniSearch({
      fields: FIELDS,
      // Words are found here, once; the engine only takes apart what is joined for it.
      tokenize: (text) => (text === '' ? [] : text.split(' ')),
      processTerm: (term) => term,
      extractField: (record, field) => (record as Record<string, never>)[field],
    });
    this.#engine.addAll(documents.map((document, id) => ({ id, ...this.#terms(document) })));
    for (const [id, { name }] of documents.entries()) {
      const spelling = splitIdentifier(name).join('');
      this.#spellings.set(spelling, [...(this.#spellings.get(spelling) ?? []), id]);
    }
  }

  search({ keywords, required }: ToolQuery): readonly Match[] {
    const scores = this.#score(keywords);
    for (const word of required) {
      const matching = this.#score([word]);
      for (const id of scores.keys()) if (!matching.has(id)) scores.delete(id);
    }

    let best = 0;
    for (const score of scores.values()) best = Math.max(best, score);
    for (const id of this.#spellings.get(keywords.flatMap(splitIdentifier).join('')) ?? []) {
      if (scores.has(id)) scores.set(id, (scores.get(id) ?? 0) + best);
    }
    const matches = [...scores].map(([id, score]) => ({ name: this.#names[id] ?? '', score }));
    return matches.sort((first, second) => second.score - first.score || (first.name < second.name ? -1 : 1));
  }

  /** The terms of each field, joined by spaces, noted in the vocabulary. */
  #terms(document: ToolDocument): Record<keyof Bm25Boosts, string> {
    const { name, title, description, parameters } = document;
    const parameterTexts = parameters.flatMap(({ description: text, values }) => [text, ...values]);
    const found: Record<keyof Bm25Boosts, string[]> = {
      name: withCompounds(splitIdentifier(name)),
      title: words(title),
      description: words(description).filter((word) => !isStopWord(word)),
      parameters: parameters.flatMap((parameter) => splitIdentifier(parameter.name)),
      parameterDescriptions: parameterTexts.flatMap(words).filter((word) => !isStopWord(word)),
    };
    const join = (list: readonly string[]): string => {
      const terms = list.flatMap((word) => [word, STEM_MARK + stem(word)]);
      for (const term of terms) this.#vocabulary.add(term);
      return terms.join(' ');
    };
    return Object.fromEntries(FIELDS.map((field) => [field, join(found[field])])) as Record<keyof Bm25Boosts, string>;
  }

  /** Scores by document number. */
  #score(keywords: readonly string[]): Map<number, number> {
    const weights = this.#expand(contentWords(keywords.flatMap(words)));
    const scores = new Map<number, number>();
    if (weights.size === 0) return scores;
    const results = this.#engine.search([...weights.keys()].join(' '), {
      boost: this.#boosts,
      boostTerm: (term) => weights.get(term) ?? 1,
    });
    for (const { id, score } of results) if (score > 0) scores.set(id as number, score);
    return scores;
  }

  /** The terms to look for with their weights: exact words, stems, compounds, and guesses for unknown words. */
  #expand(wanted: readonly string[]): Map<string, number> {
    const weights = new Map<string, number>();
    const add = (term: string, weight: number): boolean => {
      if (!this.#vocabulary.has(term)) return false;
      weights.set(term, Math.max(weight, weights.get(term) ?? 0));
      return true;
    };
    for (const word of wanted) {
      const isExact = add(word, WORD_WEIGHT);
      const hasStem = add(STEM_MARK + stem(word), STEM_WEIGHT);
      if (isExact || hasStem) continue;
      for (const guess of this.#vocabulary.guesses(word)) add(guess, GUESS_WEIGHT);
    }
    for (const compound of compounds(wanted)) add(compound, COMPOUND_WEIGHT);
    return weights;
  }
}

/** Neighbouring words written as one: "web hook" also as webhook. */
function compounds(list: readonly string[]): string[] {
  return list.slice(1).map((word, position) => `${list[position]}${word}`);
}

function withCompounds(list: string[]): string[] {
  return [...list, ...compounds(list)];
}
