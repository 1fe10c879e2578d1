import type { MastraModelConfig } from '@mastra/core/llm';
import { checkOption } from '../../errors.ts';
import { type ToolScorer, wordsAndMeaningScorer } from '../../kit.ts';
import { type NamesOf, refuseUnknownOptions } from '../../util/check.ts';
import { isRecord } from '../../util/record.ts';
import type { EvaluationCase, ToolsToRead } from '../evaluate/cases.ts';

/**
 * The model that writes keywords: as an Agent takes it, or a function that answers a prompt with text.
 *
 * @example
 * ```ts
 * const byName: KeywordModel = 'openai/gpt-5-mini';
 * const bySelf: KeywordModel = async (prompt, { signal }) => {
 *   const response = await fetch('http://localhost:8080/complete', { method: 'POST', body: prompt, signal });
 *   return response.text();
 * };
 * ```
 */
export type KeywordModel =
  | MastraModelConfig
  | ((prompt: string, options: { readonly signal: AbortSignal }) => string | Promise<string>);

/**
 * Progress of the work.
 *
 * @example
 * ```ts
 * const say = ({ stage, done, total }: KeywordProgress) => `${stage}: ${done} of ${total} tools`;
 * ```
 */
export interface KeywordProgress {
  /** Whether the model is being asked, or the cases are being judged. */
  readonly stage: 'asking' | 'judging';
  /** Numbers of tools. */
  readonly done: number;
  readonly total: number;
}

/**
 * The options of `suggestKeywords`.
 *
 * @example
 * ```ts
 * const options: SuggestKeywordsOptions = { tools, model: 'openai/gpt-5-mini', cache: 'keywords-cache.json', maxCalls: 20 };
 * ```
 */
export interface SuggestKeywordsOptions {
  /** The tools, as the processor takes them, or a list as `tools/list` of an MCP server returns it. */
  readonly tools: ToolsToRead;
  /** The model that writes: as an Agent takes it, or a function from a prompt to a text. */
  readonly model: KeywordModel;
  /** With cases, a keyword is kept only if the cases that want its tool gain and no case loses. @default none */
  readonly cases?: readonly EvaluationCase[];
  /** The scorer that ranks the cases, which should be the processor's. @default wordsAndMeaningScorer() */
  readonly scorer?: ToolScorer;
  /** The processor's `search.keywords`, which stay and are not suggested again. @default none */
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  /**
   * A JSON file that caches the model's keywords by the content of the tool and the name of the model, so that the model is
   * asked again only if a tool changes. Cached keywords are validated like an answer.
   *
   * @default none
   */
  readonly cache?: string;
  /** Maximum number of keywords per tool. @default 10 */
  readonly perTool?: number;
  /** Number of tools per call, all of one server. @default 20 */
  readonly batchSize?: number;
  /** Number of concurrent calls. @default 4 */
  readonly concurrency?: number;
  /** Maximum number of model calls, including repeated ones. @default Infinity */
  readonly maxCalls?: number;
  /** Timeout of a call in milliseconds. @default 120000 */
  readonly timeout?: number;
  /** Aborts the work. The results so far are returned. */
  readonly signal?: AbortSignal;
  /** Called after each step. Its errors are ignored. */
  readonly onProgress?: (progress: KeywordProgress) => void;
}

type Defaults = 'scorer' | 'keywords' | 'perTool' | 'batchSize' | 'concurrency' | 'maxCalls' | 'timeout';

export type KeywordSettings = SuggestKeywordsOptions &
  Required<Pick<SuggestKeywordsOptions, Defaults>> & {
    /** Never throws. */
    readonly progress: (progress: KeywordProgress) => void;
  };

const optionNames: NamesOf<SuggestKeywordsOptions> = {
  ...{ tools: true, model: true, cases: true, scorer: true, keywords: true, cache: true, perTool: true },
  ...{ batchSize: true, concurrency: true, maxCalls: true, timeout: true, signal: true, onProgress: true },
};

/** @throws ToolSearchError `invalid-option` */
export function keywordSettingsOf(options: SuggestKeywordsOptions): KeywordSettings {
  refuseUnknownOptions('suggestKeywords', options, optionNames);
  const {
    model,
    cache,
    signal,
    onProgress,
    scorer = wordsAndMeaningScorer(),
    keywords = {},
    timeout = 120_000,
  } = options;
  const { perTool = 10, batchSize = 20, concurrency = 4, maxCalls = Number.POSITIVE_INFINITY } = options;
  const isWhole = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most;
  const isModel = typeof model === 'function' || isRecord(model) || (typeof model === 'string' && model !== '');
  const isBudget = maxCalls === Number.POSITIVE_INFINITY || (Number.isInteger(maxCalls) && maxCalls >= 0);
  const isCache = cache === undefined || (typeof cache === 'string' && cache !== '');
  const isScorer = isRecord(scorer) && typeof scorer.index === 'function';
  for (const [option, isValid, value, expected] of [
    ['model', isModel, model, "a model such as 'openai/gpt-5-mini', or a function from a prompt to a text"],
    ['perTool', isWhole(perTool, 30), perTool, 'a whole number from 1 to 30'],
    ['batchSize', isWhole(batchSize, 100), batchSize, 'a whole number from 1 to 100'],
    ['concurrency', isWhole(concurrency, 100), concurrency, 'a whole number from 1 to 100'],
    ['maxCalls', isBudget, maxCalls, 'a whole number, or Infinity'],
    ['timeout', typeof timeout === 'number' && timeout > 0, timeout, 'a number of milliseconds above 0'],
    ['cache', isCache, cache, 'the name of a JSON file'],
    ['signal', signal === undefined || signal instanceof AbortSignal, signal, 'an AbortSignal'],
    ['onProgress', onProgress === undefined || typeof onProgress === 'function', onProgress, 'a function'],
    ['scorer', isScorer, scorer, 'a scorer such as wordsAndMeaningScorer()'],
    ['keywords', isKeywords(keywords), keywords, 'a record of lists of words, by the names of tools'],
  ] as const)
    checkOption(isValid, option, value, expected);
  const progress: KeywordSettings['progress'] = (reached) => {
    try {
      onProgress?.(reached);
    } catch {
      // An error of the listener must not fail the work.
    }
  };
  return { ...options, scorer, keywords, perTool, batchSize, concurrency, maxCalls, timeout, progress };
}

function isKeywords(value: unknown): boolean {
  const lists: readonly unknown[] = isRecord(value) ? Object.values(value) : [undefined];
  return lists.every((list) => Array.isArray(list) && list.every((word) => typeof word === 'string'));
}
