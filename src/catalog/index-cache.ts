import { createHash } from 'node:crypto';
import { Lru } from '../lru.ts';
import type { ScorerContext } from '../scorers/context.ts';
import type { ToolIndex, ToolScorer } from '../scorers/scorer.ts';
import type { Catalog } from './catalog.ts';
import type { ToolDocument } from './document.ts';

/** How many distinct sets of documents keep their index. */
const MAX_INDEXES = 64;

/**
 * One index for each distinct set of documents, shared by the requests that have the same. It holds documents and
 * indexes, never a tool, so that no request can meet another's instance here.
 */
export class IndexCache {
  readonly #scorer: ToolScorer;
  readonly #context: ScorerContext;
  #byCatalog = new WeakMap<Catalog, Promise<ToolIndex>>();
  #byContent = new Lru<Promise<ToolIndex>>(MAX_INDEXES);

  constructor(scorer: ToolScorer, context: ScorerContext) {
    this.#scorer = scorer;
    this.#context = context;
  }

  /** The index of a catalog, built at its first search. A build that fails is tried again by the next search. */
  get(catalog: Catalog): Promise<ToolIndex> {
    const byCatalog = this.#byCatalog;
    const known = byCatalog.get(catalog);
    if (known !== undefined) return known;
    const index = this.#shared(catalog.documents);
    byCatalog.set(catalog, index);
    index.catch(() => byCatalog.delete(catalog));
    return index;
  }

  /** Lets the memory of the indexes go; they are built again when they are needed. */
  clear(): void {
    this.#byContent = new Lru(MAX_INDEXES);
    this.#byCatalog = new WeakMap();
  }

  #shared(documents: readonly ToolDocument[]): Promise<ToolIndex> {
    const key = createHash('sha256').update(JSON.stringify(documents)).digest('base64');
    const byContent = this.#byContent;
    const known = byContent.get(key);
    if (known !== undefined) return known;
    const index = (async () => this.#scorer.index(documents, this.#context))();
    byContent.set(key, index);
    // Only this build: a newer one may stand here.
    index.catch(() => byContent.drop(key, index));
    return index;
  }
}
