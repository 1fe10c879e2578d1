import { cut, inTime, messageOf, type ToolDocument } from '../../kit.ts';
import { cacheKey, GuardedCache } from './cache.ts';
import { type Ask, asking, keywordsPrompt, modelName, type ShownTool, shownTool } from './model.ts';
import type { KeywordSettings } from './options.ts';

/** What was written, by tool. */
export interface Writing {
  readonly written: ReadonlyMap<string, readonly unknown[]>;
  /** The tools whose keywords the cache had. */
  readonly fromCache: ReadonlySet<string>;
  /** The reason, by tool, where nothing was written. */
  readonly faults: ReadonlyMap<string, string>;
  /** Faults of the cache, each once. */
  readonly cacheFaults: readonly string[];
  readonly calls: number;
}

interface Open {
  readonly name: string;
  /** The server or group, whose tools alone share a prompt with it. */
  readonly server: string;
  readonly shown: ShownTool;
  readonly key: string;
}

/** Batches that fail in a row before no more are asked: a key that is refused stays refused. */
const MAX_FAILED = 3;
/** Keywords of an answer that are kept, and their characters: one too many shows that it is too long. */
const MAX_WRITTEN = 100;
const MAX_CHARACTERS = 101;

/** Has keywords written for the tools of a catalog. Never rejects: what is at fault is said, and what was written stays. */
export async function write(documents: readonly ToolDocument[], options: KeywordSettings): Promise<Writing> {
  return new Writer(options).write(documents);
}

class Writer {
  readonly #options: KeywordSettings;
  readonly #ask: Ask;
  readonly #written = new Map<string, readonly unknown[]>();
  readonly #fromCache = new Set<string>();
  readonly #faults = new Map<string, string>();
  readonly #cache: GuardedCache | undefined;
  #calls = 0;
  #failedInARow = 0;
  #done = 0;

  constructor(options: KeywordSettings) {
    this.#options = options;
    this.#ask = asking(options.model);
    this.#cache = options.cache && new GuardedCache(options.cache, options.signal);
  }

  async write(documents: readonly ToolDocument[]): Promise<Writing> {
    const { batchSize, concurrency, perTool, model } = this.#options;
    const id = modelName(model);
    const tools = documents.map((document): Open => {
      const shown = shownTool(document);
      return { name: document.name, server: document.server, shown, key: cacheKey(shown, id, perTool) };
    });
    const open = (await inTurn(tools, 16, (tool) => this.#recall(tool))).filter((tool) => tool !== undefined);
    this.#progress(tools.length - open.length, tools.length);
    const batches = batchesOf(open, batchSize);
    await inTurn(batches, concurrency, async (batch) => {
      await this.#askFor(batch);
      this.#progress(batch.length, tools.length);
    });
    return {
      written: this.#written,
      fromCache: this.#fromCache,
      faults: this.#faults,
      cacheFaults: this.#cache?.faults ?? [],
      calls: this.#calls,
    };
  }

  /** The tool, unless the cache has what was written for it. */
  async #recall(tool: Open): Promise<Open | undefined> {
    const list = await this.#cache?.get(tool.key);
    if (!list) return tool;
    this.#written.set(tool.name, list);
    this.#fromCache.add(tool.name);
    return undefined;
  }

  /** Asks for a batch, and once more for what the answer leaves out. */
  async #askFor(batch: readonly Open[]): Promise<void> {
    let open = batch;
    let fault = '';
    for (let attempt = 0; attempt < 2 && open.length > 0; attempt++) {
      const end = this.#end();
      if (end !== undefined) {
        fault ||= end;
        break;
      }
      this.#calls++;
      try {
        const written = await this.#inTime(open.map(({ shown }) => shown));
        const answered = open.filter(({ shown }) => written.has(shown.name));
        await Promise.all(answered.map((tool) => this.#take(tool, written.get(tool.shown.name) ?? [])));
        open = open.filter((tool) => !answered.includes(tool));
        fault = 'the answer leaves the tool out';
      } catch (error) {
        fault = messageOf(error);
      }
    }
    for (const { name } of open) this.#faults.set(name, fault);
    this.#failedInARow = open.length === batch.length ? this.#failedInARow + 1 : 0;
  }

  /** Why no more is asked; undefined where it is. */
  #end(): string | undefined {
    const { signal, maxCalls } = this.#options;
    if (signal?.aborted) return 'not asked: the work was ended';
    if (this.#calls >= maxCalls) return `not asked: all ${maxCalls} calls of "maxCalls" are used`;
    if (this.#failedInARow >= MAX_FAILED) return `not asked: ${MAX_FAILED} batches failed in a row`;
    return undefined;
  }

  async #inTime(tools: readonly ShownTool[]): Promise<ReadonlyMap<string, readonly unknown[]>> {
    const { signal, timeout, perTool } = this.#options;
    const controller = new AbortController();
    const stop = (): void => controller.abort(signal?.reason);
    signal?.addEventListener('abort', stop);
    try {
      const ended = new Promise<never>((_, reject) => {
        controller.signal.addEventListener('abort', () => reject(new Error('the work was ended')));
      });
      const answer = this.#ask(keywordsPrompt(tools, perTool), controller.signal);
      return await inTime(Promise.race([answer, ended]), timeout);
    } finally {
      signal?.removeEventListener('abort', stop);
      controller.abort();
    }
  }

  async #take({ name, key }: Open, list: readonly unknown[]): Promise<void> {
    const bounded = list
      .slice(0, MAX_WRITTEN)
      .map((one) => (typeof one === 'string' ? cut(one, MAX_CHARACTERS) : null));
    this.#written.set(name, bounded);
    await this.#cache?.set(key, bounded);
  }

  #progress(count: number, total: number): void {
    this.#done += count;
    this.#options.progress({ stage: 'asking', done: this.#done, total });
  }
}

/**
 * Parts tools into batches. What one server writes can steer the keywords of every tool in its prompt, and these stay in the
 * cache: no batch has tools of two servers.
 */
function batchesOf(tools: readonly Open[], batchSize: number): readonly (readonly Open[])[] {
  const servers = new Map<string, Open[]>();
  for (const tool of tools) {
    const ofServer = servers.get(tool.server);
    if (ofServer) ofServer.push(tool);
    else servers.set(tool.server, [tool]);
  }
  return [...servers.values()].flatMap((ofServer) =>
    Array.from({ length: Math.ceil(ofServer.length / batchSize) }, (_, at) =>
      ofServer.slice(at * batchSize, (at + 1) * batchSize),
    ),
  );
}

/** Does work for each item, so many at a time. */
async function inTurn<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const run = async (): Promise<void> => {
    for (const [at, item] of queue) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, run));
  return results;
}
