// Systems that search tools, and what each does on a labelled set.
import { toolDocument } from '../../../src/catalog/document.ts';
import type { ToolDocument, ToolScorer } from '../../../src/index.ts';
import type { ToolIndex } from '../../../src/scorers/scorer.ts';
import { parseQuery, type ToolQuery } from '../../../src/scorers/words/query.ts';
import { verdictOfAny, withoutTail } from '../../../src/search/find.ts';
import type { MaybePromise } from '../../../src/util/maybe-promise.ts';
import { type Figures, figuresOf as figuresOfRanking } from '../../../src/workbench/evaluate/metrics.ts';
import { median, timed } from '../statistics.ts';
import { type LabelledQuery, type LabelledSet, type LabelledTool, needsOf } from './sets.ts';

/** How many results a contestant gives: as many as the deepest metric reads. */
export const RESULTS = 10;
/** How many of them a model is shown by default. Only these have a confidence. */
export const SHOWN = 5;

export type Evidence = Readonly<Record<string, number>>;

export interface Answer {
  /** At most `RESULTS`, best first, with a confidence from 0 to 1 where the system says how sure it is. */
  readonly found: readonly { readonly name: string; readonly confidence?: number | undefined }[];
  /** How likely one of the first five fits, from 0 to 1, where the system says so. */
  readonly likelihood?: number;
  /** Whether the system says that probably nothing fits. */
  readonly isWeak?: boolean;
  /** What is shown, without its tail, with what confidences are fitted on; no evidence for a tool asked for by name. */
  readonly rated?: readonly { readonly name: string; readonly evidence: Evidence | undefined }[];
  /** What the likelihood of any of them is fitted on, beside their confidences. */
  readonly together?: Evidence | undefined;
  /** What the search took by its own count, where the way to it takes more than the search. */
  readonly milliseconds?: number;
}

export type Search = (query: string) => Promise<Answer>;

/** A system that searches tools. */
export interface Contestant {
  readonly name: string;
  /** Everything that is done once for a catalog. */
  build(tools: readonly LabelledTool[]): Promise<Search>;
  /** Ends what would keep the process. */
  end?(): void;
}

/** An answer of names alone. */
export function answer(names: readonly string[]): Answer {
  return { found: names.slice(0, RESULTS).map((name) => ({ name })) };
}

/** What a scorer sees of tools. */
export function documentsOf(tools: readonly LabelledTool[]): readonly ToolDocument[] {
  return tools.map(({ id, description, inputSchema, annotations, server }) => {
    const mcpMetadata = { serverName: server };
    return toolDocument(id, { description, inputSchema, mcp: { annotations }, mcpMetadata }).document;
  });
}

interface RatedEvidence {
  readonly each: readonly (Evidence | undefined)[];
  readonly together?: Evidence;
}

/** An index that tells what its confidences are made of. */
interface EvidentIndex extends ToolIndex {
  evidence?(query: ToolQuery, names: readonly string[]): MaybePromise<RatedEvidence>;
}

/** A scorer as the processor uses it, without the processor: documents and a parsed query in, all matches out. */
export function ofScorer(scorer: ToolScorer, name: string = scorer.name): Contestant {
  return {
    name,
    async build(tools) {
      const index: EvidentIndex = await scorer.index(documentsOf(tools));
      return async (text) => {
        const query = parseQuery(text);
        const matches = (await index.search(query)).slice(0, RESULTS);
        const best = matches.slice(0, SHOWN);
        const confidences = await index.confidence?.(
          query,
          best.map((match) => match.name),
        );
        const found = matches.map((match, rank) => ({ name: match.name, confidence: confidences?.[rank] }));
        // The verdict is on what a search shows, which has no tail.
        const shown = (scorer.keepsTail ? best : withoutTail(best)).map((match) => match.name);
        const rated = await index.confidence?.(query, shown);
        if (rated?.length !== shown.length) return { found };
        const { each, together } = (await index.evidence?.(query, shown)) ?? { each: [] };
        return {
          ...{ found, ...verdictOfAny(rated), together },
          rated: each.map((evidence, rank) => ({ name: shown[rank] ?? '', evidence })),
        };
      };
    },
  };
}

/** @param ranked - names, best first, each once. */
export function figuresOf(ranked: readonly string[], query: LabelledQuery): Figures {
  return figuresOfRanking(ranked, query.relevant, needsOf(query), SHOWN);
}

/** What one contestant did on one set. */
export interface Run {
  readonly contestant: string;
  readonly buildMilliseconds: number;
  /** In the order of the set's queries. */
  readonly searches: readonly MeasuredSearch[];
}

interface MeasuredSearch {
  readonly query: LabelledQuery;
  readonly found: Answer['found'];
  readonly milliseconds: number;
  readonly figures: Figures;
}

/** A build that took longer is not repeated. */
const SLOW_BUILD = 2_000;
const BUILDS = 3;

export async function measure(contestant: Contestant, set: LabelledSet): Promise<Run> {
  // The first build also warms the engine up, so the time is the median of a few.
  const builds: number[] = [];
  let search: Search | undefined;
  while (builds.length < BUILDS && (builds.at(-1) ?? 0) <= SLOW_BUILD) {
    builds.push(await timed(async () => (search = await contestant.build(set.tools))));
  }
  const searches: MeasuredSearch[] = [];
  for (const query of set.queries) {
    const started = performance.now();
    const { found, milliseconds = performance.now() - started } = await search!(query.query);
    const names = [...new Set(found.map(({ name }) => name))];
    searches.push({ query, found, milliseconds, figures: figuresOf(names, query) });
  }
  return { contestant: contestant.name, buildMilliseconds: median(builds), searches };
}
