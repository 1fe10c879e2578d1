// Each rule of the fake services, by a request that breaks nothing else.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  type AnthropicBlock,
  fakeAnthropic,
  fakeOpenAI,
  functionCall,
  message,
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

type Bodies = Readonly<Record<string, readonly object[]>>;

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
const use = says(toolUse(1, 'own'));

const ANTHROPIC: Bodies = {
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
  'system-unsupported': ['claude-opus-4-7', 'claude-sonnet-4-6'].map((model) => ({ model, ...changed(define(other)) })),
  'tool-change-unsupported': [{ model: 'claude-sonnet-5', ...changed(define(other)) }],
  'system-position': [
    { messages: [tells(text('Now.')), user] },
    talk(tells(define(other)), tells(remove('own')), gives(text('And?'))),
    talk(use, tells(define(other)), gives(result(1))),
    talk(says(...serverSearch(1, ['own'])), tells(define(other))),
  ],
  'tool-change-unresolved': [changed(add('gone')), twice(remove('gone'), define(other))],
  'tool-change-definition': [changed(define({ ...other, name: 'an.other' })), changed(define({ name: 'other' }))],
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

const OPENAI: Bodies = {
  'tool-name': [{ tools: [named('a.tool')] }],
  'duplicate-tool-name': [{ tools: [group(named('own'), named('own'))] }],
  'deferred-without-search': [{ tools: [deferred] }],
  'tool-choice': [{ tool_choice: { type: 'function', name: 'another' } }],
  'item-reference': [given({ type: 'item_reference', id: 'msg_unknown' })],
  'item-id': [given({ ...toolSearchCall({ id: 1 }), id: 'call_1' })],
  'call-without-output': [given(functionCall(1, 'own'))],
  'output-without-call': [given(output(1))],
  'search-without-output': [given(search)],
  'search-output-without-search': [given(finds())],
  'search-output-tools': [
    given(search, finds({ type: 'function', name: 'own' })),
    given(search, finds(named('other'), group(named('third')))),
  ],
  'missing-namespace': [
    given(search, finds(named('other')), functionCall(3, 'other'), output(3)),
    given(adds(group(named('other'))), functionCall(1, 'other'), output(1)),
  ],
  'additional-tools-unsupported': ['gpt-5.5', 'o4-mini'].map((model) => ({ model, ...given(adds(named('other'))) })),
  'additional-tools-definition': [given(adds()), given(adds({ ...group(named('other')), description: undefined }))],
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
      fakeAnthropic(({ index }) => ({ content: script(index) as never }), options),
    greeting: [text('Hello.')],
  },
  openai: {
    path: 'responses',
    base: { model: 'gpt-5.6-sol', tools: [named('own')], input: [ask] },
    fake: (script: (at: number) => readonly object[]) =>
      fakeOpenAI(({ index }) => ({ content: script(index) as never })),
    greeting: [message(1, 'Hello.')],
  },
} as const;
type Name = keyof typeof SERVICES;
const BY_VALUE = 'inline-tools-2026-09-15';
const BY_NAME = 'mid-conversation-tool-changes-2026-07-01';

/** What the service answers first, whether it thinks, and the header of its requests. */
interface Given {
  readonly first?: readonly object[];
  readonly thinks?: boolean;
  readonly beta?: string;
}

/** Sends these bodies; returns the last answer, and the rules that were broken. */
async function send(name: Name, bodies: readonly object[], { first, beta = BY_VALUE, ...options }: Given = {}) {
  const { path, base, fake: create, greeting } = SERVICES[name];
  const fake = create((at) => (at === 0 ? (first ?? greeting) : greeting), options);
  let answer = new Response();
  for (const body of bodies) {
    const headers = { 'anthropic-beta': `a,${beta}` };
    const init = { method: 'POST', headers, body: JSON.stringify({ ...base, ...body }) };
    answer = await fake.fetch(`https://service.test/v1/${'path' in body ? body.path : path}`, init);
  }
  return { said: await answer.text(), rules: fake.refused.map(({ rule }) => rule) };
}

const thought = [thinking('Hm.'), toolUse(1, 'own')];
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
const inNamespace = functionCall(1, 'other', {}, 'crm');

type Row = [what: string, Name, bodies: readonly object[], rule: string | undefined, given?: Given];
const afterThinking = (
  what: string,
  body: object,
  rule?: string,
  start: object = { model: 'claude-opus-5-5' },
): Row => [...([what, 'anthropic', [start, { ...start, ...body }], rule, { thinks: true }] as const)];
const afterChain = (what: string, body: object, rule?: string, start: object = {}): Row => [
  ...([what, 'openai', [start, body], rule, { first: chain }] as const),
];

/** What depends on what the service answered before, or on the headers; and what is not refused. */
const rows: readonly Row[] = [
  ['thinking at the end', 'anthropic', [{}, talk(says(thought[0]!), user)], 'thinking', { first: thought }],
  ['a call whose thinking is gone', 'anthropic', [{}, talk(use, gives(result(1)))], 'thinking', { first: thought }],
  ['a whole answer', 'anthropic', [{}, talk(says(...thought), gives(result(1)))], undefined, { first: thought }],
  ['a search under way', 'anthropic', [{}, going], undefined, { first: begun }],
  ['the same, later', 'anthropic', [{}, going, going], 'server-tool-use-without-result', { first: begun }],
  afterThinking('the beginning as it was', { messages: [marked, answered, user] }),
  afterThinking('tools behind it', talk(answered, user, tells(define(other)))),
  afterThinking('another tool', { tools: [own, other], ...talk(answered, user) }, 'thinking-bound'),
  afterThinking('another instruction', { system: '!', ...talk(answered, user) }, 'thinking-bound'),
  afterThinking('tools before it', talk(tells(define(other)), answered, user), 'thinking-bound'),
  afterThinking('an older model', { tools: [own, other], ...talk(answered, user) }, undefined, {}),
  ['a removal without its header', 'anthropic', [changed(remove('own'))], 'tool-change-beta', { beta: 'another' }],
  ['a definition by name', 'anthropic', [changed(define(other))], 'tool-change-beta', { beta: BY_NAME }],
  afterChain('reasoning with nothing behind it', chained(0), 'reasoning-chain'),
  afterChain('reasoning with something else behind it', chained(0, 2), 'reasoning-chain'),
  afterChain('an item without its reasoning', chained(1, 2), 'reasoning-chain'),
  afterChain('an item without its id', given(idless, output(3))),
  afterChain('an item that was not stored', chained(1), 'item-reference', { store: false }),
  ['a call in its namespace', 'openai', [given(adds(group(named('other'))), inNamespace, output(1))], undefined],
  ['a chat', 'openai', [chat(user, calling, called)], undefined],
  ['a chat without a result', 'openai', [chat(user, calling)], 'call-without-output'],
  ['a chat without a call', 'openai', [chat(user, called)], 'output-without-call'],
];

const RULES = { anthropic: ANTHROPIC, openai: OPENAI };
const broken = (Object.entries(RULES) as [Name, Bodies][]).flatMap(([name, rules]) =>
  Object.entries(rules).flatMap(([rule, bodies]) =>
    bodies.map((body, at): Row => [`${rule} ${at}`, name, [body], rule]),
  ),
);

it.each([...broken, ...rows])('%s is refused, or not: %s', async (_, name, bodies, rule, options) => {
  const { rules, said } = await send(name, bodies, options);
  expect(rules).toEqual(rule === undefined ? [] : [rule]);
  if (rule !== undefined) expect(JSON.parse(said).error.message).toContain(`[rule: ${rule}]`);
});

it.each(['anthropic', 'openai'] as const)('every rule of %s has such a request', (name) => {
  const source = readFileSync(new URL(`fake-${name}-rules.ts`, import.meta.url), 'utf8');
  const rules = [...source.matchAll(/yield \['([\w-]+)'/g)].map(([, rule]) => rule);
  const tested = [...Object.keys(RULES[name]), ...rows.map(([, , , rule]) => rule)];
  expect([rules.length > 15, rules.filter((rule) => !tested.includes(rule))]).toEqual([true, []]);
});

it('Anthropic offers what a result refers to, and what is defined, unless it is deferred', () => {
  const offered = (messages: readonly object[]) =>
    [...offeredBy({ model: '', tools: [own, late], messages: messages as never }).keys()].join();
  expect(offered([user])).toBe('own');
  expect(offered([user, use, gives(result(1, [reference('other')]))])).toBe('own,other');
  expect(offered([user, tells(define({ ...late, name: 'third' }))])).toBe('own');
  expect(offered([user, tells(define({ ...late, name: 'third' }), add('third'))])).toBe('own,third');
});
