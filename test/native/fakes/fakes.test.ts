// The rules of the fakes: each is broken by a request that breaks nothing else.
import { expect, it } from 'vitest';
import {
  type AnthropicBlock,
  type AnthropicRule,
  fakeAnthropic,
  fakeOpenAI,
  functionCall,
  message,
  type OpenAIItem,
  type OpenAIRule,
  offeredBy,
  reasoning,
  serverSearch,
  serverSearchCall,
  serverSearchResult,
  text,
  thinking,
  toolSearchCall,
  toolSearchOutput,
  toolUse,
} from './fake-provider.ts';

type Bodies<Rule extends string> = Readonly<Record<Rule, readonly object[]>>;

const user = { role: 'user', content: 'hi' } as const;
const says = (...content: AnthropicBlock[]) => ({ role: 'assistant', content }) as const;
const gives = (...content: AnthropicBlock[]) => ({ role: 'user', content }) as const;
const tells = (...content: AnthropicBlock[]) => ({ role: 'system', content }) as const;
const result = (id: number, content: unknown = 'ok') =>
  ({ type: 'tool_result', tool_use_id: toolUse(id, '').id as string, content }) as const;
const reference = (name: string) => ({ type: 'tool_reference', tool_name: name });
const own = { name: 'own', input_schema: { type: 'object' } };
const other = { ...own, name: 'other' };
const late = { ...other, defer_loading: true };
const hosted = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const add = (name: string) => ({ type: 'tool_addition', tool: { type: 'tool_reference', name } });
const remove = (name: string) => ({ type: 'tool_removal', tool: { type: 'tool_reference', name } });
const define = (definition: object) =>
  ({ type: 'tool_addition', tool: { type: 'tool_definition', definition } }) as AnthropicBlock;
const changed = (...blocks: AnthropicBlock[]) => ({ messages: [user, tells(...blocks)] });
const twice = (first: AnthropicBlock, second: AnthropicBlock) => ({
  messages: [user, tells(first), says(text('a')), user, tells(second)],
});
const talk = (...messages: object[]) => ({ messages: [user, ...messages] });
const huge = { ...other, description: 'x'.repeat(5_000_000) };
const use = says(toolUse(1, 'own'));

const ANTHROPIC: Bodies<Exclude<AnthropicRule, 'thinking-bound' | 'tool-change-beta'>> = {
  thinking: [talk(says(thinking('Forged.'), text('a')), user)],
  'tool-name': [{ tools: [{ ...own, name: 'a.tool' }] }],
  'duplicate-tool-name': [{ tools: [other, late] }],
  'all-tools-deferred': [{ tools: [late] }],
  'cache-control-on-deferred': [{ tools: [hosted, { ...late, cache_control: { type: 'ephemeral' } }] }],
  'tool-choice': [{ tool_choice: { type: 'tool', name: 'another' } }],
  'tool-reference': [
    talk(use, gives(result(1, [reference('gone')]))),
    { tools: [hosted, late], ...talk(says(...serverSearch(1, ['gone'])), user) },
  ],
  'mixed-references': [talk(use, gives(result(1, [reference('own'), text('Found.')])))],
  'empty-text': [talk(says(text(' ')), user)],
  'invalid-content': [talk(use, gives(result(1, [null])))],
  'duplicate-tool-use': [talk(use, gives(result(1)), use, gives(result(1)))],
  'tool-use-without-result': [talk(use, user)],
  'result-without-tool-use': [talk(says(text('a')), gives(result(1)))],
  'duplicate-tool-result': [talk(use, gives(result(1), result(1)))],
  'server-tool-use-without-result': [talk(says(serverSearchCall(1, 'a')), user)],
  'server-result-without-tool-use': [talk(says(serverSearchResult(1, ['own'])), user)],
  'system-unsupported': ['claude-opus-4-7', 'claude-haiku-4-5-20251001', 'claude-sonnet-4-6'].map((model) => ({
    ...{ model, ...changed(define(other)) },
  })),
  'tool-change-unsupported': [{ model: 'claude-sonnet-5', ...changed(define(other)) }],
  'system-position': [
    { messages: [tells(text('Now.')), user] },
    talk(tells(define(other)), tells(remove('own')), gives(text('And?'))),
    talk(says(text('a')), tells(define(other))),
    talk(use, tells(define(other)), gives(result(1))),
    talk(says(...serverSearch(1, ['own'])), tells(define(other))),
  ],
  'tool-change-role': [{ messages: [gives(text('hi'), define(other))] }],
  'tool-change-unresolved': [changed(add('gone')), changed(remove('gone')), twice(remove('gone'), define(other))],
  'tool-change-conflict': [changed(define({ ...hosted, name: 'own' }))],
  'tool-change-definition': [
    changed(define({ ...other, name: 'an.other' })),
    changed(define({ name: 'other' })),
    changed(define({ ...late, cache_control: {} })),
  ],
  'tool-change-limit': [
    changed(define(huge)),
    changed(...Array.from({ length: 10_001 }, (_, n) => define({ ...other, name: `tool_${n}` }))),
  ],
  'tool-added-again': [
    changed(define(own)),
    twice(define(other), define(other)),
    { tools: [own, late], ...twice(add('other'), add('other')) },
    { tools: [{ ...own, eager_input_streaming: true }], ...changed(define(own)) },
  ],
  'tool-removed-again': [twice(remove('own'), remove('own')), { tools: [own, late], ...changed(remove('other')) }],
  'tool-defined-twice': [{ tools: [own, late], ...changed(define(other)) }],
};

const ask = { role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
const output = (id: number) => ({ type: 'function_call_output', call_id: functionCall(id, '').call_id, output: 'ok' });
const named = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } });
const deferred = { ...named('other'), defer_loading: true };
const group = (...tools: object[]) => ({ type: 'namespace', name: 'crm', description: 'CRM.', tools });
const adds = (...tools: object[]) => ({ type: 'additional_tools', role: 'developer', tools });
const given = (...items: object[]) => ({ input: [ask, ...items] });
const search = toolSearchCall({ id: 1, callId: 2 });
const finds = (...tools: object[]) => toolSearchOutput({ id: 1, callId: 2, tools: tools as never });

const OPENAI: Bodies<Exclude<OpenAIRule, 'reasoning-chain'>> = {
  'tool-name': [{ tools: [named('a.tool')] }],
  'duplicate-tool-name': [{ tools: [group(named('own'), named('own'))] }],
  'deferred-without-search': [{ tools: [deferred] }],
  'several-searches': [{ tools: [{ type: 'tool_search' }, { type: 'tool_search' }, deferred] }],
  'tool-choice': [{ tool_choice: { type: 'function', name: 'another' } }],
  'item-reference': [given({ type: 'item_reference', id: 'msg_unknown' })],
  'item-id': [given({ ...toolSearchCall({ id: 1 }), id: 'call_1' })],
  'call-without-output': [given(functionCall(1, 'own'))],
  'output-without-call': [given(output(1))],
  'search-without-output': [given(search)],
  'search-output-without-search': [given(finds())],
  'search-output-tools': [given(search, finds({ type: 'function', name: 'own' }))],
  'missing-namespace': [
    given(search, finds(named('other')), functionCall(3, 'other'), output(3)),
    given(adds(group(named('other'))), functionCall(1, 'other'), output(1)),
  ],
  'unsupported-model': [{ model: 'gpt-5.4-nano', tools: [{ type: 'tool_search' }] }],
  'additional-tools-unsupported': ['gpt-5.4', 'gpt-5.5', 'o4-mini'].map((model) => ({
    ...{ model, ...given(adds(named('other'))) },
  })),
  'additional-tools-role': [given({ ...adds(named('other')), role: 'user' })],
  'additional-tools-definition': [
    ...[given(adds()), given(adds({ type: 'function', name: 'other' }))],
    given(adds({ ...group(named('other')), description: undefined })),
  ],
  'additional-tools-breakpoint': [given({ ...adds(named('other')), prompt_cache_breakpoint: {} })],
  'additional-tools-position': [given(functionCall(1, 'own'), adds(named('other')), output(1))],
  'additional-tools-deferred': [given(adds(deferred))],
  'additional-tools-again': [given(adds(named('other')), adds(group(named('other'))))],
  'additional-tools-in-tools': [{ tools: [group(named('own'))], ...given(adds(named('own'))) }],
  'allowed-tools': [
    { tool_choice: { type: 'allowed_tools', tools: [named('own'), named('other')] }, ...given(adds(named('other'))) },
  ],
};

const SERVICES = {
  anthropic: {
    path: 'messages',
    base: { model: 'claude-opus-5', tools: [own], messages: [user] },
    fake: (script: (at: number) => readonly object[], options: object = {}) =>
      fakeAnthropic(({ index }) => ({ content: script(index) as AnthropicBlock[] }), options),
    greeting: [text('Hello.')],
  },
  openai: {
    path: 'responses',
    base: { model: 'gpt-5.6-sol', tools: [named('own')], input: [ask] },
    fake: (script: (at: number) => readonly object[], options: object = {}) =>
      fakeOpenAI(({ index }) => ({ content: script(index) as OpenAIItem[] }), options),
    greeting: [message(1, 'Hello.')],
  },
} as const;
type Name = keyof typeof SERVICES;

/** Sends these bodies, to which the service answers first with that; returns the last answer, and the rules that were broken. */
async function send(
  name: Name,
  bodies: readonly object[],
  first?: readonly object[],
  options?: object,
  beta = BY_VALUE,
) {
  const { path, base, fake: create, greeting } = SERVICES[name];
  const fake = create((at) => (at === 0 ? (first ?? greeting) : greeting), options);
  let answer = new Response();
  for (const body of bodies) {
    const init = {
      method: 'POST',
      headers: { 'anthropic-beta': `a,${beta}` },
      body: JSON.stringify({ ...base, ...body }),
    };
    answer = await fake.fetch(`https://service.test/v1/${'path' in body ? body.path : path}`, init);
  }
  return { status: answer.status, said: await answer.text(), rules: fake.refused.map(({ rule }) => rule) };
}
const BY_VALUE = 'inline-tools-2026-09-15';
const BY_NAME = 'mid-conversation-tool-changes-2026-07-01';

const broken = (Object.entries({ anthropic: ANTHROPIC, openai: OPENAI }) as [Name, Bodies<string>][]).flatMap(
  ([name, rules]) =>
    Object.entries(rules).flatMap(([rule, bodies]) => bodies.map((body, at) => ({ name, rule, at, body }))),
);

it.each(broken)('$name refuses $rule ($at)', async ({ name, rule, body }) => {
  const refused = await send(name, [body]);
  expect(refused).toMatchObject({ status: 400, rules: [rule] });
  expect(refused.said).toMatch(`[rule: ${rule}]`);
  const { error } = JSON.parse(refused.said);
  expect(Object.keys(error)).toEqual(expect.arrayContaining(['type', 'message']));
});

const thought = [thinking('Hm.'), toolUse(1, 'own')];
const bound = { model: 'claude-opus-5-5', system: 'Help.' };
const answered = says(thinking('Thought 1.'), text('Hello.'));
const marked = { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: {} }] };
const begun = [serverSearchCall(1, 'a'), toolUse(2, 'own')];
const going = talk(says(...begun), gives(result(2)));
const chain = [reasoning(1), message(2, 'Hm.'), functionCall(3, 'own')];
const chained = (...at: number[]) =>
  given(...at.map((one) => ({ type: 'item_reference', id: chain[one]?.id })), ...(at.includes(2) ? [output(3)] : []));
const { id: _, ...idless } = functionCall(3, 'own');
const chat = (...messages: object[]) => ({ path: 'chat/completions', tools: [], messages });
const calling = { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: {} }] };
const called = { role: 'tool', tool_call_id: 'call_1', content: 'ok' };

type Row = [
  what: string,
  Name,
  bodies: readonly object[],
  rules: readonly string[],
  options?: { first?: readonly object[]; thinks?: boolean; beta?: string },
];
const BOUND = ['thinking-bound'];
const afterThinking = (what: string, body: object, rules: readonly string[] = [], start: object = bound): Row => {
  return [what, 'anthropic', [start, { ...start, ...body }], rules, { thinks: true }];
};
const afterChain = (what: string, body: object, rules: readonly string[], start: object = {}): Row => {
  return [what, 'openai', [start, body], rules, { first: chain }];
};
const atOnce = (what: string, name: Name, body: object, ...rules: string[]): Row => [what, name, [body], rules];

/** What depends on what the service answered before, or on the headers. */
it.each<Row>([
  ['thinking at the end', 'anthropic', [{}, talk(says(thought[0]!), user)], ['thinking'], { first: thought }],
  ['a call whose thinking is gone', 'anthropic', [{}, talk(use, gives(result(1)))], ['thinking'], { first: thought }],
  ['a whole answer', 'anthropic', [{}, talk(says(...thought), gives(result(1)))], [], { first: thought }],
  ['a search under way, once', 'anthropic', [{}, going, going], ['server-tool-use-without-result'], { first: begun }],
  afterThinking('the beginning as it was', talk(answered, user)),
  afterThinking('a mark of the cache', { messages: [marked, answered, user] }),
  afterThinking('tools behind it', talk(answered, user, tells(define(other)))),
  afterThinking('another tool', { tools: [own, other], ...talk(answered, user) }, BOUND),
  afterThinking('another instruction', { system: '!', ...talk(answered, user) }, BOUND),
  afterThinking('tools before it', talk(tells(define(other)), answered, user), BOUND),
  afterThinking('an older model', { tools: [own, other], ...talk(answered, user) }, [], {}),
  ['a removal without its header', 'anthropic', [changed(remove('own'))], ['tool-change-beta'], { beta: 'another' }],
  ['a definition by name', 'anthropic', [changed(define(other))], ['tool-change-beta'], { beta: BY_NAME }],
  afterChain('reasoning with nothing behind it', chained(0), ['reasoning-chain']),
  afterChain('reasoning with something else behind it', chained(0, 2), ['reasoning-chain']),
  afterChain('an item without its reasoning', chained(1, 2), ['reasoning-chain']),
  afterChain('an item without its id', given(idless, output(3)), []),
  afterChain('an item that was not stored', chained(1), ['item-reference'], { store: false }),
  atOnce(
    'a call in its namespace',
    'openai',
    given(adds(group(named('other'))), functionCall(1, 'other', {}, 'crm'), output(1)),
  ),
  atOnce('a chat', 'openai', chat(user, calling, called)),
  atOnce('a chat without a result', 'openai', chat(user, calling), 'call-without-output'),
  atOnce('a chat without a call', 'openai', chat(user, called), 'output-without-call'),
])('%s is refused, or not, by %s', async (_, name, bodies, rules, { first, beta, ...options } = {}) => {
  expect((await send(name, bodies, first, options, beta)).rules).toEqual(rules);
});

it.each([
  ['tool_reference_unresolved', remove('gone')],
  ['tool_name_conflict', define({ ...hosted, name: 'own' })],
  ['available_tools_limit_exceeded', define(huge)],
])('Anthropic names the error %s', async (code, block) => {
  expect(JSON.parse((await send('anthropic', [changed(block)])).said).error.details).toEqual({ error_code: code });
});

it('Anthropic offers what a result refers to, and what is defined, unless it is deferred', () => {
  const offered = (messages: readonly object[]) =>
    [...offeredBy({ model: '', tools: [own, late], messages: messages as never }).keys()].join();
  expect(offered([user])).toBe('own');
  expect(offered([user, use, gives(result(1, [reference('other')]))])).toBe('own,other');
  expect(offered([user, tells(define({ ...late, name: 'third' }))])).toBe('own');
  expect(offered([user, tells(define({ ...late, name: 'third' }), add('third'))])).toBe('own,third');
});
