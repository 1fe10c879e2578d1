import {
  bestFirst,
  consoleContext,
  type IncrementalIndex,
  type MatchExplanation,
  Spellings,
  type ToolDocument,
  type ToolIndex,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
} from '../kit.ts';
import { documentText } from './embeddings/document-text.ts';
import { sharesOf } from './fusion.ts';
import { Reranker } from './reranker.ts';
import { type RerankingScorerOptions, rerankingScorers, resolveReranking } from './reranking-settings.ts';

/**
 * Has the first matches of a scorer ranked anew, by a model that reads the query and each tool together, such as those
 * of Cohere, Voyage or Jina.
 *
 * Candidates score 0.5 to 1, what comes behind them less; a query that is a tool's name, in any spelling, ranks that
 * tool first, with 1 on top. The reranker is shown only tools that the request may see. When it fails or takes too long,
 * the first ranking stands, and there is an event; then it rests for a second, doubling up to a minute while it keeps
 * failing: for that query, and for all once three different ones have failed in a row.
 *
 * @throws ToolSearchError `invalid-option` for what is no scorer, or an option out of its range.
 *
 * @example
 * ```ts
 * import { rerankingScorer } from 'mastra-tool-search/semantic';
 *
 * const rerank: RerankFunction = async (query, candidates, { signal }) => {
 *   const body = JSON.stringify({ query, documents: candidates.map(({ text }) => text) });
 *   const response = await fetch('http://localhost:8080/rerank', { method: 'POST', body, signal });
 *   return (await response.json()) as number[];
 * };
 * new ToolSearchProcessor({ tools, search: { scorer: rerankingScorer(bm25Scorer(), { rerank }) } });
 * ```
 */
export function rerankingScorer(scorer: ToolScorer, options: RerankingScorerOptions): ToolScorer {
  const settings = resolveReranking(scorer, options);
  const reranker = new Reranker(settings);
  const reranking: ToolScorer = {
    name: 'reranking',
    ...(scorer.givesConfidence === undefined ? {} : { givesConfidence: scorer.givesConfidence }),
    keepsTail: true,
    async index(documents, context = consoleContext) {
      const tools = new Tools(documents, (error) => context.report({ scorer: 'rerank', error }));
      return new RerankingIndex(await scorer.index(documents, context), tools, reranker);
    },
  };
  rerankingScorers.add(reranking);
  return reranking;
}

/** The tools that candidates stand for. */
class Tools {
  readonly report: (error: unknown) => void;
  readonly #documents: ReadonlyMap<string, ToolDocument>;
  readonly #names: readonly string[];
  readonly #spellings: Spellings;

  constructor(documents: readonly ToolDocument[], report: (error: unknown) => void) {
    this.report = report;
    this.#documents = new Map(documents.map((document) => [document.name, document]));
    this.#names = documents.map(({ name }) => name);
    this.#spellings = new Spellings(this.#names);
  }

  textOf(name: string): string {
    const document = this.#documents.get(name);
    return document ? documentText(document) : name;
  }

  /** The names that the query is, in any spelling. */
  namedBy({ keywords }: ToolQuery): ReadonlySet<string> {
    return new Set(this.#spellings.of(keywords).map((id) => this.#names[id] ?? ''));
  }

  changed(added: readonly ToolDocument[], removed: readonly string[]): Tools {
    const gone = new Set(removed);
    return new Tools([...[...this.#documents.values()].filter(({ name }) => !gone.has(name)), ...added], this.report);
  }
}

class RerankingIndex implements IncrementalIndex {
  readonly #index: IncrementalIndex;
  readonly #tools: Tools;
  readonly #reranker: Reranker;
  /** Names that may be found; all without it. */
  readonly #names: ReadonlySet<string> | undefined;
  /** The first ranking of a query, for its confidence. */
  readonly #firstRankings = new WeakMap<ToolQuery, readonly ToolMatch[]>();

  /** Rates as the first ranking does, where that can. */
  readonly confidence?: (query: ToolQuery, names: readonly string[]) => Promise<readonly number[]>;

  constructor(index: IncrementalIndex, tools: Tools, reranker: Reranker, names?: ReadonlySet<string>) {
    this.#index = index;
    this.#tools = tools;
    this.#reranker = reranker;
    this.#names = names;
    if (index.confidence) this.confidence = (query, names) => this.#confidence(query, names);
  }

  async search(query: ToolQuery): Promise<readonly ToolMatch[]> {
    const matches = await this.draft(query);
    const candidates = matches.slice(0, this.#reranker.candidates);
    const named = this.#tools.namedBy(query);
    const shares = await this.#shares(query, candidates);
    const head = candidates.map(({ name }, position) => ({
      name,
      score: (1 + (shares[position] ?? 0)) / 2 + (named.has(name) ? 1 : 0),
    }));
    const tail = matches.slice(candidates.length).map(({ name }, position, { length }) => ({
      name,
      score: (1 - (position + 1) / (length + 1)) / 2 + (named.has(name) ? 1 : 0),
    }));
    return bestFirst([...head, ...tail]);
  }

  /** The first ranking, which nobody outside is shown. */
  async draft(query: ToolQuery): Promise<readonly ToolMatch[]> {
    const known = this.#firstRankings.get(query);
    if (known) return known;
    const matches: unknown = await this.#index.search(query);
    if (!Array.isArray(matches)) throw new TypeError('search() of the index did not return an array of matches');
    const ranking = matches.filter((match: Partial<ToolMatch> | null | undefined) => {
      return typeof match?.name === 'string' && (this.#names?.has(match.name) ?? true);
    });
    this.#firstRankings.set(query, ranking);
    return ranking;
  }

  async restrictedTo(names: ReadonlySet<string>): Promise<ToolIndex> {
    const index = (await this.#index.restrictedTo?.(names)) ?? this.#index;
    return new RerankingIndex(index, this.#tools, this.#reranker, names);
  }

  async update(added: readonly ToolDocument[], removed: readonly string[]): Promise<IncrementalIndex | undefined> {
    const index = await this.#index.update?.(added, removed);
    return index && new RerankingIndex(index, this.#tools.changed(added, removed), this.#reranker);
  }

  async explain(query: ToolQuery, name: string): Promise<MatchExplanation | undefined> {
    return this.#index.explain?.(query, name);
  }

  /** What each candidate is worth, from 0 to 1: by the reranker and the first ranking, or by the latter alone. */
  async #shares(query: ToolQuery, candidates: readonly ToolMatch[]): Promise<readonly number[]> {
    const first = sharesOf({ matches: candidates, zero: Math.min(0, candidates.at(-1)?.score ?? 0) });
    if (candidates.length < 2) return first;
    const texts = candidates.map(({ name }) => ({ name, text: this.#tools.textOf(name) }));
    const scores = await this.#reranker.scores(query, texts, this.#tools.report);
    if (!scores) return first;
    const { weight } = this.#reranker;
    const lowest = Math.min(...scores);
    const span = Math.max(...scores) - lowest;
    return first.map((share, position) => {
      const anew = span > 0 ? ((scores[position] ?? 0) - lowest) / span : 1;
      return weight * anew + (1 - weight) * share;
    });
  }

  /**
   * The confidences of the first ranking, the highest for the best: how likely the places are to fit does not shrink when
   * a better judge fills them.
   */
  async #confidence(query: ToolQuery, names: readonly string[]): Promise<readonly number[]> {
    const wanted = new Set(names);
    const asRankedFirst = (await this.draft(query)).flatMap(({ name }) => (wanted.has(name) ? [name] : []));
    const confidences = await this.#index.confidence?.(query, asRankedFirst);
    if (!Array.isArray(confidences) || confidences.length !== names.length) return [];
    return confidences.toSorted((one, other) => other - one);
  }
}
