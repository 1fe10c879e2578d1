// Each rule of the fake services, by a request that breaks nothing else.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  type AnthropicBlock,
  fakeAnthropic,
  fakeOpenAI,
  functionCall,
  message,
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
  anthropic: { model: 'claude-opus-5', tools: [own], messages: [user] },
  openai: { model: 'gpt-5.6-sol', tools: [named('own')], input: [ask] },
};
type Name = keyof typeof SERVICES;

/** What the service answers first, whether it thinks, and the header of its requests. */
interface Given {
  readonly first?: readonly object[];
  readonly thinks?: boolean;
  readonly beta?: string;
}

/** Sends these bodies; returns the last answer, and the rules that were broken. */
async function send(name: Name, bodies: readonly object[], given: Given = {}) {
  const greeting = name === 'anthropic' ? [text('Hello.')] : [message(1, 'Hello.')];
  const script = ({ index }: { index: number }) => ({ content: ((index === 0 && given.first) || greeting) as never });
  const fake = name === 'anthropic' ? fakeAnthropic(script, { thinks: given.thinks === true }) : fakeOpenAI(script);
  let answer = new Response();
  for (const body of bodies) {
    const headers = { 'anthropic-beta': `a,${given.beta ?? 'inline-tools-2026-09-15'}` };
    const init = { method: 'POST', headers, body: JSON.stringify({ ...SERVICES[name], ...body }) };
    answer = await fake.fetch(`https://service.test/${'path' in body ? body.path : 'v1'}`, init);
  }
  return { said: await answer.text(), rules: fake.refused.map(({ rule }) => rule) };
}

const thought = [thinking('Hm.'), toolUse(1, 'own')];
const answered = says(thinking('Thought 1.'), text('Hello.'));
const begun = [serverSearchCall(1, 'a'), toolUse(2, 'own')];
const going = talk(says(...begun), gives(result(2)));
const chain = [reasoning(1), message(2, 'Hm.'), functionCall(3, 'own')];
const chained = (...at: number[]) =>
  given(...at.map((one) => ({ type: 'item_reference', id: chain[one]?.id })), ...(at.includes(2) ? [output(3)] : []));
const chat = (...messages: object[]) => ({ path: 'chat/completions', tools: [], messages });
const calling = { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: {} }] };
const called = { role: 'tool', tool_call_id: 'call_1', content: 'ok' };

type Row = [what: string, Name, bodies: readonly object[], rule: string, given?: Given];
const newest = { model: 'claude-opus-5-5' };
const afterThinking = (what: string, body: object): Row => [
  ...([what, 'anthropic', [newest, { ...newest, ...body }], 'thinking-bound', { thinks: true }] as const),
];
const afterChain = (what: string, rule: string, body: object, start: object = {}): Row => [
  ...([what, 'openai', [start, body], rule, { first: chain }] as const),
];

/** What depends on what the service answered before, or on the headers. */
const rows: readonly Row[] = [
  ['thinking at the end', 'anthropic', [{}, talk(says(thought[0]!), user)], 'thinking', { first: thought }],
  ['a call whose thinking is gone', 'anthropic', [{}, talk(use, gives(result(1)))], 'thinking', { first: thought }],
  ['the same, later', 'anthropic', [{}, going, going], 'server-tool-use-without-result', { first: begun }],
  afterThinking('another tool', { tools: [own, other], ...talk(answered, user) }),
  afterThinking('another instruction', { system: '!', ...talk(answered, user) }),
  afterThinking('tools before it', talk(tells(define(other)), answered, user)),
  ['a removal without its header', 'anthropic', [changed(remove('own'))], 'tool-change-beta', { beta: 'another' }],
  [
    'a definition by name',
    'anthropic',
    [changed(define(other))],
    'tool-change-beta',
    { beta: 'mid-conversation-tool-changes-2026-07-01' },
  ],
  afterChain('reasoning with nothing behind it', 'reasoning-chain', chained(0)),
  afterChain('reasoning with something else behind it', 'reasoning-chain', chained(0, 2)),
  afterChain('an item without its reasoning', 'reasoning-chain', chained(1, 2)),
  afterChain('an item that was not stored', 'item-reference', chained(1), { store: false }),
  ['a chat without a result', 'openai', [chat(user, calling)], 'call-without-output'],
  ['a chat without a call', 'openai', [chat(user, called)], 'output-without-call'],
];

const RULES = { anthropic: ANTHROPIC, openai: OPENAI };
const broken = (Object.entries(RULES) as [Name, Bodies][]).flatMap(([name, rules]) =>
  Object.entries(rules).flatMap(([rule, bodies]) =>
    bodies.map((body, at): Row => [`${rule} ${at}`, name, [body], rule]),
  ),
);

it.each([...broken, ...rows])('%s is refused: %s', async (_, name, bodies, rule, options) => {
  const { rules, said } = await send(name, bodies, options);
  expect(rules).toEqual([rule]);
  expect(JSON.parse(said).error.message).toContain(`[rule: ${rule}]`);
});

it.each(['anthropic', 'openai'] as const)('every rule of %s has such a request', (name) => {
  const source = readFileSync(new URL(`fake-${name}-rules.ts`, import.meta.url), 'utf8');
  const rules = [...source.matchAll(/yield \['([\w-]+)'/g)].map(([, rule = '']) => rule);
  const tested = [...Object.keys(RULES[name]), ...rows.map(([, , , rule]) => rule)];
  expect([rules.length > 15, rules.filter((rule) => !tested.includes(rule))]).toEqual([true, []]);
});
