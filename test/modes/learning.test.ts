import { RequestContext } from '@mastra/core/request-context';
import type { LearningOptions, LearningStore, SearchResult, ToolSearchEvent } from 'mastra-tool-search';
import { memoryLearningStore } from 'mastra-tool-search/learning';
import { describe, expect, it } from 'vitest';
import type { Action } from '../native/rig/goals.ts';
import { tool } from '../support/agent.ts';
import { type ModeRig, modeRig, type Request, WAYS, type Way } from '../support/modes.ts';

/** Two tools that rank alike for every query, so that their names alone decide; and another. */
const CATALOG = {
  report_one: 'Weather report of a city.',
  report_two: 'Weather report of a city.',
  send_email: 'Send an email message.',
};
const QUERY = 'weather report for the city';
/** Without decay, two searches at different times are told the same. */
const LEARNING: LearningOptions = { halfLife: Number.POSITIVE_INFINITY };

const as = (resource: string, thread = `thread-of-${resource}`): Request => ({ memory: { thread, resource } });
const nobody: Request = { memory: undefined };
const contextOf = (entries: Record<string, unknown>): RequestContext =>
  new RequestContext(Object.entries(entries) as never);

function rigOf(way: Way, learning: LearningOptions = {}, options: object = {}, agent: object = {}): ModeRig {
  const given = { learning: { ...LEARNING, ...learning }, search: { topK: 5 }, ...options };
  return modeRig(way, { catalog: CATALOG, options: given as never, agent });
}

const searching = (way: Way, query: string): Action => ({ type: 'search', query, wanted: [], tool: way.search });
const calling = (way: Way, name: string): readonly Action[] => {
  if (way.mode === 'call') return [{ type: 'bridge', name }];
  if (way.mode === 'code') return [{ type: 'program', name }];
  return [...(way.mode === 'load' ? [{ type: 'load', name } as const] : []), { type: 'call', name }];
};

/** A turn in which the model searches, and calls the tool. */
const uses = (there: ModeRig, way: Way, name: string, request: Request, query = QUERY): Promise<void> =>
  there.does([searching(way, query), ...calling(way, name)], request);

/** What a search as this resource returns. */
const searched = (there: ModeRig, resource: string, query = QUERY): Promise<readonly SearchResult[]> =>
  there.processor.search(query, { requestContext: contextOf({ mastra__resourceId: resource }), explain: true });
const namesFor = async (...args: Parameters<typeof searched>) => (await searched(...args)).map(({ name }) => name);
const byUse = async (there: ModeRig, name = 'report_two') =>
  (await searched(there, 'ann')).find((found) => found.name === name)?.byUse ?? 0;

const learned = ({ events }: ModeRig): readonly ToolSearchEvent[] => events.filter(({ type }) => type === 'learn');
const UNLEARNED = ['report_one', 'report_two'];
const LEARNED = ['report_two', 'report_one'];

const clients = WAYS.filter(({ execution }) => execution !== 'server');

// A search of the client is one, whatever definitions are sent.
describe.each(clients.filter(({ execution }) => execution === 'client'))('learning from use with $way', (way) => {
  it('ranks a tool higher that was called with success after such a query, and says so', async () => {
    const there = rigOf(way);
    expect(await namesFor(there, 'ann')).toEqual(UNLEARNED);
    await uses(there, way, 'report_two', as('ann'));
    await uses(there, way, 'report_two', as('ann', 'another'));
    expect(there.ran).toEqual(['report_two', 'report_two']);
    expect(learned(there)).toEqual(Array(2).fill({ type: 'learn', toolName: 'report_two' }));
    const searches = there.events.filter((event) => event.type === 'search');
    expect(searches.map(({ results }) => results[0])).toEqual(UNLEARNED);
    expect(searches.map((search) => search.byUse)).toEqual([undefined, ['report_two']]);
    const [first, second] = await searched(there, 'ann');
    expect([first?.name, second?.name]).toEqual(LEARNED);
    expect(first?.byUse).toBeGreaterThan(0);
    expect(second).not.toHaveProperty('byUse');
    expect(first?.confidence).toBeGreaterThanOrEqual(second?.confidence ?? 1);
    // Other words, in part, and none of them.
    expect((await namesFor(there, 'ann', 'report for a city please'))[0]).toBe('report_two');
    expect(await searched(there, 'ann', 'email')).toEqual([expect.not.objectContaining({ byUse: expect.anything() })]);
  });

  it('shows no one what another tenant used', async () => {
    const [there, twin] = [rigOf(way), rigOf(way)];
    for (const thread of ['one', 'two']) await uses(there, way, 'report_two', as('bob', thread));
    const before = there.sent.length;
    for (const one of [there, twin]) {
      await uses(one, way, 'send_email', as('ann'), 'email message');
      await uses(one, way, 'report_one', as('ann', 'later'));
    }
    const told = ({ sent }: ModeRig, from: number): string =>
      JSON.stringify(sent.slice(from).map(({ results }) => results)).replace(/call-\d+/g, 'call');
    expect(told(there, before)).toBe(told(twin, 0));
    for (const query of [QUERY, 'report', 'email', 'message of the city'])
      expect(await searched(there, 'ann', query)).toEqual(await searched(twin, 'ann', query));
  });

  it('learns nothing of calls that fail, of what no search showed or a query named, and of nobody', async () => {
    const failures = [
      () => Promise.reject(new Error('It is broken.')),
      async () => ({ isError: true, content: [] }),
      async () => ({ error: true, message: 'Wrong arguments.' }),
    ];
    const execute = async () => failures.shift()?.() ?? { report: 'sunny' };
    const tools = { report_zoo: tool('report_zoo', 'Weather report of a city.', { execute }) };
    const there = rigOf(way, {}, { includeResolvedTools: true }, { tools });
    for (const thread of ['one', 'two', 'three']) await uses(there, way, 'report_zoo', as('ann', thread));
    await there.does([searching(way, 'email'), ...calling(way, 'report_two')], as('ann', 'four'));
    await there.does([searching(way, 'select:report_two'), ...calling(way, 'report_two')], as('ann', 'five'));
    await there.does([...calling(way, 'report_two')], as('ann', 'six'));
    await uses(there, way, 'report_two', nobody);
    expect(learned(there)).toEqual([]);
    await uses(there, way, 'report_zoo', as('ann', 'one'));
    expect(learned(there)).toEqual([{ type: 'learn', toolName: 'report_zoo' }]);
    for (const requestContext of [undefined, contextOf({ mastra__resourceId: 42 })]) {
      const found = await there.processor.search(QUERY, requestContext ? { requestContext } : {});
      expect(found.map(({ name }) => name).slice(0, 2)).toEqual(UNLEARNED);
    }
  });
});

it.each(WAYS.filter(({ execution }) => execution === 'server'))(
  'learns nothing of searches that the provider runs, with $way',
  async (way) => {
    const there = rigOf(way);
    await there.ask('use send_email', as('ann'));
    expect(there.ran).toEqual(['send_email']);
    expect(learned(there)).toEqual([]);
  },
);

// What no mode has a part in.
describe('learning from use, in any mode,', () => {
  const way = clients[0] as Way;

  it('believes a use less where the search had put the tool first anyway', async () => {
    const lift = async (name: string): Promise<number> => {
      const there = rigOf(way, { weight: 1 });
      for (const thread of ['one', 'two', 'three', 'four']) await uses(there, way, name, as('ann', thread));
      return byUse(there, name);
    };
    const [confirmed, corrected] = [await lift('report_one'), await lift('report_two')];
    // What use alone has put first is a correction still.
    expect(corrected).toBeGreaterThan(1.5 * confirmed);
    expect(confirmed).toBeGreaterThan(0);
  });

  it('gives all requests without a resource one vote where users share a scope', async () => {
    const there = rigOf(way, { scope: 'global', weight: 1 });
    await uses(there, way, 'report_two', nobody);
    const once = await byUse(there);
    expect(once).toBeGreaterThan(0);
    for (let time = 0; time < 3; time++) await uses(there, way, 'report_two', nobody);
    expect(learned(there)).toHaveLength(4);
    expect(await byUse(there)).toBe(once);
    await uses(there, way, 'report_two', as('bob'));
    expect(await byUse(there)).toBeGreaterThan(once);
  });

  it('lifts nothing above a tool that is named', async () => {
    const there = rigOf(way);
    for (const thread of ['one', 'two', 'three']) await uses(there, way, 'report_two', as('ann', thread));
    for (const query of ['report one', 'Report-One', 'reportOne', 'REPORT_ONE']) {
      const found = await searched(there, 'ann', query);
      expect(found[0]?.name, query).toBe('report_one');
      for (const one of found) expect(one).not.toHaveProperty('byUse');
    }
    expect(await namesFor(there, 'ann')).toEqual(LEARNED);
  });

  it('forgets a resource when it is told to, and no other, and is shared by processors with one store', async () => {
    const store = memoryLearningStore();
    const [there, other] = [rigOf(way, { store }), rigOf(way, { store })];
    for (const resource of ['ann', 'bob', 'eve']) await uses(there, way, 'report_two', as(resource));
    await there.processor.clearLearning('ann');
    await there.processor.clearLearning({ requestContext: contextOf({ mastra__resourceId: 'eve' }) });
    const found = await Promise.all(['ann', 'bob', 'eve'].map((resource) => namesFor(other, resource)));
    expect(found).toEqual([UNLEARNED, LEARNED, UNLEARNED]);
    await uses(there, way, 'report_two', as('ann'));
    expect(await namesFor(there, 'ann')).toEqual(LEARNED);
  });

  const fail = (): never => {
    throw new Error('The store is down.');
  };
  it.each([
    { fault: 'rejects', run: async () => fail() },
    { fault: 'throws', run: fail },
    { fault: 'hangs', run: () => new Promise<never>(() => {}) },
    { fault: 'returns something else', run: async () => ({ key: 5, uses: 'none' }) as never },
  ])('searches without what was learned where the store $fault', async ({ run }) => {
    const store: LearningStore = { read: run, append: run, clear: run };
    const there = rigOf(way, { store }, { timeouts: { store: 50 } });
    await uses(there, way, 'report_two', as('ann'));
    expect(there.ran).toEqual(['report_two']);
    expect(await namesFor(there, 'ann')).toEqual(UNLEARNED);
    const error = expect.any(Error);
    expect(there.events).toContainEqual({ type: 'scorer-failed', scorer: 'learning', error, survived: true });
  });

  it('is off unless it is set', async () => {
    for (const options of [{ learning: false }, { learning: undefined }]) {
      const there = rigOf(way, {}, options);
      await uses(there, way, 'report_two', as('ann'));
      expect(learned(there)).toEqual([]);
      expect(await namesFor(there, 'ann')).toEqual(UNLEARNED);
      await there.processor.clearLearning('ann');
    }
  });
});
