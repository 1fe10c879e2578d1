import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultScope, identifyRequest, type RequestIdentity, threadOfScope } from '../../../src/processor/request.ts';
import { message } from '../../loaded/conversation/messages.ts';

const context = (entries: Record<string, unknown>): RequestContext =>
  new RequestContext(Object.entries(entries) as never);
const memory = (thread: unknown, resourceId?: unknown) => ({ MastraMemory: { thread, resourceId } });
const listOf = (threadId: string, resourceId?: string): MessageList =>
  new MessageList({ threadId, ...(resourceId === undefined ? {} : { resourceId }) });
const messageOf = (threadId: unknown, resourceId?: unknown) => ({ ...message('user', []), threadId, resourceId });
const identify = (sources: object): RequestIdentity => identifyRequest(sources);

describe('the identity of a request', () => {
  it.each([
    {
      why: 'the keys of server middleware',
      sources: { requestContext: context({ mastra__threadId: 't', mastra__resourceId: 'r' }) },
      identity: { threadId: 't', resourceId: 'r' },
    },
    {
      why: 'what Memory resolved',
      sources: { requestContext: context(memory({ id: 't' }, 'r')) },
      identity: { threadId: 't', resourceId: 'r' },
    },
    {
      why: 'the message list of an agent without Memory',
      sources: { messageList: listOf('t', 'r'), requestContext: context({}) },
      identity: { threadId: 't', resourceId: 'r' },
    },
    {
      why: 'the newest message that has a thread, where there is no real list',
      sources: { messages: [messageOf('old', 'a'), messageOf('t', 'r'), messageOf(undefined)] },
      identity: { threadId: 't', resourceId: 'r' },
    },
    { why: 'a thread without a resource', sources: { messageList: listOf('t') }, identity: { threadId: 't' } },
    { why: 'nothing', sources: {}, identity: {} },
    { why: 'an empty request', sources: { requestContext: context({}), messageList: new MessageList() }, identity: {} },
    {
      why: 'a resource alone',
      sources: { requestContext: context({ mastra__resourceId: 'r' }) },
      identity: { resourceId: 'r' },
    },
  ])('comes from $why', ({ sources, identity }) => {
    expect(identify(sources)).toEqual(identity);
  });

  it('comes from the keys of server middleware first, which a client cannot set', () => {
    const all = {
      requestContext: context({ mastra__threadId: 't', mastra__resourceId: 'r', ...memory({ id: 'no' }, 'no') }),
      messageList: listOf('no', 'no'),
      messages: [messageOf('no', 'no')],
    };
    expect(identify(all)).toEqual({ threadId: 't', resourceId: 'r' });
  });

  it('comes from Memory before the message list', () => {
    const both = { requestContext: context(memory({ id: 't' }, 'r')), messageList: listOf('no', 'no') };
    expect(identify(both)).toEqual({ threadId: 't', resourceId: 'r' });
  });

  it('has the resource that middleware sets for a thread of another source', () => {
    const resource = { mastra__resourceId: 'r' };
    expect(identify({ requestContext: context({ ...resource, ...memory({ id: 't' }, 'no') }) })).toEqual({
      threadId: 't',
      resourceId: 'r',
    });
    expect(identify({ requestContext: context(resource), messageList: listOf('t', 'no') })).toEqual({
      threadId: 't',
      resourceId: 'r',
    });
  });

  it('completes a thread that middleware sets with the resource of the message list for that thread', () => {
    const { requestContext } = { requestContext: context({ mastra__threadId: 't' }) };
    expect(identify({ requestContext, messageList: listOf('t', 'r') })).toEqual({ threadId: 't', resourceId: 'r' });
    expect(identify({ requestContext, messages: [messageOf('t', 'r')] })).toEqual({ threadId: 't' });
  });

  it("does not complete a thread of one source with the resource of another thread's list", () => {
    const mixed = { requestContext: context({ mastra__threadId: 't' }), messageList: listOf('other', 'r') };
    expect(identify(mixed)).toEqual({ threadId: 't' });
  });

  it('does not come from messages where a message list is there: a client may have written them', () => {
    const forged = [messageOf('forged', 'forged')];
    expect(identify({ messageList: new MessageList(), messages: forged })).toEqual({});
    expect(identify({ messageList: listOf('t', 'r'), messages: forged })).toEqual({ threadId: 't', resourceId: 'r' });
  });
});

describe('an id that is no text', () => {
  const notTexts = [42, 0, -1, Number.NaN, 7n, true, false, [], ['r'], {}, Symbol('r'), () => 'r', new Date(0)];

  it.each(notTexts)('leaves the request without an identity where it is found first (%s)', (id) => {
    const sources = [
      { requestContext: context({ mastra__threadId: 't', mastra__resourceId: id }) },
      { requestContext: context({ mastra__threadId: id, mastra__resourceId: 'r' }) },
      { requestContext: context(memory({ id: 't' }, id)) },
      { requestContext: context(memory({ id }, 'r')) },
      { requestContext: context({ mastra__resourceId: id, ...memory({ id: 't' }, 'r') }) },
      { requestContext: context({ mastra__threadId: id, ...memory({ id: 't' }, 'r') }) },
      { requestContext: context({ mastra__threadId: 't', ...memory({ id: 't' }, id) }), messageList: listOf('t', 'r') },
      { requestContext: context({ mastra__threadId: 't' }), messageList: listOf('t', id as never) },
      { requestContext: context({ mastra__resourceId: id }), messageList: listOf('t', 'r') },
      { messageList: listOf('t', id as never) },
      { messageList: listOf(id as never, 'r') },
      { messages: [messageOf('t', id)] },
      { messages: [messageOf(id, 'r')] },
    ];
    for (const source of sources) expect(identify(source)).toEqual({});
  });

  it.each(notTexts)('does not count behind an id that is a text (%s)', (id) => {
    const texts = { mastra__threadId: 't', mastra__resourceId: 'r' };
    for (const requestContext of [context({ ...texts, ...memory({ id }, id) }), context(texts)]) {
      const messageList = listOf(id as never, id as never);
      expect(identify({ requestContext, messageList })).toEqual({ threadId: 't', resourceId: 'r' });
    }
  });

  it('may be an empty text, which leaves the request without an identity unless another source has an id', () => {
    expect(identify({ messageList: listOf('t', '') })).toEqual({});
    expect(identify({ requestContext: context(memory({ id: 't' }, '')) })).toEqual({});
    expect(identify({ requestContext: context({ mastra__resourceId: '', ...memory({ id: 't' }, 'r') }) })).toEqual({
      threadId: 't',
      resourceId: 'r',
    });
    expect(identify({ requestContext: context({ mastra__threadId: '' }), messageList: listOf('t', 'r') })).toEqual({
      threadId: 't',
      resourceId: 'r',
    });
  });

  it.each(notTexts)('makes no default scope (%s)', (id) => {
    expect(defaultScope({ threadId: 't', resourceId: id as never })).toBeUndefined();
    expect(defaultScope({ threadId: id as never, resourceId: 'r' })).toBeUndefined();
  });
});

describe('an odd source of the identity', () => {
  const odd = [null, undefined, '', 0, 5, true, [], {}, Symbol('x'), () => 't', new Date(0)];

  it.each(odd)('counts as no id: %s', (id) => {
    expect(identify({ requestContext: context({ mastra__threadId: id, mastra__resourceId: id }) })).toEqual({});
    expect(identify({ requestContext: context(memory({ id }, id)) })).toEqual({});
    expect(identify({ messages: [messageOf(id, id)] })).toEqual({});
  });

  it.each([...odd, 'text'])('counts as no memory: %s', (value) => {
    expect(identify({ requestContext: context({ MastraMemory: value }) })).toEqual({});
    expect(identify({ requestContext: context(memory(value)) })).toEqual({});
  });

  it.each([...odd, 'text'])('counts as no message list: %s', (messageList) => {
    expect(identify({ messageList })).toEqual({});
    expect(identify({ messageList, messages: [messageOf('t')] })).toEqual({ threadId: 't' });
  });

  it.each([null, undefined, {}, { get: 'text' }])('counts as no request context: %j', (requestContext) => {
    expect(identify({ requestContext, messageList: listOf('t') })).toEqual({ threadId: 't' });
  });

  it.each([
    {
      why: 'throws',
      serialize: () => {
        throw new Error('no');
      },
    },
    { why: 'tells nothing', serialize: () => undefined },
    { why: 'has no memoryInfo', serialize: () => ({}) },
    { why: 'has null for it', serialize: () => ({ memoryInfo: null }) },
    { why: 'has other types', serialize: () => ({ memoryInfo: { threadId: 5, resourceId: {} } }) },
  ])(
    'leaves the request without an identity, whatever its messages say, when serialize() of the list $why',
    ({ serialize }) => {
      expect(identify({ messageList: { serialize }, messages: [messageOf('forged')] })).toEqual({});
    },
  );

  it('is passed over where it is a message that is nothing', () => {
    expect(identify({ messages: [messageOf('t'), null, undefined, 5, 'x', {}] })).toEqual({ threadId: 't' });
    expect(identify({ messages: [] })).toEqual({});
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
  const scopeOf = ({ threadId, resourceId }: { threadId: string; resourceId: string | undefined }) =>
    defaultScope({ threadId, ...(resourceId === undefined ? {} : { resourceId }) });

  it('does not exist without a thread, whatever the resource', () => {
    expect(defaultScope({})).toBeUndefined();
    expect(defaultScope({ resourceId: 'r' })).toBeUndefined();
  });

  it('differs for any two identities that differ', () => {
    fc.assert(
      fc.property(identity, identity, (one, other) => {
        const isSame = one.threadId === other.threadId && one.resourceId === other.resourceId;
        expect(scopeOf(one) === scopeOf(other)).toBe(isSame);
      }),
      { numRuns: 1000 },
    );
  });

  it('is well-formed Unicode without control characters, so that any database can hold it', () => {
    fc.assert(
      fc.property(identity, (one) => {
        const scope = scopeOf(one)!;
        expect(Buffer.from(scope, 'utf8').toString('utf8')).toBe(scope);
        expect([...scope].every((character) => character >= ' ')).toBe(true);
      }),
    );
  });

  it('tells its thread', () => {
    fc.assert(
      fc.property(identity, (one) => {
        expect(threadOfScope(scopeOf(one)!)).toBe(one.threadId);
      }),
    );
  });

  it.each(['', 'team-1', '5', 'null', '"t"', '{}', '[]', '["t"]', '["a","b","c"]', '[null,5]', '[null,""]', '[null,'])(
    'is not recognised in %j, which has no thread',
    (scope) => {
      expect(threadOfScope(scope)).toBeUndefined();
    },
  );
});
