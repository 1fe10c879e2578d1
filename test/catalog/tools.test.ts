import { createTool, Tool } from '@mastra/core/tools';
import { tool as aiTool, jsonSchema } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { tool } from '../support/harness.ts';
import { loaded, nameless, nameOf, namesOf, refusal, webSearch } from './catalogs.ts';

const named = (key: string, value: unknown): object => Object.fromEntries([[key, value]]);
const execute = async () => 'ran';
const [a, b] = [tool('a'), tool('b')];
const ofAnotherCopy = Object.create({ [Symbol.for('mastra.core.tool.Tool')]: true });
const ofAiSdk = aiTool({ inputSchema: jsonSchema({ type: 'object' }) });

describe('a tool', () => {
  it.each([
    { what: 'of createTool()', value: a, kept: true },
    { what: 'of new Tool()', value: new Tool({ id: 'a', description: 'A.', execute }), kept: true },
    { what: 'of a second installed copy of Mastra', value: ofAnotherCopy, kept: true },
    { what: "of a provider's own", value: webSearch, kept: true },
    {
      what: 'that is frozen',
      value: Object.freeze(createTool({ id: 'own', description: 'Own.', execute })),
      kept: true,
    },
    { what: 'of tool() of the AI SDK', value: aiTool({ inputSchema: z.object({}), execute }) },
    { what: 'of the AI SDK that the client runs', value: ofAiSdk },
    { what: 'of the AI SDK of old', value: { parameters: z.object({}) } },
    { what: 'that is a bare execute', value: { execute } },
  ])('may be one $what', async ({ value, kept = false }) => {
    const sent = await loaded({ x: value }, 'x');
    expect(sent).toBeDefined();
    expect(Object.is(sent, value)).toBe(kept);
  });

  it.each([
    { why: 'null', value: null, what: 'null' },
    { why: 'undefined', value: undefined, what: 'undefined' },
    { why: 'a text', value: 'get_weather', what: 'string' },
    { why: 'a number', value: 5, what: 'number' },
    { why: 'a function', value: execute, what: 'function' },
    { why: 'an empty object', value: {}, what: 'object without execute or schema' },
    { why: 'a promise', value: Promise.resolve(a), what: 'a promise' },
    { why: 'a list', value: [a], what: 'object' },
    { why: 'a Map', value: new Map([['a', a]]), what: 'object' },
    { why: 'an object of something else', value: { y: 5 }, what: 'object' },
    { why: 'a record of a tool and something else', value: { a, b: 5 }, what: 'object' },
    { why: 'toolsets within toolsets', value: { y: { z: a } }, what: 'object' },
    { why: 'a description alone', value: { id: 'a', description: 'Does it.' }, what: 'object' },
    { why: 'an execute that is no function', value: { execute: true, description: 'A.' }, what: 'object' },
    { why: 'a schema that is a text', value: { inputSchema: 'object' }, what: 'object' },
    { why: 'null for all', value: { execute: null, inputSchema: null, parameters: null }, what: 'object' },
  ])('cannot be $why, which is refused with its key', ({ value, what }) => {
    const { code, message } = refusal({ good: tool('good'), 'the key': value });
    expect(code).toBe('invalid-tool');
    for (const part of ['tools["the key"]', what, 'createTool()']) expect(message).toContain(part);
  });
});

describe('toolsets', () => {
  const bare = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, nameless()]));

  it.each([
    { why: 'an empty record', tools: {}, names: [] },
    { why: 'a record without prototype', tools: Object.assign(Object.create(null), bare('x')), names: ['x'] },
    { why: 'two', tools: { mail: bare('send', 'read'), files: bare('read') }, names: 'mail_send mail_read files_read' },
    { why: 'one', tools: { mail: bare('send') }, names: ['mail_send'] },
    { why: 'those whose tools have ids', tools: { mail: { send: a }, files: { read: b } }, names: ['a', 'b'] },
    { why: 'empty ones', tools: { mail: {}, files: {} }, names: [] },
    { why: 'an empty one among them', tools: { mail: {}, files: bare('read') }, names: ['files_read'] },
    { why: 'one after tools', tools: { ...bare('x'), f: bare('read'), y: nameless() }, names: 'x y f_read' },
    { why: 'all kinds of tools', tools: { mixed: { web: webSearch, mail: ofAiSdk } }, names: 'mixed_web mixed_mail' },
    { why: 'names of fields', tools: { x: bare('parameters', 'inputSchema') }, names: 'x_parameters x_inputSchema' },
    { why: 'keys out of JavaScript', tools: { constructor: bare('toString') }, names: ['constructor_toString'] },
    { why: 'a tool that is called "then"', tools: named('then', nameless()), names: ['then'] },
  ])('may be $why', async ({ tools, names }) => {
    expect(await namesOf(tools)).toEqual([names].flat().join(' ').split(' ').filter(Boolean));
  });

  it('give their tools a second spelling', async () => {
    const tools = { files: { read: tool('take_file') } };
    expect(await nameOf(tools, 'files_read')).toBe('take_file');
    expect(await nameOf(tools, 'read')).toBeUndefined();
  });

  it('are named where one has something else than tools', () => {
    expect(refusal({ mail: { send: a }, files: { send: 5 } })).toMatchObject({
      code: 'invalid-tool',
      message: expect.stringContaining('tools["files"]'),
    });
  });

  it.each([
    { why: 'a list', tools: [a] },
    { why: 'a Map', tools: new Map([['a', a]]) },
    { why: 'a promise', tools: Promise.resolve({ a }) },
    { why: 'anything with then', tools: named('then', () => {}) },
    { why: 'a text', tools: 'tools' },
  ])('cannot be $why', ({ tools }) => {
    expect(refusal(tools).code).toBe('invalid-option');
  });
});

describe('a tool of the AI SDK', () => {
  it.each([
    { what: 'its name from the record', given: { id: 'other', execute }, made: { id: 'other' } },
    { what: 'an empty description where it has none', given: { execute }, made: { description: '' } },
    { what: 'its approval', given: { execute, needsApproval: true }, made: { requireApproval: true } },
    { what: 'no approval', given: { execute, needsApproval: false }, made: { requireApproval: false } },
    { what: 'its old schema', given: { parameters: z.object({}) }, made: { inputSchema: expect.anything() } },
    { what: 'its schema', given: { inputSchema: z.object({}) }, made: { inputSchema: expect.anything() } },
    { what: 'no execute where the client runs it', given: { inputSchema: z.object({}) }, made: { execute: undefined } },
  ])('is sent as one of Mastra, with $what', async ({ given, made }) => {
    const source = Object.freeze(given);
    const keys = Object.keys(source);
    const sent = await loaded({ other: source }, 'other');
    expect(sent).toBeInstanceOf(Tool);
    expect(sent).toMatchObject(made);
    expect(sent?.requireApproval ?? false).toBe('needsApproval' in given && given.needsApproval);
    expect(Object.keys(source)).toEqual(keys);
  });

  it('is run as the AI SDK does: on itself, with call id, messages and signal, also without a context', async () => {
    const seen = vi.fn();
    const source = {
      inputSchema: z.object({ city: z.string() }),
      execute(this: unknown, input: unknown, options: unknown) {
        seen(this, input, options);
        return 'ran';
      },
    };
    const { signal } = new AbortController();
    const messages = [{ role: 'user', content: 'hi' }];
    const context = { agent: { toolCallId: 'call-1', messages }, abortSignal: signal };
    const made = await loaded({ get_weather: source }, 'get_weather');
    for (const given of [context, undefined]) {
      expect(await made?.execute?.({ city: 'Rome' } as never, given as never)).toBe('ran');
    }
    const [[self, input, options], [, , without]] = seen.mock.calls as [unknown[], unknown[]];
    expect(self).toBe(source);
    expect(input).toEqual({ city: 'Rome' });
    expect(options).toMatchObject({ toolCallId: 'call-1', messages, abortSignal: signal });
    expect(without).toMatchObject({ toolCallId: '', messages: [] });
  });

  it('fails as its execute does', async () => {
    const made = await loaded({ a: { execute: () => Promise.reject(new Error('no city')) } }, 'a');
    await expect(made?.execute?.({} as never, {} as never)).rejects.toThrow('no city');
  });
});

it('what a subclass of Tool adds is there in what is sent changed', async () => {
  class Special extends Tool {
    greet(): string {
      return `I am ${this.id}`;
    }
  }
  const special = Object.freeze(new Special({ id: 'a.b', description: 'A.', execute }));
  const sent = (await loaded({ special }, 'a.b', { filter: () => true })) as unknown as Special;
  expect(sent).toBeInstanceOf(Tool);
  expect(sent.greet()).toMatch(/^I am a.b/);
  expect(special.id).toBe('a.b');
});
