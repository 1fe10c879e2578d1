import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import { approve, type KINDS, type MODES, say } from '../../native/rig/rig.ts';
import { call, calls, durableOf, fillerTools, inMastra, load, newMemory, tool } from '../../support/agent.ts';
import { inTurn } from '../../support/breadth.ts';
import { type ScriptedModel, scriptedModel, toolResults } from '../../support/scripted-model.ts';
import { answersTo, through } from './setup.ts';

/** Schemas whose own code says when it runs. */
const SCHEMAS: Readonly<Record<string, (ran: () => void) => unknown>> = {
  'zod 4': (ran) => z.object({ text: z.string().transform((text) => [text, ran()][0]) }),
  'zod 3': (ran) => z3.object({ text: z3.string().transform((text) => [text, ran()][0]) }),
  'a standard schema, as that of an MCP server': (ran) => ({
    '~standard': {
      version: 1,
      vendor: 'test',
      jsonSchema: {
        input: () => ({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }),
        output: () => ({ type: 'object' }),
      },
      validate: (value: { text: string }) => {
        ran();
        return typeof value.text === 'string' ? { value } : { issues: [] };
      },
    },
  }),
};

/** How a call of a tool reaches it. */
interface Way {
  readonly options: object;
  readonly toolCalls: Parameters<typeof calls>;
  /** Whether a later processor returns other tools. */
  readonly isChanged?: true;
  readonly fillers?: number;
}
const input = { text: 'x' };
const own = call('subject', input);
const bridged = [through('subject', input)];
const loaded = [load('subject'), own];
const native = { mode: 'native', native: { execution: 'client', detect: () => 'anthropic' } };
const preselect = { preselect: true, timeouts: { preselect: 10_000 } };
const WAYS: Readonly<Record<string, Way>> = {
  call_tool: { options: { mode: 'call' }, toolCalls: bridged },
  'call_tool in a large catalog': { options: { mode: 'call' }, toolCalls: bridged, fillers: 501 },
  'call_tool with arguments beside the name': {
    options: { mode: 'call' },
    toolCalls: [call('call_tool', { toolName: 'subject', ...input })],
  },
  'call_tool of a tool behind a filter': { options: { mode: 'call', filter: () => true }, toolCalls: bridged },
  'a load': { options: {}, toolCalls: loaded },
  'a load in a large catalog': { options: {}, toolCalls: loaded, fillers: 501 },
  'a pinned tool': { options: { alwaysLoaded: ['subject'] }, toolCalls: [own] },
  'a catalog that is sent whole': { options: { passthroughBelow: 5 }, toolCalls: [own] },
  preselect: { options: preselect, toolCalls: [own] },
  'call_tool that a later processor has copied': { options: { mode: 'call' }, toolCalls: bridged, isChanged: true },
  'native mode': { options: native, toolCalls: [call('search_tools', { query: 'office' }), own] },
};

interface Run {
  readonly kind: (typeof KINDS)[number];
  readonly mode: (typeof MODES)[number];
}
const RUNS: readonly Run[] = [
  { kind: 'Agent', mode: 'generate' },
  { kind: 'Agent', mode: 'stream' },
  { kind: 'DurableAgent', mode: 'stream' },
];

/** What waits for an approval, always or by a function, which is asked about the input. */
type Approval = true | 'by its input' | undefined;

/** Runs a turn to its end, with a call that waits approved, and returns what happened to the tool, in order. */
async function logOf(
  { options, toolCalls, isChanged, fillers = 0 }: Way,
  { kind, mode }: Run,
  {
    schema = 'zod 4',
    requires,
    provider = 'scripted',
  }: { schema?: string; requires?: Approval; provider?: string } = {},
): Promise<{ readonly log: readonly string[]; readonly model: ScriptedModel }> {
  const log: string[] = [];
  const requireApproval =
    requires === true ? true : (given: unknown) => log.push(`asked about ${JSON.stringify(given)}`) > 0;
  const subject = tool('subject', 'Talks to the office.', {
    inputSchema: SCHEMAS[schema]!(() => log.push('validated')),
    ...(requires ? { requireApproval } : {}),
    execute: async (given: unknown) => {
      log.push(`ran with ${JSON.stringify(given)}`);
      return 'ran';
    },
  });
  const processor = new ToolSearchProcessor({ tools: { subject, ...fillerTools(fillers) }, ...options });
  const later = { id: 'later', processInputStep: ({ tools }: { tools: object }) => ({ tools: { ...tools } }) };
  const model = scriptedModel(calls(...toolCalls), { provider, modelId: 'gpt-4.1' });
  const hooks = {
    beforeToolCall: ({ toolName }: { toolName: string }) => void (toolName === 'subject' && log.push('hook')),
  };
  const inputProcessors = [processor, ...(isChanged ? [later as unknown as Processor] : [])];
  const given = { id: 'a', name: 'a', instructions: 'Help.', model, inputProcessors, memory: newMemory(), hooks };
  const agent = new Agent(given as never);
  const driven = kind === 'Agent' ? agent : (durableOf(agent) as unknown as Agent);
  if (kind === 'Agent') inMastra(agent);
  const ended = await say(driven, mode, 'talk to the office', { maxSteps: 10 });
  if (ended.waiting) {
    log.push('waits');
    await approve(driven, mode, ended);
  }
  return { log, model };
}

const ran = ['hook', 'validated', 'ran with {"text":"x"}'];
const [ways, schemas] = [Object.keys(WAYS), Object.keys(SCHEMAS)];

it.each(inTurn({ way: [...ways, ...ways], schema: schemas, run: RUNS, provider: ['scripted', 'openai.responses'] }))(
  'a tool that is reached by $way has its input validated once, behind the hook: $schema, $run, $provider',
  async ({ way, run, ...how }) => {
    expect((await logOf(WAYS[way]!, run, how)).log).toEqual(ran);
  },
);

it.each(inTurn({ way: [...ways, ...ways], schema: schemas, run: RUNS, requires: [true, 'by its input'] }))(
  'a tool that waits for its approval, $requires, has its input validated behind that, reached by $way: $schema, $run',
  async ({ way, run, ...how }) => {
    const { log } = await logOf(WAYS[way]!, run, how);
    // A function is asked about the input as the model wrote it.
    const asked = 'asked about {"text":"x"}';
    expect(log.filter((line) => line !== asked)).toEqual(['waits', ...ran]);
    expect(log[0]).toBe(how.requires === true ? 'waits' : asked);
  },
);

it.each(inTurn({ name: ways, run: RUNS }))(
  'an input that does not fit is answered with the mistakes behind the hook, of a tool reached by $name: $run',
  async ({ name, run }) => {
    const way = WAYS[name]!;
    const toolCalls = way.toolCalls.map((each) => JSON.parse(JSON.stringify(each).replace('"x"', '5')) as typeof each);
    const { log, model } = await logOf({ ...way, toolCalls }, run);
    expect(log).toEqual(['hook']);
    const value = model.result();
    expect(value).toMatchObject({ error: true, message: expect.stringContaining('text: ') });
    if (model.sent().includes('subject')) return;
    expect(value).toMatchObject({
      message: expect.stringContaining('The tool was not run. Call call_tool again'),
      parameters: { properties: { text: { type: 'string' } } },
    });
  },
);

it('an input that does not fit is no result for toModelOutput, where the model was not sent the tool', async () => {
  const subject = tool('subject', 'Talks to the office.', {
    toModelOutput: (output: unknown) => ({ type: 'text', value: (output as string).toUpperCase() }),
    execute: async () => 'ran',
  });
  const wrong = [through('subject', { text: 5 })];
  const { model } = await answersTo({ tools: { subject } }, [...wrong, ...bridged]);
  const told = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => value);
  expect(told).toMatchObject([{ error: true }, 'RAN']);
});

describe('nothing of a schema runs', () => {
  const searching = (query: unknown) => call('search_tools', { query });
  it.each([
    { options: {}, toolCalls: [searching('office'), load('subject'), load('subjct')] },
    { options: { ...preselect, injectCatalog: true }, toolCalls: [searching('select:subject')] },
    { options: { passthroughBelow: 5 }, toolCalls: [] },
    { options: { mode: 'call' }, toolCalls: [searching(['office', 'select:subject'])] },
    { options: { mode: 'call' }, toolCalls: [through('subject', ['x']), through('subjct')] },
    { options: { onMiss: 'load' }, toolCalls: [call('subjct', input)] },
    { options: { maxLoaded: { tokens: 10 } }, toolCalls: [load('subject')] },
    {
      options: { mode: 'native', native: { execution: 'client', detect: () => 'openai' } },
      toolCalls: [call('tool_search', { query: 'office' })],
    },
    // What takes its time is not asked before an approval either.
    { options: { mode: 'call' }, toolCalls: bridged, requireApproval: true },
  ] as const)('in what leads to a call: $options, $toolCalls', async ({ options, toolCalls, ...extra }) => {
    const runs: string[] = [];
    const code = z
      .string()
      .refine(() => runs.push('refined'))
      .transform(() => runs.push('transformed'));
    const subject = tool('subject', 'Talks to the office.', { inputSchema: z.object({ text: code }), ...extra });
    const processor = new ToolSearchProcessor({ tools: { subject }, ...options } as ToolSearchProcessorOptions);
    const model = scriptedModel(calls(...toolCalls), { provider: 'openai.responses', modelId: 'gpt-4.1' });
    const given = { id: 'a', name: 'a', instructions: 'Help.', model, inputProcessors: [processor] };
    const agent = new Agent(given as never);
    inMastra(agent);
    const { finishReason } = await agent.generate('talk to the office');
    await processor.search('office');
    expect([finishReason, model.calls.length > toolCalls.length]).toEqual(
      'requireApproval' in extra ? ['suspended', false] : ['stop', true],
    );
    expect(runs).toEqual([]);
  });
});
