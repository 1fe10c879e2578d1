import { describe, expect, it } from 'vitest';
import {
  type AnthropicBlock,
  type AnthropicBody,
  fakeAnthropic,
  offeredBy,
  serverSearch,
  type ToolChangeRule,
  text,
  thinking,
  toolUse,
} from './fake-provider.ts';

const BY_VALUE = 'inline-tools-2026-09-15';
const BY_NAME = 'mid-conversation-tool-changes-2026-07-01';

const user = { role: 'user', content: 'hi' } as const;
const says = (...content: AnthropicBlock[]) => ({ role: 'assistant' as const, content });
const gives = (...content: AnthropicBlock[]) => ({ role: 'user' as const, content });
const tells = (...content: AnthropicBlock[]) => ({ role: 'system' as const, content });
const result = (id: number, content: unknown = 'ok') => ({
  type: 'tool_result',
  tool_use_id: toolUse(id, '').id as string,
  content,
});

const own = { name: 'own', input_schema: { type: 'object' } };
const other = { name: 'other', input_schema: { type: 'object' } };
const deferred = { ...other, defer_loading: true };
const hosted = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const add = (name: string) => ({ type: 'tool_addition', tool: { type: 'tool_reference', name } });
const remove = (name: string) => ({ type: 'tool_removal', tool: { type: 'tool_reference', name } });
const define = (definition: object) => ({
  type: 'tool_addition',
  tool: { type: 'tool_definition', definition: definition as typeof own },
});

const base: AnthropicBody = { model: 'claude-opus-5', tools: [own], messages: [user] };
const say = () => ({ content: [text('Hello.')] });

/** Sends a body as it is and returns the status and what the service says to it. */
async function send(fake: { readonly fetch: typeof globalThis.fetch }, body: object, beta = BY_VALUE) {
  const init = { method: 'POST', headers: { 'anthropic-beta': `first,${beta}` }, body: JSON.stringify(body) };
  const response = await fake.fetch('https://service.test/v1/messages', init);
  return { status: response.status, body: (await response.json()) as { error?: { details?: unknown } } };
}

const changed = (...blocks: AnthropicBlock[]): object => ({ messages: [user, tells(...blocks)] });
const twice = (first: AnthropicBlock, second: AnthropicBlock): object => ({
  messages: [user, tells(first), says(text('a')), user, tells(second)],
});

const refusals: Record<ToolChangeRule, readonly object[]> = {
  'system-unsupported': [
    { model: 'claude-opus-4-7', ...changed(text('Now.')) },
    { model: 'claude-haiku-4-5-20251001', ...changed(define(other)) },
    { model: 'claude-sonnet-4-6', ...changed(define(other)) },
  ],
  'tool-change-unsupported': [{ model: 'claude-sonnet-5', ...changed(define(other)) }],
  'system-position': [
    { messages: [tells(text('Now.')), user] },
    { messages: [user, tells(define(other)), user] },
    { messages: [user, tells(define(other)), tells(remove('own')), gives(text('And?'))] },
    { messages: [user, says(text('a')), tells(define(other))] },
    { messages: [user, says(toolUse(1, 'own')), tells(define(other)), gives(result(1))] },
    { messages: [user, says(...serverSearch(1, ['own'])), tells(define(other))] },
  ],
  'tool-change-role': [{ messages: [gives(text('hi'), define(other))] }],
  'tool-change-beta': [],
  'tool-change-unresolved': [changed(add('gone')), changed(remove('gone')), twice(remove('gone'), define(other))],
  'tool-change-conflict': [
    changed(define({ ...hosted, name: 'own' })),
    { tools: [hosted], ...changed(define({ ...own, name: hosted.name })) },
  ],
  'tool-change-definition': [
    changed(define({ ...other, name: 'an.other' })),
    changed(define({ name: 'other' })),
    changed({ ...define({ ...other, cache_control: {} }), cache_control: {} }),
    changed(define({ ...deferred, cache_control: {} })),
  ],
  'tool-change-limit': [
    changed(define({ ...other, description: 'x'.repeat(5_000_000) })),
    changed(...Array.from({ length: 10_001 }, (_, n) => define({ ...other, name: `tool_${n}` }))),
  ],
  'tool-added-again': [
    changed(add('own')),
    changed(define(own)),
    twice(define(other), define(other)),
    { tools: [own, deferred], ...twice(add('other'), add('other')) },
    { tools: [{ ...own, eager_input_streaming: true }], ...changed(define(own)) },
  ],
  'tool-removed-again': [twice(remove('own'), remove('own')), { tools: [own, deferred], ...changed(remove('other')) }],
  'tool-defined-twice': [{ tools: [own, deferred], ...changed(define(other)) }],
};

const cases = Object.entries(refusals).flatMap(([rule, bodies]) => bodies.map((body, at) => ({ rule, at, body })));

describe('tools that change in mid-conversation', () => {
  it.each(cases)('refuses $rule ($at)', async ({ rule, body }) => {
    const fake = fakeAnthropic(say);
    expect(await send(fake, { ...base, ...body })).toMatchObject({ status: 400 });
    expect(fake.refused.map((refusal) => refusal.rule)).toEqual([rule]);
    const patient = fakeAnthropic(say, { lenient: true });
    expect(await send(patient, { ...base, ...body })).toMatchObject({ status: 200 });
  });

  it.each([
    { given: 'none', beta: 'another', block: remove('own'), tag: 'tool_removal' },
    { given: 'none', beta: 'another', block: define(other), tag: 'tool_addition' },
    { given: 'that of changes by name', beta: BY_NAME, block: define(other), tag: 'tool_definition' },
  ])('refuses $tag with $given of the headers', async ({ beta, block, tag }) => {
    const fake = fakeAnthropic(say);
    await send(fake, { ...base, ...changed(block) }, beta);
    expect(fake.refused).toEqual([
      { rule: 'tool-change-beta', message: expect.stringContaining(`Input tag '${tag}'`) },
    ]);
  });

  it.each([
    { code: 'tool_reference_unresolved', block: remove('gone') },
    { code: 'tool_name_conflict', block: define({ ...hosted, name: 'own' }) },
    { code: 'available_tools_limit_exceeded', block: define({ ...other, description: 'x'.repeat(5_000_000) }) },
  ])('names the error $code', async ({ code, block }) => {
    const answer = await send(fakeAnthropic(say), { ...base, ...changed(block) });
    expect(answer.body.error?.details).toEqual({ error_code: code });
  });

  it('knows a tool that a result refers to as one that is offered', () => {
    const searched = [
      user,
      says(toolUse(1, 'own')),
      gives(result(1, [{ type: 'tool_reference', tool_name: 'other' }])),
    ];
    expect([...offeredBy({ ...base, tools: [own, deferred], messages: [user] }).keys()]).toEqual(['own']);
    expect([...offeredBy({ ...base, tools: [own, deferred], messages: searched }).keys()]).toEqual(['own', 'other']);
  });

  it('does not offer what is defined deferred, until it is added', () => {
    const bodyOf = (...blocks: AnthropicBlock[]): AnthropicBody => ({ ...base, messages: [user, tells(...blocks)] });
    expect([...offeredBy(bodyOf(define(deferred))).keys()]).toEqual(['own']);
    expect([...offeredBy(bodyOf(define(deferred), add('other'))).keys()]).toEqual(['own', 'other']);
  });
});

describe('thinking that is bound to its conversation', () => {
  const marked = (content: string) => ({
    role: 'user' as const,
    content: [{ type: 'text', text: content, cache_control: {} }],
  });
  const first: AnthropicBody = { ...base, model: 'claude-opus-5-5', system: 'Help.' };
  const answered = says(thinking('Thought 1.'), text('Hello.'));
  const next: AnthropicBody = { ...first, messages: [user, answered, gives(text('And?'))] };

  const changes: readonly { readonly why: string; readonly body: AnthropicBody; readonly isTaken: boolean }[] = [
    { why: 'the same', body: next, isTaken: true },
    { why: 'a mark of the cache', body: { ...next, messages: [marked('hi'), answered, user] }, isTaken: true },
    { why: 'tools behind it', body: { ...next, messages: [...next.messages, tells(define(other))] }, isTaken: true },
    { why: 'another tool', body: { ...next, tools: [own, other] }, isTaken: false },
    { why: 'another instruction', body: { ...next, system: 'Help!' }, isTaken: false },
    {
      why: 'tools before it',
      body: { ...next, messages: [user, tells(define(other)), answered, user] },
      isTaken: false,
    },
    { why: 'an older model', body: { ...next, tools: [own, other], model: 'claude-opus-5' }, isTaken: true },
    {
      why: 'no thinking',
      body: { ...next, tools: [own, other], messages: [user, says(text('Hello.')), user] },
      isTaken: true,
    },
  ];

  it.each(changes)('$why', async ({ body, isTaken }) => {
    const fake = fakeAnthropic(say, { thinks: true });
    await send(fake, first);
    expect(await send(fake, body)).toMatchObject({ status: isTaken ? 200 : 400 });
    expect(fake.refused.map(({ rule }) => rule)).toEqual(isTaken ? [] : ['thinking-bound']);
  });
});
