// Whose request a step belongs to: what the option `scope` is told, the default scope, and which steps are one request.
import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import {
  memoryStore,
  type ScopeRequest,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { message } from '../loaded/conversation/messages.ts';
import { tool, toolRecord } from '../support/harness.ts';

type Scope = (request: ScopeRequest) => string | undefined;
type Identity = Omit<ScopeRequest, 'requestContext'>;

const context = (entries: Record<string, unknown>): RequestContext =>
  new RequestContext(Object.entries(entries) as never);
const memory = (thread: unknown, resourceId?: unknown) => ({ MastraMemory: { thread, resourceId } });
const listOf = (threadId: unknown, resourceId?: unknown): MessageList =>
  new MessageList({ threadId, ...(resourceId === undefined ? {} : { resourceId }) } as never);
const messageOf = (threadId: unknown, resourceId?: unknown) => ({ ...message('user', []), threadId, resourceId });
const tools = toolRecord(tool('a'));

/** Asks for the loaded tools of a step that received this, as Mastra's own code may ask. */
const ask = (options: ToolSearchProcessorOptions, stepArgs: object) =>
  new ToolSearchProcessor({ tools, ...options }).getLoadedToolsForRequestContext({ stepArgs: stepArgs as never });

/** What the option `scope` is told of a request. */
async function identify(sources: object): Promise<Identity> {
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
  const middleware = { mastra__threadId: 't', mastra__resourceId: 'r' };
  const forged = [messageOf('forged', 'forged')];

  it.each<[why: string, sources: object, identity: Identity]>([
    ['the keys of server middleware', { requestContext: context(middleware) }, TR],
    ['what Memory resolved', { requestContext: context(memory({ id: 't' }, 'r')) }, TR],
    ['the list of an agent without Memory', { messageList: listOf('t', 'r'), requestContext: context({}) }, TR],
    [
      'the newest message with a thread',
      { messages: [messageOf('old', 'a'), messageOf('t', 'r'), messageOf(null)] },
      TR,
    ],
    ['a thread without a resource', { messageList: listOf('t') }, T],
    ['nothing', { requestContext: context({}), messageList: new MessageList() }, {}],
    ['a resource alone', { requestContext: context({ mastra__resourceId: 'r' }) }, { resourceId: 'r' }],
    [
      'middleware first, which a client cannot set',
      { requestContext: context({ ...middleware, ...memory({ id: 'no' }, 'no') }), messageList: listOf('no', 'no') },
      TR,
    ],
    [
      'Memory before the list',
      { requestContext: context(memory({ id: 't' }, 'r')), messageList: listOf('no', 'no') },
      TR,
    ],
    [
      'Memory, with the resource of middleware',
      { requestContext: context({ mastra__resourceId: 'r', ...memory({ id: 't' }, 'no') }) },
      TR,
    ],
    [
      'the list, with the resource of middleware',
      { requestContext: context({ mastra__resourceId: 'r' }), messageList: listOf('t', 'no') },
      TR,
    ],
    [
      'middleware, with the resource that the list has for that thread',
      { requestContext: context({ mastra__threadId: 't' }), messageList: listOf('t', 'r') },
      TR,
    ],
    [
      'middleware, without the resource that a message names',
      { requestContext: context({ mastra__threadId: 't' }), messages: [messageOf('t', 'r')] },
      T,
    ],
    [
      "middleware, without the resource of another thread's list",
      { requestContext: context({ mastra__threadId: 't' }), messageList: listOf('other', 'r') },
      T,
    ],
    [
      'no message beside an empty list: a client may write it',
      { messageList: new MessageList(), messages: forged },
      {},
    ],
    ['the list, and no message beside it', { messageList: listOf('t', 'r'), messages: forged }, TR],
    [
      'the list, where the id of middleware is empty',
      { requestContext: context({ mastra__threadId: '' }), messageList: listOf('t', 'r') },
      TR,
    ],
    [
      'Memory, where the resource of middleware is empty',
      { requestContext: context({ mastra__resourceId: '', ...memory({ id: 't' }, 'r') }) },
      TR,
    ],
    ['nothing, where the only resource is empty', { messageList: listOf('t', '') }, {}],
    ['nothing, where the only resource of Memory is empty', { requestContext: context(memory({ id: 't' }, '')) }, {}],
    ['messages, of which others are nothing', { messages: [messageOf('t'), null, undefined, 5, 'x', {}] }, T],
  ])('comes from %s', async (_, sources, identity) => {
    expect(await identify(sources)).toEqual(identity);
  });

  const notTexts = [42, 0, Number.NaN, 7n, true, false, [], ['r'], {}, Symbol('r'), () => 'r', new Date(0)];

  it.each(notTexts)('is none where an id that is no text is found first (%s), which makes no scope', async (id) => {
    const sources = [
      { requestContext: context({ mastra__threadId: 't', mastra__resourceId: id }) },
      { requestContext: context({ mastra__threadId: id, mastra__resourceId: 'r' }) },
      { requestContext: context(memory({ id: 't' }, id)) },
      { requestContext: context(memory({ id }, 'r')) },
      { requestContext: context({ mastra__resourceId: id, ...memory({ id: 't' }, 'r') }) },
      { requestContext: context({ mastra__threadId: id, ...memory({ id: 't' }, 'r') }) },
      { requestContext: context({ mastra__threadId: 't', ...memory({ id: 't' }, id) }), messageList: listOf('t', 'r') },
      { requestContext: context({ mastra__threadId: 't' }), messageList: listOf('t', id) },
      { requestContext: context({ mastra__resourceId: id }), messageList: listOf('t', 'r') },
      { messageList: listOf('t', id) },
      { messageList: listOf(id, 'r') },
      { messages: [messageOf('t', id)] },
      { messages: [messageOf(id, 'r')] },
    ];
    for (const source of sources) expect([await identify(source), await scopeOf(source)]).toEqual([{}, undefined]);
    // Behind an id that is a text, it does not count.
    const requestContext = context({ ...middleware, ...memory({ id }, id) });
    expect(await identify({ requestContext, messageList: listOf(id, id) })).toEqual(TR);
  });

  it.each([null, undefined, '', 0, 5, true, [], {}, Symbol('x'), () => 't', 'text'])(
    'is not in an odd source: %s',
    async (odd) => {
      for (const source of [
        { requestContext: context({ MastraMemory: odd }) },
        { requestContext: context(memory(odd)) },
        { messageList: odd },
        { messages: [] },
        ...(odd === 'text' ? [] : [{ requestContext: context(memory({ id: odd }, odd)) }]),
      ])
        expect(await identify(source)).toEqual({});
      expect(await identify({ messageList: odd, messages: [messageOf('t')] })).toEqual(T);
    },
  );

  it.each([
    () => {
      throw new Error('no');
    },
    () => undefined,
    () => ({}),
    () => ({ memoryInfo: null }),
    () => ({ memoryInfo: { threadId: 5, resourceId: {} } }),
  ])('is none, whatever its messages say, where its list is serialised by %s', async (serialize) => {
    expect(await identify({ messageList: { serialize }, messages: [messageOf('forged')] })).toEqual({});
  });
});

describe('the default scope', () => {
  /** Texts that meet in careless joins, and any others: half surrogate pairs, quotes, control characters. */
  const id = fc.oneof(
    fc.constantFrom('a', 'b', 'a,b', '","', '"', '\\', 'null', '[null,"a"]', ' a', 'é', 'e\u0301', '\ud800', '\ufffd'),
    fc.string({ minLength: 1, unit: 'binary' }),
    fc.string({ minLength: 1 }),
  );
  const identity = fc.record({ threadId: id, resourceId: fc.option(id, { nil: undefined }) });
  const ofIdentity = ({ threadId, resourceId }: { threadId: string; resourceId: string | undefined }) =>
    scopeOf({ requestContext: context({ mastra__threadId: threadId, mastra__resourceId: resourceId }) });

  it('does not exist without a thread, whatever the resource', async () => {
    expect(await scopeOf({ requestContext: context({ mastra__resourceId: 'r' }) })).toBeUndefined();
    expect(await scopeOf({ messageList: listOf('t', 'r') })).toBe('["r","t"]');
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
      { numRuns: 300 },
    );
  });

  it('tells its thread: clearState() forgets all scopes of a thread, and no others', async () => {
    const odd = ['team-1', '5', 'null', '"t"', '{}', '[]', '["t"]', '["a","b","t"]', '[null,5]', '[null,""]', '[null,'];
    await fc.assert(
      fc.asyncProperty(fc.array(identity, { minLength: 1, maxLength: 4 }), async (identities) => {
        const storage = memoryStore();
        for (const scope of odd) storage.add(scope, ['a'], { ttl: 0 });
        const scopes = await Promise.all(identities.map(ofIdentity));
        for (const scope of scopes) storage.add(scope!, ['a'], { ttl: 0 });
        const [{ threadId }] = identities as [Identity & { threadId: string }];
        await new ToolSearchProcessor({ tools, storage }).clearState(threadId);
        const others = scopes.filter((_, at) => identities[at]!.threadId !== threadId);
        const kept = [...odd.filter((scope) => scope !== threadId), ...others];
        expect(new Set(storage.scopes())).toEqual(new Set(kept.filter((scope) => scope !== threadId)));
      }),
      { numRuns: 60 },
    );
  });
});

describe('steps', () => {
  /** A request without a thread keeps its loads to itself: whether the last step is of the request of the first. */
  async function areOneRequest(steps: readonly object[], options: ToolSearchProcessorOptions = {}) {
    const processor = new ToolSearchProcessor({ tools, ...options });
    const step = async (args: object) => {
      const given = { messageList: new MessageList(), messages: [], steps: [], tools: {}, ...args };
      return (await processor.processInputStep(given as never)).tools;
    };
    const { load_tool: load } = await step(steps[0]!);
    await load?.execute?.({ toolName: 'a' }, {} as never);
    let last = {};
    for (const args of steps.slice(1)) last = await step(args);
    return Object.keys(last).includes('a');
  }
  const state = {};
  const messageList = new MessageList();
  const requestContext = context({});
  const thread = (id: string) => ({ messageList, requestContext: context({ mastra__threadId: id }) });

  it.each([
    ['share the state, also with another message list each, as in a DurableAgent', [{ state }, { state }], true],
    [
      'share the message list, as in a processor workflow',
      [
        { state: {}, messageList },
        { state: {}, messageList },
      ],
      true,
    ],
    ['share nothing, outside an agent', [{}, {}], false],
    [
      'share one or the other with a step between',
      [{ state }, { state, messageList }, { state: {}, messageList }],
      true,
    ],
    [
      'share the RequestContext alone',
      [
        { state: {}, requestContext },
        { state: {}, requestContext },
      ],
      false,
    ],
    ['share nothing', [{ state: {} }, { state: {} }], false],
    ['share the list alone, with the same thread', [thread('one'), thread('one')], true],
    ['share the list alone, with different threads', [thread('one'), thread('two')], false],
  ])('that %s: one request is %s', async (_, steps, isOne) => {
    expect(await areOneRequest(steps)).toBe(isOne);
  });

  it('of one request keep the scope that the first had', async () => {
    let team = 0;
    const scope = () => `team-${team++}`;
    expect(await areOneRequest([{ state: {} }, { state: {} }], { scope })).toBe(false);
    const same = {};
    team = 0;
    expect(await areOneRequest([{ state: same }, { state: same }], { scope })).toBe(true);
    expect(team).toBe(1);
  });
});

describe('the scope function', () => {
  const eventsOf = async (scope: Scope, sources: object = { state: {} }) => {
    const events: ToolSearchEvent[] = [];
    const get = vi.fn(() => []);
    const storage = { get, add: () => {}, clear: () => {} };
    await ask({ scope, storage, onEvent: (event) => events.push(event) }, sources);
    // The loads of the request stay with it.
    expect(get).not.toHaveBeenCalled();
    return events;
  };

  it('is called with the identity and the request context, without the keys of what is not known', async () => {
    const scope = vi.fn<Scope>(() => undefined);
    const requestContext = context({ mastra__threadId: 't', mastra__resourceId: 'r' });
    await ask({ scope }, { requestContext });
    await ask({ scope }, { state: {} });
    expect(scope.mock.calls).toEqual([[{ threadId: 't', resourceId: 'r', requestContext }], [{}]]);
    expect(Object.keys(scope.mock.calls[1]![0])).toEqual([]);
  });

  it.each(['', undefined, null])(
    'is not reported for %j, which keeps loads to the request on purpose',
    async (value) => {
      expect(await eventsOf(() => value as never)).toEqual([]);
    },
  );

  it.each([5, true, {}, ['t'], Symbol('t')])('is reported for returning %s', async (value) => {
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
      await processor.getLoadedToolsForRequestContext({ stepArgs: { state, messageList: new MessageList() } as never });
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
