import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import { type SourceCandidate, ToolSearchProcessor, type ToolSource } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { memorySource, TENANT } from '../support/memory-source.ts';
import { tool, toolRecord } from '../support/simple-tools.ts';

const WORDS = [
  'create',
  'issue',
  'send',
  'mail',
  'calendar',
  'event',
  'weather',
  'city',
  'file',
  'user',
  'list',
  'get',
];
const namesOf = ({ results }: { results: readonly { name: string }[] }) => results.map(({ name }) => name);
const numbered = (count: number) =>
  toolRecord(...Array.from({ length: count }, (_, n) => tool(`mail_${n}`, `Send mail number ${n}.`)));

describe('candidates are asked for in growing windows', () => {
  const limitsOf = (source: { asked: { limit?: number }[] }) => source.asked.flatMap(({ limit }) => limit ?? []);

  it('of four for each that is wanted, where the filter leaves enough', async () => {
    const source = await memorySource(numbered(3_000));
    const session = new Session({ tools: source, filter: ({ toolName }) => toolName.endsWith('7') });
    expect(namesOf(await session.search({ query: 'mail' })).length).toBe(5);
    expect(limitsOf(source)[0]).toBe(20);
  });

  it('up to a thousand, where it hides nearly all', async () => {
    const source = await memorySource(numbered(3_000));
    const session = new Session({ tools: source, filter: () => false });
    expect(namesOf(await session.search({ query: 'mail' }))).toEqual([]);
    expect(limitsOf(source)).toEqual([20, 80, 320, 1_000]);
  });

  it('until there are no more', async () => {
    const source = await memorySource(numbered(30));
    const session = new Session({ tools: source, filter: () => false });
    await session.search({ query: 'mail' });
    expect(limitsOf(source)).toEqual([20, 80]);
  });

  it('until the time of the filter is over', async () => {
    const source = await memorySource(numbered(3_000));
    const never = new Promise<boolean>(() => {});
    const session = new Session({ tools: source, filter: () => never });
    const { message } = await session.search({ query: 'mail' });
    expect(message).toContain('Not all tools could be checked');
    expect(limitsOf(source)).toEqual([20]);
  });
});

describe('processor.search()', () => {
  it('tells confidence, and with explain the words', async () => {
    const processor = new ToolSearchProcessor({ tools: await memorySource(numbered(5)) });
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
      coverage: 0.5,
      nameCoverage: 0.5,
      isNamed: false,
    });
  });

  it('throws where the source fails', async () => {
    const source = await memorySource(numbered(5));
    source.fault = new Error('down');
    const processor = new ToolSearchProcessor({ tools: source });
    await expect(processor.search('mail')).rejects.toThrow('The source "memory" failed');
  });

  it('searches for the tenant of its request alone', async () => {
    const source = await memorySource();
    await source.fill(numbered(3), 'one');
    const processor = new ToolSearchProcessor({ tools: source });
    const of = (tenant: string) => new RequestContext([[TENANT, tenant]] as never);
    expect(await processor.search('mail', { requestContext: of('one') })).toHaveLength(3);
    expect(await processor.search('mail', { requestContext: of('two') })).toEqual([]);
    expect(await processor.search('select:mail_1,mail_*', { requestContext: of('two') })).toEqual([]);
    expect(await processor.search('select:mail_1,mail_*', { requestContext: of('one') })).toHaveLength(3);
  });
});

describe('minConfidence', () => {
  it('drops by what the source says', async () => {
    const candidates = [0.9, 0.5, 0.001].map((confidence, n) => ({
      name: `mail_${n}`,
      description: '',
      score: 10 - n,
      confidence,
    }));
    const source = { search: () => candidates, get: () => ({}) };
    const session = new Session({ tools: source, search: { minConfidence: 0.4 } });
    expect(namesOf(await session.search({ query: 'mail' }))).toEqual(['mail_0', 'mail_1']);
  });

  it('is doubted where it says nothing', async () => {
    const source = { search: () => [{ name: 'mail', description: '', score: 1 }], get: () => ({}) };
    const session = new Session({ tools: source, search: { minConfidence: 0.4 } });
    expect(namesOf(await session.search({ query: 'mail' }))).toEqual(['mail']);
    expect(session.eventsOf('option-doubt')).toMatchObject([
      { message: expect.stringContaining('the source "source"') },
    ]);
  });
});

describe('over the same index', () => {
  const tools = fc
    .uniqueArray(fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 30,
      selector: (words) => words.join('_'),
    })
    .map((all) => toolRecord(...all.map((words) => tool(words.join('_'), `${words.toReversed().join(' ')} now.`))));
  const queries = fc.array(fc.constantFrom(...WORDS, 'tomorrow', '+city'), { minLength: 1, maxLength: 5 });

  it('a source shows what a catalog shows', async () => {
    await fc.assert(
      fc.asyncProperty(tools, queries, fc.integer({ min: 1, max: 8 }), async (all, query, limit) => {
        const input = { query: query.join(' '), maxResults: limit };
        const inProcess = await new Session({ tools: all }).search(input);
        const overSource = await new Session({ tools: await memorySource(all) }).search(input);
        const ranked = ({ results }: typeof inProcess) => results.map(({ name, score }) => [name, score]);
        expect(ranked(overSource)).toEqual(ranked(inProcess));
      }),
      { numRuns: 100 },
    );
  });

  it('nothing that the filter hides is ever in an answer', async () => {
    await fc.assert(
      fc.asyncProperty(tools, queries, fc.integer({ min: 0, max: 2 ** 30 }), async (all, query, mask) => {
        const hidden = new Set(Object.keys(all).filter((_, at) => (mask >> at) & 1));
        const filter = ({ toolName }: { toolName: string }) => !hidden.has(toolName);
        const session = new Session({ tools: await memorySource(all), filter });
        const written = [...hidden];
        const answers = [
          await session.search({ query: query.join(' '), maxResults: 8 }),
          await session.search({ query: `select:${['get_*', 'send_*', 'list'].join(',')}` }),
          await session.load({ toolNames: [...query.map((word) => word.replace('+', '')), 'getCity', 'mail_*'] }),
        ];
        const told = JSON.stringify(answers);
        const asked = new Set([...query.map((word) => word.replace('+', '')), 'list', 'getCity', 'mail']);
        for (const name of written) if (!asked.has(name)) expect(told).not.toContain(`"${name}"`);
        for (const name of await session.sent()) expect(hidden.has(name)).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a hostile source', () => {
  const answering = (candidates: unknown, more: Partial<ToolSource> = {}) =>
    new Session({ tools: { name: 'hostile', search: () => candidates as never, get: () => ({}), ...more } });
  const good = { name: 'good', description: 'Good.', score: 5 };
  const throwing = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
    },
  );

  it.each([
    { what: 'names that are no text', bad: { name: 5, description: '', score: 9 } },
    { what: 'names that no provider takes', bad: { name: 'a b', description: '', score: 9 } },
    { what: 'the name __proto__', bad: { name: '__proto__', description: '', score: 9 } },
    { what: 'the name of a meta-tool', bad: { name: 'search_tools', description: '', score: 9 } },
    { what: 'names that are too long', bad: { name: 'x'.repeat(65), description: '', score: 9 } },
    { what: 'scores that are no number', bad: { name: 'bad', description: '', score: Number.NaN } },
    { what: 'scores that are a text', bad: { name: 'bad', description: '', score: '9' } },
    { what: 'nothing', bad: null },
    { what: 'getters that throw', bad: throwing },
    { what: 'the same name again', bad: { ...good, score: 1 } },
  ])('loses $what', async ({ bad }) => {
    expect(namesOf(await answering([good, bad]).search({ query: 'x' }))).toEqual(['good']);
    expect(namesOf(await answering([bad, good]).search({ query: 'x' }))).toEqual(['good']);
  });

  it.each([
    { what: 'a million candidates', answer: Array.from({ length: 1_000_000 }, (_, n) => ({ ...good, name: `t${n}` })) },
    { what: 'texts of megabytes', answer: [{ ...good, description: 'x'.repeat(5_000_000), group: 'g'.repeat(1e6) }] },
    {
      what: 'descriptions that are none',
      answer: [{ ...good, description: { toString: 1 }, confidence: 7, words: 3 }],
    },
    { what: 'words that are none', answer: [{ ...good, words: [null, 3, throwing] }] },
    { what: 'scores without an end', answer: [{ ...good, score: Number.POSITIVE_INFINITY }] },
  ])('may answer with $what', async ({ answer }) => {
    const session = answering(answer);
    const { results } = await session.search({ query: 'x' });
    expect(results.length).toBeGreaterThan(0);
    expect(results.length).toBeLessThanOrEqual(5);
    expect(JSON.stringify(results).length).toBeLessThan(5_000);
    expect(await session.processor.search('x', { explain: true })).not.toEqual([]);
  });

  it.each([
    { what: 'no list', answer: { length: 3 } },
    { what: 'nothing', answer: undefined },
    { what: 'a text', answer: 'good' },
    { what: 'a promise that rejects with nothing', answer: 'rejection' },
  ])('that answers with $what has failed', async ({ answer }) => {
    const session = answering(answer === 'rejection' ? Promise.reject(undefined) : answer);
    expect((await session.search({ query: 'x' })).message).toContain('for a technical reason');
    expect(session.eventsOf('source-failed')).toMatchObject([{ source: 'hostile', operation: 'search' }]);
  });

  it('brings nothing that it was not asked for', async () => {
    const get = () => ({ wanted: tool('wanted'), other: tool('other'), search_tools: tool('search_tools') });
    const session = answering([good], { get });
    expect(await session.load({ toolName: 'wanted' })).toMatchObject({ loaded: ['wanted'] });
    expect(await session.sent()).toEqual(['wanted']);
  });

  it.each([
    { what: 'no record', get: () => [tool('wanted')] },
    { what: 'nothing', get: () => undefined },
    { what: 'a getter that throws', get: () => throwing },
    { what: 'a tool that is none', get: () => ({ wanted: 'a text' }) },
    { what: 'an inherited tool', get: () => Object.create({ wanted: tool('wanted') }) },
  ])('that brings $what brings no tool', async ({ get }) => {
    const session = answering([good], { get: get as never });
    expect(await session.load({ toolName: 'wanted' })).toMatchObject({ success: false });
    expect(await session.sent()).toEqual([]);
  });

  it('whose one tool cannot be read brings the others', async () => {
    const get = () =>
      Object.defineProperty({ wanted: tool('wanted') }, 'broken', {
        enumerable: true,
        get: () => {
          throw new Error('no');
        },
      });
    const session = answering([good], { get });
    expect(await session.load({ toolNames: ['broken', 'wanted'] })).toMatchObject({ loaded: ['wanted'] });
    expect(session.eventsOf('stub-failed')).toMatchObject([{ toolName: 'broken' }]);
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

  it('whose candidate is gone when it is loaded loses that tool alone', async () => {
    const session = answering([good]);
    await session.search({ query: 'x' });
    expect(await session.load({ toolName: 'good' })).toMatchObject({ success: false });
    expect(session.eventsOf('stub-failed')).toMatchObject([{ toolName: 'good' }]);
  });
});
