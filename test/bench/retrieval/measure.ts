import { median } from '../statistics.ts';
import { type Figures, figuresOf } from './metrics.ts';
import type { LabelledQuery, LabelledSet, LabelledTool } from './sets.ts';

/** How many results a contestant gives: as many as the deepest metric reads. */
export const RESULTS = 10;
/** How many of them a model is shown by default. Only these have a confidence. */
export const SHOWN = 5;

export interface Found {
  readonly name: string;
  /** From 0 to 1, where the system says how sure it is. */
  readonly confidence?: number | undefined;
}

export interface Rated {
  readonly name: string;
  /** The pieces of evidence; none for a tool that was asked for by its name. */
  readonly evidence: Readonly<Record<string, number>> | undefined;
}

export interface Answer {
  /** At most `RESULTS`, best first. */
  readonly found: readonly Found[];
  /** How likely one of the first five fits, from 0 to 1, where the system says so. */
  readonly likelihood?: number;
  /** Whether the system says that probably nothing fits. */
  readonly isWeak?: boolean;
  /** What is shown, without its tail, with the evidence that confidences are fitted on, where the system gives it. */
  readonly rated?: readonly Rated[];
  /** What the search took by its own count, where the way to it takes more than the search. */
  readonly milliseconds?: number;
}

export type Search = (query: string) => Promise<Answer>;

/** A system that searches tools. */
export interface Contestant {
  readonly name: string;
  /** Everything that is done once for a catalog. */
  build(tools: readonly LabelledTool[]): Promise<Search>;
}

/** An answer of names alone. */
export function answer(names: readonly string[]): Answer {
  return { found: names.slice(0, RESULTS).map((name) => ({ name })) };
}

/** Orders by score, best first; equal scores keep the order of the list. Scores of 0 and below are left out. */
export function ranked(scored: readonly { readonly name: string; readonly score: number }[]): Answer {
  const matches = scored.filter(({ score }) => score > 0).sort((first, second) => second.score - first.score);
  return answer(matches.map(({ name }) => name));
}

/** What one contestant did on one set. */
export interface Run {
  readonly contestant: string;
  readonly buildMilliseconds: number;
  /** In the order of the set's queries. */
  readonly searches: readonly MeasuredSearch[];
}

export interface MeasuredSearch {
  readonly query: LabelledQuery;
  readonly found: readonly Found[];
  readonly milliseconds: number;
  readonly figures: Figures;
}

/** What all contestants did on one set. */
export interface MeasuredSet {
  readonly set: LabelledSet;
  readonly runs: readonly Run[];
}

/** A build that took longer is not repeated. */
const SLOW_BUILD = 2_000;
const BUILDS = 3;

export async function measure(contestant: Contestant, set: LabelledSet): Promise<Run> {
  const { search, milliseconds: buildMilliseconds } = await build(contestant, set.tools);
  const searches: MeasuredSearch[] = [];
  for (const query of set.queries) {
    const started = performance.now();
    const { found, milliseconds = performance.now() - started } = await search(query.query);
    const names = [...new Set(found.map(({ name }) => name))];
    searches.push({ query, found, milliseconds, figures: figuresOf(names, query) });
  }
  return { contestant: contestant.name, buildMilliseconds, searches };
}

/** Builds a few times, because the first build also warms the engine up, and takes the time in the middle. */
async function build(
  contestant: Contestant,
  tools: readonly LabelledTool[],
): Promise<{ search: Search; milliseconds: number }> {
  const times: number[] = [];
  for (;;) {
    const started = performance.now();
    const search = await contestant.build(tools);
    const taken = performance.now() - started;
    times.push(taken);
    if (times.length === BUILDS || taken > SLOW_BUILD) return { search, milliseconds: median(times) };
  }
}
