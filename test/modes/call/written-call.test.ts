import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { world } from '../../native/rig/world.ts';
import { call, fillerTools, tool, toolRecord } from '../../support/agent.ts';
import { answersTo } from './setup.ts';

const text = z.string();
const taking = (shape: z.ZodRawShape) => tool('subject', 'Subject.', { inputSchema: z.object(shape) });
const city = taking({ city: text.optional(), units: text.optional() });
const input = taking({ input: text, target: text.optional() });
const inner = taking({ input: z.object({ city: text }) });
const command = taking({ command: text, arguments: z.array(text) });
const all = taking({ args: text, parameters: z.object({ n: z.number() }), input: text });

/** What arrives of a call of `subject`, whose fields stand beside the name. */
async function arrived(subject: ReturnType<typeof tool>, fields: object | string, own = false): Promise<unknown> {
  const tools = toolRecord(subject);
  const written = typeof fields === 'string' ? fields : { toolName: 'subject', ...fields };
  const { values } = await answersTo(
    { tools: own ? fillerTools(3) : tools },
    [call('call_tool', written)],
    own ? { agent: { tools } } : {},
  );
  const [value] = values as [{ input?: unknown }];
  return value.input ?? value;
}

const bern = { city: 'Bern' };
const hallo = { input: 'Hallo', target: 'en' };
const list = { command: 'ls', arguments: ['-l'] };
const three = { args: 'a', parameters: { n: 1 }, input: 'i' };

describe.each([
  { where: 'of the catalog', own: false },
  { where: 'that is sent anyway', own: true },
])('a call of a tool $where', ({ own }) => {
  it.each([
    ['as JSON', '{"toolName":"subject","arguments":{"city":"Bern"}}'],
    ['as JSON text', { arguments: '{"city":"Bern"}' }],
    ['beside the name', bern],
    ['by another word', { args: bern }],
    [
      'by other words, with the name in another spelling',
      { toolName: undefined, name: 'functions.subject', args: bern },
    ],
    ['with null for what is optional', { arguments: { ...bern, units: null } }],
    ['beside empty arguments', { arguments: {}, ...bern }],
    ['beside an empty text', { arguments: '', ...bern }],
    ['beside a text of nothing', { arguments: ' {} ', ...bern }],
    ['beside null', { arguments: null, ...bern }],
    ['beside null as text', { arguments: 'null', ...bern }],
    ['beside an empty list', { arguments: [], ...bern }],
    ['beside two empty words', { arguments: {}, args: '', ...bern }],
    ['in the second word, where the first is empty', { arguments: {}, args: bern }],
    ['in arguments, before what stands beside', { arguments: bern, city: 'Rome' }],
  ])('is read where its arguments stand %s', async (_, fields) => {
    expect(await arrived(city, fields, own)).toEqual(bern);
  });

  it.each([hallo, { arguments: {}, ...hallo }, { arguments: { target: 'en' }, input: 'Hallo' }])(
    'takes for a parameter what is one of the tool: %j',
    async (fields) => {
      expect(await arrived(input, fields, own)).toEqual(hallo);
    },
  );
});

describe('a call of a tool', () => {
  it.each([
    { why: 'an object', subject: inner, fields: { input: bern }, expected: { input: bern } },
    { why: 'an object that holds it', subject: inner, fields: { input: { input: bern } }, expected: { input: bern } },
    { why: 'a list', subject: command, fields: list, expected: list },
    { why: 'within arguments', subject: command, fields: { arguments: list }, expected: list },
    {
      why: 'an empty list',
      subject: command,
      fields: { ...list, arguments: [] },
      expected: { ...list, arguments: [] },
    },
    { why: 'all of them', subject: all, fields: three, expected: three },
    { why: 'all of them, in arguments', subject: all, fields: { arguments: three }, expected: three },
    {
      why: 'a parameter beside arguments',
      subject: city,
      fields: { arguments: bern, units: 'c', other: 1 },
      expected: { city: 'Bern', units: 'c' },
    },
  ])(
    'reaches the tool with a parameter that is called as arguments are: $why',
    async ({ subject, fields, expected }) => {
      expect(await arrived(subject, fields)).toEqual(expected);
    },
  );

  it('is read by the parameters of alternatives, and of a JSON schema', async () => {
    const alternatives = z.union([z.object({ input: text }), z.object({ other: text })]);
    const json = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
    for (const inputSchema of [alternatives, json])
      expect(await arrived(tool('subject', 'Subject.', { inputSchema }), { input: 'x' })).toEqual({ input: 'x' });
  });

  it('answers with the mistakes of the likeliest reading', async () => {
    const mistaken = { error: true, message: expect.stringMatching(/input/) };
    expect(await arrived(input, { input: { target: 'en' } })).toMatchObject(mistaken);
    expect(await arrived(city, { input: 'Bern' })).toMatchObject({ message: expect.stringMatching(/no object/) });
  });

  it('keeps names of prototypes what they are', async () => {
    const fields = JSON.parse('{"arguments":{},"__proto__":{"city":"Rome"},"constructor":1,"city":"Bern"}') as object;
    expect(await arrived(city, fields)).toEqual(bern);
  });
});

describe('arguments that are written as text', () => {
  const json = (properties: object, more: object = {}) =>
    tool('subject', 'Subject.', { inputSchema: { type: 'object', properties, ...more } as never });
  const nested = { type: 'object', properties: { n: { type: 'integer' }, on: { type: 'boolean' } } };
  const either = { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'array', items: { type: 'number' } }] };

  it.each([
    ['a number', { type: 'number' }, '10', 10],
    ['a whole number', { type: 'integer' }, ' -3 ', -3],
    ['a yes or no', { type: 'boolean' }, 'true', true],
    ['a yes or no of Python', { type: 'boolean' }, 'False', false],
    ['a list', { type: 'array', items: { type: 'string' } }, '["a"]', ['a']],
    ['a list of numbers that are texts', { type: 'array', items: { type: 'number' } }, '["1","2"]', [1, 2]],
    ['an object', nested, '{"n":"2","on":"true"}', { n: 2, on: true }],
    ['one of several', either, 'true', true],
    ['a list of several', either, '["1"]', [1]],
    ['one of given values', { enum: [1, 2] }, '2', 2],
    ['nothing', { type: ['number', 'null'] }, 'null', null],
    ['what a definition says', { $ref: '#/$defs/count' }, '7', 7],
  ])('are read by the schema: %s', async (_, schema, written, read) => {
    const subject = json({ value: schema }, { $defs: { count: { type: 'integer' } } });
    expect(await arrived(subject, { arguments: { value: written } })).toEqual({ value: read });
    expect(await arrived(subject, { value: written })).toEqual({ value: read });
  });

  it.each([
    ['text is wanted', { type: 'string' }, '10'],
    ['text is one of what is wanted', { type: ['string', 'number'] }, '10'],
    ['one of several is text', { anyOf: [{ type: 'number' }, { type: 'string' }] }, 'true'],
    ['anything is wanted', {}, '["a"]'],
    ['given texts are wanted', { enum: ['1', '2'] }, '1'],
  ])('stay text where %s', async (_, schema, written) => {
    expect(await arrived(json({ value: schema }), { arguments: { value: written } })).toEqual({ value: written });
  });

  it.each([
    [{ type: 'number' }, 'ten'],
    [{ type: 'integer' }, '1.5'],
    [{ type: 'integer' }, '12345678901234567890'],
    [{ type: 'boolean' }, '1'],
    [{ type: 'array' }, 'a, b'],
  ])('are answered with the mistake where no reading fits: %j for %j', async (schema, written) => {
    const answer = await arrived(json({ value: schema }), { arguments: { value: written } });
    expect(answer).toMatchObject({ error: true, parameters: expect.anything() });
  });

  it('are read by a zod schema', async () => {
    const subject = taking({ n: z.number(), all: z.array(z.boolean()) });
    const fields = { n: '10', all: '[true]' };
    expect(await arrived(subject, { arguments: fields })).toEqual({ n: 10, all: [true] });
  });
});

it.each(['anthropic', 'openai', 'chat', 'scripted'] as const)(
  'a model of kind %s reads its calls as it wrote them',
  async (kind) => {
    for (const how of ['say', 'stream'] as const) {
      const there = world({ mode: 'call' });
      expect(await there[how]('use get_weather book_flight', kind)).toBe('done');
      expect(there.ran).toEqual(['get_weather', 'book_flight']);
      const names = there.sent.at(-1)?.calls.map(({ name }) => name);
      expect(names).toEqual(['search_tools', 'call_tool', 'search_tools', 'call_tool']);
    }
  },
);
