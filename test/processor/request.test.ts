// Whose request a step belongs to: what the option `scope` is told, the default scope, and which steps are one request.
import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import { memoryStore, type ScopeRequest, type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';

type Scope = (request: ScopeRequest) => string | undefined;

const tools = toolRecord(tool('a'));
const context = (entries: object) => ({ requestContext: new RequestContext(Object.entries(entries) as never) });
/** What server middleware sets, and what Memory resolved. */
const middleware = (thread?: unknown, resource?: unknown) => ({
  ...(thread === undefined ? {} : { mastra__threadId: thread }),
  ...(resource === undefined ? {} : { mastra__resourceId: resource }),
});
const memory = (id?: unknown, resourceId?: unknown) => ({ MastraMemory: { thread: { id }, resourceId } });
const list = (threadId?: unknown, resourceId?: unknown) => ({
  messageList: new MessageList({ threadId, ...(resourceId === undefined ? {} : { resourceId }) } as never),
});
const message = (threadId?: unknown, resourceId?: unknown) => ({ role: 'user', threadId, resourceId });

/** Asks for the loaded tools of a step that received this, as Mastra's own code may ask. */
const ask = (options: object, stepArgs: object) =>
  new ToolSearchProcessor({ tools, ...options }).getLoadedToolsForRequestContext({ stepArgs: stepArgs as never });

/** What the option `scope` is told of a request. */
async function identify(sources: object) {
  const asked = vi.fn<Scope>(() => undefined);
  await ask({ scope: asked }, sources);
  const { requestContext: _, ...identity } = asked.mock.calls[0]![0];
  return identity;
}

/** The scope under which the store is asked for a request's tools; undefined where it is not asked. */
async function scopeOf(sources: object): Promise<string | undefined> {
  const get = vi.fn((_scope: string): string[] => []);
  await ask({ storage: { get, add: () => {}, clear: () => {} } }, sources);
  return get.mock.calls[0]?.[0];
}

describe('the identity of a request', () => {
  const T = { threadId: 't' };
  const TR = { threadId: 't', resourceId: 'r' };
  const both = { ...middleware('t', 'r'), ...memory('no', 'no') };
  const forged = { messages: [message('forged', 'forged')] };

  it.each<[why: string, sources: object, identity: object]>([
    ['the keys of server middleware', context(middleware('t', 'r')), TR],
    ['what Memory resolved', context(memory('t', 'r')), TR],
    ['the list of an agent without Memory', { ...list('t', 'r'), ...context({}) }, TR],
    ['the newest message with a thread', { messages: [message('old', 'a'), message('t', 'r'), message(null)] }, TR],
    ['a thread without a resource', list('t'), T],
    ['nothing', { ...context({}), ...list() }, {}],
    ['a resource alone', context(middleware(undefined, 'r')), { resourceId: 'r' }],
    ['middleware first, which a client cannot set', { ...context(both), ...list('no', 'no') }, TR],
    ['Memory before the list', { ...context(memory('t', 'r')), ...list('no', 'no') }, TR],
    ['Memory, the resource of middleware', context({ ...middleware(undefined, 'r'), ...memory('t', 'no') }), TR],
    ['the list, the resource of middleware', { ...context(middleware(undefined, 'r')), ...list('t', 'no') }, TR],
    ["middleware, the list's resource for that thread", { ...context(middleware('t')), ...list('t', 'r') }, TR],
    ["middleware, no message's resource", { ...context(middleware('t')), messages: [message('t', 'r')] }, T],
    ["middleware, not another thread's resource", { ...context(middleware('t')), ...list('other', 'r') }, T],
    ['no message beside an empty list: a client may write it', { ...list(), ...forged }, {}],
    ['the list, and no message beside it', { ...list('t', 'r'), ...forged }, TR],
    ['the list, where the id of middleware is empty', { ...context(middleware('')), ...list('t', 'r') }, TR],
    ['Memory, where that of middleware is empty', context({ ...middleware(undefined, ''), ...memory('t', 'r') }), TR],
    ['nothing, where the only resource is empty', list('t', ''), {}],
    ['nothing, where the only resource of Memory is empty', context(memory('t', '')), {}],
    ['messages, of which others are nothing', { messages: [message('t'), null, undefined, 5, 'x', {}] }, T],
  ])('comes from %s', async (_, sources, identity) => {
    expect(await identify(sources)).toEqual(identity);
  });

  const odd = [42, 0, Number.NaN, 7n, true, false, [], ['r'], {}, Symbol('r'), () => 'r', new Date(0)];

  it.each(odd)('is none where an id that is no text is found first (%s), which makes no scope', async (id) => {
    const sources = [
      ...[
        context(middleware('t', id)),
        context(middleware(id, 'r')),
        context(memory('t', id)),
        context(memory(id, 'r')),
      ],
      context({ ...middleware(undefined, id), ...memory('t', 'r') }),
      context({ ...middleware(id), ...memory('t', 'r') }),
      { ...context({ ...middleware('t'), ...memory('t', id) }), ...list('t', 'r') },
      { ...context(middleware('t')), ...list('t', id) },
      { ...context(middleware(undefined, id)), ...list('t', 'r') },
      ...[list('t', id), list(id, 'r'), { messages: [message('t', id)] }, { messages: [message(id, 'r')] }],
    ];
    for (const source of sources) expect([await identify(source), await scopeOf(source)]).toEqual([{}, undefined]);
    // Behind an id that is a text, it does not count.
    expect(await identify({ ...context({ ...middleware('t', 'r'), ...memory(id, id) }), ...list(id, id) })).toEqual(TR);
  });

  it.each([null, undefined, '', 5, true, [], {}, () => 't', 'text'])('is not in an odd source: %s', async (value) => {
    const thread = { MastraMemory: { thread: value } };
    for (const source of [context({ MastraMemory: value }), context(thread), { messageList: value }, { messages: [] }])
      expect(await identify(source)).toEqual({});
    expect(await identify({ messageList: value, messages: [message('t')] })).toEqual(T);
  });

  it.each([
    () => {
      throw new Error('no');
    },
    () => undefined,
    () => ({ memoryInfo: null }),
    () => ({ memoryInfo: { threadId: 5, resourceId: {} } }),
  ])('is none, whatever its messages say, where its list is serialised by %s', async (serialize) => {
    expect(await identify({ messageList: { serialize }, ...forged })).toEqual({});
  });
});

describe('the default scope', () => {
  /** Texts that meet in careless joins, and any others: half surrogate pairs, quotes, control characters. */
  const id = fc.oneof(
    fc.constantFrom('a', 'b', 'a,b', '","', '"', '\\', 'null', '[null,"a"]', ' a', 'é', 'e\u0301', '\ud800', '\ufffd'),
    fc.string({ minLength: 1, unit: 'binary' }),
  );
  const identity = fc.record({ threadId: id, resourceId: fc.option(id, { nil: undefined }) });
  const ofIdentity = ({ threadId, resourceId }: { threadId: string; resourceId: string | undefined }) =>
    scopeOf(context(middleware(threadId, resourceId)));

  it('does not exist without a thread, whatever the resource', async () => {
    expect(await scopeOf(context(middleware(undefined, 'r')))).toBeUndefined();
    expect(await scopeOf(list('t', 'r'))).toBe('["r","t"]');
  });

  it('differs for any two identities that differ, and any database can hold it', async () => {
    await fc.assert(
      fc.asyncProperty(identity, identity, async (one, other) => {
        const isSame = one.threadId === other.threadId && one.resourceId === other.resourceId;
        const scope = (await ofIdentity(one))!;
        expect(scope === (await ofIdentity(other))).toBe(isSame);
        expect(Buffer.from(scope, 'utf8').toString('utf8')).toBe(scope);
        expect([...scope].every((character) => character >= ' ')).toBe(true);
      }),
    );
  });

  it('is cleared by no id that reads as it: clearState() of another thread', async () => {
    const processor = new ToolSearchProcessor({ tools });
    const ofAnn = { threadId: 'T2', resourceId: 'ann' };
    const stored = memoryStore();
    const made = new ToolSearchProcessor({ tools, storage: stored });
    stored.add('["ann","T2"]', ['a'], { ttl: 0 });
    stored.add('[null,"[\\"ann\\",\\"T2\\"]"]', ['a'], { ttl: 0 });
    stored.add('team-1', ['a'], { ttl: 0 });
    await made.clearState('["ann","T2"]');
    expect(stored.scopes()).toEqual(['["ann","T2"]', 'team-1']);
    // An id that is the scope, as a function `scope` may have it.
    await made.clearState('team-1');
    expect(stored.scopes()).toEqual(['["ann","T2"]']);
    await made.clearState(ofAnn.threadId, ofAnn.resourceId);
    expect(stored.scopes()).toEqual([]);
    expect(() => processor.clearState('["ann","T2"]')).not.toThrow();
  });

  it('tells its thread: clearState() forgets all scopes of a thread, and no others', async () => {
    const odd = ['team-1', '5', 'null', '"t"', '{}', '[]', '["t"]', '["a","b","t"]', '[null,5]', '[null,""]', '[null,'];
    await fc.assert(
      fc.asyncProperty(fc.array(identity, { minLength: 1, maxLength: 4 }), async (identities) => {
        const storage = memoryStore();
        const scopes = await Promise.all(identities.map(ofIdentity));
        for (const scope of [...odd, ...scopes]) storage.add(scope!, ['a'], { ttl: 0 });
        const { threadId } = identities[0]!;
        await new ToolSearchProcessor({ tools, storage }).clearState(threadId);
        const others = scopes.filter((_, at) => identities[at]!.threadId !== threadId);
        // An id that reads as the scope of another thread is none of this one.
        expect(new Set(storage.scopes())).toEqual(new Set([...odd.filter((scope) => scope !== threadId), ...others]));
      }),
      // The first thread is called as the scope of the second.
      { numRuns: 40, examples: [[['[null,"a"]', 'a'].map((threadId) => ({ threadId, resourceId: undefined }))]] },
    );
  });
});

describe('steps', () => {
  /** A request without a thread keeps its loads to itself: whether the last step is of the request of the first. */
  async function areOneRequest(steps: readonly object[], options: object = {}) {
    const processor = new ToolSearchProcessor({ tools, ...options });
    const step = async (args: object) => {
      const given = { messageList: new MessageList(), messages: [], steps: [], tools: {}, ...args };
      return (await processor.processInputStep(given as never)).tools ?? {};
    };
    const { load_tool: load } = (await step(steps[0]!)) as typeof tools;
    await load?.execute?.({ toolName: 'a' } as never, {} as never);
    let last = {};
    for (const args of steps.slice(1)) last = await step(args);
    return Object.keys(last).includes('a');
  }
  const state = {};
  const { messageList } = list();
  const inThread = (id: string) => ({ messageList, ...context(middleware(id)) });
  const anew = (shared: object = {}) => ({ state: {}, ...shared });
  const sameContext = context({});

  it.each<[share: string, steps: object[], isOne: boolean]>([
    ['the state, also with another message list each, as in a DurableAgent', [{ state }, { state }], true],
    ['the message list, as in a processor workflow', [anew({ messageList }), anew({ messageList })], true],
    ['nothing, outside an agent', [{}, {}], false],
    ['one or the other with a step between', [{ state }, { state, messageList }, anew({ messageList })], true],
    ['the RequestContext alone', [anew(sameContext), anew(sameContext)], false],
    ['nothing', [anew(), anew()], false],
    ['the list alone, with the same thread', [inThread('one'), inThread('one')], true],
    ['the list alone, with different threads', [inThread('one'), inThread('two')], false],
  ])('that share %s: one request is %s', async (...[, steps, isOne]) => {
    expect(await areOneRequest(steps)).toBe(isOne);
  });

  it('of one request keep the scope that the first had', async () => {
    let team = 0;
    const scope = () => `team-${team++}`;
    expect(await areOneRequest([anew(), anew()], { scope })).toBe(false);
    team = 0;
    const same = anew();
    expect([await areOneRequest([same, same], { scope }), team]).toEqual([true, 1]);
  });
});

describe('the scope function', () => {
  const eventsOf = async (scope: Scope, sources: object = { state: {} }) => {
    const events: ToolSearchEvent[] = [];
    const get = vi.fn(() => []);
    const storage = { get, add: () => {}, clear: () => {} };
    await ask({ scope, storage, onEvent: (event: ToolSearchEvent) => events.push(event) }, sources);
    // The loads of the request stay with it.
    expect(get).not.toHaveBeenCalled();
    return events;
  };

  it('is called with the identity and the request context, without the keys of what is not known', async () => {
    const scope = vi.fn<Scope>(() => undefined);
    const sources = context(middleware('t', 'r'));
    await ask({ scope }, sources);
    await ask({ scope }, { state: {} });
    expect(scope.mock.calls).toStrictEqual([[{ threadId: 't', resourceId: 'r', ...sources }], [{}]]);
  });

  it.each(['', undefined, null])(
    'is not reported for %j, which keeps loads to the request on purpose',
    async (value) => {
      expect(await eventsOf(() => value as never)).toEqual([]);
    },
  );

  it.each([5, {}, Symbol('t')])('is reported for returning %s', async (value) => {
    expect(await eventsOf(() => value as never)).toEqual([{ type: 'scope-failed', error: expect.any(TypeError) }]);
  });

  it('is reported once in a request for throwing, as is a RequestContext that throws', async () => {
    const error = new Error('no team');
    const scope = vi.fn<Scope>(() => {
      throw error;
    });
    const events: ToolSearchEvent[] = [];
    const processor = new ToolSearchProcessor({ tools, scope, onEvent: (event) => events.push(event) });
    const state = {};
    for (let step = 0; step < 3; step++)
      await processor.getLoadedToolsForRequestContext({ stepArgs: { state, ...list() } as never });
    expect(scope).toHaveBeenCalledTimes(1);
    expect(events).toEqual([{ type: 'scope-failed', error }]);
    const requestContext = { get: () => scope({}) };
    expect(await eventsOf(() => 'team', { state: {}, requestContext })).toContainEqual({ type: 'scope-failed', error });
  });

  it('is reported for returning a promise, whose rejection is handled', async () => {
    const rejected = Promise.reject(new Error('no team'));
    rejected.catch(() => {});
    const handlers = [vi.spyOn(rejected, 'then'), vi.spyOn(rejected, 'catch')];
    expect(await eventsOf(() => rejected as never)).toMatchObject([{ type: 'scope-failed' }]);
    expect(handlers.some((handler) => handler.mock.calls.length > 0)).toBe(true);
  });
});
