import type { Side } from './contestants.ts';

/** One thing that was measured, in the unit that `measure` ends with. What was not run is absent. */
export interface Figure {
  readonly measure: string;
  /** The name of the catalog. */
  readonly catalog: string;
  readonly core?: number;
  readonly ours?: number;
}

/** The catalog as it is, neither cut nor extended. */
export const PLAIN = 'plain';

export const MEASURES = {
  build: 'build: constructor and first search, ms',
  block: 'longest block while the first search is awaited, ms',
  step: 'step, nothing loaded, ms',
  loadedStep: 'step, 20 tools loaded, ms',
  resolvedFirst: "request's own tools: first step and search, ms",
  resolvedLater: "request's own tools: later step, ms",
  resolvedAgain: "request's own tools: first step of the next request, same objects, ms",
  resolvedFresh: "request's own tools: first step and search of the next request, new objects, ms",
  resolvedBlock: "request's own tools: longest block while the first search is awaited, ms",
  searchFirst50: 'search, first time: p50, ms',
  searchFirst99: 'search, first time: p99, ms',
  searchRepeated50: 'search, repeated: p50, ms',
  searchRepeated99: 'search, repeated: p99, ms',
  searchLong50: 'search of 2,000 characters, first time: p50, ms',
  searchAll50: 'search, all three rounds: p50, ms',
  searchAll99: 'search, all three rounds: p99, ms',
  denied: 'async filter: search, all denied, ms',
  deniedCalls: 'async filter: search, all denied, tools asked for',
  allowed: 'async filter: search, all allowed, ms',
  injected: 'async filter: step with injectCatalog, all allowed, ms',
  injectedCalls: 'async filter: step with injectCatalog, all allowed, tools asked for',
  heap: 'heap beyond the tools, KB a tool',
} as const;

export type Measure = (typeof MEASURES)[keyof typeof MEASURES];

export function figureOf(figures: readonly Figure[], measure: Measure, catalog: string): Figure | undefined {
  return figures.find((figure) => figure.measure === measure && figure.catalog === catalog);
}

/** How many times as much core takes. */
export function ratioOf(figure: Figure | undefined): number | undefined {
  return figure?.core === undefined || figure.ours === undefined ? undefined : figure.core / figure.ours;
}

/** What each side came to. */
export type Sides = Readonly<Partial<Record<Side, number>>>;
