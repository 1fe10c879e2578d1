import { toolDocument } from '../../../src/catalog/document.ts';
import { hybridScorer, rerankingScorer, semanticScorer } from '../../../src/entries/semantic.ts';
import { bm25Scorer } from '../../../src/index.ts';
import { documentText } from '../../../src/semantic/embedder.ts';
import { quantile } from '../../../src/workbench/evaluate/bootstrap.ts';
import type { Contestant } from './contestant.ts';
import { type Endpoint, embedded, endpointEmbed, reranked } from './endpoint-model.ts';
import { ofScorer } from './of-scorer.ts';
import type { LabelledSet } from './sets.ts';

/** What is measured of the model at an endpoint. */
export interface EndpointMeasures extends Endpoint {
  /** The shares of meaning in the hybrids. */
  readonly shares: readonly number[];
  /** Whether the model reranks, too, and with what weights. */
  readonly rerankWeights: readonly number[];
}

/** The model alone, in hybrids, and as a reranker. */
export function endpointContestants(endpoint: EndpointMeasures): readonly Contestant[] {
  const { model, shares, rerankWeights } = endpoint;
  const meaning = semanticScorer({ embed: endpointEmbed(endpoint), model, batchSize: 16, concurrency: 1 });
  const rerank = (query: string, candidates: readonly { readonly text: string }[]): Promise<readonly number[]> =>
    reranked(
      endpoint,
      query,
      candidates.map(({ text }) => text),
    );
  const timeout = Number.POSITIVE_INFINITY;
  return [
    ofScorer(meaning, model),
    ...shares.map((share) => {
      const weights = [1 - share, share];
      return ofScorer(hybridScorer([bm25Scorer(), meaning], { weights, timeout }), `bm25 + ${share} ${model}`);
    }),
    ...rerankWeights.map((weight) => {
      const scorer = rerankingScorer(bm25Scorer(), { rerank, timeout, weight });
      return ofScorer(scorer, `bm25, reranked by ${weight} ${model}`);
    }),
  ];
}

const QUERIES = 20;
const TOOLS = 20;

/** The time that the model takes for texts of a set, one query at a time. */
export async function speedOf(endpoint: Endpoint, { name, queries, tools }: LabelledSet): Promise<string> {
  const times: number[] = [];
  for (const { query } of queries.slice(0, QUERIES)) {
    const started = performance.now();
    await embedded(endpoint, [query], 'query');
    times.push(performance.now() - started);
  }
  const texts = tools.slice(0, TOOLS).map(({ id, description, inputSchema, annotations }) => {
    return documentText(toolDocument(id, { description, inputSchema, mcp: { annotations } }).document);
  });
  const started = performance.now();
  await embedded(endpoint, texts, 'document');
  const seconds = ((performance.now() - started) / texts.length / 1_000) * 1_500;
  const median = quantile(
    times.sort((one, other) => one - other),
    0.5,
  );
  return `${endpoint.model}: ${median.toFixed(1)} ms a query, ${seconds.toFixed(0)} s for 1,500 tools (of ${name})`;
}
