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
  /**
   * What becomes of it in a search: the model is `shown` it, or not, as it is of the `tail` of the first results, or lies
   * `below` them.
   */
  readonly fate: 'shown' | 'tail' | 'below';
  /** How likely it is what was asked for, from 0 to 1; left out where the scorer cannot tell. */
  readonly confidence?: number;
  readonly explanation?: MatchExplanation;
}

/** What a scorer makes of a query. */
export interface Ranking {
  readonly scorer: string;
  readonly query: string;
  /** The first tools, best first. */
  readonly tools: readonly RankedTool[];
  /** Names of the first tools, further down than `tools`: the places that a tool can be said to have. */
  readonly names: readonly string[];
  /** Count of all tools that match; of a server, of those that it tells. */
  readonly count: number;
  /** Whether more may match than are counted. */
  readonly isCut?: true;
  /** How likely one of the rated tools is what was asked for; left out where the scorer cannot tell. */
  readonly likelihood?: number;
  /** Whether the model is told that probably nothing fits; left out where the scorer cannot tell. */
  readonly isWeak?: boolean;
  /** Whether the query is a list of names, which no scorer ranks. */
  readonly isSelection?: true;
}

/** The way in which an index is asked. */
export interface Asking {
  readonly scorer: ToolScorer;
  readonly topK: number;
  /** Tools that are returned with all there is to say of them. */
  readonly depth: number;
  /** Whether the request may find a tool of that name. */
  has(name: string): boolean;
}

/** Places that are told of. */
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

/** Tools that are rated, at least: what is said of one may depend on which are rated with it. */
const RATED = 50;

/** The results of a search as the model is shown them, and how likely each is: rated as the model sees them, and behind them. */
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
