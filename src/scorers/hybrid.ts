import type { ToolDocument } from '../catalog/document.ts';
import { invalidOption, messageOf } from '../errors.ts';
import { type NamesOf, refuseUnknownOptions } from '../known-options.ts';
import type { ToolQuery } from '../query/query.ts';
import { HybridPart } from './hybrid-part.ts';
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
 * The options of `hybridScorer`.
 *
 * @example
 * ```ts
 * const options: HybridScorerOptions = { k: 10, weights: [2, 1], timeout: 2_000 };
 * hybridScorer([bm25Scorer(), tieredScorer()], options);
 * ```
 */
export interface HybridScorerOptions {
  /**
   * Smoothing of the ranks: with a larger `k`, the first ones count less against the later ones. 0 or more. Where one
   * part is much better than another, 5 to 10 keeps its first places.
   *
   * @default 60, as in the paper
   */
  readonly k?: number;
  /**
   * The weight of each part's ranking, above 0, in the order of the parts.
   *
   * @default 1 for each
   */
  readonly weights?: readonly number[];
  /**
   * Milliseconds after which a search goes on without a part. `Infinity` waits. A part that is still building its index
   * takes part as soon as it has one: an index of many embeddings may take longer than a model should wait.
   *
   * @default 30_000
   */
  readonly timeout?: number;
}

const optionNames: NamesOf<HybridScorerOptions> = { k: true, weights: true, timeout: true };

interface Ranking {
  readonly weight: number;
  readonly matches: readonly ToolMatch[];
}

interface Fusion {
  readonly k: number;
  readonly weights: readonly number[];
  readonly timeout: number;
}

/**
 * Fuses the rankings of several scorers by weighted reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009):
 * a tool earns `weight / (k + rank)` from each part. Only ranks count, so the parts' scores need no common scale.
 *
 * Scores are shares of what a tool earns that every part ranks first, so 1 at most. Rank fusion alone would let a tool
 * that is second everywhere pass one that a single part has first; so that an exact name still wins, a query that is a
 * tool's name, in any spelling, ranks that tool first, with 1 on top of its score.
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
 * const scorer = hybridScorer([bm25Scorer(), semanticScorer({ embed })], { weights: [2, 1] });
 * new ToolSearchProcessor({ tools, search: { scorer } });
 * ```
 */
export function hybridScorer(parts: readonly ToolScorer[], options: HybridScorerOptions = {}): ToolScorer {
  const scorers = checkedParts(parts);
  const fusion = checkedOptions(options, scorers.length);
  return {
    name: 'hybrid',
    givesConfidence: false,
    async index(documents, context = consoleContext) {
      const parts = scorers.map((scorer) => new HybridPart(scorer, documents, context, fusion.timeout));
      const index = new HybridIndex(parts, fusion, documents, context);
      await index.prepare();
      return index;
    },
  };
}

class HybridIndex implements IncrementalIndex {
  readonly #fusion: Fusion;
  readonly #context: ScorerContext;
  readonly #parts: readonly HybridPart[];
  readonly #documents: readonly ToolDocument[];
  readonly #spellings: Spellings;

  constructor(
    parts: readonly HybridPart[],
    fusion: Fusion,
    documents: readonly ToolDocument[],
    context: ScorerContext,
  ) {
    this.#fusion = fusion;
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

  /** Ranks count among what may be seen alone. The parts are the same, so that one that is down rests for all. */
  restrictedTo(names: ReadonlySet<string>): ToolIndex {
    return {
      search: (query) => this.#search(query, names),
      explain: (query, name) => this.#explain(query, name, names),
    };
  }

  async #search(query: ToolQuery, names?: ReadonlySet<string>): Promise<readonly ToolMatch[]> {
    const awake = this.#parts.filter((part) => !part.isResting);
    const answers = await this.#ofSome(awake.length > 0 ? awake : this.#parts, async (part) => ({
      weight: this.#fusion.weights[this.#parts.indexOf(part)] ?? 1,
      matches: await part.search(query, names),
    }));
    const scores = fuse(answers, this.#fusion.k);
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
    const index = new HybridIndex(parts, this.#fusion, documents, this.#context);
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

/** Shares of the score that a tool has which is first in every ranking. Equal scores share the better rank. */
function fuse(rankings: readonly Ranking[], k: number): Map<string, number> {
  const scores = new Map<string, number>();
  const most = rankings.reduce((sum, { weight }) => sum + weight / (k + 1), 0);
  for (const { weight, matches } of rankings) {
    let rank = 0;
    let previous: number | undefined;
    for (const [position, { name, score }] of matches.entries()) {
      if (score !== previous) rank = position + 1;
      previous = score;
      scores.set(name, (scores.get(name) ?? 0) + weight / (k + rank) / most);
    }
  }
  return scores;
}

function checkedParts(parts: readonly ToolScorer[]): readonly ToolScorer[] {
  if (!Array.isArray(parts) || parts.length < 2) throw invalidOption('parts', parts, 'an array of two scorers or more');
  for (const [position, part] of parts.entries()) {
    const isScorer = typeof part?.index === 'function' && typeof part.name === 'string';
    if (!isScorer) throw invalidOption(`parts[${position}]`, part, 'a ToolScorer, e.g. bm25Scorer()');
  }
  return [...parts];
}

function checkedOptions(options: HybridScorerOptions, count: number): Fusion {
  if (typeof options !== 'object' || options === null) throw invalidOption('options', options, 'an object');
  refuseUnknownOptions('hybridScorer', options, optionNames);
  const { k = 60, weights = Array.from({ length: count }, () => 1), timeout = 30_000 } = options;
  if (!(typeof k === 'number' && Number.isFinite(k) && k >= 0)) throw invalidOption('k', k, 'a number of at least 0');
  const isTime = typeof timeout === 'number' && timeout > 0;
  if (!isTime) throw invalidOption('timeout', timeout, 'milliseconds, above 0; Infinity waits');
  if (!Array.isArray(weights) || weights.length !== count) {
    throw invalidOption('weights', weights, `an array with one number for each of the ${count} parts`);
  }
  for (const [position, weight] of weights.entries()) {
    if (typeof weight === 'number' && Number.isFinite(weight) && weight > 0) continue;
    throw invalidOption(`weights[${position}]`, weight, 'a number above 0');
  }
  return { k, weights: [...weights], timeout };
}
