import { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import type { ToolSearchFilter, ToolSearchFilterArgs } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
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

  it.each(['user', 'system', 'tool', 'signal', 'Assistant', '', undefined])(
    'ignores messages of the role %j',
    (role) => {
      expect(names({ ...loaded('a'), role })).toEqual([]);
    },
  );

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

  it.each([
    { why: 'it failed', value: { success: false, message: '', toolName: 'a' } },
    { why: 'success is no flag', value: { success: 'true', toolName: 'a' } },
    { why: 'the name is no text', value: { success: true, toolName: 5 } },
    { why: 'the names are no list', value: { success: true, loaded: 'a' } },
    { why: 'the list holds no texts', value: { success: true, loaded: [1, null, ['a'], { name: 'a' }] } },
    { why: 'found is not loaded', value: { results: [{ name: 'a' }], message: 'Found 1 tool(s).' } },
    { why: 'a load has no matches', value: { results: [{ name: 'a' }], message: 'Found and loaded 1 tool(s): a.' } },
    { why: 'null', value: null },
    { why: 'a text', value: '{"success":true,"toolName":"a"}' },
    { why: 'a list', value: ['a'] },
    { why: 'a number', value: 5 },
  ])('finds no load in a result of load_tool when $why: $value', ({ value }) => {
    expect(namesIn(result('load_tool', value))).toEqual([]);
  });

  it.each([
    {
      why: 'it says itself that nothing was loaded',
      value: { results: [{ name: 'a' }], message: 'Found and loaded', loaded: [] },
    },
    { why: 'the message is not at the start', value: { results: [{ name: 'a' }], message: 'I Found and loaded a' } },
    { why: 'there is no message', value: { results: [{ name: 'a' }] } },
    { why: 'it has the shape of a load', value: { success: true, toolName: 'a' } },
    { why: 'the matches are no list', value: { results: { name: 'a' }, message: 'Found and loaded 1 tool(s)' } },
    { why: 'the matches are odd', value: { results: [null, 'a', {}, { name: 1 }], message: 'Found and loaded 4' } },
  ])('finds no load in a result of search_tools when $why: $value', ({ value }) => {
    expect(namesIn(result('search_tools', value))).toEqual([]);
  });

  it('takes any text as a name, as the catalog decides what it is', () => {
    const odd = ['__proto__', 'constructor', 'a b', '🧵', 'x'.repeat(10_000)];
    expect(namesIn(result('load_tool', { success: true, loaded: odd }))).toEqual(odd);
  });
});

describe('the message of a load', () => {
  const sources = (pairs: [string, 'own' | 'caller'][]) => {
    const messages = pairs.map(([name]) => loaded(name));
    const sourceOf = (from: ConversationMessage) => pairs[messages.indexOf(from as never)]![1];
    const found = loads(messages, (from) => sourceOf(from) === 'own');
    return found.map(({ name, message: from }) => ({ name, source: sourceOf(from) }));
  };

  it('is that in which the name stands', () => {
    expect(
      sources([
        ['a', 'own'],
        ['b', 'caller'],
      ]),
    ).toEqual([
      { name: 'a', source: 'own' },
      { name: 'b', source: 'caller' },
    ]);
  });

  it.each([['own', 'caller'] as const, ['caller', 'own'] as const])(
    'is the trusted one, at the first place of the name, when %s and %s messages show it',
    (first, second) => {
      expect(
        sources([
          ['a', first],
          ['b', 'own'],
          ['a', second],
        ]),
      ).toEqual([
        { name: 'a', source: 'own' },
        { name: 'b', source: 'own' },
      ]);
    },
  );

  it('is not asked about without results of meta-tools', () => {
    const other = message('assistant', [{ type: 'text', text: 'hi' }, result('get_weather', {})]);
    expect(
      loads([userSays('go'), other], () => {
        throw new Error('asked');
      }),
    ).toEqual([]);
  });
});

describe('an odd message', () => {
  it.each([
    { why: 'no content', odd: { role: 'assistant' } },
    { why: 'null content', odd: { role: 'assistant', content: null } },
    { why: 'text content', odd: { role: 'assistant', content: 'load_tool' } },
    { why: 'no parts', odd: { role: 'assistant', content: {} } },
    { why: 'parts that are no list', odd: { role: 'assistant', content: { parts: { length: 1 } } } },
    { why: 'parts that are nothing', odd: { role: 'assistant', content: { parts: [null, undefined, 5, 'x', []] } } },
    { why: 'a part without a call', odd: { role: 'assistant', content: { parts: [{ toolInvocation: null }] } } },
    { why: 'an empty object', odd: {} },
    { why: 'null', odd: null },
  ])('hides no load before or behind it: $why', ({ odd }) => {
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
