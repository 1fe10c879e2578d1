import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { type MastraTool, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import { approve, type KINDS, type MODES, say } from '../../native/rig/rig.ts';
import { pairwise } from '../../support/breadth.ts';
import { call, calls, durableOf, fillerTools, inMastra, load, newMemory } from '../../support/harness.ts';
import { lastToolResult, type ScriptedModel, scriptedModel } from '../../support/scripted-model.ts';
import { through } from './setup.ts';

/** Schemas whose own code says when it runs. */
const schemas = {
  'zod 4': (run: () => void) =>
    z.object({
      text: z.string().transform((text) => {
        run();
        return { text };
      }),
    }),
  'zod 3': (run: () => void) =>
    z3.object({
      text: z3.string().transform((text) => {
        run();
        return { text };
      }),
    }),
  'a standard schema, as that of an MCP server': (run: () => void) => ({
    '~standard': {
      version: 1,
      vendor: 'test',
      jsonSchema: {
        input: () => ({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }),
        output: () => ({ type: 'object' }),
      },
      validate: (value: { text: string }) => {
        run();
        return typeof value.text === 'string' ? { value: { text: { text: value.text } } } : { issues: [] };
      },
    },
  }),
} as const;

/** How a call of a tool reaches it. */
interface Way {
  readonly options: Partial<ToolSearchProcessorOptions>;
  readonly toolCalls: Parameters<typeof calls>;
  readonly later?: object;
  readonly fillers?: number;
}
const input = { text: 'x' };
/** A later processor that returns other tools: then `call_tool` runs the tool within its own call. */
const later = { id: 'later', processInputStep: ({ tools }: { tools: object }) => ({ tools: { ...tools } }) };
const direct: Readonly<Record<string, Way>> = {
  call_tool: { options: { mode: 'call' }, toolCalls: [through('subject', input)] },
  'call_tool in a large catalog': { options: { mode: 'call' }, toolCalls: [through('subject', input)], fillers: 501 },
  'call_tool with arguments beside the name': {
    options: { mode: 'call' },
    toolCalls: [call('call_tool', { toolName: 'subject', ...input })],
  },
  'call_tool of a tool behind a filter': {
    options: { mode: 'call', filter: () => true },
    toolCalls: [through('subject', input)],
  },
  'its own name in call mode': { options: { mode: 'call' }, toolCalls: [call('subject', input)] },
  'a missed call': { options: { onMiss: 'run' }, toolCalls: [call('subject', input)] },
  'a missed call in a large catalog': { options: { onMiss: 'run' }, toolCalls: [call('subject', input)], fillers: 501 },
  'a load': { options: {}, toolCalls: [load('subject'), call('subject', input)] },
  'a load in a large catalog': { options: {}, toolCalls: [load('subject'), call('subject', input)], fillers: 501 },
  'a pinned tool': { options: { alwaysLoaded: ['subject'] }, toolCalls: [call('subject', input)] },
  'a catalog that is sent whole': { options: { passthroughBelow: 5 }, toolCalls: [call('subject', input)] },
  preselect: { options: { preselect: true, timeouts: { preselect: 10_000 } }, toolCalls: [call('subject', input)] },
  'native mode': {
    options: { mode: 'native', native: { execution: 'client', detect: () => 'anthropic' } },
    toolCalls: [call('search_tools', { query: 'office' }), call('subject', input)],
  },
};
const withinCallTool: Way = { options: { mode: 'call' }, toolCalls: [through('subject', input)], later };

/** What ran, in its order. */
type Log = string[];
type Approval = true | 'decided by its input' | undefined;

interface Made {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly log: Log;
}

function made(way: Way, schema: keyof typeof schemas, requires: Approval, provider = 'scripted'): Made {
  const log: Log = [];
  const decide = (given: unknown): boolean => {
    log.push(`asked about ${JSON.stringify(given)}`);
    return true;
  };
  const subject = createTool({
    id: 'subject',
    description: 'Talks to the office.',
    inputSchema: schemas[schema](() => log.push('validated')),
    ...(requires === undefined ? {} : { requireApproval: requires === true ? true : decide }),
    execute: async (given: unknown) => {
      log.push(`ran with ${JSON.stringify(given)}`);
      return 'ran';
    },
  } as never) as unknown as MastraTool;
  const processor = new ToolSearchProcessor({
    tools: { subject, ...(way.fillers === undefined ? {} : fillerTools(way.fillers)) },
    ...way.options,
  } as ToolSearchProcessorOptions);
  const model = scriptedModel(calls(...way.toolCalls), { provider, modelId: 'gpt-4.1' });
  const beforeToolCall = ({ toolName }: { toolName: string }): void => {
    if (toolName === 'subject') log.push('hook');
  };
  const agent = new Agent({
    id: 'test-agent',
    name: 'Test Agent',
    instructions: 'Help.',
    model: model as never,
    inputProcessors: [processor, ...(way.later ? [way.later as Processor] : [])],
    memory: newMemory(),
    hooks: { beforeToolCall },
  } as never);
  return { agent, model, log };
}

/** A turn to its end, with a call that waits approved after a note in the log. */
async function run({ agent, log }: Made, { kind, mode }: Run): Promise<void> {
  const driven = kind === 'Agent' ? agent : durableOf(agent);
  if (kind === 'Agent') inMastra(agent);
  const ended = await say(driven as Agent, mode, 'talk to the office', { maxSteps: 10 });
  if (!ended.waiting) return;
  log.push('waits');
  await approve(driven as Agent, mode, ended);
}

interface Run {
  readonly kind: (typeof KINDS)[number];
  readonly mode: (typeof MODES)[number];
}
/** Each kind of agent, and each mode. */
const runs: readonly Run[] = [
  { kind: 'Agent', mode: 'generate' },
  { kind: 'Agent', mode: 'stream' },
  { kind: 'DurableAgent', mode: 'stream' },
];
const schemaKinds = Object.keys(schemas) as (keyof typeof schemas)[];
const providers = ['scripted', 'openai.responses'];
const validatedOnce = ['validated', 'ran with {"text":{"text":"x"}}'];

const directWays = Object.keys(direct);
const all: Readonly<Record<string, Way>> = { ...direct, 'call_tool within its own call': withinCallTool };

it.each(pairwise({ way: Object.keys(all), schema: schemaKinds, how: runs, provider: providers }))(
  'a tool that is reached by $way has its input validated once, behind the hook: $schema, $how, $provider',
  async ({ way, schema, how, provider }) => {
    const there = made(all[way]!, schema, undefined, provider);
    await run(there, how);
    expect(there.log).toEqual(['hook', ...validatedOnce]);
  },
);

describe('a tool that waits for its approval', () => {
  it.each(pairwise({ way: directWays, schema: schemaKinds, how: runs }))(
    'has its input validated behind that, reached by $way: $schema, $how',
    async ({ way, schema, how }) => {
      const there = made(all[way]!, schema, true);
      await run(there, how);
      expect(there.log).toEqual(['waits', 'hook', ...validatedOnce]);
    },
  );

  it.each(directWays.flatMap((way, at) => ({ way, how: runs[at % runs.length]! })))(
    'is asked about the input as the model wrote it, reached by $way: $how',
    async ({ way, how }) => {
      const there = made(all[way]!, 'zod 4', 'decided by its input');
      await run(there, how);
      const asked = 'asked about {"text":"x"}';
      expect(there.log.filter((line) => line !== asked)).toEqual(['waits', 'hook', ...validatedOnce]);
      expect(there.log[0]).toBe(asked);
    },
  );
});

it.each([true, 'decided by its input'] as const)(
  'call_tool within its own call refuses a tool that waits for its approval, and validates nothing: %s',
  async (requires) => {
    const there = made(withinCallTool, 'zod 4', requires);
    await run(there, { kind: 'Agent', mode: 'generate' });
    expect(there.log).toEqual([]);
    expect(JSON.stringify(there.model.result(1))).toContain('needs an approval');
  },
);

it.each(Object.keys(all).flatMap((way, at) => ({ way, how: runs[at % runs.length]! })))(
  'an input that does not fit is answered with the mistakes behind the hook, of a tool reached by $way: $how',
  async ({ way: name, how }) => {
    const way = all[name]!;
    const wrong = way.toolCalls.map((each) => JSON.parse(JSON.stringify(each).replace('"x"', '5')) as typeof each);
    const there = made({ ...way, toolCalls: wrong }, 'zod 4', undefined);
    await run(there, how);
    expect(there.log).toEqual(['hook']);
    const value = there.model.result();
    expect(value).toMatchObject({ error: true, message: expect.stringContaining('text: ') });
    const isSent = there.model.calls.at(-1)!.tools.some(({ name }) => name === 'subject');
    if (!isSent && way.options.mode !== undefined) {
      expect(value).toMatchObject({
        message: expect.stringContaining('The tool was not run. Call call_tool again'),
        parameters: { properties: { text: { type: 'string' } } },
      });
    }
    if (!isSent && way.options.onMiss === 'run') {
      expect(value).toMatchObject({
        message: expect.stringContaining('The tool was not run. Call it again'),
        parameters: { properties: { text: { type: 'string' } } },
      });
    }
  },
);

it('an input that does not fit is no result for toModelOutput, where the model was not sent the tool', async () => {
  const script = calls(through('subject', { text: 5 }), call('subject', { text: 5 }), through('subject', input));
  const model = scriptedModel(script);
  const subject = createTool({
    id: 'subject',
    description: 'Talks to the office.',
    inputSchema: z.object({ text: z.string() }),
    toModelOutput: (output: unknown) => ({ type: 'text', value: (output as string).toUpperCase() }) as never,
    execute: async () => 'ran',
  });
  const inputProcessors = [new ToolSearchProcessor({ tools: { subject }, mode: 'call' })];
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'Help.', model: model as never, inputProcessors });
  expect((await agent.generate('go')).text).toBe('done');
  const told = model.calls.map(({ prompt }) => lastToolResult(prompt)?.value);
  expect(told).toMatchObject([undefined, { error: true }, { error: true }, 'RAN']);
});

describe('nothing of a schema runs', () => {
  const code = (run: () => void) =>
    z.object({
      text: z
        .string()
        .refine(() => {
          run();
          return true;
        })
        .transform((text) => {
          run();
          return text;
        }),
    });

  it.each([
    { options: {}, toolCalls: [call('search_tools', { query: 'office' }), load('subject'), load('subjct')] },
    {
      options: { preselect: true, timeouts: { preselect: 10_000 }, injectCatalog: true },
      toolCalls: [call('search_tools', { query: 'select:subject' })],
    },
    { options: { passthroughBelow: 5 }, toolCalls: [] },
    { options: { mode: 'call' }, toolCalls: [call('search_tools', { query: ['office', 'select:subject'] })] },
    { options: { mode: 'call' }, toolCalls: [through('subject', ['x']), through('subjct')] },
    { options: { onMiss: 'load' }, toolCalls: [call('subjct', input)] },
    { options: { onMiss: 'run' }, toolCalls: [call('subject', '["x"]')] },
    { options: { maxLoaded: { tokens: 10 } }, toolCalls: [load('subject')] },
    {
      options: { mode: 'native', native: { execution: 'client', detect: () => 'openai' } },
      toolCalls: [call('tool_search', { query: 'office' })],
    },
  ] as const)('in what leads to a call: $options, $toolCalls', async ({ options, toolCalls }) => {
    const runs: string[] = [];
    const subject = createTool({
      id: 'subject',
      description: 'Talks to the office.',
      inputSchema: code(() => runs.push('ran')),
      execute: async () => 'ran',
    });
    const model = scriptedModel(calls(...toolCalls), { provider: 'openai.responses', modelId: 'gpt-4.1' });
    const processor = new ToolSearchProcessor({ tools: { subject }, ...options } as ToolSearchProcessorOptions);
    const inputProcessors = [processor];
    const agent = new Agent({ id: 'a', name: 'a', instructions: 'Help.', model: model as never, inputProcessors });
    await agent.generate('talk to the office');
    await processor.search('office');
    expect(model.calls.length).toBeGreaterThan(toolCalls.length);
    expect(runs).toEqual([]);
  });
});

it('a pattern that takes its time is not asked before the approval', async () => {
  const asked: string[] = [];
  class Slow extends RegExp {
    override exec(text: string): RegExpExecArray | null {
      asked.push(text);
      return super.exec(text);
    }
  }
  const model = scriptedModel(calls(through('subject', { text: 'aaa' })));
  const subject = createTool({
    id: 'subject',
    description: 'Talks to the office.',
    inputSchema: z.object({ text: z.string().regex(new Slow('^(a+)+$')) }),
    requireApproval: true,
    execute: async () => 'ran',
  });
  const inputProcessors = [new ToolSearchProcessor({ tools: { subject }, mode: 'call' })];
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'Help.', model: model as never, inputProcessors });
  inMastra(agent);
  const { finishReason } = await agent.generate('go');
  expect(finishReason).toBe('suspended');
  expect(asked).toEqual([]);
});
