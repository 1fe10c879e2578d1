import type { LabelledTool } from './sets.ts';

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
