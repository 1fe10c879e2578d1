import fc from 'fast-check';
import {
  type LearnedUse,
  type LearningOptions,
  type LearningStore,
  type ToolScorer,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { memoryLearningStore } from 'mastra-tool-search/learning';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';
import { deferred } from '../support/deferred.ts';
import { appendedTo, contextOf, KEY, storeOf, use, usesOf, wordsOf } from './learned-store.ts';

// What is learned of real agents in each mode: test/modes/learning.test.ts.

const DAY = 86_400_000;
const toolOf = ({ use: written }: LearnedUse): string => written.split('.').slice(2).join('.');

/** Finds every tool with these scores, 1 by default, whatever the query. */
const everything = (scores: Readonly<Record<string, number>> = {}): ToolScorer => ({
  name: 'everything',
  index: (documents) => ({
    search: () =>
      documents
        .map(({ name }) => ({ name, score: scores[name] ?? 1 }))
        .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1)),
  }),
});

/** All that a search finds over what a scope has learned. */
async function found(
  uses: readonly LearnedUse[],
  query: string,
  learning: LearningOptions = {},
  options: Partial<ToolSearchProcessorOptions> & { readonly names?: readonly string[] } = {},
) {
  const { names = [...new Set([...uses.map(toolOf), 'zz_other'])], ...more } = options;
  const processor = new ToolSearchProcessor({
    tools: toolRecord(...names.map((name) => tool(name, `Does ${name}.`))),
    search: { scorer: everything() },
    learning: { store: storeOf({ key: KEY, uses }), weight: 1, halfLife: Number.POSITIVE_INFINITY, ...learning },
    ...more,
  });
  const results = await processor.search(query, { requestContext: contextOf('ann'), explain: true, limit: 50 });
  return results.map(({ name, score, byUse }) => ({ name, score, ...(byUse === undefined ? {} : { byUse }) }));
}

/** What use adds to the scores of the tools that it raises, all of which have the score 1 by themselves. */
async function boosts(uses: readonly LearnedUse[], query: string, learning: LearningOptions = {}) {
  const raised = (await found(uses, query, learning)).flatMap(({ name, byUse }) => (byUse ? [[name, byUse]] : []));
  return Object.fromEntries(raised) as Record<string, number>;
}

describe('use speaks for a tool', () => {
  it('after the same query, less after one that is alike, and not after another', async () => {
    const uses = [...(await usesOf('weather in paris', 'get')), ...(await usesOf('send a mail', 'send'))];
    const [same, alike] = [await boosts(uses, 'weather in paris'), await boosts(uses, 'weather in london')];
    expect([Object.keys(same), Object.keys(alike)]).toEqual([['get'], ['get']]);
    expect(alike['get']).toBeLessThan(same['get'] ?? 0);
    expect(await boosts(uses, 'book a flight')).toEqual({});
  });

  it('the more, the more conversations used it, each counted once, and less where the search had put it first', async () => {
    const times = async (count: number, how = {}) =>
      (await boosts(await usesOf('ship it', 'deploy', count, how), 'ship it'))['deploy'] ?? 0;
    const grown = await Promise.all([1, 2, 4, 8].map((count) => times(count)));
    expect(grown).toEqual(grown.toSorted((one, other) => one - other));
    expect(grown[0]).toBeLessThan(grown.at(-1) ?? 0);
    const [confirmed, corrected] = [await times(3, { wasFirst: true }), await times(3)];
    expect(confirmed > 0 && confirmed < 0.7 * corrected).toBe(true);
    // It still speaks against others.
    const other = await usesOf('ship it', 'rollback', ['x']);
    const beside = await boosts([...other, ...(await usesOf('ship it', 'deploy', 6, { wasFirst: true }))], 'ship it');
    expect(beside['rollback'] ?? 0).toBeLessThan((await boosts(other, 'ship it'))['rollback'] ?? 0);

    const both = await usesOf('close the ticket', 'close_issue', 2);
    const poison = ['close the ticket', 'close ticket now', 'ticket close', 'close it', 'close'];
    const evil = await Promise.all(poison.map((query) => usesOf(query, 'drop_table', ['evil'])));
    const [once, often] = [evil.slice(0, 1), evil].map((list) => boosts([...both, ...list.flat()], 'close the ticket'));
    expect((await often)?.['drop_table'] ?? 0).toBeLessThanOrEqual(2 * ((await once)?.['drop_table'] ?? 0));
    expect((await often)?.['drop_table'] ?? 0).toBeLessThan((await often)?.['close_issue'] ?? 0);
  });

  it('nothing where every query wants another tool', async () => {
    const wanting = async (toolOfUse: (n: number) => string) => {
      const list = Array.from({ length: 60 }, (_, n) => usesOf(`word${n >> 1}`, toolOfUse(n), [`v${n}`]));
      return (await boosts((await Promise.all(list)).flat(), 'word0'))['tool_0'] ?? 0;
    };
    expect(await wanting((n) => `tool_${n >> 1}`)).toBeGreaterThan(0.45);
    // The very same query has still its two answers; one that is alike has none.
    expect(await wanting((n) => `tool_${n}`)).toBeLessThan(0.45);
  });

  it('half after a half-life, and not at all after seven', async () => {
    const aged = async (days: number) => {
      const uses = await usesOf('ship it', 'deploy', 1, { usedAt: Date.now() - days * DAY });
      return (await boosts(uses, 'ship it', { halfLife: 10 * DAY }))['deploy'] ?? 0;
    };
    const [fresh, half] = [await aged(0), await aged(10)];
    expect(half < fresh && half > fresh / 2).toBe(true);
    expect(await aged(100)).toBe(0);
    // A clock that goes wrong makes no use count more.
    expect(await aged(-100)).toBeCloseTo(fresh, 5);
  });

  it('within bounds, among the tools that were found, as if those that are hidden had never been used', async () => {
    const letters = ['alpha', 'beta', 'gamma', 'delta'];
    const words = new Map(await Promise.all(letters.map(async (word) => [word, await wordsOf(word)] as const)));
    const names = ['t1', 't2', 't3'];
    const written = (list: readonly string[]) =>
      list
        .map((word) => words.get(word))
        .sort()
        .join('');
    const aUse = fc.record({
      use: fc
        .tuple(fc.subarray(letters, { minLength: 1 }).map(written), fc.constantFrom('v__1', 'v__2', 'v__3'))
        .chain(([hashes, voter]) => fc.constantFrom(...names, 'gone').map((name) => `${hashes}.${voter}.${name}`)),
      usedAt: fc.constant(1),
    });
    const cases = fc.record({
      uses: fc.array(aUse, { maxLength: 30 }),
      asked: fc.subarray(letters, { minLength: 1 }),
      scores: fc.record(Object.fromEntries(names.map((name) => [name, fc.integer({ min: 0, max: 20 })]))),
      visible: fc.subarray(names),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ uses, asked, scores, visible }) => {
        const query = asked.join(' ');
        const options = { names, search: { scorer: everything(scores) } };
        const plain = await found([], query, {}, options);
        const raised = await found(uses, query, { weight: 0.5 }, options);
        const most = 0.5 * 4 * (plain[0]?.score ?? 1);
        for (const { name, score, byUse = 0 } of raised) {
          expect(score).toBe((plain.find((one) => one.name === name)?.score ?? 0) + byUse);
          expect(byUse >= 0 && byUse <= most).toBe(true);
          const isSpokenFor = uses.some(
            (one) => toolOf(one) === name && asked.some((word) => one.use.includes(words.get(word) ?? '-')),
          );
          if (byUse > 0) expect(isSpokenFor).toBe(true);
        }
        const ranked = raised.toSorted((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
        expect(raised).toEqual(ranked);
        // What did not match comes in by use alone.
        const matched = new Set(plain.map(({ name }) => name));
        expect(raised.filter(({ name }) => matched.has(name))).toHaveLength(plain.length);
        expect(raised.every(({ name, byUse }) => matched.has(name) || byUse !== undefined)).toBe(true);
        const own = uses.filter((one) => visible.includes(toolOf(one)));
        const filter = ({ toolName }: { toolName: string }) => visible.includes(toolName);
        expect(await found(uses, query, {}, { ...options, filter })).toEqual(
          await found(own, query, {}, { ...options, filter }),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('by a share of the best score: nothing on a scale without an end', async () => {
    const uses = await usesOf('ship it', 't1');
    const names = ['t0', 't1'];
    const scoresOf = async (t0: number, t1: number, weight: number) => {
      const options = { names, search: { scorer: everything({ t0, t1 }) } };
      return (await found(uses, 'ship it', { weight }, options)).map(({ name, score }) => `${name} ${score}`);
    };
    const addedTo = async (t0: number, weight: number): Promise<number> =>
      Number((await scoresOf(t0, 1, weight)).find((line) => line.startsWith('t1'))?.slice(3)) - 1;
    const whole = await addedTo(10, 1);
    expect(whole).toBeGreaterThan(5);
    expect([await addedTo(10, 0.5), await addedTo(20, 1)]).toEqual([
      expect.closeTo(whole / 2),
      expect.closeTo(2 * whole),
    ]);
    expect(await scoresOf(Number.POSITIVE_INFINITY, 2, 1)).toEqual(['t0 Infinity', 't1 2']);
  });
});

describe('past queries find tools that do not match', () => {
  const tools = toolRecord(
    tool('release_build', 'Publishes a release.'),
    tool('post_letter', 'Sends a letter by post.'),
    tool('get_forecast', 'Forecast of the weather.'),
  );
  const over = (options: Partial<ToolSearchProcessorOptions> = {}) =>
    new ToolSearchProcessor({ tools, learning: true, ...options });
  const search = (processor: ToolSearchProcessor, query: string, resource = 'ann') =>
    processor.search(query, { requestContext: contextOf(resource), explain: true });
  const namesOf = async (...given: Parameters<typeof search>) => (await search(...given)).map(({ name }) => name);
  /** A use after a search that has shown the tool, as the last part of the query names it. */
  const teach = (processor: ToolSearchProcessor, query: string, name: string) =>
    use(processor, `${query} ${name}`, name);

  it('which nobody else finds, and which no filter lets through that hides them', async () => {
    const hidden = { now: false };
    const filter = ({ toolName }: { toolName: string }) => !(hidden.now && toolName === 'release_build');
    const learned = { key: KEY, uses: await usesOf('kaboom zanzibar', 'release_build', 1) };
    const store = { ...storeOf(learned), read: (scope: string) => (scope === '["ann"]' ? learned : undefined) };
    const processor = over({ filter, learning: { store }, search: { embedder: false } });
    const [first] = await search(processor, 'kaboom zanzibar');
    expect(first).toMatchObject({ name: 'release_build', byUse: first?.score });
    expect(await namesOf(processor, 'kaboom zanzibar', 'bob')).toEqual([]);
    hidden.now = true;
    expect(await namesOf(processor, 'kaboom zanzibar')).toEqual([]);
  });

  it.each<[what: string, options: Partial<ToolSearchProcessorOptions>, length: number]>([
    ['meaning, by default', {}, 1],
    ['no meaning where it is off', { learning: { meaning: false } }, 0],
    ['no meaning where words rank alone', { search: { embedder: false } }, 0],
  ])('uses keep %s', async (_, options, vectors) => {
    const store = memoryLearningStore();
    const learning = { ...(options.learning as object), store };
    const processor = over({ ...options, learning });
    await teach(processor, 'car', 'release_build');
    const written = (await store.read('["ann"]'))?.uses.map((one) => one.use) ?? [];
    expect(written).toHaveLength(1);
    expect(written.filter((text) => text.includes(','))).toHaveLength(vectors);
    const isFound = (await namesOf(processor, 'automobile release')).at(0) === 'release_build';
    expect(isFound).toBe(true);
  });

  it('reads uses that were written without a meaning', async () => {
    const uses = await usesOf('kaboom', 'post_letter', 1);
    const processor = over({ learning: { store: storeOf({ key: KEY, uses }) } });
    expect(await namesOf(processor, 'kaboom')).toEqual(['post_letter']);
  });

  it('as far as one user may lift what others share: a fifth of the best score', async () => {
    const evil = await Promise.all(
      ['forecast', 'the forecast', 'weather'].map((text) => usesOf(text, 'drop', ['evil'])),
    );
    const all = await boosts(evil.flat(), 'forecast', { scope: 'global' });
    expect(all['drop'] ?? 0).toBeLessThanOrEqual(0.2 + 1e-9);
    const two = await Promise.all(['one', 'two', 'tri'].map((voter) => usesOf('forecast', 'drop', [voter])));
    expect((await boosts([...evil.flat(), ...two.flat()], 'forecast', { scope: 'global' }))['drop']).toBeGreaterThan(
      0.2,
    );
  });

  it('and none where they are named', async () => {
    const processor = over();
    await teach(processor, 'kaboom', 'post_letter');
    expect((await namesOf(processor, 'get_forecast'))[0]).toBe('get_forecast');
    expect(await namesOf(processor, 'select:get_forecast')).toEqual(['get_forecast']);
  });
});

describe('the uses of a scope', () => {
  /** As many uses of a tool, the oldest first. */
  const many = (name: string, count: number, voterOf: (n: number) => string | number = (n) => n): LearnedUse[] =>
    Array.from({ length: count }, (_, n) => ({
      use: `${String(n).padStart(6, name[0])}.${String(voterOf(n)).padStart(4, name[0])}.${name}`,
      usedAt: n + 1,
    }));

  it('make room where a tool has most of 10,000, its oldest first', async () => {
    const [often, others] = [many('often', 6_800), [...many('rare', 200), ...many('some', 2_999)]];
    expect((await appendedTo([...often, ...others], 'new thing', 'newest')).drop).toEqual([]);
    const full = [...often, ...others, ...many('more', 1)];
    expect((await appendedTo(full, 'new thing', 'newest')).drop).toEqual([often[0]?.use]);
  });

  it('make room where a conversation has more than 200, or more of a tool than others', async () => {
    const { added } = await appendedTo([], 'new thing', 'newest');
    const voter = added.split('.')[1]?.slice(0, 4) ?? '';
    const own = [...many('often', 197, () => voter), ...many('rare', 3, () => voter)];
    expect((await appendedTo([...own, ...many('other', 30)], 'new thing', 'newest')).drop).toEqual([own[0]?.use]);
    const floods = Array.from({ length: 50 }, (_, at) =>
      many('tool', 199, () => `e${at + 10}`).map((one) => ({ ...one, use: `${at % 10}${one.use.slice(1)}` })),
    );
    const { drop } = await appendedTo([...many('tool', 50), ...floods.flat()], 'new thing', 'newest');
    expect(drop).toEqual([expect.stringMatching(/\.te\d\d\.tool$/)]);
  });

  it('keep eight conversations of one question that everybody asks', async () => {
    const uses = (await usesOf('ship it', 'deploy', 8, { wasFirst: true })).map((one, at) => ({
      ...one,
      usedAt: at + 1,
    }));
    expect(await appendedTo(uses, 'ship it', 'deploy')).toEqual({ added: uses[0]?.use, drop: [] });
  });

  it('are written without a word of the query or the thread, in another way for each scope, and read again', async () => {
    const store = memoryLearningStore();
    const names = ['mail.send_v2', 'other'];
    const tools = toolRecord(...names.map((name) => tool(name.replace('.', '_'), 'The secret merger of acme.')));
    const processor = new ToolSearchProcessor({ tools, learning: { store } });
    for (const [resource, query] of [
      ['ann', 'secret merger acme'],
      ['bob', 'acme merger secret'],
    ] as const) {
      await use(processor, query, 'other', { resource, thread: 'thread-1' });
      await use(processor, query, 'mail_send_v2', { resource, thread: 'thread-1' });
    }
    const [ann, bob] = await Promise.all(['ann', 'bob'].map((resource) => store.read(JSON.stringify([resource]))));
    expect(ann?.uses.map((one) => one.use)).toEqual([
      expect.stringMatching(/^[\w-]{18},[\w-]{43}\.[\w-]{4}1\.other$/),
      expect.stringMatching(/^[\w-]{18},[\w-]{43}\.[\w-]{4}\.mail_send_v2$/),
    ]);
    const words = (learned: typeof ann) => new Set(learned?.uses.map((one) => one.use.slice(0, 18)));
    expect(words(ann).size).toBe(1);
    expect([...words(ann)]).not.toEqual([...words(bob)]);
    expect(JSON.stringify([ann, bob])).not.toMatch(/secret|merger|acme|thread/);
  });
});

describe('a store', () => {
  const tools = toolRecord(tool('report_one', 'Weather report.'), tool('report_two', 'Weather report.'));
  const events: ToolSearchEvent[] = [];
  const over = (store: LearningStore, more: object = {}) =>
    new ToolSearchProcessor({ tools, learning: { store }, onEvent: (event) => void events.push(event), ...more });
  /** The first of two tools that rank alike but for use. */
  const first = async (processor: ToolSearchProcessor, resource = 'ann') =>
    (await processor.search('weather report', { requestContext: contextOf(resource) }))[0]?.name;
  beforeEach(() => {
    events.length = 0;
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'performance'] });
  });

  it('is read every ten seconds at most: then it is known what others learned, and cleared', async () => {
    const store = memoryLearningStore();
    const read = vi.spyOn(store, 'read');
    const [here, there] = [over(store), over(store)];
    expect(await first(here)).toBe('report_one');
    await use(there, 'weather report', 'report_two');
    expect(await first(there)).toBe('report_two');
    const reads = read.mock.calls.length;
    expect(await first(here)).toBe('report_one');
    expect(read).toHaveBeenCalledTimes(reads);
    vi.advanceTimersByTime(10_001);
    for (let time = 0; time < 2; time++) expect(await first(here)).toBe('report_two');
    expect(read).toHaveBeenCalledTimes(reads + 1);
    expect(await first(here, 'bob')).toBe('report_one');
    await there.clearLearning('ann');
    vi.advanceTimersByTime(10_001);
    expect(await first(here)).toBe('report_one');
  });

  it('has one key for a scope, which another process may have begun, or begun anew', async () => {
    const store = memoryLearningStore();
    const [here, there] = [over(store), over(store)];
    await Promise.all([use(here, 'report', 'report_one'), use(there, 'weather', 'report_two')]);
    await there.clearLearning('ann');
    await use(there, 'weather report', 'report_one', { thread: 'new' });
    await use(here, 'weather report', 'report_two', { thread: 'newer' });
    await expect
      .poll(async () => (await store.read('["ann"]'))?.uses.map(toolOf))
      .toEqual(['report_one', 'report_two']);
    const words = (await store.read('["ann"]'))?.uses.map((one) => one.use.split('.')[0]);
    expect(words?.[0]).toBe(words?.[1]);
  });

  it('is forgotten, whatever was being read or written meanwhile; and says where it could not forget', async () => {
    const inner = memoryLearningStore();
    await use(over(inner), 'weather report', 'report_two');
    const gate = deferred();
    const held = async <Value>(value: Value): Promise<Awaited<Value>> => {
      const done = await value;
      await gate.promise;
      return done;
    };
    const slow = over({ ...inner, read: (scope) => held(inner.read(scope)) });
    const reading = first(slow);
    const clearing = slow.clearLearning('ann');
    gate.resolve();
    await Promise.all([reading, clearing]);
    expect(await first(slow)).toBe('report_one');

    const append = async (...all: Parameters<LearningStore['append']>) => {
      await new Promise((resolve) => setTimeout(resolve, 120));
      return inner.append(...all);
    };
    const late = over({ ...inner, append }, { timeouts: { store: 30 } });
    await use(late, 'weather report', 'report_two');
    const forgetting = late.clearLearning('ann');
    await vi.advanceTimersByTimeAsync(30);
    await forgetting;
    await vi.advanceTimersByTimeAsync(200);
    expect(await inner.read('["ann"]')).toBeUndefined();
    const down = over({ ...inner, clear: () => Promise.reject(new Error('down')) });
    await expect(down.clearLearning('ann')).rejects.toThrow('down');
  });

  it('is waited for a quarter of a second, and then not again for ten', async () => {
    const read = vi.fn(() => new Promise<never>(() => {}));
    const processor = over({ ...memoryLearningStore(), read });
    const waiting = first(processor);
    await vi.advanceTimersByTimeAsync(251);
    expect(await waiting).toBe('report_one');
    expect(events).toEqual([expect.objectContaining({ type: 'scorer-failed', scorer: 'learning', survived: true })]);
    expect(await first(processor)).toBe('report_one');
    expect(read.mock.calls).toEqual([['["ann"]']]);
  });

  const good = { use: 'abcdef.abcd.report_two', usedAt: 5 };
  const times = [Number.NaN, '5'].map((usedAt) => ({ ...good, usedAt }));
  it.each<[what: string, learned: unknown]>([
    ['a use that is null', { key: KEY, uses: [null] }],
    ['a use that is a text', { key: KEY, uses: ['abc', good] }],
    ['times that are none', { key: KEY, uses: times }],
    ['a time beyond the end', { key: KEY, uses: [{ ...good, usedAt: 8.64e15 }] }],
    ['a symbol', { key: KEY, uses: [{ use: Symbol('x'), usedAt: 1 }] }],
    ['names of Object.prototype', { key: KEY, uses: [{ use: 'abcdef.abcd.__proto__', usedAt: 9e12 }] }],
    ['a huge key', { key: 'k'.repeat(1_000_000), uses: [good] }],
    ['an empty key', { key: '', uses: [good] }],
    ['no words', { key: KEY, uses: [{ use: '.abcd.report_two', usedAt: 9e12 }] }],
    ...[5, 0, '', false, Number.NaN, 0n, null].map((other): [string, unknown] => [`${typeof other} ${other}`, other]),
  ])('may return %s, and searches go on', async (_, learned) => {
    const processor = over(storeOf(learned));
    for (let time = 0; time < 2; time++) expect(await first(processor)).toBe('report_one');
    // What is no experience is a fault of the store; what cannot be used in one is passed over.
    const { key, uses } = Object(learned ?? {}) as { key?: unknown; uses?: unknown };
    const isRead = learned === null || (typeof key === 'string' && key.length < 1_000 && Array.isArray(uses));
    const fault = expect.objectContaining({ type: 'scorer-failed', scorer: 'learning' });
    expect(events).toEqual(isRead ? [] : [fault]);
  });

  it('may return uses that cannot be read beside others, and a million: the last 20,000 are read', async () => {
    const throwing = {
      get use(): string {
        throw new Error('no');
      },
      usedAt: 1,
    };
    const words = await wordsOf('weather report');
    const uses = (await usesOf('weather report', 'report_two')).map((one) => ({ ...one, usedAt: Date.now() }));
    const now = { usedAt: Date.now() };
    const broken = ['', '.', '..', 'abc.abcd.t', 'abcdef.abc.t', 'abcdef.abcd.', 'x'.repeat(1_000_000)];
    // Each would speak for the other tool; a word that comes twice counts once.
    const long = [`${words.repeat(100)}.abcd.report_one`, `${words}.abcd2.report_one`, `${words}.abc.report_one`];
    const odd = [throwing, null, ...[...broken, ...long].map((written) => ({ use: written, ...now })), []];
    expect(await first(over(storeOf({ key: KEY, uses: [...odd, ...uses] })))).toBe('report_two');
    const onlyOdd = new ToolSearchProcessor({ tools, learning: { store: storeOf({ key: KEY, uses: odd }) } });
    const results = await onlyOdd.search('weather report', { requestContext: contextOf('ann'), explain: true });
    expect(results.map(({ byUse }) => byUse)).toEqual([undefined, undefined]);

    let read = 0;
    const before = 1_000_000 - uses.length;
    const list = new Proxy(new Array(1_000_000), {
      has: (_, key) => key !== 'constructor',
      get(target, key, receiver) {
        if (typeof key !== 'string' || !/^\d+$/.test(key)) return Reflect.get(target, key, receiver);
        read += 1;
        return Number(key) < before ? { use: 'abcdef.abcd.report_one', usedAt: 1 } : uses[Number(key) - before];
      },
    });
    expect(await first(over(storeOf({ key: KEY, uses: list })))).toBe('report_two');
    expect(read).toBe(20_000);
  });
});

describe('clearLearning()', () => {
  const tools = toolRecord(tool('report_two', 'Weather report.'));

  it.each([[{ resourceId: 42 }], [{}], [''], [undefined], [null], [{ threadId: 't' }]])(
    'does not say that it forgot where nobody is meant: %j',
    async (of) => {
      const processor = new ToolSearchProcessor({ tools, learning: true });
      await expect(processor.clearLearning(of as never)).rejects.toMatchObject({ code: 'invalid-option' });
      await expect(processor.clearLearning({ resource: 'ann' } as never)).rejects.toThrow('resource');
    },
  );

  it('needs nobody where all learn together, and forgets nothing where learning is off', async () => {
    await new ToolSearchProcessor({ tools }).clearLearning('ann');
    for (const nobody of [{}, undefined]) {
      const store = memoryLearningStore();
      const processor = new ToolSearchProcessor({ tools, learning: { store, scope: 'global' } });
      await use(processor, 'weather report', 'report_two');
      await expect.poll(() => store.read('[]')).toBeDefined();
      await processor.clearLearning(nobody as never);
      expect(await store.read('[]')).toBeUndefined();
    }
  });
});

it('does not tell by the age of what was learned that a hidden tool was used', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 });
  const uses = await usesOf('weather report', 'report_two', 1);
  vi.setSystemTime(1_800_000_005_000);
  const hidden = await usesOf('email message', 'send_email', 1);
  const filter = ({ toolName }: { toolName: string }) => toolName !== 'send_email';
  const options = { names: ['report_one', 'report_two', 'send_email'], filter };
  const seen = (all: readonly LearnedUse[]) => found(all, 'weather report', { halfLife: 30 * DAY }, options);
  expect(await seen([...uses, ...hidden])).toEqual(await seen(uses));
  expect((await seen(uses))[0]?.byUse).toBeGreaterThan(0);
});
