// How well tools are found in catalogs of growing size: bench:retrieval -- --sizes
import { percent, type Section } from '../report.ts';
import { mean } from '../statistics.ts';
import { type Contestant, figuresOf } from './measure.ts';
import type { LabelledQuery, LabelledSet, LabelledTool } from './sets.ts';

const SIZES = [10, 30, 100, 300, 1_000, 3_000, 10_000];
/** Queries of each set, and those that share a catalog: their tools take a part of it, in a small one the most. */
const QUERIES = 60;
const SHARING = 20;
/** The part of a catalog that right tools may take. */
const RIGHT = 0.3;

/**
 * nDCG@10 by the size of the catalog, in the mean of the sets: the right tools of some queries among tools of all sets, the
 * same ones for all contestants. Some of these may serve the query as well, and count as wrong: the more, the larger it is.
 *
 * @param others - tools without queries, for catalogs that are larger than all sets together.
 */
export async function measureSizes(
  contestants: readonly Contestant[],
  sets: readonly LabelledSet[],
  others: readonly LabelledTool[],
): Promise<Section> {
  const distinct = (tools: readonly LabelledTool[]): readonly LabelledTool[] => [
    ...new Map(tools.map((tool) => [tool.id, tool])).values(),
  ];
  const own = distinct(sets.flatMap(({ tools }) => tools));
  const all = distinct([...own, ...others]);
  const sizes = SIZES.filter((size) => size <= all.length);
  const rows: string[][] = [];
  for (const contestant of contestants) {
    const row: string[] = [contestant.name];
    for (const size of sizes) {
      console.error(`${size} tools: ${contestant.name}`);
      const means: number[] = [];
      for (const set of sets) {
        const values: number[] = [];
        for (const { tools, queries } of catalogsOf(set, size <= own.length ? own : all, size)) {
          const search = await contestant.build(tools);
          for (const query of queries) {
            const { found } = await search(query.query);
            values.push(figuresOf([...new Set(found.map(({ name }) => name))], query).ndcg10);
          }
        }
        if (values.length > 0) means.push(mean(values));
      }
      row.push(percent(mean(means)));
    }
    rows.push(row);
  }
  const heading = ['', ...sizes.map((size) => size.toLocaleString('en-US'))];
  return { title: `nDCG@10 by the size of the catalog, the mean of ${sets.length} sets`, rows: [heading, ...rows] };
}

interface SizedCatalog {
  readonly tools: readonly LabelledTool[];
  readonly queries: readonly LabelledQuery[];
}

function catalogsOf(set: LabelledSet, pool: readonly LabelledTool[], size: number): readonly SizedCatalog[] {
  const byId = new Map(set.tools.map((tool) => [tool.id, tool]));
  const step = Math.max(1, Math.floor(set.queries.length / QUERIES));
  const chosen = set.queries.filter((_, at) => at % step === 0).slice(0, QUERIES);
  const catalogs: { right: Set<string>; queries: LabelledQuery[] }[] = [];
  for (const query of chosen) {
    if (query.relevant.length > RIGHT * size) continue;
    const last = catalogs.at(-1);
    const together = new Set([...(last?.right ?? []), ...query.relevant]);
    if (last && last.queries.length < SHARING && together.size <= RIGHT * size) {
      last.queries.push(query);
      last.right = together;
    } else catalogs.push({ right: new Set(query.relevant), queries: [query] });
  }
  return catalogs.map(({ right, queries }, at) => {
    const own = [...right].map((id) => byId.get(id)!);
    // A walk through the pool with a step that is prime to its length: the same for all contestants, and spread.
    const others: LabelledTool[] = [];
    for (let n = 0, place = at * 97; others.length < size - own.length && n < pool.length; n++) {
      place = (place + PRIME) % pool.length;
      const tool = pool[place]!;
      if (!right.has(tool.id)) others.push(tool);
    }
    return { tools: [...own, ...others], queries };
  });
}

const PRIME = 7_919;
