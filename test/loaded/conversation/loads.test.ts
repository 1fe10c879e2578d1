import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ConversationMessage,
  callsIn,
  loadsInConversation,
} from '../../../src/loaded/conversation/conversation.ts';
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
