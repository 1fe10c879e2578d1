import {
  type MatchExplanation,
  parseQuery,
  resultsIn,
  type ToolIndex,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
} from '../../../kit.ts';

/** A tool in a ranking. */
export interface RankedTool {
  readonly name: string;
  readonly score: number;
  /** The outcome in a search: `shown` to the model, cut off as the `tail` of the first results, or `below` them. */
  readonly fate: 'shown' | 'tail' | 'below';
  /** The likelihood, from 0 to 1, that the tool is what was asked for; absent if the scorer cannot tell. */
  readonly confidence?: number;
  readonly explanation?: MatchExplanation;
}

/** A scorer's answer to a query. */
export interface Ranking {
  readonly scorer: string;
  readonly query: string;
  /** The first tools, best first. */
  readonly tools: readonly RankedTool[];
  /** Names of the first tools, more than in `tools`, from which the rank of a tool is read. */
  readonly names: readonly string[];
  /** Number of all matching tools; for a server's scorer, of those that it returns. */
  readonly count: number;
  /** Whether more may match than are counted. */
  readonly isCut?: true;
  /** The likelihood that one of the rated tools is what was asked for; absent if the scorer cannot tell. */
  readonly likelihood?: number;
  /** Whether the model is told that probably nothing fits; absent if the scorer cannot tell. */
  readonly isWeak?: boolean;
  /** Whether the query is a list of names, which no scorer ranks. */
  readonly isSelection?: true;
}

/** How an index is asked. */
export interface Asking {
  readonly scorer: ToolScorer;
  readonly topK: number;
  /** Number of tools that are returned with explanations. */
  readonly depth: number;
  /** Whether the request may find a tool of that name. */
  has(name: string): boolean;
}

/** Limit of `names`. */
const MAX_NAMES = 1_000;

/** Ranks as a search of the processor does: the same tools are shown, cut and rated. */
export async function rankingOf(text: string, index: ToolIndex, asking: Asking): Promise<Ranking> {
  const { scorer, depth, has } = asking;
  const query = parseQuery(text);
  const about = { scorer: scorer.name, query: text };
  if (query.select) {
    const names = query.select.filter(has);
    const tools = names.map((name): RankedTool => ({ name, score: 0, fate: 'shown' }));
    return { ...about, tools, names, count: names.length, isSelection: true };
  }
  const matches = [...(await index.search(query))];
  const { found, confidences } = await ratedOf(query, matches, index, asking);
  const considered = new Set(found.candidates);
  const fateOf = (name: string): RankedTool['fate'] =>
    found.shown.has(name) ? 'shown' : considered.has(name) && !found.head.has(name) ? 'tail' : 'below';
  const first = matches.slice(0, depth);
  const tools = first.map(async ({ name, score }): Promise<RankedTool> => {
    const confidence = confidences.get(name);
    const explanation = await index.explain?.(query, name);
    return {
      ...{ name, score, fate: fateOf(name) },
      ...(confidence === undefined ? {} : { confidence }),
      ...(explanation ? { explanation } : {}),
    };
  });
  return {
    ...{ ...about, tools: await Promise.all(tools), count: matches.length },
    names: matches.slice(0, MAX_NAMES).map(({ name }) => name),
    ...found.verdict,
  };
}

/** Minimum number of rated tools, because a rating may depend on the tools that are rated with it. */
const RATED = 50;

/** The results of a search as the model sees them with their confidences, and the further results. */
export async function ratedOf(
  query: ToolQuery,
  matches: readonly ToolMatch[],
  index: ToolIndex,
  { scorer, topK, has, depth }: Asking,
  last: number = depth,
): Promise<{
  readonly found: Awaited<ReturnType<typeof resultsIn>>;
  readonly confidences: ReadonlyMap<string, number | undefined>;
}> {
  const named = new Set(query.keywords.filter(has));
  const found = await resultsIn(index, query, matches, topK, scorer.keepsTail, { named });
  const names = matches.slice(0, Math.max(RATED, last)).map(({ name }) => name);
  const rated = await index.confidence?.(query, names);
  return { found, confidences: new Map(names.map((name, at) => [name, found.head.get(name) ?? rated?.[at]])) };
}
