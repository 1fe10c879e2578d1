import { createTool, Tool } from '@mastra/core/tools';
import { tool as aiTool, jsonSchema } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  copyTool,
  isMastraTool,
  isProviderTool,
  isTool,
  type MastraTool,
  toMastraTool,
} from '../../src/catalog/tool.ts';
import { tool } from '../support/harness.ts';

const execute = async () => 'ran';
const webSearch = { type: 'provider-defined', id: 'openai.web_search', name: 'web_search', args: {} };
const ofAnotherCopy = Object.create({ [Symbol.for('mastra.core.tool.Tool')]: true });

describe('the kinds of tools', () => {
  it.each([
    { what: 'createTool()', value: tool('a'), mastra: true },
    { what: 'new Tool()', value: new Tool({ id: 'a', description: 'A.', execute }), mastra: true },
    { what: 'a tool of a second installed copy of Mastra', value: ofAnotherCopy, mastra: true },
    { what: 'tool() of the AI SDK', value: aiTool({ inputSchema: z.object({}), execute }), mastra: false },
    {
      what: 'an AI SDK tool that the client runs',
      value: { inputSchema: jsonSchema({ type: 'object' }) },
      mastra: false,
    },
    { what: 'an AI SDK tool of old', value: { parameters: z.object({}) }, mastra: false },
    { what: 'a schema that is a function', value: { inputSchema: () => z.object({}) }, mastra: false },
    { what: 'a bare execute', value: { execute }, mastra: false },
  ])('takes for a tool: $what', ({ value, mastra }) => {
    expect({ isTool: isTool(value), mastra: isMastraTool(value) }).toEqual({ isTool: true, mastra });
  });

  it.each([
    { what: 'nothing', value: undefined },
    { what: 'null', value: null },
    { what: 'a text', value: 'get_weather' },
    { what: 'a function', value: execute },
    { what: 'a list of tools', value: [tool('a')] },
    { what: 'a record of tools', value: { a: tool('a') } },
    { what: 'a promise', value: Promise.resolve({ a: tool('a') }) },
    { what: 'an execute that is no function', value: { execute: true, description: 'A.' } },
    { what: 'a schema that is a text', value: { inputSchema: 'object' } },
    { what: 'null for all', value: { execute: null, inputSchema: null, parameters: null } },
  ])('does not take for a tool: $what', ({ value }) => {
    expect([isTool(value), isMastraTool(value), isProviderTool(value)]).toEqual([false, false, false]);
  });

  it("knows a provider's own tool, which is none of Mastra's", () => {
    expect([isTool(webSearch), isProviderTool(webSearch), isMastraTool(webSearch)]).toEqual([true, true, false]);
    expect(isProviderTool(tool('a'))).toBe(false);
  });
});

describe('toMastraTool', () => {
  it.each([
    { what: 'a Mastra tool', value: tool('a') },
    { what: "a provider's own tool", value: webSearch },
    { what: 'a tool of a second installed copy of Mastra', value: ofAnotherCopy },
  ])('leaves $what as it is', ({ value }) => {
    expect(toMastraTool('other', value)).toBe(value);
  });

  it('makes a Mastra tool of an AI SDK tool, under the given name', () => {
    const inputSchema = z.object({ city: z.string() });
    const made = toMastraTool('get_weather', { description: 'Weather.', inputSchema, execute });
    expect(isMastraTool(made)).toBe(true);
    expect(made).toMatchObject({ id: 'get_weather', description: 'Weather.' });
    expect(made.inputSchema).toBeDefined();
  });

  it('prefers the given name to an id of the tool', () => {
    expect(toMastraTool('get_weather', { id: 'other', execute }).id).toBe('get_weather');
  });

  it('reads a schema under its old name, and takes a missing description for an empty one', () => {
    const made = toMastraTool('a', { parameters: z.object({ city: z.string() }), execute });
    expect(made.inputSchema).toBeDefined();
    expect(made.description).toBe('');
  });

  it.each([true, false])('keeps needsApproval: %s as requireApproval', (needsApproval) => {
    expect(toMastraTool('a', { execute, needsApproval }).requireApproval).toBe(needsApproval);
  });

  it('asks for no approval where the tool does not', () => {
    expect(toMastraTool('a', { execute }).requireApproval).toBeFalsy();
  });

  it('adds no execute to a tool that the client runs', () => {
    expect(toMastraTool('a', { inputSchema: z.object({}) }).execute).toBeUndefined();
  });

  it('does not change the given object', () => {
    const source = Object.freeze({ description: 'A.', inputSchema: z.object({}), execute });
    toMastraTool('a', source);
    expect(Object.keys(source)).toEqual(['description', 'inputSchema', 'execute']);
  });

  it('calls execute as the AI SDK does: on its tool, with call id, messages and signal', async () => {
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
    const made = toMastraTool('a', source);
    expect(await made.execute?.({ city: 'Rome' } as never, context as never)).toBe('ran');
    const [self, input, options] = seen.mock.calls[0]!;
    expect(self).toBe(source);
    expect(input).toEqual({ city: 'Rome' });
    expect(options).toMatchObject({ toolCallId: 'call-1', messages });
    expect(options.abortSignal).toBe(signal);
  });

  it('calls execute without a context too', async () => {
    const seen = vi.fn(async (_input: unknown, _options: unknown) => 'ran');
    const made = toMastraTool('a', { inputSchema: z.object({}), execute: seen });
    expect(await made.execute?.({} as never, undefined as never)).toBe('ran');
    expect(seen.mock.calls[0]?.[1]).toMatchObject({ toolCallId: '', messages: [] });
  });

  it('passes on what execute throws', async () => {
    const made = toMastraTool('a', { execute: () => Promise.reject(new Error('no city')) });
    await expect(made.execute?.({} as never, {} as never)).rejects.toThrow('no city');
  });
});

describe('copyTool', () => {
  const original = (): MastraTool =>
    createTool({ id: 'a', description: 'A.', inputSchema: z.object({}), execute }) as unknown as MastraTool;

  it('changes the copy alone', () => {
    const from = Object.freeze(original());
    const copy = copyTool(from, { description: 'B.' });
    expect([copy.description, from.description]).toEqual(['B.', 'A.']);
    expect(copy.id).toBe('a');
    expect(copy.inputSchema).toBe(from.inputSchema);
  });

  it('is still a Mastra tool, and keeps what a subclass adds', () => {
    class Special extends Tool {
      greet(): string {
        return `I am ${this.id}`;
      }
    }
    const copy = copyTool(new Special({ id: 'a', description: 'A.', execute }) as never, {}) as unknown as Special;
    expect(isMastraTool(copy)).toBe(true);
    expect(copy).toBeInstanceOf(Tool);
    expect(copy.greet()).toBe('I am a');
  });
});
