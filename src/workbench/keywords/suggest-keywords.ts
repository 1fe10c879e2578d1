import { documentsOf, namesIn } from '../../kit.ts';
import { given } from '../../util/record.ts';
import { runToEnd } from '../../util/time-slices.ts';
import { catalogOf, readCases } from '../evaluate/cases.ts';
import { type DroppedKeyword, judge, validate } from './judge.ts';
import { KeywordFile } from './keyword-file.ts';
import { keywordSettingsOf, type SuggestKeywordsOptions } from './options.ts';
import { write } from './write.ts';

/**
 * The suggestions for one tool.
 *
 * @example
 * ```ts
 * const say = ({ name, kept, gain }: ToolSuggestion) => `${name}: ${kept.join(', ')} (${gain ?? 'no case wants it'})`;
 * ```
 */
export interface ToolSuggestion {
  readonly name: string;
  readonly kept: readonly string[];
  readonly dropped: readonly DroppedKeyword[];
  /** The source of the keywords; absent if none were written. */
  readonly from?: 'model' | 'cache';
  /** Why no keywords were written. */
  readonly fault?: string;
  /** The mean gain in nDCG@10 of the cases that want the tool; absent if no case wants it, or no keyword is kept. */
  readonly gain?: number;
}

/**
 * The result of `suggestKeywords`.
 *
 * @example
 * ```ts
 * const ofTool = ({ keywords }: KeywordSuggestions, name: string) => keywords[name] ?? [];
 * ```
 */
export interface KeywordSuggestions {
  /** A value for `search.keywords`: the given keywords and the kept ones. */
  readonly keywords: Readonly<Record<string, readonly string[]>>;
  /** Each tool of the catalog, in its order. */
  readonly tools: readonly ToolSuggestion[];
  /** Number of model calls. */
  readonly calls: number;
  /** The mean nDCG@10 of the cases, without and with the kept keywords; absent without cases. */
  readonly ndcg10?: { readonly before: number; readonly after: number };
  /** Why the file of `cache` could not be written; absent if it could. */
  readonly cacheFault?: string;
}

/**
 * Lets a model write words that people would use for each tool and that its text lacks. They are for the search index alone:
 * pass them to `search.keywords`; no model ever reads them.
 *
 * With cases, keywords are kept only if the cases prove them: no case ranks its relevant tools lower than before or gets
 * another verdict, and the cases that want a tool gain from its keywords. The model never sees the cases. If a case loses, the
 * keywords that share a word with it are dropped, and the rest is judged again.
 *
 * A failed call leaves its tools without keywords, and the report says so. Keywords written before stay.
 *
 * @throws ToolSearchError `invalid-option` for wrong options, `invalid-tool` or `duplicate-tool` as the processor does; also
 * the scorer's own errors.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 *
 * const cases = parseCases(readFileSync('cases.jsonl', 'utf8'));
 * const { keywords } = await suggestKeywords({ tools, model: 'openai/gpt-5-mini', cases });
 * new ToolSearchProcessor({ tools, search: { keywords } });
 * ```
 */
export async function suggestKeywords(options: SuggestKeywordsOptions): Promise<KeywordSuggestions> {
  const settings = keywordSettingsOf(options);
  const catalog = catalogOf(settings.tools, settings.keywords);
  const cases = settings.cases && readCases(settings.cases, catalog);
  const documents = runToEnd(documentsOf(catalog));
  const cache = settings.cache === undefined ? undefined : new KeywordFile(settings.cache);
  const { written, fromCache, faults, calls } = await write(documents, settings, cache);
  const valid = validate(written, documents, settings.perTool);
  const suggested = new Map([...valid].map(([name, { keywords }]) => [name, keywords]));
  const judged = cases && (await judge(suggested, documents, cases, settings));
  const keywords = new Map(Object.entries(settings.keywords));
  const tools = namesIn(catalog).map((name): ToolSuggestion => {
    const { keywords: all, dropped } = valid.get(name) ?? { keywords: [], dropped: [] };
    const { kept, why, gain } = judged?.judgements.get(name) ?? { kept: all };
    const others = all.flatMap((keyword) => (why && !kept.includes(keyword) ? [{ keyword, why }] : []));
    const fault = faults.get(name);
    if (kept.length > 0) keywords.set(name, [...(keywords.get(name) ?? []), ...kept]);
    return {
      ...{ name, kept, dropped: [...dropped, ...others] },
      ...(written.has(name) ? { from: fromCache.has(name) ? 'cache' : 'model' } : {}),
      ...(fault === undefined ? {} : { fault }),
      ...(gain === undefined ? {} : { gain }),
    };
  });
  return {
    ...{ keywords: Object.fromEntries(keywords), tools, calls },
    ...given({ ndcg10: judged?.ndcg10, cacheFault: cache?.fault }),
  };
}
