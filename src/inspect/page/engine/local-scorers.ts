import { bm25Scorer, type IncrementalIndex, type ToolDocument, tieredScorer } from '../../../kit.ts';

/** A scorer that runs in the page. */
export interface LocalScorer {
  readonly name: string;
  readonly keepsTail: boolean;
  index(documents: readonly ToolDocument[]): Promise<IncrementalIndex>;
  /** The points that each word earns a tool, where that is all there is to explain. */
  points?(document: ToolDocument, keywords: readonly string[]): Promise<readonly WordPoints[]>;
}

/** What a word of a query earns a tool. */
export interface WordPoints {
  readonly word: string;
  readonly points: number;
}

/** The scorers that run in the page, as they are without options. */
export function localScorers(): ReadonlyMap<string, LocalScorer> {
  const [bm25, tiered] = [bm25Scorer(), tieredScorer()];
  const scorers: readonly LocalScorer[] = [
    {
      name: bm25.name,
      keepsTail: false,
      index: async (documents) => bm25.index(documents),
    },
    {
      name: tiered.name,
      keepsTail: true,
      index: async (documents) => tiered.index(documents),
      async points(document, keywords) {
        // What a word earns a tool does not depend on other words, or tools.
        const index = await tiered.index([document]);
        const words = [...new Set(keywords)];
        const found = await Promise.all(
          words.map((word) => index.search({ text: word, keywords: [word], required: [] })),
        );
        return words.map((word, at) => ({ word, points: found[at]?.[0]?.score ?? 0 }));
      },
    },
  ];
  return new Map(scorers.map((scorer) => [scorer.name, scorer]));
}
