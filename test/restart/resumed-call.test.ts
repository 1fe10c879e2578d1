import { type InputProcessor, ProcessorStepSchema } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { tool as aiSdkTool, jsonSchema } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { through } from '../modes/call/setup.ts';
import { resume, say } from '../native/rig/rig.ts';
import { approve, tool } from '../support/harness.ts';
import { answerOf, type OfficeOptions, officeOver, turn } from './office.ts';

/** Lets the call of `subject` wait for approval, restarts, and approves it. Returns what the model got. */
async function approvedAfterRestart(subject: unknown, options: OfficeOptions = {}): Promise<unknown> {
  const open = officeOver();
  const suspended = await open(subject, options).agent.generate('go', turn);
  const next = open(subject, options);
  await approve(next.agent, suspended);
  return answerOf(next);
}

const waiting = (extra: object = {}) => tool('subject', 'Subject.', { requireApproval: true, ...extra });

/** Up to 500 tools Mastra converts the tool itself; above, the processor does when the call is resumed. */
const catalogs = [
  { catalog: 'small', fillers: 1 },
  { catalog: 'large', fillers: 501 },
];

describe.each(catalogs)('an approved call after a restart, in a $catalog catalog,', ({ fillers }) => {
  it('has the context of any call', async () => {
    const seen: Record<string, unknown>[] = [];
    const execute = async (_: unknown, context: Record<string, unknown>) => {
      seen.push(context);
      return 'ran';
    };
    expect(await approvedAfterRestart(waiting({ execute }), { fillers })).toBe('ran');
    const [context] = seen;
    expect(context?.['agent']).toMatchObject({ agentId: 'office', threadId: 't', resourceId: 'ann' });
    for (const part of ['mastra', 'memory', 'requestContext', 'writer']) expect(context?.[part], part).toBeDefined();
  });

  it('has its input validated, as the provider’s schema shapes it', async () => {
    const inputSchema = z.object({ city: z.string(), days: z.number().optional(), unit: z.string().default('C') });
    const subject = waiting({ inputSchema, execute: async (input: unknown) => input });
    const run = (input: object) => approvedAfterRestart(subject, { fillers, input, provider: 'openai.responses' });
    expect(await run({ city: 'Rome', days: null })).toEqual({ city: 'Rome', unit: 'C' });
    expect(JSON.stringify(await run({ city: 5 }))).toContain('input validation failed');
  });

  it.each([
    { way: 'a load', options: {} },
    {
      way: 'call_tool',
      options: { loads: false, processor: { mode: 'call' }, together: [through('subject', { text: 'x' })] },
    },
    { way: 'a missed call', options: { loads: false, processor: { onMiss: 'run' } } },
    { way: 'native mode', options: { processor: { mode: 'native', native: { detect: () => 'anthropic' } } } },
  ] as const)('has its input validated once, behind the approval and the hook: $way', async ({ options }) => {
    const log: string[] = [];
    const validated = (text: string): { text: string } => {
      log.push('validated');
      return { text };
    };
    const subject = waiting({
      inputSchema: z.object({ text: z.string().transform(validated) }),
      execute: async (input: unknown) => JSON.stringify(input),
    });
    const agent = { hooks: { beforeToolCall: ({ toolName }: { toolName: string }) => void log.push(toolName) } };
    const its = { fillers, input: { text: 'x' }, agent, ...options } as OfficeOptions;
    expect(await approvedAfterRestart(subject, its)).toBe('{"text":{"text":"x"}}');
    expect(log.filter((line) => line !== 'load_tool')).toEqual(['subject', 'validated']);
  });

  it('has its lifecycle hooks and toModelOutput called', async () => {
    const seen: string[] = [];
    const subject = waiting({
      onInputAvailable: () => void seen.push('available'),
      onOutput: () => void seen.push('output'),
      toModelOutput: () => ({ type: 'text', value: 'short' }),
    });
    expect(await approvedAfterRestart(subject, { fillers })).toBe('short');
    expect(seen.slice(-2)).toEqual(['available', 'output']);
  });

  it('is made between the agent’s hooks', async () => {
    const seen: string[] = [];
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void seen.push(toolName) };
    await approvedAfterRestart(waiting(), { fillers, agent: { hooks } as never });
    expect(seen).toEqual(['subject']);
  });

  it('has call id and messages, when its tool is one of the AI SDK', async () => {
    const execute = vi.fn(async (_input: unknown, _options: unknown) => 'ran');
    const subject = aiSdkTool({
      description: 'Subject.',
      inputSchema: jsonSchema({ type: 'object', properties: {} }),
      execute,
      needsApproval: true,
    } as never);
    expect(await approvedAfterRestart(subject, { fillers })).toBe('ran');
    expect(execute.mock.calls[0]?.[1]).toMatchObject({ toolCallId: 'call-2' });
  });
});

describe.each(catalogs)('a tool that suspended itself before a restart, in a $catalog catalog,', ({ fillers }) => {
  const subject = createTool({
    id: 'subject',
    description: 'Subject.',
    inputSchema: z.object({}),
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ answer: z.string() }),
    execute: async (_input, context) => {
      const answer = (context.agent?.resumeData as { answer: string } | undefined)?.answer;
      return answer === 'yes' ? { answer } : context.agent?.suspend({ question: answer ? 'Really?' : 'Sure?' });
    },
  });

  it('can suspend itself again, and be resumed after another restart', async () => {
    const open = officeOver();
    const first = await say(open(subject, { fillers }).agent, 'generate', 'go', turn);
    const second = await resume(open(subject, { fillers }).agent, 'generate', first, { answer: 'maybe' }, 'Agent');
    expect(second.finishReason).toBe('suspended');
    const next = open(subject, { fillers });
    expect((await resume(next.agent, 'generate', second, { answer: 'yes' }, 'Agent')).text).toBe('done');
    expect(answerOf(next)).toEqual({ answer: 'yes' });
  });

  it('is refused an answer that does not fit its resumeSchema', async () => {
    const open = officeOver();
    const first = await say(open(subject, { fillers }).agent, 'generate', 'go', turn);
    const next = open(subject, { fillers });
    await resume(next.agent, 'generate', first, { answer: 5 }, 'Agent');
    expect(JSON.stringify(answerOf(next))).toContain('validation failed');
  });
});

describe('an approved call after a restart has no id of the agent and no memory', () => {
  const subject = waiting({
    execute: async (
      _: unknown,
      { agent, memory }: { agent: { agentId: string; threadId: string }; memory: unknown },
    ) => ({
      id: agent.agentId,
      thread: agent.threadId,
      memory: memory ?? 'none',
    }),
  });

  it.each([
    { where: 'several agents have it', options: { others: ['second'] } },
    { where: 'it is within a workflow', options: { within: (processor: InputProcessor) => workflowOf(processor) } },
  ])('where $where', async ({ options }) => {
    expect(await approvedAfterRestart(subject, options)).toEqual({ id: '', thread: 't', memory: 'none' });
  });
});

function workflowOf(processor: InputProcessor): InputProcessor {
  const workflow = createWorkflow({
    id: 'processors',
    inputSchema: ProcessorStepSchema,
    outputSchema: ProcessorStepSchema,
  });
  return workflow.then(createStep(processor as never)).commit() as unknown as InputProcessor;
}

it('a lightweight proxy says that it needs approval, for runs that are recovered after a crash', async () => {
  const decides = async () => true;
  const { agent } = officeOver()(waiting({ requireApproval: decides }));
  const [processor] = (await agent.listConfiguredInputProcessors()) as unknown as [
    { getLoadedToolsForRequestContext(args: object): Promise<Record<string, object>> },
  ];
  const { subject } = await processor.getLoadedToolsForRequestContext({ tools: {} });
  expect(subject).toMatchObject({ requireApproval: true, needsApprovalFn: decides });
});

it.each(catalogs)(
  'two calls of one step wait for one approval each, with restarts between (a $catalog catalog)',
  async ({ fillers }) => {
    const ran: string[] = [];
    const subject = waiting({
      inputSchema: z.object({ to: z.string() }),
      execute: async ({ to }: { to: string }) => ran.push(to),
    });
    const open = officeOver();
    const both = ['Ann', 'Bob'].map((to) => ({ toolName: 'subject', input: { to } }));
    const first = await open(subject, { fillers, together: both }).agent.generate('go', turn);
    const second = await approve(open(subject, { fillers }).agent, first);
    expect([second.finishReason, ran]).toEqual(['suspended', ['Ann']]);
    const last = await approve(open(subject, { fillers }).agent, second);
    expect([last.text, ran]).toEqual(['done', ['Ann', 'Bob']]);
  },
);
