import type { Bm25ScorerOptions } from '../bm25/bm25.ts';
import type { ScorerContext, ToolScorer } from '../scorer.ts';
import { NAME, tableScorer } from './table-scorer.ts';
import { inTable, tableOf, tableWords, type WordTable } from './word-table.ts';

/**
 * Ranks by words, as `bm25Scorer()` does, and by meaning: a table of word vectors, which is part of the package, tells
 * that an invoice is a bill. The default. No model runs, and nothing is sent anywhere.
 *
 * The table is loaded with the first index. If that fails, words rank alone, and the fault is reported once.
 *
 * A score has no natural scale: the difference of two is the logarithm of how much likelier one tool is than the other.
 * A query that is a tool's name, in any spelling, ranks that tool first.
 *
 * @param options - the options of `bm25Scorer`, for the words.
 * @throws ToolSearchError `invalid-option` for an unknown option, a boost that is no finite number of at least 0, or
 * invalid synonyms.
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
/** Contexts to which the missing table was reported. */
const told = new WeakSet<ScorerContext>();

/**
 * The table, loaded once. Undefined if that fails, which is reported once for each context; the next index tries again.
 */
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

/** The table of the package, in base64. */
export async function wordVectors(): Promise<string> {
  return (await import('./word-vectors.js')).WORD_VECTORS;
}

/** The sum of the vectors of a query's words; undefined if the table knows none of them, or cannot be loaded. */
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
