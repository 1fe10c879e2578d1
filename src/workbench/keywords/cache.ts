import { hash } from 'node:crypto';
import { inTime, messageOf, unlessAborted } from '../../kit.ts';
import { KEYWORDS_PROMPT_VERSION, type ShownTool } from './model.ts';

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

/** Operations that fail in a row before no more of the kind are tried: a cache that hangs is not waited for tool by tool. */
const MAX_FAILED = 3;

/** A cache that is given up where it fails, and never holds work that was ended. It never rejects. */
export class GuardedCache {
  readonly #cache: KeywordCache;
  readonly #signal: AbortSignal | undefined;
  readonly #faults = new Set<string>();
  readonly #failedInARow = { get: 0, set: 0 };

  constructor(cache: KeywordCache, signal: AbortSignal | undefined) {
    this.#cache = cache;
    this.#signal = signal;
  }

  /** Faults of the cache, each once. */
  get faults(): readonly string[] {
    return [...this.#faults];
  }

  /** What was written for a key; undefined where there is nothing to be had. */
  async get(key: string): Promise<readonly unknown[] | undefined> {
    if (this.#signal?.aborted) return undefined;
    const text: unknown = await this.#try('get', () => this.#cache.get(key));
    if (text === undefined || text === null) return undefined;
    try {
      return listOf(text);
    } catch (error) {
      this.#faults.add(`get: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Keeps what was written. */
  async set(key: string, written: readonly unknown[]): Promise<void> {
    await this.#try('set', () => this.#cache.set(key, JSON.stringify(written)));
  }

  async #try<Value>(operation: 'get' | 'set', work: () => Value): Promise<Awaited<Value> | undefined> {
    if (this.#failedInARow[operation] >= MAX_FAILED) {
      this.#faults.add(`${operation}: not tried again, as ${MAX_FAILED} in a row failed`);
      return undefined;
    }
    try {
      const result = await inTime(unlessAborted((async () => work())(), this.#signal), TIMEOUT);
      this.#failedInARow[operation] = 0;
      return result as Awaited<Value> | undefined;
    } catch (error) {
      this.#failedInARow[operation]++;
      this.#faults.add(`${operation}: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** Throws for what is no list of keywords. */
function listOf(text: unknown): readonly unknown[] {
  const list: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
  if (!Array.isArray(list)) throw new Error('what it has is no list of keywords');
  return list;
}
