import { type InputProcessor, ProcessorStepSchema } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { tool as aiSdkTool, jsonSchema } from 'ai';
import { memoryStore, type ToolSearchEvent, type ToolSearchFilterArgs } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { through } from '../modes/call/setup.ts';
import { KINDS, resume, say } from '../native/rig/rig.ts';
import { approve, askingTool, fillerTools, tool, toolRecord } from '../support/agent.ts';
import { memorySource } from '../support/memory-source.ts';
import { toolNames } from '../support/scripted-model.ts';
import { answerOf, type OfficeOptions, officeOver, turn } from './office.ts';

interface Wait extends OfficeOptions {
  /** @default true */
  readonly restart?: boolean;
  /** What happens while the call waits. */
  readonly meanwhile?: () => unknown;
  readonly start?: object;
  readonly approval?: object;
}

/** Lets the call of `subject` wait for approval, restarts, and approves it. Returns what the model got. */
async function approved(subject: unknown, { restart = true, meanwhile, start, approval, ...options }: Wait = {}) {
  const open = officeOver();
  const first = open(subject, options);
  const suspended = await first.agent.generate('go', { ...turn, ...start });
  expect(suspended.finishReason).toBe('suspended');
  await meanwhile?.();
  const next = restart ? open(subject, options) : first;
  await approve(next.agent, suspended, approval);
  return answerOf(next, options.loads === false ? undefined : 'subject');
}

const waiting = (extra: object = {}) =>
  tool('subject', 'Subject.', { requireApproval: true, execute: async () => 'ran', ...extra });
const by = (user: string) => ({ requestContext: new RequestContext([['user', user]]) });

it('an approved call through call_tool whose tool is gone after a restart is answered so', async () => {
  const open = officeOver();
  const options = { loads: false, together: [through('subject')], processor: { mode: 'call' as const } };
  const waits = await open(waiting(), options).agent.generate('go', turn);
  const next = open(undefined, { ...options, processor: { ...options.processor, tools: fillerTools(3) } });
  await approve(next.agent, waits);
  expect(answerOf(next)).toContain('Tool "subject" is not available to this request.');
});

/** Up to 500 tools Mastra converts the tool itself; above, the processor does when the call is resumed. */
describe.each([1, 501])('an approved call after a restart, beside %i other tools,', (fillers) => {
  it('has the context of any call, and the hooks of its agent and its tool', async () => {
    const seen: string[] = [];
    const execute = vi.fn(async (_: unknown, __: Record<string, unknown>) => 'ran');
    const subject = waiting({
      execute,
      onInputAvailable: () => void seen.push('available'),
      onOutput: () => void seen.push('output'),
      toModelOutput: () => ({ type: 'text', value: 'short' }),
    });
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void seen.push(toolName) };
    expect(await approved(subject, { fillers, agent: { hooks } as never })).toBe('short');
    const [, context = {}] = execute.mock.calls[0]!;
    expect(context['agent']).toMatchObject({ agentId: 'office', threadId: 't', resourceId: 'ann' });
    for (const part of ['mastra', 'memory', 'requestContext', 'writer']) expect(context[part], part).toBeDefined();
    expect(seen.slice(-3)).toEqual(['available', 'subject', 'output']);
  });

  it('has its input validated, as the provider’s schema shapes it', async () => {
    const inputSchema = z.object({ city: z.string(), days: z.number().optional(), unit: z.string().default('C') });
    const subject = waiting({ inputSchema, execute: async (input: unknown) => input });
    const run = (input: object) => approved(subject, { fillers, input, provider: 'openai.responses' });
    expect(await run({ city: 'Rome', days: null })).toEqual({ city: 'Rome', unit: 'C' });
    expect(JSON.stringify(await run({ city: 5 }))).toContain('input validation failed');
  });

  it.each([
    { way: 'a load', options: {} },
    {
      way: 'call_tool',
      options: { loads: false, processor: { mode: 'call' }, together: [through('subject', { text: 'x' })] },
    },
    { way: 'native mode', options: { processor: { mode: 'native', native: { detect: () => 'anthropic' } } } },
  ] as const)('has its input validated once, behind the approval and the hook: $way', async ({ options }) => {
    const log: string[] = [];
    const validated = (text: string) => ({ text, count: log.push('validated') });
    const subject = waiting({
      inputSchema: z.object({ text: z.string().transform(validated) }),
      execute: async ({ text }: { text: { text: string } }) => text.text,
    });
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void log.push(toolName) };
    const its = { fillers, input: { text: 'x' }, agent: { hooks }, ...options } as OfficeOptions;
    expect(await approved(subject, its)).toBe('x');
    // After a restart, Mastra itself calls the meta-tool.
    expect(log.filter((line) => !/^(?:load|call)_tool$/.test(line))).toEqual(['subject', 'validated']);
  });

  it('has call id and messages, when its tool is one of the AI SDK', async () => {
    const execute = vi.fn(async (_input: unknown, _options: unknown) => 'ran');
    const inputSchema = jsonSchema({ type: 'object', properties: {} });
    const subject = aiSdkTool({ description: 'Subject.', inputSchema, execute, needsApproval: true } as never);
    expect(await approved(subject, { fillers })).toBe('ran');
    expect(execute.mock.calls[0]?.[1]).toMatchObject({ toolCallId: 'call-2' });
  });

  it('waits again for the other call of its step, with another restart between', async () => {
    const ran: string[] = [];
    const execute = async ({ to }: { to: string }) => ran.push(to);
    const subject = waiting({ inputSchema: z.object({ to: z.string() }), execute });
    const open = officeOver();
    const together = ['Ann', 'Bob'].map((to) => ({ toolName: 'subject', input: { to } }));
    const first = await open(subject, { fillers, together }).agent.generate('go', turn);
    const second = await approve(open(subject, { fillers }).agent, first);
    expect([second.finishReason, ran]).toEqual(['suspended', ['Ann']]);
    const last = await approve(open(subject, { fillers }).agent, second);
    expect([last.text, ran]).toEqual(['done', ['Ann', 'Bob']]);
  });

  it('suspends itself again, with another restart between, and is refused what does not fit its resumeSchema', async () => {
    const subject = tool('subject', 'Subject.', {
      suspendSchema: z.object({ question: z.string() }),
      resumeSchema: z.object({ answer: z.string() }),
      execute: async (
        _: unknown,
        { agent }: { agent: { resumeData?: { answer: string }; suspend: (_: object) => void } },
      ) => (agent.resumeData?.answer === 'yes' ? agent.resumeData : agent.suspend({ question: 'Really?' })),
    });
    for (const wanted of [{ answer: 'yes' }, expect.stringContaining('validation failed')]) {
      const open = officeOver();
      const answered = async (waits: Parameters<typeof resume>[2], answer: unknown) => {
        const next = open(subject, { fillers });
        return { next, ended: await resume(next.agent, 'generate', waits, { answer }, 'Agent') };
      };
      const first = await say(open(subject, { fillers }).agent, 'generate', 'go', turn);
      const second = (await answered(first, 'maybe')).ended;
      expect(second.finishReason).toBe('suspended');
      const { next } = await answered(second, 'answer' in wanted ? 'yes' : 5);
      const answer = answerOf(next);
      expect('answer' in wanted ? answer : JSON.stringify(answer)).toEqual(wanted);
    }
  });
});

it.each([
  { where: 'several agents have its processor', options: { others: ['second'] } },
  { where: 'that is within a workflow', options: { within: (processor: InputProcessor) => workflowOf(processor) } },
])('an approved call after a restart has no id of the agent and no memory where $where', async ({ options }) => {
  type Context = { agent: { agentId: string; threadId: string }; memory?: unknown };
  const execute = async (_: unknown, { agent, memory = 'none' }: Context) => [agent.agentId, agent.threadId, memory];
  expect(await approved(waiting({ execute }), options)).toEqual(['', 't', 'none']);
});

function workflowOf(processor: InputProcessor): InputProcessor {
  const [inputSchema, outputSchema] = [ProcessorStepSchema, ProcessorStepSchema];
  const workflow = createWorkflow({ id: 'processors', inputSchema, outputSchema });
  return workflow.then(createStep(processor as never)).commit() as unknown as InputProcessor;
}

it('a lightweight proxy says that it needs approval, for runs that are recovered after a crash', async () => {
  const decides = async () => true;
  const { agent } = officeOver()(waiting({ requireApproval: decides }));
  const [processor] = (await agent.listConfiguredInputProcessors()) as unknown as [
    { getLoadedToolsForRequestContext(args: object): Promise<Record<string, object>> },
  ];
  const { subject } = await processor.getLoadedToolsForRequestContext({ tools: {} });
  expect(subject).toMatchObject({ requireApproval: true, needsApprovalFn: expect.any(Function) });
  const { needsApprovalFn } = subject as { needsApprovalFn(input: object): Promise<boolean> };
  expect(await needsApprovalFn({})).toBe(true);
});

describe.each(KINDS)('the filter is asked about a waiting call of kind %s', (kind) => {
  it.each([
    { restart: false, approver: 'boss', asked: 'ann', why: 'of the request that made it, in the same process' },
    { restart: true, approver: 'boss', asked: 'boss', why: 'of who approves it, after a restart' },
    { restart: true, approver: undefined, asked: 'ann', why: 'kept with it, after a restart, if none comes' },
  ])('with the request context $why', async ({ restart, approver, asked }) => {
    const users = new Set<unknown>();
    let isWaiting = false;
    const filter = ({ requestContext, phase }: ToolSearchFilterArgs): boolean => {
      if (isWaiting && phase === 'load') users.add(requestContext?.get('user'));
      return true;
    };
    const meanwhile = () => {
      isWaiting = true;
    };
    const approval = approver === undefined ? {} : by(approver);
    const options = { kind, restart, fillers: 1, processor: { filter }, meanwhile, start: by('ann'), approval };
    expect(await approved(waiting(), options)).toBe('ran');
    expect([...users][0]).toBe(asked);
  });

  it.each([false, true])('in the phase load, where the run wants every call approved: restart %s', async (restart) => {
    let isWithdrawn = false;
    const filter = ({ phase }: ToolSearchFilterArgs) => !(isWithdrawn && phase === 'load');
    const meanwhile = () => {
      isWithdrawn = true;
    };
    const start = { requireToolApproval: ({ toolName }: { toolName: string }) => toolName === 'subject' };
    const subject = tool('subject', 'Subject.', { execute: async () => 'ran' });
    const options = { kind, restart, fillers: 1, processor: { filter }, meanwhile, start };
    expect(await approved(subject, options)).toContain('not available');
  });
});

it('a right to load that is used up does not stop the calls of what was loaded', async () => {
  let loads = 0;
  const office = officeOver()(tool('subject', 'Subject.', { execute: async () => 'ran' }), {
    processor: { storage: 'in-memory', filter: ({ phase }) => phase !== 'load' || ++loads === 1 },
  });
  await office.agent.generate('go', turn);
  expect(answerOf(office)).toBe('ran');
});

describe.each(KINDS)('a call that waits over a source, %s,', (kind) => {
  const sourceOf = (subject = waiting()) => memorySource({ ...toolRecord(subject), ...fillerTools(5) });

  it('asks the source once', async () => {
    const source = await sourceOf();
    const meanwhile = () => {
      source.asked.length = 0;
    };
    expect(await approved(undefined, { kind, processor: { tools: source }, meanwhile })).toBe('ran');
    // At the beginning, which brings the definition as well. A DurableAgent begins more than once.
    if (kind === 'Agent') expect(source.asked).toEqual([{ operation: 'get', what: 'subject' }]);
  });

  it('goes on where its tool was not loaded', async () => {
    const open = officeOver();
    const processor = { tools: await sourceOf(askingTool('subject')), mode: 'call' } as const;
    const options: OfficeOptions = { kind, loads: false, processor, together: [through('subject')] };
    const waits = await say(open(undefined, options).agent, 'generate', 'go', turn);
    const next = open(undefined, options);
    await resume(next.agent, 'generate', waits, { answer: 'yes' }, kind);
    expect(answerOf(next)).toEqual({ answer: 'yes' });
  });

  it('is answered clearly where the tool left the source meanwhile, or the source is down', async () => {
    const source = await sourceOf();
    const answer =
      'Tool "subject" cannot be reached now, so its call did not run. Search for it again, or go on without.';
    const events: ToolSearchEvent[] = [];
    const processor = {
      tools: source,
      storage: memoryStore(),
      onEvent: (event: ToolSearchEvent) => events.push(event),
    };
    const open = officeOver();
    for (const change of [
      () => source.fill(fillerTools(5)),
      () => Object.assign(source, { fault: new Error('down') }),
    ]) {
      await source.fill(toolRecord(waiting()));
      const waits = await open(undefined, { kind, processor }).agent.generate('go', turn);
      await change();
      const next = open(undefined, { kind, processor });
      await approve(next.agent, waits);
      expect(answerOf(next)).toBe(answer);
    }
    expect(events).toContainEqual(expect.objectContaining({ type: 'source-failed', operation: 'get' }));

    source.fault = undefined;
    const later = open(undefined, { kind, processor });
    await later.agent.generate('go on', turn);
    expect(toolNames(later.model.calls[0]!)).toEqual(['search_tools', 'load_tool', 'subject']);
  });

  it('does not run where nobody tells the thread, and runs where the request context does', async () => {
    const source = await sourceOf();
    const thread = [
      ['mastra__threadId', 't'],
      ['mastra__resourceId', 'ann'],
    ];
    for (const isTold of [false, true]) {
      const context = () => ({
        ...(isTold ? { requestContext: new RequestContext(thread as never) } : {}),
      });
      const options = {
        kind,
        processor: { tools: source, storage: memoryStore() },
        agent: { memory: undefined } as never,
      };
      const answer = await approved(undefined, {
        ...options,
        start: { memory: undefined, ...context() },
        approval: context(),
      });
      expect(answer).toEqual(isTold ? 'ran' : expect.stringContaining('not found'));
    }
  });
});
