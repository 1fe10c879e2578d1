import { Tool } from '@mastra/core/tools';
import { MCPClient } from '@mastra/mcp';
import { tool as aiTool, jsonSchema } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { tool } from '../support/agent.ts';
import { catalogOf, loaded, nameless, nameOf, namesOf, refusal, webSearch } from './catalogs.ts';

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
    { what: 'that is frozen', value: Object.freeze(tool('own')), kept: true },
    { what: 'of tool() of the AI SDK', value: aiTool({ inputSchema: z.object({}), execute }) },
    { what: 'of the AI SDK that the client runs', value: ofAiSdk },
    { what: 'of the AI SDK of old', value: { parameters: z.object({}) } },
    { what: 'that is a bare execute', value: { execute } },
  ])('may be one $what', async ({ value, kept = false }) => {
    const sent = await loaded({ x: value }, 'x');
    expect(sent).toBeDefined();
    expect(Object.is(sent, value)).toBe(kept);
  });

  it.each<[value: unknown, what: string]>([
    [null, 'null'],
    [undefined, 'undefined'],
    ['get_weather', 'string'],
    [5, 'number'],
    [execute, 'function'],
    [{}, 'object without execute or schema'],
    [Promise.resolve(a), 'a promise'],
    [[a], 'object'],
    [new Map([['a', a]]), 'object'],
    [{ a, b: 5 }, 'object'],
    [{ y: { z: a } }, 'object'],
    [{ id: 'a', description: 'Does it.' }, 'object'],
    [{ execute: true, description: 'A.' }, 'object'],
    [{ inputSchema: 'object' }, 'object'],
    [{ execute: null, inputSchema: null, parameters: null }, 'object'],
  ])('cannot be %o, which is refused with its key', (value, what) => {
    const { code, message } = refusal({ good: tool('good'), 'the key': value });
    expect(code).toBe('invalid-tool');
    for (const part of ['tools["the key"]', what, 'createTool()']) expect(message).toContain(part);
  });
});

it('an MCPClient is none, and is told how to give its tools, also where a function returns it', async () => {
  const mcp = new MCPClient({ id: 'never-connected', servers: {} });
  try {
    const { code, message } = refusal(mcp as never);
    expect(code).toBe('invalid-option');
    expect(message).toContain('await mcp.listTools()');
    await expect(catalogOf(() => mcp).names()).rejects.toThrow('await mcp.listTools()');
    expect(() => catalogOf({ listTools: tool('listTools') })).not.toThrow();
  } finally {
    await mcp.disconnect();
  }
});

describe('toolsets', () => {
  const bare = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, nameless()]));

  it.each<[what: string, tools: object, names: string]>([
    ['a record without prototype', Object.assign(Object.create(null), bare('x')), 'x'],
    ['two', { mail: bare('send', 'read'), files: bare('read') }, 'mail_send mail_read files_read'],
    ['those whose tools have ids', { mail: { send: a }, files: { read: b } }, 'a b'],
    ['empty ones', { mail: {}, files: {} }, ''],
    ['an empty one among them', { mail: {}, files: bare('read') }, 'files_read'],
    ['one after tools', { ...bare('x'), f: bare('read'), y: nameless() }, 'x y f_read'],
    ['all kinds of tools', { mixed: { web: webSearch, mail: ofAiSdk } }, 'mixed_web mixed_mail'],
    ['names of fields', { x: bare('parameters', 'inputSchema') }, 'x_parameters x_inputSchema'],
    ['keys out of JavaScript', { constructor: bare('toString') }, 'constructor_toString'],
    ['a tool that is called "then"', named('then', nameless()), 'then'],
  ])('may be %s', async (_, tools, names) => {
    expect((await namesOf(tools)).join(' ')).toBe(names);
  });

  it('give their tools a second spelling', async () => {
    const tools = { files: { read: tool('take_file') } };
    expect([await nameOf(tools, 'files_read'), await nameOf(tools, 'read')]).toEqual(['take_file', undefined]);
  });

  it('are named where one has something else than tools, and refused where they are no record', () => {
    const { code, message } = refusal({ mail: { send: a }, files: { send: 5 } });
    expect(code).toBe('invalid-tool');
    expect(message).toContain('tools["files"]');
    for (const tools of [[a], new Map([['a', a]]), Promise.resolve({ a }), named('then', () => {}), 'tools'])
      expect(refusal(tools).code).toBe('invalid-option');
  });
});

describe('a tool of the AI SDK', () => {
  it.each([
    { what: 'its name from the record', given: { id: 'other', execute }, made: { id: 'other', description: '' } },
    { what: 'its approval', given: { execute, needsApproval: true }, made: { requireApproval: true } },
    { what: 'no approval', given: { execute, needsApproval: false }, made: { requireApproval: false } },
    { what: 'its old schema', given: { parameters: z.object({}) }, made: { inputSchema: expect.anything() } },
    { what: 'no execute where the client runs it', given: { inputSchema: z.object({}) }, made: { execute: undefined } },
  ])('is sent as one of Mastra, with $what', async ({ given, made }) => {
    const source = Object.freeze(given);
    const sent = await loaded({ other: source }, 'other');
    expect(sent).toBeInstanceOf(Tool);
    expect(sent).toMatchObject(made);
    expect(sent?.requireApproval ?? false).toBe('needsApproval' in given && given.needsApproval);
  });

  it('is run as the AI SDK does: on itself, with call id, messages and signal, also without a context, and fails so', async () => {
    const seen = vi.fn();
    const source = {
      inputSchema: z.object({ city: z.string() }),
      async execute(this: unknown, input: { city: string }, options: unknown) {
        seen(this, input, options);
        if (input.city === '') throw new Error('no city');
        return 'ran';
      },
    };
    const { signal } = new AbortController();
    const messages = [{ role: 'user', content: 'hi' }];
    const context = { agent: { toolCallId: 'call-1', messages }, abortSignal: signal };
    const made = await loaded({ get_weather: source }, 'get_weather');
    const run = async (city: string, given?: object) => made?.execute?.({ city } as never, given as never);
    for (const given of [context, undefined]) expect(await run('Rome', given)).toBe('ran');
    const given = { toolCallId: 'call-1', messages, abortSignal: signal };
    expect(seen.mock.calls).toEqual([
      [source, { city: 'Rome' }, expect.objectContaining(given)],
      [source, { city: 'Rome' }, expect.objectContaining({ toolCallId: '', messages: [] })],
    ]);
    expect(seen.mock.calls[0]?.[0]).toBe(source);
    await expect(run('')).rejects.toThrow('no city');
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
