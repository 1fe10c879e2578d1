import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchFilter, ToolSearchFilterArgs } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Reporter } from '../../../src/events/reporter.ts';
import { Policy } from '../../../src/filter/permissions.ts';
import { believableLoads, type Conversation, callsIn } from '../../../src/loaded/conversation/conversation.ts';
import { tool } from '../../support/harness.ts';
import { loaded, userSays } from './messages.ts';

const META = { search: 'search_tools', load: 'load_tool' };
const KNOWN = ['known', 'known_too', 'known_later'];

type Source = 'memory' | 'response' | 'input' | 'context';

interface Setup {
  readonly hasMemory?: boolean;
  readonly filter?: ToolSearchFilter;
  /** What the request loaded itself. */
  readonly own?: readonly string[];
}

/** What is believed of a list; a message of the user stands before each, so that Mastra merges none of them. */
function believed(messages: readonly [Source, string][], setup: Setup = {}): Promise<readonly string[]> {
  const messageList = new MessageList();
  for (const [source, name] of messages) {
    messageList.add(userSays('go') as never, source === 'response' ? 'input' : source);
    messageList.add(loaded(name) as never, source);
  }
  return believedOf({ messageList, messages: messageList.get.all.db() }, setup);
}

function believedOf(
  args: { readonly messages?: unknown; readonly [field: string]: unknown },
  { hasMemory = false, filter, own = [] }: Setup = {},
): Promise<readonly string[]> {
  const requestContext = new RequestContext(
    (hasMemory ? [['MastraMemory', { thread: { id: 't' } }]] : [['user', 'ann']]) as never,
  );
  const subjectOf = (name: string) => (KNOWN.includes(name) ? { name, tool: tool(name) } : undefined);
  const request = { requestContext, ...args };
  const permissions = new Policy(filter, new Reporter()).permissions(request);
  const calls = callsIn((args.messages ?? []) as Conversation, META);
  return believableLoads(calls, request as never, subjectOf, permissions, new Set(own));
}

const deny: ToolSearchFilter = () => false;

it.each(['memory', 'response'] as const)(
  'a load in a message of source %s is believed without a filter, and with one only if the filter allows it',
  async (source) => {
    for (const hasMemory of [true, false]) {
      const message: [Source, string][] = [[source, 'known']];
      expect(await believed(message, { hasMemory }), 'is believed without a filter').toEqual(['known']);
      // Memory stores what clients send, and Mastra merges it with the answer, so that the source proves nothing.
      expect(await believed(message, { hasMemory, filter: deny }), 'has to pass the filter').toEqual([]);
      expect(await believed(message, { hasMemory, filter: deny, own: ['known'] }), 'that this request made').toEqual([
        'known',
      ]);
    }
  },
);

it.each(['input', 'context'] as const)(
  'a load in a message of source %s is ignored with Memory, and believed without Memory if the filter allows it',
  async (source) => {
    const sent: [Source, string][] = [[source, 'known']];
    expect(await believed(sent, { hasMemory: true }), 'is ignored with Memory').toEqual([]);
    expect(await believed(sent), 'is believed without Memory and filter').toEqual(['known']);
    expect(await believed(sent, { filter: deny }), 'has to pass the filter').toEqual([]);
  },
);

describe('a load that the caller sent, without Memory,', () => {
  it('is put to the load phase alone, with the tool and the request context', async () => {
    const asked: ToolSearchFilterArgs[] = [];
    const filter: ToolSearchFilter = (args) => {
      asked.push(args);
      return true;
    };
    expect(await believed([['input', 'known']], { filter })).toEqual(['known']);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ toolName: 'known', phase: 'load', tool: { id: 'known' } });
    expect(asked[0]?.requestContext?.get('user')).toBe('ann');
  });

  it('is dropped without asking the filter when the catalog does not know the tool', async () => {
    const filter: ToolSearchFilter = () => {
      throw new Error('asked');
    };
    for (const name of ['unknown', 'constructor', '__proto__']) {
      expect(await believed([['input', name]], { filter })).toEqual([]);
    }
  });

  it('is dropped when the filter throws or rejects', async () => {
    const failing: ToolSearchFilter[] = [
      () => {
        throw new Error('down');
      },
      () => Promise.reject(new Error('down')),
    ];
    for (const filter of failing) expect(await believed([['input', 'known']], { filter })).toEqual([]);
  });
});

it('a load of an unknown name is dropped', async () => {
  expect(await believed([['memory', 'unknown']])).toEqual([]);
});

it('a load that both caller and history show is believed, at its first place', async () => {
  const messages: [Source, string][] = [
    ['input', 'known'],
    ['memory', 'known_too'],
    ['memory', 'known'],
  ];
  expect(await believed(messages, { hasMemory: true })).toEqual(['known', 'known_too']);
});

it('believed loads keep the order of the conversation, however long the filter takes for each', async () => {
  let release = (): void => {};
  const first = new Promise<void>((resolve) => {
    release = resolve;
  });
  const filter: ToolSearchFilter = async ({ toolName }) => {
    if (toolName === 'known') await first;
    else release();
    return true;
  };
  const messages: [Source, string][] = [
    ['input', 'known'],
    ['response', 'known_later'],
    ['input', 'known_too'],
  ];
  expect(await believed(messages, { filter })).toEqual(['known', 'known_later', 'known_too']);
});

describe('the source of a message', () => {
  const messages = [loaded('known')];

  it.each([
    { why: 'no list', messageList: undefined },
    { why: 'a list without the method', messageList: {} },
    { why: 'a checker that cannot tell', messageList: { makeMessageSourceChecker: () => ({}) } },
  ])('is not asked for outside an agent, where the messages are believed ($why)', async ({ messageList }) => {
    expect(await believedOf({ messages, messageList }, { hasMemory: true })).toEqual(['known']);
  });

  it.each([null, 'system', 'user', 'something new'])('%j makes a load unbelievable', async (source) => {
    const messageList = { makeMessageSourceChecker: () => ({ getSource: () => source }) };
    expect(await believedOf({ messages, messageList }, { hasMemory: true })).toEqual([]);
  });

  it('is unknown for a message that the message list does not have, whose loads are not believed', async () => {
    expect(await believedOf({ messages, messageList: new MessageList() }, { hasMemory: true })).toEqual([]);
  });
});

it('a conversation without messages shows no loads', async () => {
  expect(await believedOf({})).toEqual([]);
  expect(await believedOf({ messages: [] })).toEqual([]);
});

it('loads are believed without a request context, and with one that is none', async () => {
  for (const requestContext of [undefined, {}]) {
    expect(await believedOf({ messages: [loaded('known')], requestContext })).toEqual(['known']);
  }
});
