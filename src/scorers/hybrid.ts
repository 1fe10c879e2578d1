import type { ToolDocument } from '../catalog/document.ts';
import { messageOf } from '../errors.ts';
import type { ToolQuery } from '../query/query.ts';
import { HybridPart } from './hybrid-part.ts';
import { type FusionSettings, type HybridScorerOptions, resolveHybrid } from './hybrid-settings.ts';
import type { IncrementalIndex } from './incremental-index.ts';
import { bestFirst } from './ranking.ts';
import {
  consoleContext,
  type MatchExplanation,
  type ScorerContext,
  type ScorerFault,
  type ToolIndex,
  type ToolMatch,
  type ToolScorer,
} from './scorer.ts';
import { Spellings } from './spellings.ts';

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
 * up to a minute while it keeps failing, before a search tries it again; only when all fail does the search fail.
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
    givesConfidence: false,
    keepsTail: true,
    async index(documents, context = consoleContext) {
      const parts = scorers.map((scorer) => new HybridPart(scorer, documents, context, settings.timeout));
      const index = new HybridIndex(parts, settings, documents, context);
      await index.prepare();
      return index;
    },
  };
}

class HybridIndex implements IncrementalIndex {
  readonly #settings: FusionSettings;
  readonly #context: ScorerContext;
  readonly #parts: readonly HybridPart[];
  readonly #documents: readonly ToolDocument[];
  readonly #spellings: Spellings;

  constructor(
    parts: readonly HybridPart[],
    settings: FusionSettings,
    documents: readonly ToolDocument[],
    context: ScorerContext,
  ) {
    this.#settings = settings;
    this.#context = context;
    this.#parts = parts;
    this.#documents = documents;
    this.#spellings = new Spellings(documents.map(({ name }) => name));
  }

  async prepare(): Promise<void> {
    await this.#ofSome(this.#parts, (part) => part.prepare());
  }

  search(query: ToolQuery): Promise<readonly ToolMatch[]> {
    return this.#search(query);
  }

  /** What may not be seen counts in no part. The parts are the same, so that one that is down rests for all. */
  restrictedTo(names: ReadonlySet<string>): ToolIndex {
    return {
      search: (query) => this.#search(query, names),
      explain: (query, name) => this.#explain(query, name, names),
    };
  }

  async #search(query: ToolQuery, names?: ReadonlySet<string>): Promise<readonly ToolMatch[]> {
    const awake = this.#parts.filter((part) => !part.isResting);
    const rankings = await this.#ofSome(awake.length > 0 ? awake : this.#parts, async (part) => ({
      weight: this.#settings.weights[this.#parts.indexOf(part)] ?? 0,
      isFromZero: part === this.#parts[0],
      matches: await part.search(query, names),
    }));
    const scores = this.#settings.fuse(rankings);
    for (const id of this.#spellings.of(query.keywords)) {
      const name = this.#documents[id]?.name ?? '';
      const score = scores.get(name);
      if (score !== undefined) scores.set(name, 1 + score);
    }
    return bestFirst([...scores].map(([name, score]) => ({ name, score })));
  }

  async update(added: readonly ToolDocument[], removed: readonly string[]): Promise<HybridIndex> {
    const gone = new Set(removed);
    const documents = [...this.#documents.filter(({ name }) => !gone.has(name)), ...added];
    const parts = this.#parts.map((part) => part.updated(documents, added, removed));
    const index = new HybridIndex(parts, this.#settings, documents, this.#context);
    await index.prepare();
    return index;
  }

  explain(query: ToolQuery, name: string): Promise<MatchExplanation | undefined> {
    return this.#explain(query, name);
  }

  /** The explanation of the first part that has one: meaning explains nothing. */
  async #explain(query: ToolQuery, name: string, names?: ReadonlySet<string>): Promise<MatchExplanation | undefined> {
    for (const part of this.#parts) {
      const explanation = await part.explain(query, name, names);
      if (explanation) return explanation;
    }
    return undefined;
  }

  /** The answers of the parts that can give one; faults of the others are reported. Throws when none can. */
  async #ofSome<Answer>(parts: readonly HybridPart[], ask: (part: HybridPart) => Promise<Answer>): Promise<Answer[]> {
    const outcomes = await Promise.allSettled(parts.map(ask));
    const answers: Answer[] = [];
    const faults: ScorerFault[] = [];
    for (const [position, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') answers.push(outcome.value);
      else faults.push({ scorer: parts[position]?.name ?? '', error: outcome.reason });
    }
    if (answers.length === 0) {
      const reasons = faults.map(({ scorer, error }) => `${scorer}: ${messageOf(error)}`);
      throw new AggregateError(
        faults.map(({ error }) => error),
        `No part could answer. ${reasons.join('; ')}`,
      );
    }
    for (const fault of faults) this.#context.report(fault);
    return answers;
  }
}
