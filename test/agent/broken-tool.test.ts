import { ToolSearchProcessor as CoreToolSearchProcessor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { tool as aiSdkTool, jsonSchema } from 'ai';
import { type MastraTool, type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { part } from '../support/breadth.ts';
import { call, calls, fillerTools, load, rig, tool, toolRecord } from '../support/harness.ts';
import { lastToolResult, toolNames } from '../support/scripted-model.ts';

function deep(levels: number): z.ZodType {
  let schema: z.ZodType = z.string();
  for (let level = 0; level < levels; level++) schema = z.object({ inner: schema });
  return schema;
}

function jsonTool(schema: object): MastraTool {
  return aiSdkTool({
    description: 'Broken.',
    inputSchema: jsonSchema(schema as never),
    execute: async () => 'ran',
  }) as never;
}

function cyclic(): object {
  const schema: { type: string; properties: Record<string, unknown> } = { type: 'object', properties: {} };
  schema.properties['self'] = schema;
  return schema;
}

const zodTool = (inputSchema: unknown): MastraTool =>
  createTool({
    id: 'broken',
    description: 'Broken.',
    inputSchema: inputSchema as z.ZodType,
    execute: async () => 'ran',
  }) as never;

function withGetter(field: string): MastraTool {
  return Object.defineProperty(tool('broken'), field, {
    enumerable: true,
    get() {
      throw new Error(`${field} cannot be read`);
    },
  });
}

/** Tools with which Mastra, or the request to the provider, fails. */
const broken: readonly { why: string; make: () => MastraTool }[] = [
  { why: 'a cyclic schema', make: () => jsonTool(cyclic()) },
  { why: 'a BigInt', make: () => jsonTool({ type: 'object', properties: { big: { type: 'number', default: 5n } } }) },
  { why: 'a null property', make: () => jsonTool({ type: 'object', properties: { nothing: null } }) },
  { why: 'a type that JSON has no word for', make: () => zodTool(z.object({ map: z.map(z.string(), z.symbol()) })) },
  { why: 'zod of 800 levels', make: () => zodTool(deep(800)) },
  { why: 'zod of 5,000 levels', make: () => zodTool(deep(5_000)) },
  {
    why: 'an output schema that cannot be converted',
    make: () =>
      Object.assign(tool('broken'), {
        outputSchema: {
          '~standard': {
            version: 1,
            vendor: 'x',
            validate: () => ({ value: 1 }),
            jsonSchema: {
              input: () => {
                throw new Error('no input');
              },
              output: () => {
                throw new Error('no output');
              },
            },
          },
        },
      }) as never,
  },
  ...['inputSchema', 'outputSchema', 'onOutput', 'requireApproval', 'toModelOutput', 'mcp', 'description'].map(
    (field) => ({
      why: `a getter that throws: ${field}`,
      make: () => withGetter(field),
    }),
  ),
];
const models = [
  { provider: 'openai.responses', modelId: 'gpt-5' },
  { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
  { provider: 'google.generative-ai', modelId: 'gemini-3-pro' },
  { provider: 'scripted', modelId: 'scripted' },
];

/** As a request to a provider is made. */
const asRequest = (received: object): string => JSON.stringify(received);

const sizes = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
];
const cases = part(
  sizes.flatMap(({ size, fillers }) =>
    broken.flatMap(({ why, make }) => models.map((model) => ({ size, fillers, why, make, ...model }))),
  ),
  'pairs',
);

it.each(cases)(
  'in a $size catalog, a tool with $why costs nothing but itself: $provider',
  async ({ fillers, make, provider, modelId }) => {
    const events: ToolSearchEvent[] = [];
    const tools = { broken: make(), ...toolRecord(tool('subject')), ...fillers };
    const { agent, model: called } = rig(
      { tools, onEvent: (event) => events.push(event) },
      { script: calls(load('broken'), load('subject'), call('subject')), provider, modelId },
    );
    for (let turn = 0; turn < 2; turn++) expect((await agent.generate('go')).text).toBe('done');
    expect(lastToolResult(called.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'subject' });
    for (const { tools: sent } of called.calls) expect(asRequest(sent)).toContain('load_tool');
    const names = new Set(called.calls.flatMap(toolNames));
    const problems = events
      .filter(({ type }) => type === 'tool-problem')
      .map((event) => (event as { problem: string }).problem);
    expect(problems.filter((problem) => problem === 'unsendable')).toHaveLength(names.has('broken') ? 0 : 1);
  },
);

it.each(broken)('a tool with $why ends no run where the one of @mastra/core does not', async ({ make }) => {
  const run = async (Processor: typeof ToolSearchProcessor | typeof CoreToolSearchProcessor) => {
    const { agent } = rig(
      { tools: {} },
      {
        script: calls(load('subject')),
        agent: {
          inputProcessors: [new Processor({ tools: { broken: make(), ...toolRecord(tool('subject')) } as never })],
        },
      },
    );
    return agent.generate('go').then(
      ({ text }) => text,
      () => 'failed',
    );
  };
  const theirs = await run(CoreToolSearchProcessor).catch(() => 'failed');
  expect(await run(ToolSearchProcessor)).toBe(theirs === 'failed' ? 'done' : theirs);
});

describe('a tool that cannot be read', () => {
  const unreadable = (field: string) => ({
    ...{ description: 'Broken.', inputSchema: z.object({}), execute: async () => 'ran' },
    get [field](): unknown {
      throw new Error(`${field} cannot be read`);
    },
  });
  const within = (record: object): object =>
    Object.defineProperty(record, 'broken', {
      enumerable: true,
      get() {
        throw new Error('broken cannot be read');
      },
    });
  const records = [
    { what: 'as a member of the record', make: (others: object) => within({ ...others }) },
    { what: 'as a member of a toolset', make: (others: object) => ({ server: within({ ...others }) }) },
    ...['id', 'execute', 'inputSchema', 'type'].map((field) => ({
      what: `in its ${field}`,
      make: (others: object) => ({ ...others, broken: unreadable(field) }),
    })),
  ];

  it.each(records)('is left out alone of what a function returns: $what', async ({ make }) => {
    const events: ToolSearchEvent[] = [];
    const subject = tool('subject');
    const { agent, model } = rig(
      { tools: () => make(toolRecord(subject)) as never, onEvent: (event) => events.push(event) },
      { script: calls(load('subject'), call('subject')) },
    );
    for (let turn = 0; turn < 2; turn++) await agent.generate('go');
    expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'subject' });
    const told = events.filter(({ type }) => type === 'tools-failed' || type === 'tool-problem');
    expect(told).toMatchObject([
      { type: 'tool-problem', problem: 'left-out', message: expect.stringContaining('cannot be read') },
    ]);
  });

  it.each(records)('is refused by the constructor by its name: $what', ({ make }) => {
    const construct = () => new ToolSearchProcessor({ tools: make(toolRecord(tool('subject'))) as never });
    expect(construct).toThrow(
      expect.objectContaining({ code: 'invalid-tool', message: expect.stringContaining('broken"] cannot be read') }),
    );
  });
});
