import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import type { ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Reporter } from '../../../src/events/reporter.ts';
import { Policy } from '../../../src/filter/permissions.ts';
import {
  believableLoads,
  type Conversation,
  type ConversationMessage,
  callsIn,
  loadsInConversation,
} from '../../../src/loaded/conversation/conversation.ts';
import { tool } from '../../support/harness.ts';
import { loaded, message, result, userSays } from './messages.ts';

const META = { search: 'search_tools', load: 'load_tool' };

function loads(messages: readonly unknown[], isTrusted?: (from: ConversationMessage) => boolean) {
  return loadsInConversation(callsIn(messages as readonly ConversationMessage[], META), false, isTrusted);
}
const names = (...messages: unknown[]) => loads(messages).map(({ name }) => name);
const namesIn = (...parts: object[]) => names(message('assistant', parts));

describe('loadsInConversation()', () => {
  it('lists loaded names in the order of the conversation, each once', () => {
    expect(names(userSays('go'), loaded('b', 'a'), userSays('more'), loaded('a', 'c'))).toEqual(['b', 'a', 'c']);
  });

  it.each(['user', 'system', 'tool', 'signal', 'Assistant', '', undefined])('ignores messages of role %j', (role) => {
    expect(names({ ...loaded('a'), role })).toEqual([]);
  });

  it.each(['call', 'partial-call', 'approval-requested', 'output-error', 'output-denied', 'Result', undefined])(
    'ignores a call in the state %j',
    (state) => {
      const value = { success: true, toolName: 'a', loaded: ['a'] };
      const part = { type: 'tool-invocation', toolInvocation: { state, toolName: 'load_tool', result: value } };
      expect(namesIn(part)).toEqual([]);
    },
  );

  it.each(['get_weather', 'LOAD_TOOL', 'load_tool ', 'constructor', undefined])(
    'ignores results of the tool %j',
    (toolName) => {
      expect(namesIn(result(toolName as string, { success: true, toolName: 'a', loaded: ['a'] }))).toEqual([]);
    },
  );

  it('reads loads under the names that the meta-tools have', () => {
    const renamed = { search: 'tool_search', load: 'tool_load' };
    const parts = [
      result('tool_search', { results: [], message: '', loaded: ['a'] }),
      result('tool_load', { success: true, toolName: 'b' }),
      result('load_tool', { success: true, toolName: 'c' }),
    ];
    expect(loadsInConversation(callsIn([message('assistant', parts)], renamed)).map(({ name }) => name)).toEqual([
      'a',
      'b',
    ]);
  });

  const odd = [null, '{"success":true,"toolName":"a"}', ['a'], 5];
  const results = [{ name: 'a' }];
  it.each<[why: string, metaTool: 'load_tool' | 'search_tools', value: unknown]>([
    ['it failed', 'load_tool', { success: false, message: '', toolName: 'a' }],
    ['success is no flag', 'load_tool', { success: 'true', toolName: 'a' }],
    ['the name is no text', 'load_tool', { success: true, toolName: 5 }],
    ['the names are no list', 'load_tool', { success: true, loaded: 'a' }],
    ['the list holds no texts', 'load_tool', { success: true, loaded: [1, null, ['a'], { name: 'a' }] }],
    ['a load has no matches', 'load_tool', { results, message: 'Found and loaded 1 tool(s): a.' }],
    ...odd.map((value): [string, 'load_tool', unknown] => ['it is no object', 'load_tool', value]),
    ['found is not loaded', 'search_tools', { results, message: 'Found 1 tool(s).' }],
    ['it says itself that nothing was loaded', 'search_tools', { results, message: 'Found and loaded', loaded: [] }],
    ['the message is not at the start', 'search_tools', { results, message: 'I Found and loaded a' }],
    ['there is no message', 'search_tools', { results }],
    ['it has the shape of a load', 'search_tools', { success: true, toolName: 'a' }],
    ['the matches are no list', 'search_tools', { results: { name: 'a' }, message: 'Found and loaded 1 tool(s)' }],
    ['the matches are odd', 'search_tools', { results: [null, 'a', {}, { name: 1 }], message: 'Found and loaded 4' }],
  ])('finds no load where %s, in a result of %s: %j', (_, metaTool, value) => {
    expect(namesIn(result(metaTool, value))).toEqual([]);
  });

  it('takes any text as a name, as the catalog decides what it is', () => {
    const odd = ['__proto__', 'constructor', 'a b', '🧵', 'x'.repeat(10_000)];
    expect(namesIn(result('load_tool', { success: true, loaded: odd }))).toEqual(odd);
  });
});

describe('the message of a load', () => {
  // A name, and + where the message is trusted.
  it.each([
    [
      ['a+', 'b'],
      ['a+', 'b'],
    ],
    [
      ['a+', 'b+', 'a'],
      ['a+', 'b+'],
    ],
    [
      ['a', 'b+', 'a+'],
      ['a+', 'b+'],
    ],
  ])('is the trusted one, at the first place of the name: of %j it is %j', (shown, isOf) => {
    const messages = shown.map((one) => loaded(one.replace('+', '')));
    const isTrusted = (from: ConversationMessage) => shown[messages.indexOf(from as never)]!.endsWith('+');
    const found = loads(messages, isTrusted);
    expect(found.map(({ name, message: from }) => `${name}${isTrusted(from) ? '+' : ''}`)).toEqual(isOf);
  });

  it('is not asked about without results of meta-tools', () => {
    const other = message('assistant', [{ type: 'text', text: 'hi' }, result('get_weather', {})]);
    expect(loads([userSays('go'), other], () => expect.unreachable())).toEqual([]);
  });
});

describe('an odd message', () => {
  const contents = [null, 'load_tool', {}, { parts: { length: 1 } }, { parts: [null, undefined, 5, 'x', []] }];

  it.each([
    ...[null, {}, { role: 'assistant' }],
    ...[...contents, { parts: [{ toolInvocation: null }] }].map((content) => ({ role: 'assistant', content })),
  ])('hides no load before or behind it: %j', (odd) => {
    expect(names(loaded('a'), odd, loaded('b'))).toEqual(['a', 'b']);
  });

  it('of any JSON is read without a fault, and shows texts only', () => {
    const part = fc.record({
      type: fc.constant('tool-invocation'),
      toolInvocation: fc.record({
        state: fc.constant('result'),
        toolName: fc.constantFrom('search_tools', 'load_tool'),
        result: fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              success: fc.boolean(),
              toolName: fc.jsonValue(),
              loaded: fc.jsonValue(),
              results: fc.jsonValue(),
              message: fc.constantFrom('Found and loaded', 'Found'),
            },
            { requiredKeys: [] },
          ),
        ),
      }),
    });
    const content = fc.oneof(fc.jsonValue(), fc.record({ parts: fc.array(fc.oneof(part, fc.jsonValue())) }));
    const anyMessage = fc.record({ role: fc.constantFrom('assistant', 'user'), content });
    fc.assert(
      fc.property(fc.array(anyMessage), (messages) => {
        const found = loads(messages).map(({ name }) => name);
        expect(found.every((name) => typeof name === 'string')).toBe(true);
        expect(new Set(found).size).toBe(found.length);
      }),
    );
  });
});

const KNOWN = ['known', 'known_too', 'known_later'];

type Source = 'memory' | 'response' | 'input' | 'context';

interface Setup {
  readonly hasMemory?: boolean;
  readonly filter?: ToolSearchFilter;
  /** What the request loaded itself. */
  readonly own?: readonly string[];
}

/** What is believed of a list; a message of the user stands before each, so that Mastra merges none of them. */
function believed(messages: readonly `${Source}:${string}`[], setup: Setup = {}): Promise<readonly string[]> {
  const messageList = new MessageList();
  for (const message of messages) {
    const [source, name = ''] = message.split(':') as [Source, string];
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

it.each<[source: Source, hasMemory: boolean, believedWithoutFilter: string[]]>([
  ['memory', true, ['known']],
  ['memory', false, ['known']],
  ['response', true, ['known']],
  ['response', false, ['known']],
  // What the caller of this turn sent, where Memory has the history.
  ['input', true, []],
  ['context', true, []],
  ['input', false, ['known']],
  ['context', false, ['known']],
])(
  'a load in a message of source %s, with Memory: %j, is believed as %j, as far as the filter allows it',
  async (source, hasMemory, open) => {
    const sent = [`${source}:known`] as const;
    expect(await believed(sent, { hasMemory })).toEqual(open);
    // Memory stores what clients send, and Mastra merges it with the answer, so that the source proves nothing.
    expect(await believed(sent, { hasMemory, filter: deny })).toEqual([]);
    const own = { hasMemory, filter: deny, own: ['known'] };
    expect(await believed(sent, own), 'that this request made').toEqual(['known']);
  },
);

it('a load that the caller sent is put to the load phase alone, with the tool and the request context', async () => {
  const asked: unknown[] = [];
  const filter: ToolSearchFilter = ({ toolName, phase, tool, requestContext }) => {
    asked.push([toolName, phase, tool.id, requestContext?.get('user')]);
    return true;
  };
  expect(await believed(['input:known'], { filter })).toEqual(['known']);
  expect(asked).toEqual([['known', 'load', 'known', 'ann']]);
});

it.each(['unknown', 'constructor', '__proto__'])(
  'a load of "%s", which no catalog has, is dropped, unasked',
  async (name) => {
    const filter = vi.fn(() => true);
    for (const source of ['input', 'memory'] as const)
      expect(await believed([`${source}:${name}`], { filter })).toEqual([]);
    expect(filter).not.toHaveBeenCalled();
  },
);

it('a load is dropped when the filter throws or rejects', async () => {
  const broken = () => {
    throw new Error('down');
  };
  for (const filter of [broken, () => Promise.reject(new Error('down'))]) {
    expect(await believed(['input:known'], { filter })).toEqual([]);
  }
});

it('a load that both caller and history show is believed, at its first place', async () => {
  const messages = ['input:known', 'memory:known_too', 'memory:known'] as const;
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
  const messages = ['input:known', 'response:known_later', 'input:known_too'] as const;
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
  for (const none of [{}, { messages: [] }]) expect(await believedOf(none)).toEqual([]);
});

it('loads are believed without a request context, and with one that is none', async () => {
  for (const requestContext of [undefined, {}]) {
    expect(await believedOf({ messages: [loaded('known')], requestContext })).toEqual(['known']);
  }
});
