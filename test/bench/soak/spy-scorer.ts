import { bm25Scorer, type ToolScorer } from '../../../src/index.ts';
import type { IncrementalIndex } from '../../../src/scorers/incremental-index.ts';

/** The default scorer, which counts the indexes that are built, and those that are made of another one. */
export function spyScorer(counts: { builds: number; updates: number }): ToolScorer {
  const scorer = bm25Scorer();
  const spied = (index: IncrementalIndex): IncrementalIndex => ({
    search: (query) => index.search(query),
    ranked: (query) => index.ranked?.(query) ?? index.search(query),
    confidence: (query, names) => index.confidence?.(query, names) ?? [],
    async update(added, removed) {
      const updated = await index.update?.(added, removed);
      if (!updated) return undefined;
      counts.updates += 1;
      return spied(updated);
    },
  });
  return {
    name: scorer.name,
    async index(documents, context) {
      counts.builds += 1;
      return spied(await scorer.index(documents, context));
    },
  };
}
