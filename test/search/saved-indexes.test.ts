import { setTimeout } from 'node:timers/promises';
import { bm25Scorer, type SearchIndexCache, ToolSearchProcessor, tieredScorer } from 'mastra-tool-search';
import { hybridScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { email, tool, toolRecord, weather } from '../support/harness.ts';

const office = () => toolRecord(weather(), email());

/** A cache that several processes share, and what it was asked. */
class Shared implements SearchIndexCache {
  readonly entries = new Map<string, Uint8Array>();
  readonly calls: string[] = [];

  async get(key: string): Promise<Uint8Array | undefined> {
    this.calls.push('get');
    const bytes = this.entries.get(key);
    // As files and Redis are read.
    return bytes && Buffer.from(bytes);
  }

  async set(key: string, bytes: Uint8Array): Promise<void> {
    this.calls.push('set');
    this.entries.set(key, bytes);
  }
}

const searched = async (session: Session): Promise<unknown> => (await session.search({ query: 'weather' })).results;
const first = await searched(new Session({ tools: office() }));
const messagesOf = (session: Session): string[] =>
  session.eventsOf('scorer-failed').map(({ error, survived }) => {
    expect(survived).toBe(true);
    return (error as Error).message;
  });

describe('search.indexCache', () => {
  it('is given the index by the process that built it, and gives it to the next', async () => {
    const indexCache = new Shared();
    for (const calls of [['get', 'set'], ['get']]) {
      indexCache.calls.length = 0;
      const session = new Session({ tools: office(), search: { indexCache } });
      expect(await searched(session)).toEqual(first);
      await expect.poll(() => indexCache.calls).toEqual(calls);
      expect(session.eventsOf('scorer-failed')).toEqual([]);
    }
    expect(indexCache.entries.size).toBe(1);
  });

  it('has an index for each content of a catalog', async () => {
    const indexCache = new Shared();
    for (const tools of [office(), toolRecord(weather()), office()]) {
      await searched(new Session({ tools, search: { indexCache } }));
    }
    await expect.poll(() => indexCache.entries.size).toBe(2);
  });

  it('serves the words of a hybrid', async () => {
    const indexCache = new Shared();
    const scorer = hybridScorer([bm25Scorer(), tieredScorer()]);
    await searched(new Session({ tools: office(), search: { scorer, indexCache } }));
    await expect.poll(() => indexCache.entries.size).toBe(1);
  });

  it('opens nothing that the filter denies', async () => {
    const indexCache = new Shared();
    const tools = toolRecord(weather(), tool('weather_secrets', 'Weather that only some may know'));
    await searched(new Session({ tools, search: { indexCache } }));
    await expect.poll(() => indexCache.entries.size).toBe(1);
    const filter = ({ toolName }: { toolName: string }) => toolName !== 'weather_secrets';
    const results = (await new Session({ tools, filter, search: { indexCache } }).search({ query: 'weather' })).results;
    const alone = (await new Session({ tools: toolRecord(weather()) }).search({ query: 'weather' })).results;
    expect(results).toEqual(alone);
  });

  const throws = (): never => {
    throw new Error('no route to host');
  };
  it.each([
    { why: 'get throws', get: throws, message: /failed to get an index: no route to host/ },
    { why: 'get rejects', get: async () => throws(), message: /failed to get an index: no route to host/ },
    { why: 'get is late', get: () => new Promise(() => {}), message: /failed to get an index: it took longer/ },
    { why: 'get returns a text', get: async () => 'abc', message: /failed to get an index: what was saved is no/ },
    { why: 'get returns other bytes', get: () => new Uint8Array(900), message: /failed to get an index: these bytes/ },
  ])('is an event, and the index is built, where $why', async ({ get, message }) => {
    const set = vi.fn();
    const indexCache = { get, set } as unknown as SearchIndexCache;
    const session = new Session({ tools: office(), timeouts: { store: 50 }, search: { indexCache } });
    expect(await searched(session)).toEqual(first);
    expect(messagesOf(session)).toEqual([expect.stringMatching(message)]);
  });

  it('is written anew where it holds a damaged index, and left alone where it is down', async () => {
    const indexCache = new Shared();
    await searched(new Session({ tools: office(), search: { indexCache } }));
    await expect.poll(() => indexCache.entries.size).toBe(1);
    const [[key, good] = ['', new Uint8Array()]] = indexCache.entries;
    indexCache.entries.set(key, good.slice(0, -1));
    const session = new Session({ tools: office(), search: { indexCache } });
    expect(await searched(session)).toEqual(first);
    expect(messagesOf(session)).toEqual([expect.stringMatching(/the saved index is damaged/)]);
    await expect.poll(() => indexCache.entries.get(key)).toEqual(good);

    const set = vi.fn();
    await searched(new Session({ tools: office(), search: { indexCache: { get: throws, set } } }));
    await setTimeout(20);
    expect(set).not.toHaveBeenCalled();
  });

  it('is an event where set fails, and the search is answered before', async () => {
    const indexCache: SearchIndexCache = { get: () => null, set: async () => throws() };
    const session = new Session({ tools: office(), search: { indexCache } });
    expect(await searched(session)).toEqual(first);
    await expect
      .poll(() => messagesOf(session))
      .toEqual([expect.stringMatching(/failed to set an index: no route to host/)]);
  });

  it.each([null, 'redis', {}, { get: () => undefined }])('is refused where it is no cache: %j', (indexCache) => {
    expect(() => new ToolSearchProcessor({ tools: office(), search: { indexCache: indexCache as never } })).toThrow(
      /search\.indexCache/,
    );
  });
});
