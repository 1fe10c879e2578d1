import { documentsOf, given, namesIn, runToEnd } from '../../kit.ts';
import { catalogOf, readCases } from '../evaluate/cases.ts';
import { type DroppedKeyword, judge, validate } from './judge.ts';
import { KeywordFile } from './keyword-file.ts';
import { keywordSettingsOf, type SuggestKeywordsOptions } from './options.ts';
import { write } from './write.ts';

/**
 * What was suggested for one tool.
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
  /** Where the keywords come from; left out where nothing was written. */
  readonly from?: 'model' | 'cache';
  /** Why nothing was written. */
  readonly fault?: string;
  /** What the cases that want the tool gain in nDCG@10, in the mean; left out where none wants it, or nothing is kept. */
  readonly gain?: number;
}

/**
 * What `suggestKeywords` comes to.
 *
 * @example
 * ```ts
 * const ofTool = ({ keywords }: KeywordSuggestions, name: string) => keywords[name] ?? [];
 * ```
 */
export interface KeywordSuggestions {
  /** The option `search.keywords`: those that were given, and those that are kept. */
  readonly keywords: Readonly<Record<string, readonly string[]>>;
  /** Each tool of the catalog, in its order. */
  readonly tools: readonly ToolSuggestion[];
  /** Calls of the model. */
  readonly calls: number;
  /** The mean nDCG@10 of the cases, without and with what is kept; left out without cases. */
  readonly ndcg10?: { readonly before: number; readonly after: number };
  /** Why the file of `cache` could not be written; left out where it could. */
  readonly cacheFault?: string;
}

/**
 * Has a model write the words that people would use for each tool and that its text does not have. They are for the index
 * alone: give them to `search.keywords`, and no model ever reads them.
 *
 * With cases, keywords are kept only where these prove them: no case has its relevant tools further down than before, or
 * is told otherwise whether anything fits; and of the tools that cases want, those cases gain. The model never sees the
 * cases. Where a case loses, the keywords that share a word with it go, and the rest is judged again.
 *
 * A call that fails leaves its tools without keywords, and the report says so. What was written before stays.
 *
 * @throws ToolSearchError `invalid-option` for wrong options, `invalid-tool` or `duplicate-tool` as the processor does. What
 * a scorer throws is thrown.
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
