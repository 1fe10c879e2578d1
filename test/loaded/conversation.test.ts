import { MessageList } from '@mastra/core/agent/message-list';
import fc from 'fast-check';
import {
  memoryStore,
  type ToolScorer,
  type ToolSearchFilter,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';
import { anyText } from '../support/any-text.ts';
import { deferred } from '../support/deferred.ts';
import { bareList, invocation, loaded, message, result, userSays } from './conversation/messages.ts';

// What waits for an approval or an answer in a real agent stays with maxLoaded: test/agent/caps.test.ts.

const LETTERS = ['a', 'b', 'c', 'd'];
const tools = toolRecord(...LETTERS.map((name) => tool(name)), tool('get_weather'), tool('constructor'));
const sessionWith = (options: Partial<ToolSearchProcessorOptions> = {}): Session =>
  new Session({ tools, storage: 'context', ...options } as ToolSearchProcessorOptions);
/** The tools that the first step of a process sends over these messages, whose source nobody knows. */
const sentOver = (messages: readonly unknown[], options?: Partial<ToolSearchProcessorOptions>): Promise<string[]> =>
  sessionWith(options).sent({ messages, messageList: bareList() });
const sentFor = (...parts: object[]): Promise<string[]> => sentOver([message('assistant', parts)]);

describe('the loads that a conversation shows', () => {
  it('are those of completed calls of the meta-tools alone, in order, each once', async () => {
    const value = { success: true, toolName: 'a', loaded: ['a'] };
    expect(await sentOver([loaded('b', 'a'), userSays('more'), loaded('a', 'c')])).toEqual(['b', 'a', 'c']);
    for (const role of ['user', 'system', 'tool', 'signal', 'Assistant', '', undefined])
      expect(await sentOver([{ ...loaded('a'), role }]), role).toEqual([]);
    for (const state of ['call', 'partial-call', 'approval-requested', 'output-error', 'output-denied', undefined])
      expect(await sentFor(invocation({ state, toolName: 'load_tool', result: value })), state).toEqual([]);
    for (const name of ['get_weather', 'LOAD_TOOL', 'load_tool ', 'constructor', undefined])
      expect(await sentFor(result(name as string, value)), name).toEqual([]);
    const parts = [
      result('tool_search', { results: [], message: '', loaded: ['a'] }),
      result('tool_load', { success: true, toolName: 'b' }),
      result('load_tool', { success: true, toolName: 'c' }),
    ];
    const metaTools = { search: { name: 'tool_search' }, load: { name: 'tool_load' } };
    const { tools: sent } = await sessionWith({ metaTools }).step({
      ...{ messages: [message('assistant', parts)], messageList: bareList() },
    });
    expect(Object.keys(sent)).toEqual(['tool_search', 'tool_load', 'a', 'b']);
  });

  const results = [{ name: 'a' }];
  it.each<[why: string, metaTool: 'load_tool' | 'search_tools', value: unknown]>([
    ['it failed', 'load_tool', { success: false, message: '', toolName: 'a' }],
    ['success is no flag', 'load_tool', { success: 'true', toolName: 'a' }],
    ['the name is no text', 'load_tool', { success: true, toolName: 5 }],
    ['the names are no list', 'load_tool', { success: true, loaded: 'a' }],
    ['the list holds no texts', 'load_tool', { success: true, loaded: [1, null, ['a'], { name: 'a' }] }],
    ['a load has no matches', 'load_tool', { results, message: 'Found and loaded 1 tool(s): a.' }],
    ['it is null', 'load_tool', null],
    ['it is a text', 'load_tool', '{"success":true,"toolName":"a"}'],
    ['it is a list', 'load_tool', ['a']],
    ['found is not loaded', 'search_tools', { results, message: 'Found 1 tool(s).' }],
    ['it says itself that nothing was loaded', 'search_tools', { results, message: 'Found and loaded', loaded: [] }],
    ['the message is not at the start', 'search_tools', { results, message: 'I Found and loaded a' }],
    ['there is no message', 'search_tools', { results }],
    ['it has the shape of a load', 'search_tools', { success: true, toolName: 'a' }],
    ['the matches are no list', 'search_tools', { results: { name: 'a' }, message: 'Found and loaded 1 tool(s)' }],
    ['the matches are odd', 'search_tools', { results: [null, 'a', {}, { name: 1 }], message: 'Found and loaded 4' }],
  ])('are none where %s, in a result of %s: %j', async (_, metaTool, value) => {
    expect(await sentFor(result(metaTool, value))).toEqual([]);
  });

  it('are hidden by no odd message before or behind them', async () => {
    const contents = [null, 'load_tool', {}, { parts: { length: 1 } }, { parts: [null, undefined, 5, 'x', []] }];
    const odd = [...contents, { parts: [{ toolInvocation: null }] }].map((content) => ({ role: 'assistant', content }));
    for (const one of [null, {}, { role: 'assistant' }, ...odd])
      expect(await sentOver([loaded('a'), one, loaded('b')])).toEqual(['a', 'b']);
  });

  it('of any JSON are read without a fault', async () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('assistant', 'result', 'call', 'output-error', 'load_tool', 'a'),
    );
    const value = fc.record({
      success: fc.boolean(),
      toolName: odd,
      loaded: odd,
      results: odd,
      message: odd,
      unloaded: odd,
    });
    const toolInvocation = fc.record({
      ...{ state: odd, toolCallId: odd, toolName: fc.oneof(odd, fc.constant('search_tools')) },
      ...{ args: odd, errorText: odd, result: fc.oneof(odd, value) },
    });
    const parts = fc.array(fc.oneof(odd, fc.record({ toolInvocation: fc.oneof(odd, toolInvocation) })));
    const content = fc.oneof(odd, fc.record({ parts: fc.oneof(odd, parts) }));
    const anyMessage = fc.record({ role: fc.constantFrom('assistant', 'user'), content });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(odd, anyMessage)), async (messages) => {
        const sent = await sentOver(messages, { maxLoaded: { tools: 2 } });
        expect(sent.every((name) => Object.hasOwn(tools, name))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('what of a conversation is believed', () => {
  type Source = 'memory' | 'response' | 'input' | 'context';
  const deny: ToolSearchFilter = ({ phase }) => phase !== 'load';
  const allow: ToolSearchFilter = () => true;

  /** A request with Memory or without; a message of the user stands before each load, so that Mastra merges none. */
  function request(messages: readonly `${Source}:${string}`[], hasMemory: boolean, filter: ToolSearchFilter = allow) {
    const session = sessionWith({ filter });
    if (hasMemory) session.requestContext.set('MastraMemory', { thread: { id: 't' } });
    for (const each of messages) {
      const [source, name = ''] = each.split(':') as [Source, string];
      session.messageList.add(userSays('go') as never, source === 'response' ? 'input' : source);
      session.messageList.add(loaded(name) as never, source);
    }
    return session;
  }

  it.each<[source: Source, hasMemory: boolean, believed: string[]]>([
    ['memory', true, ['a']],
    ['memory', false, ['a']],
    ['response', true, ['a']],
    ['response', false, ['a']],
    // What the caller of this turn sent, where Memory has the history.
    ['input', true, []],
    ['context', true, []],
    ['input', false, ['a']],
    ['context', false, ['a']],
  ])('of source %s, with Memory: %j, is %j, as far as the filter allows it', async (source, hasMemory, believed) => {
    expect(await request([`${source}:a`], hasMemory).sent()).toEqual(believed);
    // Memory stores what clients send, and Mastra merges it with the answer, so that the source proves nothing.
    expect(await request([`${source}:a`], hasMemory, deny).sent()).toEqual([]);
    let isDenied = false;
    const own = request([`${source}:a`], hasMemory, ({ phase }) => phase !== 'load' || !isDenied);
    await own.load({ toolName: 'a' });
    isDenied = true;
    expect(await own.sent(), 'that this request loaded').toEqual(['a']);
  });

  it('is at its first place, where both caller and history show it', async () => {
    const session = request(['input:a', 'memory:b', 'memory:a'], true);
    expect(await session.sent()).toEqual(['a', 'b']);
  });

  it('is asked about with the tool and the request, keeps its order, and is dropped where the filter fails', async () => {
    const asked: unknown[] = [];
    const gate = deferred<boolean>();
    const session = request(['input:a', 'response:unknown', 'response:c', 'input:b'], false, (given) => {
      const { toolName, phase, requestContext } = given;
      asked.push([toolName, phase, given.tool.id, requestContext?.get('mastra__threadId')]);
      if (phase === 'load' && toolName === 'b') gate.resolve(true);
      return phase === 'load' && toolName === 'a' ? gate.promise : true;
    });
    expect(await session.sent()).toEqual(['a', 'c', 'b']);
    const names = ['a', 'c', 'b'];
    const askedIn = (phase: string) => names.map((name) => [name, phase, name, 'thread-1']);
    expect(asked).toEqual([...askedIn('load'), ...askedIn('active')]);
    const broken = () => {
      throw new Error('down');
    };
    for (const filter of [broken, () => Promise.reject(new Error('down'))])
      expect(await request(['input:a'], false, filter).sent()).toEqual([]);
  });

  it('is all of it outside an agent, and nothing of a source that is not Mastra’s own', async () => {
    const over = (list: object) =>
      request([], true).sent({ messages: [loaded('a')], messageList: { ...bareList(), ...list } });
    const checking = (checker: unknown) => over({ makeMessageSourceChecker: () => checker });
    for (const sent of [over({}), checking({})]) expect(await sent).toEqual(['a']);
    for (const source of [null, 'system', 'user', 'something new'])
      expect(await checking({ getSource: () => source })).toEqual([]);
    // A message that the list does not have.
    expect(await checking(new MessageList().makeMessageSourceChecker())).toEqual([]);
    for (const requestContext of [undefined, {}])
      expect(
        await request([], false).sent({ messages: [loaded('a')], messageList: bareList(), requestContext }),
      ).toEqual(['a']);
  });

  it('is what getLoadedToolsForRequestContext({ messages }) returns, the own tools of the agent too', async () => {
    const messages = [userSays('go'), loaded('a')] as never;
    const phases: string[] = [];
    const namesIn = async (options: object, args: object = {}) =>
      Object.keys(
        await new ToolSearchProcessor({ tools, storage: 'context', ...options }).getLoadedToolsForRequestContext({
          ...{ messages, ...args },
        }),
      );
    expect(await namesIn({ filter: ({ phase }: { phase: string }) => phases.push(phase) > 0 })).toEqual(['a']);
    expect(phases).toEqual(['load', 'active']);
    for (const denied of ['load', 'active'])
      expect(await namesIn({ filter: ({ phase }: { phase: string }) => phase !== denied })).toEqual([]);
    expect(await namesIn({ storage: 'in-memory' })).toEqual([]);
    const ofAgent = { tools: {}, includeResolvedTools: true };
    expect(await namesIn(ofAgent, { tools: toolRecord(tool('a'), tool('b')) })).toEqual(['a']);
    expect(await namesIn(ofAgent, { tools: toolRecord(tool('a')), messages: undefined })).toEqual([]);
  });
});

describe('what a conversation says of the use of tools', () => {
  const waiting = (toolName: string, state: unknown = 'call') => invocation({ state, toolName });
  const failed = (toolName: string, errorText: unknown, more: object = {}) =>
    invocation({ state: 'output-error', toolName, errorText, ...more });
  /** The one of two loaded tools that stays: the first where the parts speak for it. */
  const staying = (parts: object[], role = 'assistant') =>
    sentOver([loaded('a', 'b'), message(role, parts)], { maxLoaded: { tools: 1 } });

  it('keeps a tool of which a call waits, whatever the others were called since', async () => {
    const ended = ['result', 'output-available', 'output-error', 'output-denied'];
    const others = [
      'call',
      'partial-call',
      'input-streaming',
      'approval-requested',
      undefined,
      'a state of the future',
    ];
    for (const state of [...ended, ...others])
      expect(await staying([waiting('a', state), result('b', {})]), state).toEqual([
        ended.includes(state!) ? 'b' : 'a',
      ]);
    expect(await staying([waiting('a'), result('a', {}), result('b', {})])).toEqual(['a']);
    for (const role of ['user', 'system', 'tool']) expect(await staying([waiting('a')], role)).toEqual(['b']);
  });

  it('keeps the tool that was called or loaded last, and not what a search only showed', async () => {
    const shown = result('search_tools', { results: [{ name: 'a', description: '', score: 1 }], message: 'Found 1.' });
    expect(await staying([result('b', {}), failed('a', 'no')])).toEqual(['a']);
    expect(await staying([result('b', {}), result('load_tool', { success: true, toolName: 'a' })])).toEqual(['a']);
    expect(await staying([shown])).toEqual(['b']);
  });

  const NOT_FOUND = 'Tool "get_weather" not found. Available tools: search_tools, load_tool.';
  it.each<[text: unknown, isMissing: boolean, why: string]>([
    [NOT_FOUND, true, 'as Mastra writes it'],
    [`Error: ${NOT_FOUND}`, true, 'with the name of the error before it'],
    ['Tool "functions.get_weather" not found', true, 'a name that the model wrote otherwise'],
    ['Tool "constructor" not found', true, 'a name of objects'],
    [`Tool "${'x'.repeat(257)}" not found`, false, 'too long a name'],
    ['Tool "" not found', false, 'no name'],
    [`It failed: ${NOT_FOUND}`, false, 'not at the beginning'],
    ['Tool "get_weather" not foundling', false, 'another word'],
    ['Tool get_weather not found', false, 'no quotes'],
    ['', false, 'nothing'],
    [undefined, false, 'no text'],
    [{ message: NOT_FOUND }, false, 'no text either'],
  ])('loads the tool that a call missed, by its error %j: %j (%s)', async (errorText, isMissing) => {
    const over = (...messages: object[]) => sentOver([userSays('go'), ...messages], { onMiss: 'load' });
    const call = failed('other', errorText);
    const name = String(errorText).includes('constructor') ? 'constructor' : 'get_weather';
    expect(await over(message('assistant', [call]))).toEqual(isMissing ? [name] : []);
    if (errorText !== NOT_FOUND) return;
    for (const role of ['user', 'system', 'tool', undefined])
      expect(await over({ ...message('', [call]), role })).toEqual([]);
    for (const state of ['result', 'call', 'partial-call', 'output-denied', 'error', undefined, 5])
      expect(await over(message('assistant', [failed('other', errorText, { state })]))).toEqual([]);
    for (const toolCallId of [undefined, null, 5, ['id'], {}])
      expect(await over(message('assistant', [failed('other', errorText, { toolCallId })]))).toEqual([]);
  });
});

/** All that is searched for a message before the first step. */
async function searchedFor(...messages: unknown[]): Promise<string[]> {
  const searched = new Set<string>();
  const scorer: ToolScorer = {
    name: 'recording',
    index: () => ({
      search: ({ text }) => {
        searched.add(text);
        return [];
      },
      confidence: (_, names) => names.map(() => 0),
    }),
  };
  const timeouts = { preselect: Number.POSITIVE_INFINITY, index: Number.POSITIVE_INFINITY };
  await sentOver(messages, { preselect: true, search: { scorer }, timeouts, storage: memoryStore() });
  return [...searched];
}

describe('what is searched of the last message of the user', () => {
  const user = (content: unknown): object => ({ role: 'user', content });
  const text = (...texts: string[]): object => ({
    format: 2,
    parts: texts.map((one) => ({ type: 'text', text: one })),
  });

  it.each<[why: string, expected: string, ...messages: unknown[]]>([
    ['the parts of a stored message', 'weather\ntwo', user(text('weather', 'two'))],
    ['a plain text', 'plain', user('plain')],
    ['the text beside the parts', 'beside', user({ format: 2, content: 'beside', parts: [] })],
    [
      'the last one, not that of the assistant',
      'asked',
      user('old'),
      user('asked'),
      { role: 'assistant', content: 'x' },
    ],
    ['nothing of an image', '', user({ parts: [{ type: 'file', data: 'x' }] })],
    ['nothing of what is no message', '', null, 7, user(7), user({ parts: [null, { type: 'text', text: 7 }] })],
    ['nothing of no conversation', ''],
  ])('is %s: "%s"', async (_, expected, ...messages) => {
    expect(await searchedFor(...messages)).toEqual(expected === '' ? [] : [expected]);
  });

  it('is a short message as it is, and nothing of small talk', async () => {
    const asking = ['weather', 'send it', 'Write a thank you note', '天气', 'Get the weather. Then send an email.'];
    for (const message of asking) expect(await searchedFor(user(` ${message} `))).toEqual([message]);
    const smallTalk = ['Hello!', 'yes please', 'Thank you so much', 'what do you mean?', 'Danke!', 'ok', '?!', '  '];
    for (const message of smallTalk) expect(await searchedFor(user(message)), message).toEqual([]);
  });

  it('is the clauses of a long message too, eight of them and 2,000 characters in all', async () => {
    const long = `I have a lot to do for the office today, as always at the end of a month, and would be glad of help with it.
      First, translate the report of last year into German; then create an invoice for our customer, and also send an email to Ada.`;
    const [whole, ...clauses] = await searchedFor(user(long));
    expect(whole).toBe(long);
    expect(clauses.map((clause) => clause.split(/\s+/).slice(0, 3).join(' '))).toEqual([
      ...['I have a', 'and would be', 'First, translate the', 'then create an', 'and also send'],
    ]);
    const numbered = Array.from({ length: 100 }, (_, at) => `Send the email number ${at} to them.`).join(' ');
    const [beginning, ...eight] = await searchedFor(user(numbered));
    expect([beginning?.length, eight.length]).toEqual([2_000, 8]);
    for (const odd of fc.sample(fc.array(anyText()), 30))
      for (const one of await searchedFor(user(text(...odd)))) expect(one.length).toBeLessThanOrEqual(2_000);
  });
});
