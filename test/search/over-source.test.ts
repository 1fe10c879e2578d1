import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import { type SourceCandidate, ToolSearchProcessor, type ToolSource } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';
import { memorySource, TENANT } from '../support/memory-source.ts';

const namesOf = ({ results }: { results: readonly { name: string }[] }) => results.map(({ name }) => name);
const mails = (count: number) =>
  toolRecord(...Array.from({ length: count }, (_, n) => tool(`mail_${n}`, `Send mail number ${n}.`)));

describe('candidates are asked for in growing windows', () => {
  const never = new Promise<boolean>(() => {});
  const is7 = ({ toolName = '' }) => toolName.endsWith('7');
  it.each<[why: string, count: number, filter: unknown, limits: number[]]>([
    ['of four for each that is wanted', 200, is7, [20, 80]],
    ['up to a thousand, where it hides nearly all', 1_100, () => false, [20, 80, 320, 1_000]],
    ['until there are no more', 30, () => false, [20, 80]],
    ['until the time of the filter is over', 100, () => never, [20]],
  ])('%s', async (_, count, filter, limits) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    const source = await memorySource(mails(count));
    const session = new Session({ tools: source, filter: filter as never });
    let isDone = false;
    const answer = session.search({ query: 'mail' }).finally(() => (isDone = true));
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(20);
    }
    const { results, message } = await answer;
    expect(source.asked.flatMap(({ limit }) => limit ?? [])).toEqual(limits);
    expect(results.length).toBe(count === 200 ? 5 : 0);
    expect(message.includes('Not all tools could be checked')).toBe(limits.length === 1);
  });
});

describe('processor.search()', () => {
  it('tells confidence, and with explain the words', async () => {
    const processor = new ToolSearchProcessor({ tools: await memorySource(mails(5)) });
    const [best] = await processor.search('send mail 3', { explain: true });
    expect(best).toMatchObject({ name: 'mail_3', confidence: expect.any(Number) });
    expect(best?.explanation?.words.map(({ word }) => word)).toEqual(expect.arrayContaining(['send', 'mail']));
    expect((await processor.search('send mail 3'))[0]).not.toHaveProperty('explanation');
  });

  it('fills in what a source leaves out of an explanation', async () => {
    const words = [{ word: 'mails', found: 'mail', score: 2 }, { word: 'soon' }];
    const candidate: SourceCandidate = { name: 'send_mail', description: 'Sends.', score: 2, words };
    const processor = new ToolSearchProcessor({ tools: { search: () => [candidate], get: () => ({}) } });
    const [best] = await processor.search('mails soon', { explain: true });
    expect(best?.explanation).toEqual({
      words: [
        { word: 'mails', found: 'mail', by: 'form', fields: {}, score: 2 },
        { word: 'soon', found: '', by: 'nothing', fields: {}, score: 0 },
      ],
      ...{ coverage: 0.5, nameCoverage: 0.5, isNamed: false },
    });
  });

  it('throws where the source fails', async () => {
    const source = await memorySource(mails(5));
    source.fault = new Error('down');
    const processor = new ToolSearchProcessor({ tools: source });
    await expect(processor.search('mail')).rejects.toThrow('The source "memory" failed');
  });

  it('searches for the tenant of its request alone', async () => {
    const source = await memorySource();
    await source.fill(mails(3), 'one');
    const processor = new ToolSearchProcessor({ tools: source });
    const found = async (query: string, tenant: string) =>
      processor.search(query, { requestContext: new RequestContext([[TENANT, tenant]] as never) });
    for (const query of ['mail', 'select:mail_1,mail_*']) {
      expect(await found(query, 'one')).toHaveLength(3);
      expect(await found(query, 'two')).toEqual([]);
    }
  });
});

it('minConfidence drops by what the source says, and is doubted where it says nothing', async () => {
  const sessionOf = (confidences: readonly (number | undefined)[]) => {
    const candidates = confidences.map((confidence, n) => ({
      ...{ name: `mail_${n}`, description: '', score: 10 - n },
      ...(confidence === undefined ? {} : { confidence }),
    }));
    return new Session({ tools: { search: () => candidates, get: () => ({}) }, search: { minConfidence: 0.4 } });
  };
  expect(namesOf(await sessionOf([0.9, 0.5, 0.001]).search({ query: 'mail' }))).toEqual(['mail_0', 'mail_1']);
  const doubted = sessionOf([undefined]);
  expect(namesOf(await doubted.search({ query: 'mail' }))).toEqual(['mail_0']);
  const message = expect.stringContaining('the source "source"');
  expect(doubted.eventsOf('option-doubt')).toMatchObject([{ message }]);
});

describe('over the same index', () => {
  const WORDS = 'create issue send mail calendar event weather city file user list get'.split(' ');
  const tools = fc
    .uniqueArray(fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 30,
      selector: (words) => words.join('_'),
    })
    .map((all) => toolRecord(...all.map((words) => tool(words.join('_'), `${words.toReversed().join(' ')} now.`))));
  const queries = fc.array(fc.constantFrom(...WORDS, 'tomorrow', '+city'), { minLength: 1, maxLength: 5 });

  it('nothing that the filter hides is ever in an answer', async () => {
    await fc.assert(
      fc.asyncProperty(tools, queries, fc.integer({ min: 0, max: 2 ** 30 }), async (all, query, mask) => {
        const hidden = new Set(Object.keys(all).filter((_, at) => (mask >> at) & 1));
        const filter = ({ toolName }: { toolName: string }) => !hidden.has(toolName);
        const session = new Session({ tools: await memorySource(all), filter });
        const asked = query.map((word) => word.replace('+', ''));
        const told = JSON.stringify([
          await session.search({ query: query.join(' '), maxResults: 8 }),
          await session.search({ query: 'select:get_*,send_*,list' }),
          await session.load({ toolNames: [...asked, 'getCity', 'mail_*'] }),
        ]);
        const written = new Set([...asked, 'list', 'getCity', 'mail']);
        for (const name of hidden) if (!written.has(name)) expect(told).not.toContain(`"${name}"`);
        for (const name of await session.sent()) expect(hidden.has(name)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a hostile source', () => {
  const answering = (candidates: unknown, more: Partial<ToolSource> = {}) =>
    new Session({ tools: { name: 'hostile', search: () => candidates as never, get: () => ({}), ...more } });
  const good = { name: 'good', description: 'Good.', score: 5 };
  const bad = { name: 'bad', description: '', score: 9 };
  const fail = () => {
    throw new Error('no');
  };
  const throwing = new Proxy({}, { get: fail });

  it.each<[what: string, candidate: unknown]>([
    ['names that are no text', { ...bad, name: 5 }],
    ['names that no provider takes', { ...bad, name: 'a b' }],
    ['the name __proto__', { ...bad, name: '__proto__' }],
    ['the name of a meta-tool', { ...bad, name: 'search_tools' }],
    ['names that are too long', { ...bad, name: 'x'.repeat(65) }],
    ['scores that are no number', { ...bad, score: Number.NaN }],
    ['scores that are a text', { ...bad, score: '9' }],
    ['nothing', null],
    ['getters that throw', throwing],
    ['the same name again', { ...good, score: 1 }],
  ])('loses %s', async (_, candidate) => {
    expect(namesOf(await answering([good, candidate]).search({ query: 'x' }))).toEqual(['good']);
    expect(namesOf(await answering([candidate, good]).search({ query: 'x' }))).toEqual(['good']);
  });

  it.each<[what: string, answer: unknown]>([
    ['too many candidates', Array.from({ length: 100_000 }, (_, n) => ({ ...good, name: `t${n}` }))],
    ['texts of megabytes', [{ ...good, description: 'x'.repeat(5_000_000), group: 'g'.repeat(1e6) }]],
    ['descriptions that are none', [{ ...good, description: { toString: 1 }, confidence: 7, words: 3 }]],
    ['words that are none', [{ ...good, words: [null, 3, throwing] }]],
    ['scores without an end', [{ ...good, score: Number.POSITIVE_INFINITY }]],
  ])('may answer with %s', async (_, answer) => {
    const session = answering(answer);
    const { results } = await session.search({ query: 'x' });
    expect(results.length).toBeGreaterThan(0);
    expect(results.length).toBeLessThanOrEqual(5);
    expect(JSON.stringify(results).length).toBeLessThan(5_000);
    expect(await session.processor.search('x', { explain: true })).not.toEqual([]);
  });

  it.each<[what: string, answer: () => unknown]>([
    ['no list', () => ({ length: 3 })],
    ['nothing', () => undefined],
    ['a text', () => 'good'],
    ['a promise that rejects with nothing', () => Promise.reject(undefined)],
  ])('that answers with %s has failed', async (_, search) => {
    const session = answering([], { search: search as never });
    expect((await session.search({ query: 'x' })).message).toContain('for a technical reason');
    expect(session.eventsOf('source-failed')).toMatchObject([{ source: 'hostile', operation: 'search' }]);
  });

  const wanted = tool('wanted');
  const others = toolRecord(tool('other'), tool('search_tools'));
  const unreadable = { enumerable: true, get: fail };
  it.each<[what: string, get: () => unknown, loaded: string[]]>([
    ['what was not asked for', () => ({ wanted, ...others }), ['wanted']],
    ['one tool that cannot be read', () => Object.defineProperty({ wanted }, 'x', unreadable), ['wanted']],
    ['no record', () => [wanted], []],
    ['nothing', () => undefined, []],
    ['a getter that throws', () => throwing, []],
    ['a tool that is none', () => ({ wanted: 'a text' }), []],
    ['an inherited tool', () => Object.create({ wanted }), []],
    ['a candidate no more', () => ({}), []],
  ])('that brings %s costs the others nothing', async (_, get, loaded) => {
    const session = answering([good], { get: get as never });
    await session.load({ toolNames: ['x', 'wanted'] });
    expect(await session.sent()).toEqual(loaded);
    expect(session.eventsOf('stub-failed').map(({ toolName }) => toolName)).not.toContain(loaded[0]);
  });

  it('loses a tool alone that is gone when it is loaded, with an event', async () => {
    const session = answering([good]);
    await session.search({ query: 'x' });
    expect(await session.load({ toolName: 'good' })).toMatchObject({ success: false });
    expect(session.eventsOf('stub-failed')).toMatchObject([{ toolName: 'good' }]);
  });

  it('aborts the signal of a call that nobody waits for, and of no other', async () => {
    const signals: AbortSignal[] = [];
    const search: ToolSource['search'] = ({ text }, { abortSignal }) => {
      signals.push(abortSignal!);
      return text === 'slow' ? new Promise(() => {}) : [good];
    };
    const session = new Session({ tools: { search, get: () => ({}) }, timeouts: { tools: 20 } });
    await session.search({ query: 'fast' });
    await session.search({ query: 'slow' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });
});
