import MiniSearch from 'minisearch';
import { FIELDS, type Field, type FieldWords } from './fields.ts';
import { WeightedCache } from './weighted-cache.ts';

/** How much a field counts, and how far its length lowers that, from 0 (not at all) to 1. */
export interface FieldWeight {
  readonly boost: number;
  readonly lengthNorm: number;
}

/** The weighted frequencies of a term: document numbers, and for each its frequency. */
export interface Postings {
  readonly ids: readonly number[];
  readonly frequencies: readonly number[];
}

const NONE: Postings = { ids: [], frequencies: [] };
/** So large that the saturation of BM25, which comes later and over all fields together, is switched off. */
const UNSATURATED = 1e9;
/** Postings kept for the words of later queries; agents ask the same words again and again. */
const MAX_CACHED = 200_000;

/**
 * How often a term stands in each document, over all its fields, weighted by field and length: the first half of
 * BM25F (Robertson, Zaragoza, Taylor 2004). minisearch holds the index and measures the fields.
 */
export class TermEngine {
  readonly size: number;
  readonly #engine: MiniSearch;
  readonly #fields: readonly Field[];
  readonly #weights: Readonly<Record<Field, FieldWeight>>;
  readonly #cache = new WeightedCache<Postings>(MAX_CACHED, ({ ids }) => ids.length + 1);

  constructor(documents: readonly FieldWords[], weights: Readonly<Record<Field, FieldWeight>>) {
    this.size = documents.length;
    this.#weights = weights;
    this.#fields = FIELDS.filter((field) => weights[field].boost > 0);
    this.#engine = new MiniSearch({
      fields: [...this.#fields],
      // The words were found before; the engine takes them as they are.
      extractField: (record, field) => (record as Record<string, never>)[field],
      stringifyField: (value) => value as string,
      tokenize: (text) => (Array.isArray(text) ? (text as string[]) : [text]),
      processTerm: (term) => term,
    });
    this.#engine.addAll(documents.map((words, id) => ({ ...words, id })));
  }

  postings(term: string): Postings {
    return this.#cache.get(term, () => this.#measure(term));
  }

  /** In which fields a document has the term, with the weighted frequency of each. Not cached. */
  fieldsOf(id: number, term: string): Readonly<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const field of this.#fields) {
      const frequency = this.#measureField(field, term).find((result) => result.id === id)?.frequency;
      if (frequency !== undefined) found[field] = frequency;
    }
    return found;
  }

  #measure(term: string): Postings {
    const frequencies = new Map<number, number>();
    for (const field of this.#fields) {
      for (const { id, frequency } of this.#measureField(field, term)) {
        frequencies.set(id, (frequencies.get(id) ?? 0) + frequency);
      }
    }
    return frequencies.size === 0 ? NONE : { ids: [...frequencies.keys()], frequencies: [...frequencies.values()] };
  }

  #measureField(field: Field, term: string): { id: number; frequency: number }[] {
    const { boost, lengthNorm } = this.#weights[field];
    const bm25 = { k: UNSATURATED, b: lengthNorm, d: 0 };
    const results = this.#engine.search(term, { fields: [field], bm25 });
    // The engine has multiplied by the rarity of the term in this field alone; that is taken out again.
    const factor = boost / inverseDocumentFrequency(results.length, this.size);
    return results.map(({ id, score }) => ({ id: id as number, frequency: score * factor }));
  }
}

/** How telling a term is that `count` of `total` documents have, as in BM25. */
export function inverseDocumentFrequency(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5));
}
