import { Mastra } from '@mastra/core/mastra';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import {
  approve,
  askingTool,
  call,
  calls,
  durableOf,
  load,
  META,
  rig,
  SIZES,
  tool,
  toolRecord,
} from '../support/agent.ts';
import { type Script, toolResults } from '../support/scripted-model.ts';

const filter = ({ toolName }: { toolName: string }) => !toolName.startsWith('secret');

function durableRig(inputProcessors: unknown, script: Script, tools: object = {}) {
  const { agent, model } = rig({ tools: {} }, { script, agent: { inputProcessors, tools } as never });
  const durable = durableOf(agent);
  const finish = async (options: object = {}) => {
    const { output, cleanup } = await durable.stream('go', { maxSteps: 8, ...options });
    await output.text;
    cleanup();
    return toolResults(model.calls.at(-1)!.prompt);
  };
  return { durable, model, finish };
}

type Make = (options: ConstructorParameters<typeof ToolSearchProcessor>[0]) => unknown;
describe.each<[when: string, processors: Make]>([
  ['at once', (options) => [new ToolSearchProcessor(options)]],
  ['for each request', (options) => () => [new ToolSearchProcessor(options)]],
])('a DurableAgent whose processor is made %s', (_, processors) => {
  it('runs no own tool that is denied or not loaded, and names none that was not sent', async () => {
    const execute = vi.fn(async () => 'ran');
    const own = toolRecord(
      tool('secret_own', 'Own.', { execute }),
      tool('own', 'Own.', { execute }),
      tool('other_own'),
    );
    const tools = toolRecord(tool('subject'), tool('secret_admin'), tool('other'));
    const steps = [call('secret_own'), call('own'), load('own'), call('own'), call('unknown'), call('secret_admin')];
    const options = { tools, includeResolvedTools: true, filter, onMiss: 'error' as const };
    const { model, finish } = durableRig(processors(options), calls(...steps), own);
    const results = await finish();
    expect(results.map(({ isError }) => isError)).toEqual([true, true, false, false, true, true]);
    expect(execute).toHaveBeenCalledTimes(1);
    for (const { value } of results) expect(String(value)).not.toMatch(/Available tools: .*(secret|other)/);
    expect(model.sent()).toEqual([...META, 'own']);
  });
});

it.each(['before', 'behind'])('a DurableAgent is sent and runs a tool of another processor %s', async (place) => {
  const execute = vi.fn(async () => 'ran');
  const added = tool('added', 'Added.', { execute });
  const other = {
    id: 'other',
    processInputStep: ({ tools }: { tools?: object }) => ({ tools: { ...tools, added } }),
  };
  const processor = new ToolSearchProcessor({ tools: toolRecord(tool('subject')) });
  const { finish } = durableRig(place === 'before' ? [other, processor] : [processor, other], calls(call('added')));
  await finish();
  expect(execute).toHaveBeenCalledTimes(1);
});

describe.each(SIZES)('several calls of a $size catalog that wait at once in a DurableAgent', ({ fillers }) => {
  const names = ['a', 'b', 'c'];
  const script: Script = ({ step }) =>
    step > 1 ? { text: 'done' } : { toolCalls: step === 0 ? names.map(load) : names.map((name) => call(name)) };
  const rigOf = (make: (id: string) => ReturnType<typeof tool>) =>
    durableRig([new ToolSearchProcessor({ tools: { ...toolRecord(...names.map(make)), ...fillers } })], script);

  it('are approved one after the other', async () => {
    const ran: string[] = [];
    const execute = (id: string) => async () => ran.push(id);
    const { durable } = rigOf((id) => tool(id, id, { requireApproval: true, execute: execute(id) }));
    let { runId, finishReason, suspendPayload } = await durable.generate('go');
    for (const name of names) {
      expect([finishReason, suspendPayload]).toMatchObject(['suspended', { toolName: name }]);
      ({ finishReason, suspendPayload } = await approve(durable, { runId, suspendPayload }));
    }
    expect([finishReason, ran]).toEqual(['stop', names]);
  });

  it('are resumed one after the other when they suspended themselves', async () => {
    const { durable, model } = rigOf(askingTool);
    let last = await durable.generate('go');
    const { runId } = last;
    for (const answer of names) {
      expect(last.finishReason).toBe('suspended');
      const { toolCallId } = last.suspendPayload as { toolCallId: string };
      last = await durable.resumeGenerate(runId!, { answer }, { toolCallId } as never);
    }
    expect(last.finishReason).toBe('stop');
    const answers = toolResults(model.calls.at(-1)!.prompt).slice(-3);
    expect(answers.map(({ value }) => value)).toEqual(names.map((answer) => ({ answer })));
  });
});

describe('a DurableAgent runs no denied tool', () => {
  const other = () =>
    new ToolSearchProcessor({
      tools: toolRecord(tool('other')),
      metaTools: { search: { name: 'search_others' }, load: { name: 'load_others' } },
    });
  const listing = {
    id: 'listing',
    processInputStep: ({ tools = {} }: { tools?: object }) => ({ activeTools: Object.keys(tools) }),
  };
  /** Another agent over the same processor, in a Mastra instance of its own. */
  const registerElsewhere = (processor: ToolSearchProcessor) => {
    const { agent } = rig({ tools: {} }, { agent: { inputProcessors: [processor] } });
    new Mastra({ agents: { agent }, logger: false });
  };

  it.each<[why: string, processors: (processor: ToolSearchProcessor) => unknown, options?: object]>([
    ['where a function returns the same processor each time', (processor) => () => [processor]],
    ['which the caller names as active', (processor) => [processor], { activeTools: ['secret', 'own'] }],
    ['which an earlier processor names as active', (processor) => [listing, processor]],
    ['where another one of these stands before', (processor) => [other(), processor]],
    ['where another one of these stands behind', (processor) => [processor, other()]],
    ['where its processor is registered elsewhere as well', (processor) => [processor]],
  ])('%s', async (why, processors, options) => {
    const execute = vi.fn();
    const processor = new ToolSearchProcessor({ includeResolvedTools: true, onMiss: 'error', filter });
    const own = toolRecord(tool('secret', 'Secret.', { execute }), tool('own', 'Own.', { execute }));
    const { finish } = durableRig(processors(processor), calls(call('secret'), call('own')), own);
    if (why.includes('elsewhere')) registerElsewhere(processor);
    await finish(options);
    expect(execute).not.toHaveBeenCalled();
  });
});
