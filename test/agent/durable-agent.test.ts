import type { DurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { type MastraTool, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { approve, call, calls, durableOf, load, META, rig, SIZES, tool, toolRecord } from '../support/harness.ts';
import { type Script, type ScriptedModel, toolResults } from '../support/scripted-model.ts';

const filter = ({ toolName }: { toolName: string }) => !toolName.startsWith('secret');

interface Durable {
  readonly durable: DurableAgent;
  readonly model: ScriptedModel;
}

function rigOf(
  options: ToolSearchProcessorOptions,
  script: Script,
  own: Record<string, MastraTool> = {},
  isFunction = false,
): Durable {
  const processor = new ToolSearchProcessor(options);
  const inputProcessors = isFunction ? () => [new ToolSearchProcessor(options)] : [processor];
  const { agent, model } = rig({ tools: {} }, { script, agent: { inputProcessors, tools: own } });
  return { durable: durableOf(agent), model };
}

async function finish({ durable }: Durable): Promise<void> {
  const { output, cleanup } = await durable.stream('go', { maxSteps: 8 });
  expect(await output.text).toBe('done');
  cleanup();
}

describe.each([
  { made: 'at once', isFunction: false },
  { made: 'for each request', isFunction: true },
])('a DurableAgent whose processor is made $made', ({ isFunction }) => {
  it('runs no plain tool of the agent that the filter denies, or that is not loaded', async () => {
    const execute = vi.fn(async () => 'ran');
    const own = toolRecord(tool('secret_own', 'Own.', { execute }), tool('own', 'Own.', { execute }));
    const subject = rigOf(
      { tools: {}, includeResolvedTools: true, filter, onMiss: 'error' },
      calls(call('secret_own'), call('own'), load('own'), call('own')),
      own,
      isFunction,
    );
    await finish(subject);
    const results = toolResults(subject.model.calls.at(-1)!.prompt);
    expect(results.map(({ isError }) => isError)).toEqual([true, true, false, false]);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('names no tool that was not sent, when the model calls an unknown one', async () => {
    const own = toolRecord(tool('secret_own'), tool('other_own'));
    const subject = rigOf(
      { tools: toolRecord(tool('subject'), tool('secret_admin'), tool('other')), includeResolvedTools: true, filter },
      calls(load('subject'), call('unknown'), call('secret_admin'), call('secret_own')),
      own,
      isFunction,
    );
    await finish(subject);
    for (const { value } of toolResults(subject.model.calls.at(-1)!.prompt)) {
      expect(String(value)).not.toMatch(/Available tools: .*(secret|other)/);
    }
    expect(subject.model.sent()).toEqual([...META, 'subject']);
  });
});

describe('a tool of another processor', () => {
  it.each([0, 1])('is sent and run in a DurableAgent, with that processor at place %d', async (place) => {
    const execute = vi.fn(async () => 'ran');
    const other = {
      id: 'other',
      processInputStep: ({ tools }: { tools?: object }) => ({
        tools: { ...tools, added: tool('added', 'Added.', { execute }) },
      }),
    };
    const processor = new ToolSearchProcessor({ tools: toolRecord(tool('subject')) });
    const { agent, model } = rig(
      { tools: {} },
      {
        script: calls(call('added')),
        agent: { inputProcessors: place === 0 ? [other as never, processor] : [processor, other as never] },
      },
    );
    const durable = durableOf(agent);
    await finish({ durable, model });
    expect(execute).toHaveBeenCalledTimes(1);
  });
});

describe.each(SIZES)('several calls of a $size catalog that wait at once in a DurableAgent', ({ fillers }) => {
  const names = ['a', 'b', 'c'];
  const script: Script = ({ step }) =>
    step > 1 ? { text: 'done' } : { toolCalls: step === 0 ? names.map(load) : names.map((name) => call(name)) };

  it('are approved one after the other', async () => {
    const ran: string[] = [];
    const make = (id: string) => tool(id, id, { requireApproval: true, execute: async () => ran.push(id) });
    const { durable } = rigOf({ tools: { ...toolRecord(...names.map(make)), ...fillers } }, script);
    let { runId, finishReason, suspendPayload } = await durable.generate('go');
    for (const name of names) {
      expect([finishReason, suspendPayload]).toMatchObject(['suspended', { toolName: name }]);
      ({ finishReason, suspendPayload } = await approve(durable, { runId, suspendPayload }));
    }
    expect([finishReason, ran]).toEqual(['stop', names]);
  });

  it('are resumed one after the other when they suspended themselves', async () => {
    const make = (id: string) =>
      createTool({
        id,
        description: id,
        inputSchema: z.object({}),
        suspendSchema: z.object({ question: z.string() }),
        resumeSchema: z.object({ answer: z.string() }),
        execute: async (_input, context) => {
          const { answer } = (context.agent?.resumeData ?? {}) as { answer?: string };
          return answer === undefined ? context.agent?.suspend({ question: `${id}?` }) : answer;
        },
      }) as unknown as MastraTool;
    const { durable, model } = rigOf({ tools: { ...toolRecord(...names.map(make)), ...fillers } }, script);
    let last = await durable.generate('go');
    const { runId } = last;
    for (const name of names) {
      expect(last.finishReason).toBe('suspended');
      const { toolCallId } = last.suspendPayload as { toolCallId: string };
      last = await durable.resumeGenerate(runId!, { answer: name }, { toolCallId } as never);
    }
    expect(last.finishReason).toBe('stop');
    expect(
      toolResults(model.calls.at(-1)!.prompt)
        .slice(-3)
        .map(({ value }) => value),
    ).toEqual(names);
  });
});

describe('a DurableAgent runs no denied tool', () => {
  const other = (): ToolSearchProcessor =>
    new ToolSearchProcessor({
      tools: toolRecord(tool('other')),
      metaTools: { search: { name: 'search_others' }, load: { name: 'load_others' } },
    });
  const listing = {
    id: 'listing',
    processInputStep: ({ tools = {} }: { tools?: object }) => ({ activeTools: Object.keys(tools) }),
  };
  /** Another agent over the same processor, in a Mastra instance of its own. */
  const registerElsewhere = (processor: ToolSearchProcessor): void => {
    const { agent } = rig({ tools: {} }, { agent: { inputProcessors: [processor] } });
    new Mastra({ agents: { agent }, logger: false });
  };
  type Processors = (processor: ToolSearchProcessor) => unknown;

  it.each<{ why: string; processors: Processors; options?: object; also?: (processor: ToolSearchProcessor) => void }>([
    { why: 'where a function returns the same processor each time', processors: (processor) => () => [processor] },
    { why: 'which the caller names as active', processors: (processor) => [processor], options: ['secret', 'own'] },
    { why: 'which an earlier processor names as active', processors: (processor) => [listing, processor] },
    { why: 'where another one of these stands before', processors: (processor) => [other(), processor] },
    { why: 'where another one of these stands behind', processors: (processor) => [processor, other()] },
    {
      why: 'where its processor is registered elsewhere as well',
      processors: (processor) => [processor],
      also: registerElsewhere,
    },
  ])('$why', async ({ processors, options, also }) => {
    const execute = vi.fn();
    const processor = new ToolSearchProcessor({ includeResolvedTools: true, onMiss: 'error', filter });
    const { agent } = rig(
      { tools: {} },
      {
        script: calls(call('secret'), call('own')),
        agent: {
          inputProcessors: processors(processor) as never,
          tools: toolRecord(tool('secret', 'Secret.', { execute }), tool('own', 'Own.', { execute })),
        },
      },
    );
    const durable = durableOf(agent);
    also?.(processor);
    const { output, cleanup } = await durable.stream('go', {
      maxSteps: 8,
      ...(options ? { activeTools: options } : {}),
    } as never);
    await output.text;
    cleanup();
    expect(execute).not.toHaveBeenCalled();
  });
});
