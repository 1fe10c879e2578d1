import { RequestContext } from '@mastra/core/request-context';
import type { LearningOptions, LearningStore, SearchResult, ToolSearchEvent } from 'mastra-tool-search';
import { memoryLearningStore } from 'mastra-tool-search/learning';
import { describe, expect, it } from 'vitest';
import type { Action } from '../native/rig/goals.ts';
import { tool } from '../support/harness.ts';
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
const contextOf = (entries: Record<string, unknown>): RequestContext =>
  new RequestContext(Object.entries(entries) as never);

function rigOf(way: Way, learning: boolean | LearningOptions = LEARNING, options: object = {}): ModeRig {
  // In load mode, a tool that a search showed is called without being loaded.
  return modeRig(way, { catalog: CATALOG, options: { learning, search: { topK: 5 }, onMiss: 'run', ...options } });
}

const searching = (way: Way, query: string): Action => ({ type: 'search', query, wanted: [], tool: way.search });
const calling = (way: Way, name: string): Action => ({ type: way.mode === 'call' ? 'bridge' : 'call', name });

/** A turn in which the model searches, and calls the tool. */
async function uses(there: ModeRig, way: Way, name: string, request: Request, query = QUERY): Promise<void> {
  await there.does([searching(way, query), calling(way, name)], request);
}

/** What a search as this resource returns. */
async function searched(there: ModeRig, resource: string, query = QUERY): Promise<readonly SearchResult[]> {
  return there.processor.search(query, {
    requestContext: contextOf({ mastra__resourceId: resource }),
    explain: true,
  });
}

/** All results that the model was told since, without the ids of calls. */
const toldSince = ({ sent }: ModeRig, first: number): string =>
  JSON.stringify(sent.slice(first).map(({ results }) => results)).replace(/call-\d+/g, 'call');

const names = (results: readonly SearchResult[]): readonly string[] => results.map(({ name }) => name);
const learned = ({ events }: ModeRig): readonly ToolSearchEvent[] => events.filter(({ type }) => type === 'learn');

const clients = WAYS.filter(({ execution }) => execution !== 'server');
const servers = WAYS.filter(({ execution }) => execution === 'server');

describe.each(clients)('learning from use with $way', (way) => {
  it('ranks a tool higher that was called with success after such a query', async () => {
    const there = rigOf(way);
    expect(names(await searched(there, 'ann'))).toEqual(['report_one', 'report_two']);
    await uses(there, way, 'report_two', as('ann'));
    expect(there.ran).toEqual(['report_two']);
    expect(learned(there)).toEqual([{ type: 'learn', toolName: 'report_two' }]);
    const [first, second] = await searched(there, 'ann');
    expect([first?.name, second?.name]).toEqual(['report_two', 'report_one']);
    expect(first?.byUse).toBeGreaterThan(0);
    expect(second).not.toHaveProperty('byUse');
    expect(first?.confidence).toBeGreaterThanOrEqual(second?.confidence ?? 1);
    // Other words, in part, and none of them.
    expect(names(await searched(there, 'ann', 'report for a city please'))[0]).toBe('report_two');
    expect(await searched(there, 'ann', 'email')).toEqual([expect.not.objectContaining({ byUse: expect.anything() })]);
  });

  it('shows the model what it learned, and tells of it in the event of the search', async () => {
    const there = rigOf(way);
    await uses(there, way, 'report_two', as('ann', 'one'));
    await uses(there, way, 'report_two', as('ann', 'two'));
    const searches = there.events.filter((event) => event.type === 'search');
    expect(searches.map(({ results }) => results[0])).toEqual(['report_one', 'report_two']);
    expect(searches.map(({ byUse }) => byUse)).toEqual([undefined, ['report_two']]);
  });

  it('shows no one what another tenant used', async () => {
    const [there, twin] = [rigOf(way), rigOf(way)];
    await uses(there, way, 'report_two', as('bob'));
    await uses(there, way, 'report_two', as('bob', 'another'));
    for (const one of [there, twin]) await uses(one, way, 'send_email', as('ann'), 'email message');
    for (const query of [QUERY, 'report', 'email', 'message of the city']) {
      expect(JSON.stringify(await searched(there, 'ann', query))).toBe(
        JSON.stringify(await searched(twin, 'ann', query)),
      );
    }
    const asked = there.sent.length;
    const askedOfTwin = twin.sent.length;
    for (const one of [there, twin]) await uses(one, way, 'report_one', as('ann', 'later'));
    expect(toldSince(there, asked)).toBe(toldSince(twin, askedOfTwin));
  });

  it.each([
    { why: 'throws', run: () => Promise.reject(new Error('It is broken.')) },
    { why: 'returns the error of an MCP server', run: async () => ({ isError: true, content: [] }) },
    { why: 'returns an error', run: async () => ({ error: true, message: 'Wrong arguments.' }) },
  ])('learns nothing of a call that $why, and of the next one that succeeds', async ({ run }) => {
    let isBroken = true;
    const execute = async () => (isBroken ? run() : { report: 'sunny' });
    const report = tool('report_zoo', 'Weather report of a city.', { execute });
    const options = { includeResolvedTools: true };
    const there = modeRig(way, {
      catalog: CATALOG,
      options: { learning: LEARNING, ...options },
      agent: { tools: { report_zoo: report } } as never,
    });
    await uses(there, way, 'report_zoo', as('ann'));
    expect(learned(there)).toEqual([]);
    isBroken = false;
    await uses(there, way, 'report_zoo', as('ann'));
    expect(learned(there)).toEqual([{ type: 'learn', toolName: 'report_zoo' }]);
  });

  it('learns nothing of a tool that the search did not show, and nothing of a query that asks for names', async () => {
    const there = rigOf(way);
    await there.does([searching(way, 'email'), calling(way, 'report_two')], as('ann'));
    await there.does([searching(way, 'select:report_two'), calling(way, 'report_two')], as('ann', 'two'));
    await there.does([calling(way, 'report_two')], as('ann', 'three'));
    expect(learned(there)).toEqual([]);
    expect(names(await searched(there, 'ann'))).toEqual(['report_one', 'report_two']);
  });

  it('learns nothing where nobody knows whose use it is', async () => {
    const there = rigOf(way);
    await uses(there, way, 'report_two', { memory: undefined });
    expect(there.ran).toEqual(['report_two']);
    expect(learned(there)).toEqual([]);
    for (const requestContext of [undefined, contextOf({ mastra__resourceId: 42 })]) {
      const found = await there.processor.search(QUERY, requestContext ? { requestContext } : {});
      expect(names(found)).toEqual(['report_one', 'report_two']);
    }
  });
});

// What no mode has a part in.
describe('learning from use, in any mode,', () => {
  const way = clients[0] as Way;

  it('believes a use less where the search had put the tool first anyway', async () => {
    const lift = async (name: string): Promise<number> => {
      const there = rigOf(way, { ...LEARNING, weight: 1 });
      for (const thread of ['one', 'two', 'three', 'four']) await uses(there, way, name, as('ann', thread));
      return (await searched(there, 'ann')).find((found) => found.name === name)?.byUse ?? 0;
    };
    const [confirmed, corrected] = [await lift('report_one'), await lift('report_two')];
    // What use alone has put first is a correction still.
    expect(corrected).toBeGreaterThan(1.5 * confirmed);
    expect(confirmed).toBeGreaterThan(0);
  });

  it('gives all requests without a resource one vote where users share a scope', async () => {
    const nobody: Request = { memory: undefined };
    const lift = async (there: ModeRig): Promise<number> => (await searched(there, 'ann'))[0]?.byUse ?? 0;
    const there = rigOf(way, { ...LEARNING, scope: 'global', weight: 1 });
    await uses(there, way, 'report_two', nobody);
    const once = await lift(there);
    expect(once).toBeGreaterThan(0);
    for (let time = 0; time < 3; time++) await uses(there, way, 'report_two', nobody);
    expect(learned(there)).toHaveLength(4);
    expect(await lift(there)).toBe(once);
    await uses(there, way, 'report_two', as('bob'));
    expect(await lift(there)).toBeGreaterThan(once);
  });

  it.each(['report one', 'Report-One', 'reportOne', 'REPORT_ONE'])(
    'lifts nothing above a tool that is named: %s',
    async (query) => {
      const there = rigOf(way);
      for (const thread of ['one', 'two', 'three']) await uses(there, way, 'report_two', as('ann', thread));
      const found = await searched(there, 'ann', query);
      expect(names(found)[0]).toBe('report_one');
      for (const one of found) expect(one).not.toHaveProperty('byUse');
      expect(names(await searched(there, 'ann'))[0]).toBe('report_two');
    },
  );

  it('does not tell of a tool that the request may not see, as if nobody had used it', async () => {
    const filter = ({ toolName, requestContext }: { toolName: string; requestContext?: RequestContext }) =>
      toolName !== 'report_two' || requestContext?.get('may') === true;
    const [there, twin] = [0, 1].map(() => rigOf(way, { ...LEARNING, scope: 'global' }, { filter })) as [
      ModeRig,
      ModeRig,
    ];
    const may = (resource: string) => ({ ...as(resource), requestContext: contextOf({ may: true }) });
    for (const resource of ['bob', 'eve']) await uses(there, way, 'report_two', may(resource));
    expect(there.ran).toEqual(['report_two', 'report_two']);
    for (const one of [there, twin]) await uses(one, way, 'report_one', as('ann'));
    for (const query of [QUERY, 'report', 'city']) {
      expect(await searched(there, 'ann', query)).toEqual(await searched(twin, 'ann', query));
    }
    const requestContext = contextOf({ mastra__resourceId: 'ann', may: true });
    expect(names(await there.processor.search(QUERY, { requestContext }))[0]).toBe('report_two');
  });

  it('forgets a resource when it is told to, and no other', async () => {
    const there = rigOf(way);
    for (const resource of ['ann', 'bob', 'eve']) await uses(there, way, 'report_two', as(resource));
    await there.processor.clearLearning('ann');
    await there.processor.clearLearning({ requestContext: contextOf({ mastra__resourceId: 'eve' }) });
    const first = await Promise.all(['ann', 'bob', 'eve'].map((resource) => searched(there, resource)));
    expect(first.map((found) => found[0]?.name)).toEqual(['report_one', 'report_two', 'report_one']);
    await uses(there, way, 'report_two', as('ann'));
    expect(names(await searched(there, 'ann'))[0]).toBe('report_two');
  });

  it.each([
    { fault: 'rejects', fail: () => Promise.reject(new Error('The store is down.')) },
    {
      fault: 'throws',
      fail: () => {
        throw new Error('The store is down.');
      },
    },
    { fault: 'hangs', fail: () => new Promise<never>(() => {}) },
    { fault: 'returns something else', fail: () => Promise.resolve({ key: 5, uses: 'none' } as never) },
  ])('searches without what was learned where the store $fault', async ({ fail }) => {
    const store: LearningStore = { read: fail, append: fail, clear: fail };
    const there = rigOf(way, { ...LEARNING, store }, { timeouts: { store: 50 } });
    await uses(there, way, 'report_two', as('ann'));
    expect(there.ran).toEqual(['report_two']);
    expect(names(await searched(there, 'ann'))).toEqual(['report_one', 'report_two']);
    expect(there.events).toContainEqual({
      type: 'scorer-failed',
      scorer: 'learning',
      error: expect.any(Error),
      survived: true,
    });
  });

  it('is shared by processors with one store', async () => {
    const store = memoryLearningStore();
    const [there, other] = [rigOf(way, { ...LEARNING, store }), rigOf(way, { ...LEARNING, store })];
    await uses(there, way, 'report_two', as('ann'));
    expect(names(await searched(other, 'ann'))[0]).toBe('report_two');
  });

  it('is off unless it is set', async () => {
    for (const learning of [false, undefined]) {
      const there = modeRig(way, { catalog: CATALOG, options: { ...(learning === undefined ? {} : { learning }) } });
      await uses(there, way, 'report_two', as('ann'));
      expect(learned(there)).toEqual([]);
      expect(names(await searched(there, 'ann'))).toEqual(['report_one', 'report_two']);
      await there.processor.clearLearning('ann');
    }
  });
});

describe.each(servers)('learning from use with $way', (way) => {
  it('learns nothing of searches that the provider runs', async () => {
    const there = rigOf(way);
    await there.ask('use send_email', as('ann'));
    expect(there.ran).toEqual(['send_email']);
    expect(learned(there)).toEqual([]);
  });
});
