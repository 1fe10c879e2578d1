import type { MaybePromise } from '../../util/maybe-promise.ts';
import { inSlices } from '../../util/time-slices.ts';
import { type Bm25ScorerOptions, bm25Builder } from '../bm25/bm25.ts';
import { consoleContext, type ScorerContext, type ToolScorer } from '../scorer.ts';
import { FusedIndex } from './fused-index.ts';
import { ToolVectors } from './tool-vectors.ts';
import type { WordTable } from './word-table.ts';

export const NAME = 'words and meaning';

/**
 * Ranks by words and a table of word vectors. The table is passed in because the inspector's page cannot import the
 * module with it.
 *
 * @param tableFor - returns undefined to rank by words alone.
 */
export function tableScorer(
  tableFor: (context: ScorerContext) => MaybePromise<WordTable | undefined>,
  options: Bm25ScorerOptions = {},
): ToolScorer {
  const words = bm25Builder('wordsAndMeaningScorer', options);
  return {
    name: NAME,
    key: `${NAME} ${words.key}`,
    givesConfidence: true,
    keepsTail: true,
    async index(documents, context = consoleContext) {
      const table = await tableFor(context);
      const byWords = await words.index(documents);
      if (!table) return byWords;
      const tools = await inSlices(ToolVectors.build(documents, table));
      return inSlices(FusedIndex.build(byWords, tools));
    },
  };
}
