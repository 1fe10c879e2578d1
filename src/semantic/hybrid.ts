import {
  consoleContext,
  type IncrementalIndex,
  type MatchExplanation,
  type ScorerContext,
  Spellings,
  type ToolDocument,
  type ToolIndex,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
} from '../kit.ts';
import type { HybridEvidence } from './hybrid-confidence.ts';
import { HybridPart } from './hybrid-part.ts';
import { HybridSearch, ofSome } from './hybrid-search.ts';
import { type FusionSettings, type HybridScorerOptions, resolveHybrid } from './hybrid-settings.ts';

/**
 * Fuses the rankings of several scorers. By default their scores are added up, each as a share of its part's best: that
 * of the first part counting from zero, that of every other part from its match at rank 50, as what is unrelated has a
 * cosine too. The first part should be the one of words, and weighs 85 %.
 *
 * With `fusion: 'ranks'` a tool earns `weight / (k + rank)` from each part: weighted reciprocal rank fusion (Cormack,
 * Clarke and Büttcher, SIGIR 2009).
 *
 * Scores are shares of what a tool earns that every part ranks first, so 1 at most. So that an exact name wins whatever
 * the weights, a query that is a tool's name, in any spelling, ranks that tool first, with 1 on top of its score.
 *
 * The parts work at once. One that fails or takes too long is left out and reported, then rests for a second, doubling
 * up to a minute while it keeps failing: for that query, and for all once three different ones have failed in a row.
 * Only when all parts fail does the search fail.
 *
 * @throws ToolSearchError `invalid-option` for less than two parts, what is no scorer, or an option out of its range.
 *
 * @example
 * ```ts
 * import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
 * import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
 *
 * const embed = new ModelRouterEmbeddingModel('openai/text-embedding-3-small');
 * const scorer = hybridScorer([bm25Scorer(), semanticScorer({ embed })], { weights: [0.7, 0.3] });
 * new ToolSearchProcessor({ tools, search: { scorer } });
 * ```
 */
export function hybridScorer(parts: readonly ToolScorer[], options: HybridScorerOptions = {}): ToolScorer {
  const { scorers, settings } = resolveHybrid(parts, options);
  return {
    name: 'hybrid',
    ...(scorers[0]?.givesConfidence === undefined ? {} : { givesConfidence: scorers[0].givesConfidence }),
    keepsTail: true,
    index(documents, context = consoleContext) {
      const parts = scorers.map((scorer) => new HybridPart(scorer, documents, context, settings.timeout));
      return HybridIndex.of(parts, settings, documents, context);
    },
  };
}

class HybridIndex implements IncrementalIndex {
  readonly #parts: readonly HybridPart[];
  readonly #settings: FusionSettings;
  readonly #documents: readonly ToolDocument[];
  readonly #context: ScorerContext;
  readonly #spellings: Spellings;
  readonly #all: HybridSearch;
  readonly confidence?: NonNullable<ToolIndex['confidence']>;

  private constructor(
    parts: readonly HybridPart[],
    settings: FusionSettings,
    documents: readonly ToolDocument[],
    context: ScorerContext,
  ) {
    this.#parts = parts;
    this.#settings = settings;
    this.#documents = documents;
    this.#context = context;
    this.#spellings = new Spellings(documents.map(({ name }) => name));
    this.#all = this.#searchOf();
    if (this.#all.confidence) this.confidence = this.#all.confidence;
  }

  /** The index, as soon as the parts have one each, or have failed to make it in time. */
  static async of(
    parts: readonly HybridPart[],
    settings: FusionSettings,
    documents: readonly ToolDocument[],
    context: ScorerContext,
  ): Promise<HybridIndex> {
    await ofSome(parts, context, (part) => part.prepare());
    return new HybridIndex(parts, settings, documents, context);
  }

  search(query: ToolQuery): Promise<readonly ToolMatch[]> {
    return this.#all.search(query);
  }

  explain(query: ToolQuery, name: string): Promise<MatchExplanation | undefined> {
    return this.#all.explain(query, name);
  }

  /** What the confidences are fitted on, for `npm run bench:retrieval -- --fit`. */
  evidence(query: ToolQuery, names: readonly string[]): Promise<readonly (HybridEvidence | undefined)[]> {
    return this.#all.evidence(query, names);
  }

  /** What may not be seen counts in no part. The parts are the same, so that one that is down rests for all. */
  restrictedTo(names: ReadonlySet<string>): ToolIndex {
    return this.#searchOf(names);
  }

  update(added: readonly ToolDocument[], removed: readonly string[]): Promise<HybridIndex> {
    const gone = new Set(removed);
    const documents = [...this.#documents.filter(({ name }) => !gone.has(name)), ...added];
    const parts = this.#parts.map((part) => part.updated(documents, added, removed));
    return HybridIndex.of(parts, this.#settings, documents, this.#context);
  }

  #searchOf(names?: ReadonlySet<string>): HybridSearch {
    const namedBy = (words: readonly string[]): readonly string[] =>
      this.#spellings.of(words).flatMap((id) => this.#documents[id]?.name ?? []);
    return new HybridSearch({ parts: this.#parts, settings: this.#settings, context: this.#context, namedBy }, names);
  }
}
