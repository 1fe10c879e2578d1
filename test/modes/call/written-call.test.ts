import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { world } from '../../native/rig/world.ts';
import { calls, fillerTools, tool, toolRecord } from '../../support/harness.ts';
import { lastToolResult } from '../../support/scripted-model.ts';
import { callRig } from './setup.ts';

const text = z.string();
const taking = (shape: z.ZodRawShape, extra: object = {}) =>
  tool('subject', 'Subject.', { inputSchema: z.object(shape), ...extra });
const city = taking({ city: text.optional(), units: text.optional() });
const input = taking({ input: text, target: text.optional() });
const inner = taking({ input: z.object({ city: text }) });
const command = taking({ command: text, arguments: z.array(text) });
const all = taking({ args: text, parameters: z.object({ n: z.number() }), input: text });

/** What arrives of a call of `subject`, whose fields stand beside the name. */
async function arrived(subject: ReturnType<typeof tool>, fields: object, own = false): Promise<unknown> {
  const tools = toolRecord(subject);
  const { agent, model } = callRig(
    { tools: own ? fillerTools(3) : tools },
    calls({ toolName: 'call_tool', input: { toolName: 'subject', ...fields } }),
    own ? { agent: { tools } } : {},
  );
  await agent.generate('go');
  const { value } = lastToolResult(model.calls[1]!.prompt) as { value: { input?: unknown } };
  return value.input ?? value;
}

describe.each([
  { where: 'of the catalog', own: false },
  { where: 'that is sent anyway', own: true },
])('a call of a tool $where', ({ own }) => {
  it.each([
    { why: 'arguments are empty, others stand beside', subject: city, fields: { arguments: {}, city: 'Bern' } },
    { why: 'arguments are an empty text', subject: city, fields: { arguments: '', city: 'Bern' } },
    { why: 'arguments are a text of nothing', subject: city, fields: { arguments: ' {} ', city: 'Bern' } },
    { why: 'arguments are null', subject: city, fields: { arguments: null, city: 'Bern' } },
    { why: 'arguments are null as text', subject: city, fields: { arguments: 'null', city: 'Bern' } },
    { why: 'arguments are an empty list', subject: city, fields: { arguments: [], city: 'Bern' } },
    { why: 'two words for arguments are empty', subject: city, fields: { arguments: {}, args: '', city: 'Bern' } },
    { why: 'only the second word has something', subject: city, fields: { arguments: {}, args: { city: 'Bern' } } },
  ])('reads what stands where: $why', async ({ subject, fields }) => {
    expect(await arrived(subject, fields, own)).toEqual({ city: 'Bern' });
  });

  it.each([
    { why: 'input', subject: input, fields: { input: 'Hallo', target: 'en' } },
    { why: 'input, with empty arguments', subject: input, fields: { arguments: {}, input: 'Hallo', target: 'en' } },
    { why: 'input, with other arguments', subject: input, fields: { arguments: { target: 'en' }, input: 'Hallo' } },
  ])('takes for a parameter what is one of the tool: $why', async ({ subject, fields }) => {
    expect(await arrived(subject, fields, own)).toEqual({ input: 'Hallo', target: 'en' });
  });
});

describe('a call of a tool', () => {
  it.each([
    { why: 'an object', subject: inner, fields: { input: { city: 'Bern' } }, expected: { input: { city: 'Bern' } } },
    {
      why: 'an object that holds it',
      subject: inner,
      fields: { input: { input: { city: 'Bern' } } },
      expected: { input: { city: 'Bern' } },
    },
    {
      why: 'a list',
      subject: command,
      fields: { command: 'ls', arguments: ['-l'] },
      expected: { command: 'ls', arguments: ['-l'] },
    },
    {
      why: 'within arguments',
      subject: command,
      fields: { arguments: { command: 'ls', arguments: ['-l'] } },
      expected: { command: 'ls', arguments: ['-l'] },
    },
    {
      why: 'an empty list',
      subject: command,
      fields: { command: 'ls', arguments: [] },
      expected: { command: 'ls', arguments: [] },
    },
    {
      why: 'all of them',
      subject: all,
      fields: { args: 'a', parameters: { n: 1 }, input: 'i' },
      expected: { args: 'a', parameters: { n: 1 }, input: 'i' },
    },
    {
      why: 'all of them, in arguments',
      subject: all,
      fields: { arguments: { args: 'a', parameters: { n: 1 }, input: 'i' } },
      expected: { args: 'a', parameters: { n: 1 }, input: 'i' },
    },
    {
      why: 'a parameter beside arguments',
      subject: city,
      fields: { arguments: { city: 'Bern' }, units: 'c', other: 1 },
      expected: { city: 'Bern', units: 'c' },
    },
    {
      why: 'arguments before what stands beside',
      subject: city,
      fields: { arguments: { city: 'Bern' }, city: 'Rome' },
      expected: { city: 'Bern' },
    },
  ])(
    'reaches the tool with a parameter that is called as arguments are: $why',
    async ({ subject, fields, expected }) => {
      expect(await arrived(subject, fields)).toEqual(expected);
    },
  );

  it('reads parameters of alternatives, and of a JSON schema', async () => {
    const alternatives = tool('subject', 'Subject.', {
      inputSchema: z.union([z.object({ input: text }), z.object({ other: text })]),
    });
    expect(await arrived(alternatives, { input: 'x' })).toEqual({ input: 'x' });
    const inputSchema = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
    expect(await arrived(tool('subject', 'Subject.', { inputSchema }), { input: 'x' })).toEqual({ input: 'x' });
  });

  it('answers with the mistakes of the likeliest reading', async () => {
    expect(await arrived(input, { input: { target: 'en' } })).toMatchObject({
      error: true,
      message: expect.stringMatching(/input/),
    });
    expect(await arrived(city, { input: 'Bern' })).toMatchObject({ message: expect.stringMatching(/no object/) });
  });

  it('keeps names of prototypes what they are', async () => {
    const fields = JSON.parse('{"arguments":{},"__proto__":{"city":"Rome"},"constructor":1,"city":"Bern"}') as object;
    expect(await arrived(city, fields)).toEqual({ city: 'Bern' });
  });
});

describe.each(['anthropic', 'openai', 'chat', 'scripted'] as const)('a model of kind %s reads its calls', (kind) => {
  it.each(['say', 'stream'] as const)('as it wrote them: %s', async (how) => {
    const there = world({ mode: 'call' });
    expect(await there[how]('use get_weather book_flight', kind)).toBe('done');
    expect(there.ran).toEqual(['get_weather', 'book_flight']);
    const names = there.sent.at(-1)?.calls.map(({ name }) => name);
    expect(names).toEqual(['search_tools', 'call_tool', 'search_tools', 'call_tool']);
  });
});
