import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import type { ScopeRequest, ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Reporter } from '../../../src/events/reporter.ts';
import { defaultScope, Requests } from '../../../src/processor/request.ts';

type Scope = (request: ScopeRequest) => string | undefined;

function setup(scope: Scope = defaultScope) {
  const events: ToolSearchEvent[] = [];
  return { events, requests: new Requests(scope, new Reporter((event) => events.push(event))) };
}

const thread = (threadId: string) => new RequestContext([['mastra__threadId', threadId]] as never);

describe('steps of one request', () => {
  it('share the state, also with another message list each, as in a DurableAgent', () => {
    const { requests } = setup();
    const state = {};
    const first = requests.of({ state, messageList: new MessageList() });
    expect(requests.of({ state, messageList: new MessageList() })).toBe(first);
    expect(requests.of({ state })).toBe(first);
  });

  it('share the message list, also with another state each, as in a processor workflow', () => {
    const { requests } = setup();
    const messageList = new MessageList();
    const first = requests.of({ state: {}, messageList });
    expect(requests.of({ state: {}, messageList })).toBe(first);
    expect(requests.of({ messageList })).toBe(first);
  });

  it('share the state or the message list with a step before', () => {
    const { requests } = setup();
    const [state, messageList] = [{}, new MessageList()];
    const first = requests.of({ state, messageList: new MessageList() });
    requests.of({ state, messageList });
    expect(requests.of({ state: {}, messageList })).toBe(first);
  });

  it('keep the scope that the first step had', () => {
    let team = 'x';
    const { requests } = setup(() => team);
    const state = {};
    expect(requests.of({ state }).scope).toBe('x');
    team = 'y';
    expect(requests.of({ state }).scope).toBe('x');
    expect(requests.of({ state: {} }).scope).toBe('y');
  });
});

describe('steps of different requests', () => {
  it('may share their RequestContext, and their scope, but not their loads', () => {
    const { requests } = setup();
    const requestContext = thread('t');
    const first = requests.of({ state: {}, messageList: new MessageList(), requestContext });
    const second = requests.of({ state: {}, messageList: new MessageList(), requestContext });
    expect(second).not.toBe(first);
    expect(second.scope).toBe(first.scope);
  });

  it('share neither state nor message list', () => {
    const { requests } = setup();
    expect(requests.of({})).not.toBe(requests.of({}));
  });

  it('may share a message list outside an agent, where their threads differ', () => {
    const { requests } = setup();
    const messageList = new MessageList();
    const first = requests.of({ messageList, requestContext: thread('one') });
    expect(requests.of({ messageList, requestContext: thread('one') })).toBe(first);
    const other = requests.of({ messageList, requestContext: thread('two') });
    expect(other).not.toBe(first);
    expect([first.scope, other.scope]).toEqual(['[null,"one"]', '[null,"two"]']);
    expect([...other.own]).toEqual([]);
  });

  it('may share a state with the steps of another processor', () => {
    const state = {};
    expect(setup().requests.of({ state })).not.toBe(setup().requests.of({ state }));
  });
});

it('the RequestContext stands for the request before the first step', () => {
  const { requests } = setup();
  const requestContext = thread('t');
  const state = requests.of({ requestContext });
  expect(requests.of({ requestContext })).toBe(state);
  expect(requests.of({ requestContext: thread('t') })).not.toBe(state);
});

it('a new request has loaded nothing', () => {
  const { requests } = setup();
  const { scope, own, unsaved } = requests.of({ state: {} });
  expect({ scope, own: [...own], unsaved: [...unsaved] }).toEqual({ scope: undefined, own: [], unsaved: [] });
});

describe('the scope function', () => {
  it('is called with the identity and the request context', () => {
    const scope = vi.fn<Scope>(() => 'team');
    const { requests } = setup(scope);
    const requestContext = new RequestContext([
      ['mastra__threadId', 't'],
      ['mastra__resourceId', 'r'],
    ] as never);
    expect(requests.scopeOf({ requestContext })).toBe('team');
    expect(scope.mock.calls).toEqual([[{ threadId: 't', resourceId: 'r', requestContext }]]);
  });

  it('is called without the keys of what is not known', () => {
    const scope = vi.fn<Scope>(() => undefined);
    setup(scope).requests.scopeOf({});
    expect(Object.keys(scope.mock.calls[0]![0])).toEqual([]);
  });

  it("has the thread and resource of the step's message list", () => {
    const messageList = new MessageList({ threadId: 't', resourceId: 'r' });
    expect(setup().requests.scopeOf({ messageList })).toBe('["r","t"]');
  });

  it.each(['', undefined, null, 5, true, {}, ['t'], Symbol('t')])(
    "keeps the request's loads to the request by returning %s",
    (value) => {
      const { requests } = setup(() => value as never);
      expect(requests.of({ state: {} }).scope).toBeUndefined();
    },
  );

  it.each(['', undefined, null])('is not reported for %j, which keeps loads to the request on purpose', (value) => {
    const { requests, events } = setup(() => value as never);
    requests.of({ state: {} });
    expect(events).toEqual([]);
  });

  it.each([5, true, {}, ['t'], Symbol('t')])('is reported for returning %s', (value) => {
    const { requests, events } = setup(() => value as never);
    requests.of({ state: {} });
    expect(events).toEqual([{ type: 'scope-failed', error: expect.any(TypeError) }]);
  });

  it("is reported for throwing, and keeps the request's loads to the request", () => {
    const error = new Error('no team');
    const { requests, events } = setup(() => {
      throw error;
    });
    const state = requests.of({ state: {} });
    expect(state.scope).toBeUndefined();
    expect(events).toEqual([{ type: 'scope-failed', error }]);
  });

  it('is called once a request of an agent, so that a fault is reported once', () => {
    const scope = vi.fn<Scope>(() => {
      throw new Error('no team');
    });
    const { requests, events } = setup(scope);
    const state = {};
    for (let step = 0; step < 3; step++) requests.of({ state, messageList: new MessageList() });
    expect(scope).toHaveBeenCalledTimes(1);
    expect(events).toHaveLength(1);
  });

  it('is reported for returning a promise, whose rejection is handled', () => {
    const rejected = Promise.reject(new Error('no team'));
    rejected.catch(() => {});
    const handlers = [vi.spyOn(rejected, 'then'), vi.spyOn(rejected, 'catch')];
    const { requests, events } = setup(() => rejected as never);
    expect(requests.of({ state: {} }).scope).toBeUndefined();
    expect(handlers.some((handler) => handler.mock.calls.length > 0)).toBe(true);
    expect(events).toMatchObject([{ type: 'scope-failed' }]);
  });

  it('is reported as failed when the RequestContext throws', () => {
    const error = new Error('no context');
    const requestContext = {
      get() {
        throw error;
      },
    };
    const { requests, events } = setup();
    expect(requests.of({ state: {}, requestContext: requestContext as never }).scope).toBeUndefined();
    expect(events).toEqual([{ type: 'scope-failed', error }]);
  });
});
