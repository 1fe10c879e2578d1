import type { Bm25ScorerOptions } from '../bm25/bm25.ts';
import type { ScorerContext, ToolScorer } from '../scorer.ts';
import { NAME, tableScorer } from './table-scorer.ts';
import { inTable, tableOf, tableWords, type WordTable } from './word-table.ts';

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
  return tableScorer(tableFor, options);
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
  return tableOf(await wordVectors());
}

/** The table as it is in the package, in base64. */
export async function wordVectors(): Promise<string> {
  return (await import('./word-vectors.js')).WORD_VECTORS;
}

/** The vector of a query: the sum of those of its words. Undefined where the table knows none of them, or is not there. */
export async function queryVector(query: string, context: ScorerContext): Promise<Int32Array | undefined> {
  const table = await tableFor(context);
  if (!table) return undefined;
  const sum = new Int32Array(table.dims);
  let isKnown = false;
  for (const word of tableWords(query)) {
    const text = inTable(word);
    if (text !== '' && table.add(text, sum)) isKnown = true;
  }
  return isKnown ? sum : undefined;
}
