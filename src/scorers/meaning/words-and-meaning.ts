import { inSlices } from '../../util/time-slices.ts';
import { type Bm25ScorerOptions, bm25Builder } from '../bm25/bm25.ts';
import { consoleContext, type ScorerContext, type ToolScorer } from '../scorer.ts';
import { FusedIndex } from './fused-index.ts';
import { ToolVectors } from './tool-vectors.ts';
import { WordTable } from './word-table.ts';

const NAME = 'words and meaning';

/**
 * Ranks by words as `bm25Scorer()` does, and by meaning: a table of word vectors, which is a part of the package, knows
 * that an invoice is a bill. The default. No model runs, and nothing is sent anywhere.
 *
 * The table is loaded with the first index. Where it cannot be, words rank alone, which is reported once.
 *
 * A score has no natural scale: the difference of two is the logarithm of how much likelier one tool is than the other. A
 * query that is a tool's name, in any spelling, ranks that tool first.
 *
 * @param options - those of `bm25Scorer`, for the words.
 * @throws ToolSearchError `invalid-option` for an unknown option, a boost that is no finite number of at least 0, or no synonyms.
 *
 * @example
 * ```ts
 * const scorer = wordsAndMeaningScorer({ synonyms: [...toolSynonyms, { words: ['pto', 'vacation'] }] });
 * new ToolSearchProcessor({ tools, search: { scorer } });
 * ```
 */
export function wordsAndMeaningScorer(options: Bm25ScorerOptions = {}): ToolScorer {
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

let loading: Promise<WordTable> | undefined;
/** Who was told that there is no table. */
const told = new WeakSet<ScorerContext>();

/** The table, loaded once; undefined where that fails, which is reported once. The next index tries again. */
export async function tableFor(context: ScorerContext): Promise<WordTable | undefined> {
  try {
    loading ??= loadTable();
    return await loading;
  } catch (error) {
    loading = undefined;
    if (!told.has(context)) context.report({ scorer: NAME, error });
    told.add(context);
    return undefined;
  }
}

async function loadTable(): Promise<WordTable> {
  const { WORD_VECTORS } = await import('./word-vectors.js');
  return new WordTable(bytesOf(WORD_VECTORS));
}

/** Bytes in base64. Node reads them many times faster than what browsers have as well. */
function bytesOf(base64: string): Uint8Array {
  return typeof Buffer === 'undefined'
    ? Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    : Buffer.from(base64, 'base64');
}
