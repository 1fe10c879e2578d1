import { suggestKeywords } from 'mastra-tool-search/evaluate';
import { describe, expect, it, vi } from 'vitest';
import { tool, toolRecord } from '../../support/harness.ts';
import { answerWith, shownTools, writer, writing } from './writer.ts';

const tools = toolRecord(
  tool('send_email', 'Send an email message to a person.'),
  tool('get_weather', 'Get the current weather of a city.'),
  tool('create_issue', 'Create an issue in a repository.'),
);
const WORDS = { send_email: ['mail', 'write to someone'], get_weather: ['forecast'], create_issue: ['bug report'] };

describe('the cache of suggestKeywords', () => {
  it('has a tool asked for once for one content, model and number of keywords', async () => {
    const cache = new Map<string, string>();
    const model = writing(WORDS);
    const first = await suggestKeywords({ tools, model, cache });
    const again = await suggestKeywords({ tools, model, cache });
    expect(again.keywords).toEqual(first.keywords);
    expect([again.calls, again.tools[0]?.from]).toEqual([0, 'cache']);
    expect([...cache.keys()][0]).toMatch(/^keywords-[0-9a-f]{64}$/);
    expect((await suggestKeywords({ tools, model, cache, perTool: 3 })).calls).toBe(1);
    expect((await suggestKeywords({ tools, model: writer(WORDS), cache })).calls).toBe(1);
    const changed = { ...tools, get_weather: tool('get_weather', 'Get the weather of tomorrow.') };
    await suggestKeywords({ tools: changed, model, cache });
    expect(shownTools(model.prompts.at(-1) ?? '').map(({ name }) => name)).toEqual(['get_weather']);
  });

  it('is checked like an answer', async () => {
    const cache = new Map<string, string>();
    await suggestKeywords({ tools, model: writing(WORDS), cache });
    for (const key of cache.keys())
      cache.set(key, JSON.stringify(['https://evil.example', '<b>', 7, 'x'.repeat(500), 'zebra']));
    const { keywords, tools: report } = await suggestKeywords({ tools, model: writing(WORDS), cache });
    expect(report[0]?.dropped.map(({ why }) => why)).toEqual(['unclean', 'unclean', 'no-words', 'too-long', 'common']);
    expect(keywords).toEqual({});
  });

  it.each(['{', '{}', '"mail"', 'null'])('that holds %s has the tool asked for', async (text) => {
    const cache = { get: () => text, set: () => {} };
    const { keywords, cacheFaults } = await suggestKeywords({ tools, model: writing(WORDS), cache });
    expect(keywords).toEqual(WORDS);
    expect(cacheFaults).toHaveLength(1);
  });

  it('may be down', async () => {
    const down = () => Promise.reject(new Error('no disk'));
    const { keywords, cacheFaults } = await suggestKeywords({
      tools,
      model: writing(WORDS),
      cache: { get: down, set: down },
    });
    expect(keywords).toEqual(WORDS);
    expect(cacheFaults).toEqual(['get: no disk', 'set: no disk']);
  });

  it('that hangs is given up after three failures in a row, which is said once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const hang = vi.fn(() => new Promise<never>(() => {}));
      const many = toolRecord(...Array.from({ length: 60 }, (_, n) => tool(`tool_${n}`)));
      const model = (prompt: string): string => answerWith(prompt, (name) => [`zebra ${name.replace('tool_', 'x')}`]);
      const options = { tools: many, model, batchSize: 10, concurrency: 2, cache: { get: hang, set: hang } };
      const work = suggestKeywords(options);
      let isDone = false;
      const done = work.then(() => (isDone = true));
      await vi.advanceTimersByTimeAsync(6_100);
      expect(isDone).toBe(true);
      await done;
      const { tools: report, cacheFaults } = await work;
      expect(report.every(({ from, fault }) => from === 'model' && fault === undefined)).toBe(true);
      // Two readers read once more before the third failure.
      expect(hang.mock.calls).toHaveLength(18 + 20);
      expect(cacheFaults).toEqual([
        'get: it took longer than 2000 ms',
        'get: not tried again, as 3 in a row failed',
        'set: it took longer than 2000 ms',
        'set: not tried again, as 3 in a row failed',
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is not given up for what it holds, nor for failures between answers', async () => {
    let asked = 0;
    const get = vi.fn(() => (++asked % 3 === 0 ? Promise.resolve(undefined) : Promise.reject(new Error('busy'))));
    const many = toolRecord(...Array.from({ length: 40 }, (_, n) => tool(`tool_${n}`)));
    const set = vi.fn();
    const { cacheFaults } = await suggestKeywords({ tools: many, model: writing({}), cache: { get, set } });
    expect([get.mock.calls.length, set.mock.calls.length, cacheFaults]).toEqual([40, 40, ['get: busy']]);
    const rubbish = { get: vi.fn(() => '{}'), set };
    await suggestKeywords({ tools: many, model: writing({}), cache: rubbish });
    expect(rubbish.get).toHaveBeenCalledTimes(40);
  });

  it.each(['get', 'set'] as const)('holds no work that the signal ends: %s', async (operation) => {
    const controller = new AbortController();
    const hang = (): Promise<never> => {
      controller.abort();
      return new Promise(() => {});
    };
    const cache = { get: () => undefined, set: () => {}, [operation]: hang };
    // No time passes: what waits for its own end waits for ever.
    vi.useFakeTimers();
    const options = { tools, model: writing(WORDS), cache, signal: controller.signal };
    const { keywords, cacheFaults } = await suggestKeywords(options).finally(() => vi.useRealTimers());
    expect(keywords).toEqual(operation === 'get' ? {} : WORDS);
    expect(cacheFaults).toEqual([]);
  });

  it('is not asked where the signal is aborted already', async () => {
    const get = vi.fn(() => new Promise<never>(() => {}));
    const model = writing(WORDS);
    await suggestKeywords({ tools, model, cache: { get, set: () => {} }, signal: AbortSignal.abort() });
    expect([get.mock.calls.length, model.prompts.length]).toEqual([0, 0]);
  });
});
