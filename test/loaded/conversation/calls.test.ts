import { MessageList } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import {
  type ConversationMessage,
  callsIn,
  conversationOf,
  failedCalls,
  lastUserText,
  lastUses,
  pendingCalls,
  searchedTexts,
  type ToolCall,
} from '../../../src/loaded/conversation/conversation.ts';
import { anyText } from '../../support/any-text.ts';
import { call, inMastra, inThread, newMemory, rig, tool, toolRecord } from '../../support/harness.ts';
import { type Script, userText } from '../../support/scripted-model.ts';
import { loaded, message, result } from './messages.ts';

const META = { search: 'search_tools', load: 'load_tool' };
const NOT_FOUND =
  'Tool "get_weather" not found. Available tools: search_tools, load_tool. Call tools by their exact name only.';

const given = (messages: readonly unknown[], names = META) =>
  callsIn(messages as readonly ConversationMessage[], names);
const part = (toolInvocation: unknown): object => ({ type: 'tool-invocation', toolInvocation });
const failed = (toolName: string, errorText: unknown, toolCallId: unknown = 'id'): object =>
  part({ state: 'output-error', toolCallId, toolName, args: {}, errorText });
const waiting = (toolName: string, state: unknown = 'call'): object =>
  part({ state, toolCallId: 'id', toolName, args: {} });
const failuresIn = (...parts: object[]) => failedCalls(given([message('assistant', parts)]));

// What is used last, and waits for an approval or an answer, stays with maxLoaded: test/agent/caps.test.ts.

describe("the calls in a real agent's conversation", () => {
  /** An agent in one thread, and the calls that its last step saw. */
  async function conversation(script: Script, ...tools: MastraTool[]) {
    let seen: readonly ToolCall[] = [];
    const processInputStep = (args: object) => {
      seen = structuredClone(callsIn(conversationOf(args)));
      return {};
    };
    const inputProcessors = [{ id: 'reader', processInputStep }];
    const agentWith = { inputProcessors, tools: toolRecord(...tools), memory: newMemory() };
    const { agent } = rig({ tools: {} }, { script, agent: agentWith });
    inMastra(agent);
    const output = await agent.generate('go', inThread);
    return { seen: () => seen, output, agent };
  }
  const failing = tool('failing', 'Fails.', {
    execute: () => {
      throw new Error('no upstream');
    },
  });

  it('show a missing tool, under the name that the model wrote, apart from a fault of a tool', async () => {
    const names = ['get_weather', 'functions.get_weather', 'failing', 'fine'];
    const script: Script = ({ step }) =>
      step === 0 ? { toolCalls: names.map((name) => call(name)) } : { text: 'done' };
    const { seen } = await conversation(script, failing, tool('fine'));
    const found = failedCalls(seen());
    expect(found.map(({ missing }) => missing)).toEqual(['get_weather', 'functions.get_weather', undefined]);
    expect(new Set(found.map(({ id }) => id)).size).toBe(3);
    expect([...pendingCalls(seen())]).toEqual([]);
  });

  it('show a call as pending until it is refused, and the other calls of its step, whose results come then', async () => {
    const script: Script = ({ step, prompt }) =>
      step === 0 && userText(prompt) === 'go' ? { toolCalls: [call('fine'), call('risky')] } : { text: 'done' };
    const risky = tool('risky', 'Risky.', { requireApproval: true });
    const { seen, agent, output } = await conversation(script, tool('fine'), risky);
    expect(output.finishReason).toBe('suspended');
    await agent.generate('meanwhile', inThread);
    expect([...pendingCalls(seen())]).toEqual(['fine', 'risky']);
    const { toolCallId } = output.suspendPayload as { toolCallId: string };
    await agent.declineToolCallGenerate({ runId: output.runId ?? '', toolCallId });
    await agent.generate('and then?', inThread);
    expect([...pendingCalls(seen())]).toEqual([]);
  });

  it('show the calls of a running step as pending', async () => {
    const list = new MessageList();
    list.add([message('assistant', [waiting('slow'), result('quick', {})])] as never, 'memory');
    expect([...pendingCalls(callsIn(conversationOf({ messageList: list })))]).toEqual(['slow']);
  });
});

describe('failedCalls()', () => {
  it.each([
    { text: NOT_FOUND, missing: 'get_weather', why: 'as Mastra writes it' },
    { text: `Error: ${NOT_FOUND}`, missing: 'get_weather', why: 'with the name of the error before it' },
    { text: 'Tool "a "quoted" name" not found', missing: 'a "quoted" name', why: 'quotes in the name' },
    { text: 'Tool "two\nlines" not found', missing: 'two\nlines', why: 'a line break in the name' },
    { text: `Tool "${'x'.repeat(256)}" not found`, missing: 'x'.repeat(256), why: 'the longest name' },
    { text: 'Tool "__proto__" not found', missing: '__proto__', why: 'a name of objects' },
    { text: `Tool "${'x'.repeat(257)}" not found`, missing: undefined, why: 'too long a name' },
    { text: 'Tool "" not found', missing: undefined, why: 'no name' },
    { text: `It failed: ${NOT_FOUND}`, missing: undefined, why: 'not at the beginning' },
    { text: 'Tool "get_weather" not foundling', missing: undefined, why: 'another word' },
    { text: 'Tool get_weather not found', missing: undefined, why: 'no quotes' },
    { text: '', missing: undefined, why: 'nothing' },
    { text: undefined, missing: undefined, why: 'no text' },
    { text: { message: NOT_FOUND }, missing: undefined, why: 'no text either' },
  ])('reads $missing as the missing tool from $text: $why', ({ text, missing }) => {
    const [failure] = failuresIn(failed('get_weather', text));
    expect(failure).toMatchObject({ id: 'id', toolName: 'get_weather', missing });
  });

  it.each(['result', 'call', 'partial-call', 'output-denied', 'error', undefined, 5])(
    'does not count a call in state %j',
    (state) => {
      const one = part({ state, toolCallId: 'id', toolName: 'get_weather', errorText: NOT_FOUND });
      expect(failuresIn(one)).toEqual([]);
      expect(given([message('assistant', [one])]).map(({ missing }) => missing)).toEqual([undefined]);
    },
  );

  it.each([undefined, null, 5, ['id'], {}])('leaves out a call whose id is %j', (id) => {
    const { toolInvocation } = failed('get_weather', NOT_FOUND) as { toolInvocation: object };
    expect(failuresIn(part({ ...toolInvocation, toolCallId: id }))).toEqual([]);
  });

  it.each(['user', 'system', 'tool', undefined])(
    'does not believe a message of the role %j, as pendingCalls() and lastUses() do not',
    (role) => {
      const from = message(role as string, [failed('get_weather', NOT_FOUND), waiting('get_weather')]);
      expect(failedCalls(given([from]))).toEqual([]);
      expect(pendingCalls(given([from])).size).toBe(0);
      expect(lastUses(given([from])).size).toBe(0);
    },
  );
});

describe('pendingCalls()', () => {
  const ended = ['result', 'output-available', 'output-error', 'output-denied'];

  it.each([
    ...['call', 'partial-call', 'input-streaming', 'input-available', 'approval-requested', 'approval-responded'],
    ...[undefined, 'a state of the future', ...ended],
  ])('names the tool of a call in state %j, unless it has ended', (state) => {
    const pending = ended.includes(state as string) ? [] : ['pay'];
    expect([...pendingCalls(given([message('assistant', [waiting('pay', state)])]))]).toEqual(pending);
  });

  it('names a tool of which one call waits and others have ended', () => {
    const parts = [[waiting('pay'), result('pay', {})], [result('pay', {})]];
    expect([...pendingCalls(given(parts.map((each) => message('assistant', each))))]).toEqual(['pay']);
  });
});

describe('lastUses()', () => {
  it('counts calls that wait or failed, the later the more', () => {
    const messages = [message('assistant', [failed('a', 'no'), waiting('b'), result('c', {})])];
    expect(Object.fromEntries(lastUses(given(messages)))).toEqual({ a: 1, b: 2, c: 3 });
  });

  it('counts what was loaded, under the names that the meta-tools have, and no tool that a search only showed', () => {
    const shown = { results: [{ name: 'shown', description: '', score: 1 }], message: 'Found 1 tool(s).' };
    const messages = [loaded('a'), message('assistant', [result('search_tools', shown)])];
    expect([...lastUses(given(messages)).keys()]).toEqual(['load_tool', 'a', 'search_tools']);
    const renamed = { search: 'tool_search', load: 'tool_load' };
    expect([...lastUses(given(messages, renamed)).keys()]).toEqual(['load_tool', 'search_tools']);
  });
});

it('failedCalls(), pendingCalls() and lastUses() read any messages without throwing', () => {
  const odd = fc.oneof(fc.anything(), fc.constantFrom('assistant', 'result', 'call', 'output-error', 'search_tools'));
  const invocation = fc.record({ state: odd, toolCallId: odd, toolName: odd, errorText: odd, result: odd });
  const parts = fc.array(fc.oneof(odd, fc.record({ toolInvocation: fc.oneof(odd, invocation) })));
  const content = fc.oneof(odd, fc.record({ parts: fc.oneof(odd, parts) }));
  const messages = fc.array(fc.oneof(odd, fc.record({ role: fc.constantFrom('assistant', 'user'), content })));
  fc.assert(
    fc.property(messages, (list) => {
      for (const { id, missing } of failedCalls(given(list))) {
        expect(typeof id).toBe('string');
        expect(['string', 'undefined']).toContain(typeof missing);
      }
      for (const name of pendingCalls(given(list))) expect(typeof name).toBe('string');
      for (const position of lastUses(given(list)).values()) expect(position).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});

const user = (content: unknown): object => ({ role: 'user', content });
const text = (...texts: string[]): object => ({ format: 2, parts: texts.map((one) => ({ type: 'text', text: one })) });

describe('the text of the last user message', () => {
  const said = { role: 'assistant', content: 'said' };
  const odd = [null, 7, user(7), user({ parts: [null, { type: 'text', text: 7 }] })];

  it.each<[why: string, expected: string, ...messages: unknown[]]>([
    ['the parts of a stored message', 'one\ntwo', user(text('one', 'two'))],
    ['a plain text', 'plain', user('plain')],
    ['the text beside the parts', 'beside', user({ format: 2, content: 'beside', parts: [] })],
    ['the last one, not that of the assistant', 'asked', user('old'), user('asked'), said],
    ['nothing of an image', '', user({ parts: [{ type: 'file', data: 'x' }] })],
    ['nothing of what is no message', '', ...odd],
    ['nothing of no conversation', ''],
  ])('is %s: "%s"', (_, expected, ...messages) => {
    expect(lastUserText(messages as never)).toBe(expected);
  });
});

describe('what is searched of a message', () => {
  it('is the message as it is, where it is short', () => {
    expect(searchedTexts(' Get the weather. Then send an email. ')).toEqual(['Get the weather. Then send an email.']);
  });

  it('is its clauses too, where it is long', () => {
    const long = `I have a lot to do for the office today, as always at the end of a month, and would be glad of help with it.
      First, translate the report of last year into German; then create an invoice for our customer, and also send an email to Ada.`;
    const [whole, ...clauses] = searchedTexts(long);
    expect(whole).toBe(long);
    expect(clauses.map((clause) => clause.split(/\s+/).slice(0, 3).join(' '))).toEqual([
      'I have a',
      'and would be',
      'First, translate the',
      'then create an',
      'and also send',
    ]);
  });

  const smallTalk = ['Hello!', 'yes please', 'Thank you so much', 'what do you mean?', 'go on', 'Danke!', 'merci'];
  it.each(['', '   ', '?!', 'ok', ...smallTalk])('is nothing for "%s"', (message) => {
    expect(searchedTexts(message)).toEqual([]);
  });

  const asking = ['weather', 'send it', 'Write a thank you note', '天气', 'help me with my invoice'];
  it.each(asking)('is something for "%s"', (message) => {
    expect(searchedTexts(message)).toEqual([message]);
  });

  it('is a text within bounds, whatever a user writes', () => {
    fc.assert(
      fc.property(fc.array(anyText()), (parts) => {
        const texts = searchedTexts(lastUserText([user(text(...parts))] as never));
        expect(texts.length).toBeLessThanOrEqual(9);
        for (const one of texts) expect(one.length).toBeLessThanOrEqual(2_000);
      }),
    );
  });

  it('is no more than 2,000 characters and eight clauses', () => {
    const texts = searchedTexts('Send the next email to them now. '.repeat(1_000));
    expect(texts[0]).toHaveLength(2_000);
    expect(texts).toHaveLength(9);
  });
});
