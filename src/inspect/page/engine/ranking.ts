import { type MatchExplanation, parseQuery, resultsIn, type ToolIndex } from '../../../kit.ts';
import type { WordPoints } from './local-scorers.ts';

/** A tool in a ranking. */
export interface RankedTool {
  readonly name: string;
  readonly score: number;
  /**
   * What becomes of it in a search: the model is `shown` it, or not, as it is of the `tail` of the first results, or lies
   * `below` them.
   */
  readonly fate: 'shown' | 'tail' | 'below';
  /** How likely it is what was asked for, from 0 to 1; left out where the scorer cannot tell, and for what is not rated. */
  readonly confidence?: number;
  readonly explanation?: MatchExplanation;
  /** In place of an explanation: the points that each word of the query earns it. */
  readonly points?: readonly WordPoints[];
}

/** What a scorer makes of a query. */
export interface Ranking {
  readonly scorer: string;
  readonly query: string;
  /** The first tools, best first. */
  readonly tools: readonly RankedTool[];
  /** Names of the first tools, further down than `tools`: the places that a tool can be said to have. */
  readonly names: readonly string[];
  /** Count of all tools that match. */
  readonly count: number;
  /** How likely one of the rated tools is what was asked for; left out where the scorer cannot tell. */
  readonly likelihood?: number;
  /** Whether the model is told that probably nothing fits; left out where the scorer cannot tell. */
  readonly isWeak?: boolean;
  /** Whether the query is a list of names, which no scorer ranks. */
  readonly isSelection?: true;
}

/** The way in which an index is asked. */
export interface Asking {
  readonly topK: number;
  /** Tools that are returned with all there is to say of them. */
  readonly depth: number;
  readonly keepsTail: boolean;
  /** Explains an index that does not explain itself. */
  points?(name: string, keywords: readonly string[]): Promise<readonly WordPoints[]>;
  /** Whether the catalog has a tool of that name. */
  has(name: string): boolean;
}

/** Places that are told of. */
const MAX_NAMES = 1_000;

/** Ranks as a search of the processor does: the same tools are shown, cut and rated. */
export async function rankingOf(scorer: string, text: string, index: ToolIndex, asking: Asking): Promise<Ranking> {
  const query = parseQuery(text);
  if (query.select) return selection(scorer, text, query.select.filter(asking.has));
  const matches = [...(await index.search(query))];
  const named = new Set(query.keywords.filter(asking.has));
  const found = await resultsIn(index, query, matches, asking.topK, asking.keepsTail, { named });
  const considered = new Set(found.candidates);
  const fateOf = (name: string): RankedTool['fate'] =>
    found.shown.has(name) ? 'shown' : considered.has(name) && !found.head.has(name) ? 'tail' : 'below';
  const tools = await Promise.all(
    matches.slice(0, asking.depth).map(async ({ name, score }): Promise<RankedTool> => {
      const explanation = await index.explain?.(query, name);
      const points = explanation ? undefined : await asking.points?.(name, query.keywords);
      const confidence = found.head.get(name);
      return {
        ...{ name, score, fate: fateOf(name) },
        ...(confidence === undefined ? {} : { confidence }),
        ...(explanation ? { explanation } : {}),
        ...(points ? { points } : {}),
      };
    }),
  );
  return {
    ...{ scorer, query: text, tools, count: matches.length },
    names: matches.slice(0, MAX_NAMES).map(({ name }) => name),
    ...found.verdict,
  };
}

/** What a query such as `select:send_email` is answered. */
function selection(scorer: string, query: string, names: readonly string[]): Ranking {
  const tools = names.map((name): RankedTool => ({ name, score: 0, fate: 'shown' }));
  return { scorer, query, tools, names, count: names.length, isSelection: true };
}
