import { Lru, type ToolQuery } from '../../kit.ts';
import type { Embedder } from './embedder.ts';
import { unitVector } from './unit-vector.ts';

/** Queries that keep their vector: a model repeats its own within minutes. */
const MAX_QUERIES = 256;
/** Characters of the longest query; longer ones are cut: models read no further than a few thousand. */
const MAX_QUERY = 2_000;

/** The vectors of queries, each embedded once while it is remembered. One that failed is tried again when asked for. */
export class QueryVectors {
  readonly #embedder: Embedder;
  readonly #cached = new Lru<Promise<Float32Array>>(MAX_QUERIES);

  constructor(embedder: Embedder) {
    this.#embedder = embedder;
  }

  of({ keywords }: ToolQuery): Promise<Float32Array> {
    const text = keywords.join(' ').slice(0, MAX_QUERY);
    const cached = this.#cached.get(text);
    if (cached !== undefined) return cached;
    const vector = this.#embed(text);
    this.#cached.set(text, vector);
    vector.catch(() => this.#cached.drop(text, vector));
    return vector;
  }

  async #embed(text: string): Promise<Float32Array> {
    const [vector = []] = await this.#embedder.embed([text], 'query');
    return unitVector(vector);
  }
}
