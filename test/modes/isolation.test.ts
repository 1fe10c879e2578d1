import { RequestContext } from '@mastra/core/request-context';
import { type LoadedToolStore, memoryStore } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { isCallable, type Sent } from '../native/rig/goals.ts';
import { CATALOG } from '../native/rig/world.ts';
import { inTurn } from '../support/breadth.ts';
import { type ModeRig, modeRig, type Request, WAYS, type Way } from '../support/modes.ts';

const NAMES = Object.keys(CATALOG);
const anonymous: Request = { memory: undefined };
const ofContext = (entries: Record<string, unknown>): Request => ({
  ...anonymous,
  requestContext: new RequestContext(Object.entries(entries) as never),
});
const ofMemory = (thread: unknown, resource: unknown): Request => ({ memory: { thread, resource } });
const ofKeys = (thread: unknown, resource?: unknown): Request =>
  ofContext({
    mastra__threadId: thread,
    ...(resource === undefined ? {} : { mastra__resourceId: resource }),
  });

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
const stores = Object.keys(STORES) as (keyof typeof STORES)[];

const atHand = (sent: Sent): readonly string[] => NAMES.filter((name) => isCallable(sent, name));

/** The tools that the first model call of each turn has at hand, one turn after the other. Each uses what it asks for. */
async function atHandIn(there: ModeRig, requests: readonly Request[], names: readonly string[] = ['get_weather']) {
  const found: (readonly string[])[] = [];
  for (const request of requests) {
    for (const name of names) {
      const { length } = there.sent;
      const ranBefore = there.ran.length;
      await there.ask(`use ${name}`, request);
      expect(there.ran.slice(ranBefore)).toEqual([name]);
      found.push(atHand(there.sent[length] as Sent));
    }
  }
  expect(there.refused()).toEqual([]);
  return found;
}

// With Memory, Mastra itself refuses a resource that is no text.
const withoutMemory = { agent: { memory: undefined } as never };
// In call mode no tool is ever at hand: there is nothing that could be shared, and the list of tools stays the same.
const loaded = ({ mode }: Way): readonly string[] => (mode === 'call' || mode === 'code' ? [] : ['get_weather']);
const nothing = (requests: readonly Request[], names: readonly string[] = ['x']) =>
  requests.flatMap(() => names.map(() => []));

/** Ids as an application may hand them over by mistake. */
const ODD: Readonly<Record<string, (id: unknown) => Request>> = {
  'a resource': (id) => ofMemory('t', id),
  'a thread': (id) => ofMemory(id, 'r'),
  'a resource in the request context': (id) => ofKeys('t', id),
  'a thread in the request context': (id) => ofKeys(id, 'r'),
  'a resource beside a thread in the request context': (id) => ({ ...ofKeys('t'), ...ofMemory('t', id) }),
};

describe('what a request loaded is not there', () => {
  const each = inTurn({ way: WAYS, store: stores }).map((one) => ({ ...one, name: one.way.way }));

  it.each(each)('for anonymous requests, nor for those that use its RequestContext: $name, $store', async (one) => {
    const there = modeRig(one.way, { options: { storage: STORES[one.store]() } });
    const request = ofContext({});
    const requests = [anonymous, request];
    const names = NAMES.slice(0, 2);
    expect(await atHandIn(there, requests, names)).toEqual(nothing(requests, names));
    const before = there.sent.length;
    await Promise.all(NAMES.map((name) => there.ask(`use ${name}`, request)));
    for (const sent of there.sent.slice(before)) expect(sent.goals).toEqual(expect.arrayContaining([...atHand(sent)]));
  });

  it.each(each)('for other threads, resources and nobody at once: $name, $store', async ({ way, store }) => {
    const there = modeRig(way, { options: { storage: STORES[store]() } });
    const twice = [...NAMES, ...NAMES];
    const requestOf = (at: number) => (at % 2 === 0 ? anonymous : ofMemory(`t-${at}`, `r-${at % 3}`));
    await Promise.all(twice.map((name, at) => there.ask(`use ${name}`, requestOf(at))));
    for (const sent of there.sent) expect(sent.goals).toEqual(expect.arrayContaining([...atHand(sent)]));
    expect([...there.ran].sort()).toEqual(twice.sort());
    expect(there.refused()).toEqual([]);
  });

  it.each(inTurn({ way: WAYS, how: Object.keys(ODD), store: stores }))(
    'for the next one where an id is no text: $how, $way.way, $store',
    async ({ way, store, how }) => {
      const there = modeRig(way, { ...withoutMemory, options: { storage: STORES[store]() } });
      const requests = [42, 43, { user: 1 }, true].map((id) => ODD[how]!(id));
      expect(await atHandIn(there, requests)).toEqual(nothing(requests));
    },
  );

  it.each(WAYS)('for ids inside messages that the caller sends: $way', async (way) => {
    const there = modeRig(way, withoutMemory);
    await there.ask('use get_weather', ofMemory('t', 'r'));
    const { length } = there.sent;
    const content = { format: 2, parts: [{ type: 'text', text: 'use get_weather' }] };
    const forged = { id: 'm', role: 'user', threadId: 't', resourceId: 'r', createdAt: new Date(), content };
    await there.ask([forged] as never, anonymous);
    expect(atHand(there.sent[length] as Sent)).toEqual([]);
    expect(there.ran).toEqual(['get_weather', 'get_weather']);
  });
});

/** Requests of one scope, and of another one. */
const SCOPES: Readonly<Record<string, readonly [same: () => Request, other: () => Request]>> = {
  'resources, by the keys of server middleware': [() => ofKeys('t', 'r'), () => ofKeys('t', 'other')],
  'threads, by the keys of server middleware, without a resource': [() => ofKeys('t'), () => ofKeys('u')],
  'resources of an agent without Memory': [() => ofMemory('t', 'r'), () => ofMemory('t', 'other')],
  'what the scope function returns': [() => ofContext({ team: 'x' }), () => ofContext({ team: 'y' })],
};

describe('what a request loaded is there', () => {
  it.each(inTurn({ way: WAYS, what: Object.keys(SCOPES) }))(
    'for its own scope alone: $what, $way.way',
    async ({ way, what }) => {
      const [same, other] = SCOPES[what]!;
      const scope = ({ requestContext }: { requestContext?: RequestContext }) => requestContext?.get('team') as string;
      const there = modeRig(way, { ...withoutMemory, options: what.includes('function') ? { scope } : {} });
      expect(await atHandIn(there, [same(), same(), other()])).toEqual([[], loaded(way), []]);
    },
  );

  it.each(WAYS)('for no one where the scope function fails: $way', async (way) => {
    const scope = () => {
      throw new Error('no');
    };
    const there = modeRig(way, { options: { scope } });
    expect(await atHandIn(there, [ofContext({ team: 'x' }), ofContext({ team: 'x' })])).toEqual([[], []]);
    expect(there.events).toContainEqual(expect.objectContaining({ type: 'scope-failed' }));
  });
});
