// How well the queries of a set are answered, by a database and by the index in the process.
import { bm25Scorer } from '../../../src/index.ts';
import { parseQuery, type ToolQuery } from '../../../src/scorers/words/query.ts';
import { figuresOf, METRICS, type Metric } from '../retrieval/metrics.ts';
import { ofScorer } from '../retrieval/of-scorer.ts';
import type { LabelledSet, LabelledTool } from '../retrieval/sets.ts';
import { LIMIT } from './children.ts';
import type { QualityFigures } from './figures.ts';

type Measured = Pick<QualityFigures, Metric>;
/** The names that a query finds, best first. */
type Find = (query: string) => Promise<readonly string[]>;

export interface Searched {
  search(
    query: ToolQuery,
    request: { limit: number },
  ): PromiseLike<readonly { readonly name: string }[]> | readonly { readonly name: string }[];
}

export function inSource(source: Searched): Find {
  return async (query) => (await source.search(parseQuery(query), { limit: LIMIT })).map(({ name }) => name);
}

export async function inProcess(tools: readonly LabelledTool[]): Promise<Find> {
  const search = await ofScorer(bm25Scorer()).build(tools);
  return async (query) => (await search(query)).found.map(({ name }) => name);
}

export async function qualityOf(find: Find, { queries }: LabelledSet): Promise<Measured> {
  const sums = { hit1: 0, recall5: 0, ndcg10: 0 };
  for (const query of queries) {
    const figures = figuresOf(await find(query.query), query);
    for (const metric of METRICS) sums[metric] += figures[metric];
  }
  const mean = (metric: Metric): number => sums[metric] / queries.length;
  return { hit1: mean('hit1'), recall5: mean('recall5'), ndcg10: mean('ndcg10') };
}
