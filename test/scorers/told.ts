import type { ToolDocument, ToolMatch, ToolScorer } from 'mastra-tool-search';
import { document } from '../fixtures/tools.ts';

export type { IncrementalIndex } from '../../src/scorers/scorer.ts';

export const documents: readonly ToolDocument[] = ['a', 'b', 'c', 'd'].map((name) => document(name, `Does ${name}.`));

/** Ranks as it is told, whatever the query. */
export function ranks(...names: string[]): ToolScorer {
  return scores(...names.map((name, position) => ({ name, score: names.length - position })));
}

/** Scores as it is told, whatever the query. */
export function scores(...matches: ToolMatch[]): ToolScorer {
  return { name: 'told', index: () => ({ search: () => matches }) };
}
