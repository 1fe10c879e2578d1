import { RequestContext } from '@mastra/core/request-context';
import { type LoadedToolStore, memoryStore, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { isCallable, type Sent } from '../native/rig/goals.ts';
import { CATALOG } from '../native/rig/world.ts';
import { part } from '../support/breadth.ts';
import { type ModeRig, modeRig, type Request, WAYS, type Way } from '../support/modes.ts';

const NAMES = Object.keys(CATALOG);
const anonymous = { memory: undefined };
const contextOf = (entries: Record<string, unknown>): RequestContext =>
  new RequestContext(Object.entries(entries) as never);

/** A store in which everything takes a while, each call another while. */
function slowStore(): LoadedToolStore {
  const inner = memoryStore();
  let turn = 0;
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, (turn++ % 5) * 3));
  return {
    get: async (scope) => pause().then(() => inner.get(scope)),
    add: async (scope, names, options) => pause().then(() => inner.add(scope, names, options)),
    clear: async (scope) => pause().then(() => inner.clear(scope)),
  };
}

const STORES = {
  'in-memory': () => 'in-memory' as const,
  context: () => 'context' as const,
  'a slow store': slowStore,
};

const atHand = (sent: Sent): readonly string[] => NAMES.filter((name) => isCallable(sent, name));

/** The tools that the first model call of each turn has at hand, one turn after the other. Each uses what it asks for. */
async function atHandIn(there: ModeRig, turns: readonly { name: string; request: Request }[]) {
  const found: (readonly string[])[] = [];
  for (const { name, request } of turns) {
    const { length } = there.sent;
    const ranBefore = there.ran.length;
    await there.ask(`use ${name}`, request);
    expect(there.ran.slice(ranBefore)).toEqual([name]);
    found.push(atHand(there.sent[length] as Sent));
  }
  expect(there.refused()).toEqual([]);
  return found;
}

/** In call mode no tool is ever at hand: there is nothing that could be shared, and the list of tools stays the same. */
const told = ({ way, mode }: Way): string => (mode === 'call' ? `${way} (where nothing is loaded)` : way);

/** Every way with every store, or a part in which each occurs. */
const cases = part(
  WAYS.flatMap((way) =>
    (Object.keys(STORES) as (keyof typeof STORES)[]).map((store) => ({ way, store, title: told(way) })),
  ),
  'values',
);

/** Ids as an application may hand them over by mistake. */
const ids = {
  'a resource': (id: unknown) => ({ memory: { thread: 't', resource: id } }),
  'a thread': (id: unknown) => ({ memory: { thread: id, resource: 'r' } }),
  'a resource in the request context': (id: unknown) => ({
    ...anonymous,
    requestContext: contextOf({ mastra__threadId: 't', mastra__resourceId: id }),
  }),
  'a thread in the request context': (id: unknown) => ({
    ...anonymous,
    requestContext: contextOf({ mastra__threadId: id, mastra__resourceId: 'r' }),
  }),
  'a resource beside a thread in the request context': (id: unknown) => ({
    memory: { thread: 't', resource: id },
    requestContext: contextOf({ mastra__threadId: 't' }),
  }),
};
const oddIds = part(
  cases.flatMap((one) => (Object.keys(ids) as (keyof typeof ids)[]).map((how) => ({ ...one, how }))),
  'values',
);

// With Memory, Mastra itself refuses a resource that is no text.
const withoutMemory = { agent: { memory: undefined } as never };

describe('what a request loaded', () => {
  it.each(cases)(
    'is not there for anonymous requests, nor for those that use its RequestContext, in turn and at once: $title, $store',
    async ({ way, store }) => {
      const there = modeRig(way, { options: { storage: STORES[store]() } });
      const request = { ...anonymous, requestContext: new RequestContext() };
      const turns = [anonymous, request].flatMap((each) => NAMES.map((name) => ({ name, request: each })));
      expect(await atHandIn(there, turns)).toEqual(turns.map(() => []));
      const before = there.sent.length;
      await Promise.all(NAMES.map((name) => there.ask(`use ${name}`, request)));
      for (const sent of there.sent.slice(before))
        expect(sent.goals).toEqual(expect.arrayContaining([...atHand(sent)]));
      expect(there.ran.slice(turns.length).sort()).toEqual([...NAMES].sort());
    },
  );

  it.each(cases)(
    'is not there for other threads, resources and nobody at once: $title, $store',
    async ({ way, store }) => {
      const there = modeRig(way, { options: { storage: STORES[store]() } });
      const identities = [...NAMES, ...NAMES].map((name, at) => ({
        name,
        request: at % 2 === 0 ? anonymous : { memory: { thread: `t-${at}`, resource: `r-${at % 3}` } },
      }));
      await Promise.all(identities.map(({ name, request }) => there.ask(`use ${name}`, request)));
      for (const sent of there.sent) expect(sent.goals).toEqual(expect.arrayContaining([...atHand(sent)]));
      expect([...there.ran].sort()).toEqual([...NAMES, ...NAMES].sort());
      expect(there.refused()).toEqual([]);
    },
  );

  it.each(oddIds)(
    'is not there for the next one where an id is no text: $how, $title, $store',
    async ({ way, store, how }) => {
      const there = modeRig(way, { ...withoutMemory, options: { storage: STORES[store]() } });
      const turns = [42, 43, { user: 1 }, true].flatMap((id) =>
        ['get_weather', 'send_email'].map((name) => ({ name, request: ids[how](id) })),
      );
      expect(await atHandIn(there, turns)).toEqual(turns.map(() => []));
    },
  );
});

describe.each(WAYS.map((way) => ({ way, title: told(way) })))('with $title, what a request loaded', ({ way }) => {
  const rigWith = (options: Partial<ToolSearchProcessorOptions>) => modeRig(way, { options });
  const loaded = (...names: readonly string[]): readonly string[] => (way.mode === 'call' ? [] : names);

  it.each([
    {
      why: 'resources, by the keys of server middleware',
      same: () => ({ ...anonymous, requestContext: contextOf({ mastra__threadId: 't', mastra__resourceId: 'r' }) }),
      other: () => ({
        ...anonymous,
        requestContext: contextOf({ mastra__threadId: 't', mastra__resourceId: 'other' }),
      }),
    },
    {
      why: 'threads, by the keys of server middleware, without a resource',
      same: () => ({ ...anonymous, requestContext: contextOf({ mastra__threadId: 't' }) }),
      other: () => ({ ...anonymous, requestContext: contextOf({ mastra__threadId: 'u' }) }),
    },
    {
      why: 'resources of an agent without Memory',
      same: () => ({ memory: { thread: 't', resource: 'r' } }),
      other: () => ({ memory: { thread: 't', resource: 'other' } }),
    },
  ])('is there for its own scope alone, and not for other $why', async ({ same, other }) => {
    const there = modeRig(way, withoutMemory);
    const turns = [same(), same(), other()].map((request) => ({ name: 'get_weather', request }));
    expect(await atHandIn(there, turns)).toEqual([[], loaded('get_weather'), []]);
  });

  it('is not there for ids inside messages that the caller sends', async () => {
    const there = modeRig(way, withoutMemory);
    await there.ask('use get_weather', { memory: { thread: 't', resource: 'r' } });
    const { length } = there.sent;
    const content = { format: 2, parts: [{ type: 'text', text: 'use get_weather' }] };
    const forged = { id: 'm', role: 'user', threadId: 't', resourceId: 'r', createdAt: new Date(), content };
    await there.ask([forged] as never, anonymous);
    expect(atHand(there.sent[length] as Sent)).toEqual([]);
    expect(there.ran).toEqual(['get_weather', 'get_weather']);
  });

  it('is there for requests for which the scope function returns the same, and for none where it fails', async () => {
    const there = rigWith({ scope: ({ requestContext }) => requestContext?.get('team') as string });
    const ofTeam = (team: string) => ({ ...anonymous, requestContext: contextOf({ team }) });
    const turns = ['x', 'x', 'y'].map((team) => ({ name: 'get_weather', request: ofTeam(team) }));
    expect(await atHandIn(there, turns)).toEqual([[], loaded('get_weather'), []]);
    const failing = rigWith({
      scope: () => {
        throw new Error('no');
      },
    });
    const again = ['x', 'x'].map((team) => ({ name: 'get_weather', request: ofTeam(team) }));
    expect(await atHandIn(failing, again)).toEqual([[], []]);
    expect(failing.events).toContainEqual(expect.objectContaining({ type: 'scope-failed' }));
  });
});
