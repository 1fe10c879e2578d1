import { hash } from 'node:crypto';
import { KEYWORDS_PROMPT_VERSION } from '../prompts/keywords.ts';
import { inTime } from '../util/timeout.ts';
import type { ShownTool } from './shown-tool.ts';

/**
 * Keeps what a model wrote for a tool, so that it is asked again only where the tool changes: a Map, a file, Redis. What is in
 * it is checked like a model's answer.
 *
 * @example
 * ```ts
 * import { readFile, writeFile } from 'node:fs/promises';
 *
 * const inFiles: KeywordCache = {
 *   get: (key) => readFile(`/tmp/${key}.json`, 'utf8').catch(() => undefined),
 *   set: (key, text) => writeFile(`/tmp/${key}.json`, text),
 * };
 * const { keywords } = await suggestKeywords({ tools, model: 'openai/gpt-5-mini', cache: inFiles });
 * ```
 */
export interface KeywordCache {
  /** The text of a key; undefined or null where there is none. */
  get(key: string): string | undefined | null | Promise<string | undefined | null>;
  /** Keeps a text. */
  set(key: string, text: string): unknown;
}

/** Milliseconds for one operation. */
const TIMEOUT = 2_000;

/** The key of a tool as the model sees it. */
export function cacheKey(tool: ShownTool, model: string, most: number): string {
  const content = JSON.stringify([KEYWORDS_PROMPT_VERSION, model, most, tool]);
  return `keywords-${hash('sha256', content, 'hex')}`;
}

/** What was written for a key; undefined where there is nothing. Throws what the cache throws, and for another content. */
export async function cached(cache: KeywordCache, key: string): Promise<readonly unknown[] | undefined> {
  const text = await inTime((async () => cache.get(key))(), TIMEOUT);
  if (text === undefined || text === null) return undefined;
  const list: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
  if (!Array.isArray(list)) throw new Error('what it has is no list of keywords');
  return list;
}

/** Keeps what was written. Throws what the cache throws. */
export async function keep(cache: KeywordCache, key: string, written: readonly unknown[]): Promise<void> {
  await inTime((async () => cache.set(key, JSON.stringify(written)))(), TIMEOUT);
}
