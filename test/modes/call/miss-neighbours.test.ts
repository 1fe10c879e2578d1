import { createTool } from '@mastra/core/tools';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Mode, missingRun as missing, run } from '../../agent/missed-calls.ts';
import { call, calls, email, load, rig, SIZES, tool, toolRecord, weather } from '../../support/harness.ts';
import { type ModelReply, scriptedModel, toolNames, toolResults } from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
const onMiss = 'run';
const metaTools = { search: { name: 'find_more' }, load: { name: 'load_more' } };
const ran = (prompt: Parameters<typeof toolResults>[0]): unknown[] =>
  toolResults(prompt).map(({ value }) => (value as { ran?: string } | undefined)?.ran);

describe.each(SIZES)("missed calls, with onMiss: 'run', in a $size catalog", ({ fillers }) => {
  it.each(modes)('run for two processors of one agent (%s)', async (mode) => {
    const first = new ToolSearchProcessor({ tools: { ...toolRecord(weather()), ...fillers }, onMiss });
    const second = new ToolSearchProcessor({ tools: toolRecord(email()), metaTools, onMiss });
    const made = missing(
      [call('send_email'), call('get_weather'), call('functions.sendEmail')],
      { tools: {} },
      { inputProcessors: [first, second] },
    );
    await run(made, mode);
    expect(made.model.calls.map(toolNames)).toEqual(
      Array(4).fill(['find_more', 'load_more', 'search_tools', 'load_tool']),
    );
    expect(ran(made.model.calls.at(-1)!.prompt)).toEqual(['send_email', 'get_weather', 'send_email']);
  });

  it.each(modes)('do not run what neither of two processors with one tool permits (%s)', async (mode) => {
    const execute = vi.fn(async () => 'ran');
    const secret = tool('secret', 'Secret.', { execute });
    const filter = () => false;
    const first = new ToolSearchProcessor({ tools: { ...toolRecord(secret), ...fillers }, filter, onMiss });
    const second = new ToolSearchProcessor({ tools: toolRecord(secret), metaTools, filter, onMiss });
    const made = missing(['secret', 'secret'], { tools: {} }, { inputProcessors: [first, second] });
    await run(made, mode);
    expect(execute).not.toHaveBeenCalled();
  });

  it.each(['first', 'last'] as const)('run beside a processor in call mode, which stands %s', async (place) => {
    const calling = new ToolSearchProcessor({
      tools: toolRecord(email()),
      mode: 'call',
      metaTools: { search: metaTools.search },
    });
    const missed = new ToolSearchProcessor({ tools: { ...toolRecord(weather()), ...fillers }, onMiss });
    const { agent, model } = missing(
      [call('get_weather'), through('send_email'), call('send_email')],
      { tools: {} },
      { inputProcessors: place === 'first' ? [calling, missed] : [missed, calling] },
    );
    await agent.generate('go', { maxSteps: 9 });
    expect(ran(model.calls.at(-1)!.prompt)).toEqual(['get_weather', 'send_email', 'send_email']);
  });

  it('run in a sub-agent with tools of its own, and not with those of the agent above', async () => {
    const inner = missing(['get_weather', 'send_email'], { tools: { ...toolRecord(weather()), ...fillers } });
    const outer = missing(
      [call('agent-helper', { prompt: 'the weather' }), 'send_email', 'get_weather'],
      { tools: { ...toolRecord(email()), ...fillers } },
      { agents: { helper: inner.agent } },
    );
    await outer.agent.generate('go');
    expect(ran(inner.model.calls.at(-1)!.prompt)).toEqual(['get_weather', undefined]);
    expect(ran(outer.model.calls.at(-1)!.prompt)).toEqual([undefined, 'send_email', undefined]);
  });

  it("run between the agent's hooks, under their own names", async () => {
    const seen: string[] = [];
    const hooks = {
      beforeToolCall: ({ toolName }: { toolName: string }) => void seen.push(`before ${toolName}`),
      afterToolCall: ({ toolName }: { toolName: string }) => void seen.push(`after ${toolName}`),
    };
    const tools = { ...toolRecord(weather()), ...fillers };
    await missing(['functions.getWeather'], { tools }, { hooks }).agent.generate('go');
    await missing(['get_weather'], { tools }).agent.generate('go', { hooks } as never);
    expect(seen).toEqual(Array(2).fill(['before get_weather', 'after get_weather']).flat());
  });

  it('do not run where a hook stops them', async () => {
    const execute = vi.fn(async () => 'ran');
    const hooks = { beforeToolCall: () => ({ proceed: false, output: 'stopped' }) };
    const tools = { ...toolRecord(tool('secret', 'Secret.', { execute })), ...fillers };
    const { agent, model } = missing(['secret'], { tools }, { hooks });
    await agent.generate('go');
    expect(execute).not.toHaveBeenCalled();
    expect(model.result(1)).toBe('stopped');
  });

  it.each([
    { how: 'for all tools', requireToolApproval: true },
    { how: 'by a function', requireToolApproval: ({ toolName }: { toolName: string }) => toolName === 'secret' },
  ])('wait for an approval that the run asks for, $how', async ({ requireToolApproval }) => {
    const execute = vi.fn(async () => 'ran');
    const tools = { ...toolRecord(tool('secret', 'Secret.', { execute })), ...fillers };
    const { agent } = missing(['secret'], { tools });
    const waiting = await agent.generate('go', { requireToolApproval } as never);
    expect(waiting.suspendPayload).toMatchObject({ toolName: 'secret' });
    expect(execute).not.toHaveBeenCalled();
  });

  it('of a tool that runs at the client are left to the client', async () => {
    const pickFile = createTool({ id: 'pick_file', description: 'Picks a file.', inputSchema: z.object({}) });
    const { agent } = missing(['pick_file'], { tools: { ...toolRecord(pickFile as never), ...fillers } });
    const result = await agent.generate('go');
    expect(result.toolCalls.map(({ payload }) => payload.toolName)).toEqual(['pick_file']);
    expect(result.finishReason).toBe('tool-calls');
  });

  it('of tools that the client brought are answered as those of other unknown tools', async () => {
    const { agent, model } = missing(['pick_file', 'get_weather'], { tools: { ...toolRecord(weather()), ...fillers } });
    const clientTools = {
      open_file: createTool({ id: 'open_file', description: 'Opens.', inputSchema: z.object({}) }),
    };
    await agent.generate('go', { clientTools } as never);
    expect(model.sent(0)).toContain('open_file');
    expect(ran(model.calls.at(-1)!.prompt)).toEqual([undefined, 'get_weather']);
  });

  it.each(modes)('run ten in one answer; the others are loaded (%s)', async (mode) => {
    const names = Array.from({ length: 12 }, (_, n) => `t${n}`);
    const script = ({ step }: { step: number }): ModelReply =>
      step === 0 ? { toolCalls: names.map((name) => call(name)) } : { text: 'done' };
    const made = rig({ tools: { ...toolRecord(...names.map((name) => tool(name))), ...fillers }, onMiss }, { script });
    await run(made, mode);
    expect(ran(made.model.calls[1]!.prompt).filter(Boolean)).toEqual(names.slice(0, 10));
    expect(made.model.sent(1)).toEqual(['search_tools', 'load_tool', 't10', 't11']);
  });
});

it('in native mode run with a model that has no tool search', async () => {
  const { agent, model, events } = missing(['get_weather'], { tools: toolRecord(weather()), mode: 'native' });
  await agent.generate('go');
  expect(model.calls.map(toolNames)).toEqual(Array(2).fill(['search_tools', 'load_tool']));
  expect(model.result(1)).toMatchObject({ ran: 'get_weather' });
  expect(events.filter(({ type }) => type === 'run-on-miss')).toHaveLength(1);
});

it.each(['run', 'load'] as const)("leave an own tool of the agent its id, with onMiss: '%s'", async (onMiss) => {
  const ownKey = tool('get_weather', 'Own.', { execute: async () => ({ ran: 'own' }) });
  const { agent, model, events } = missing(
    ['get_weather', 'functions.getWeather'],
    { tools: toolRecord(weather()), onMiss },
    { tools: { ownKey } },
  );
  await agent.generate('go');
  expect(ran(model.calls[2]!.prompt)).toEqual(['own', undefined]);
  expect(events.filter(({ type }) => type === 'run-on-miss')).toEqual([]);
});

it('a model that unloaded a tool can call it all the same', async () => {
  const script = calls(load('get_weather'), call('unload_tool', { toolName: 'get_weather' }), call('get_weather'));
  const { agent, model } = rig({ tools: toolRecord(weather()), metaTools: { unload: true }, onMiss }, { script });
  await agent.generate('go');
  expect(model.result()).toMatchObject({ ran: 'get_weather' });
});

it('a step that Mastra does not run has no places, and the model it was given', async () => {
  const processor = new ToolSearchProcessor({ tools: toolRecord(weather()), onMiss });
  const args = { tools: { clock: tool('clock') }, messages: [], messageList: { addSystem: () => {} }, stepNumber: 0 };
  const model = scriptedModel(() => ({ text: 'done' }));
  const step = await processor.processInputStep({ ...args, model } as never);
  expect(Object.keys(step)).toEqual(['tools']);
  expect(Object.keys(step.tools)).toEqual(['search_tools', 'load_tool', 'clock']);
});

it("a prepareStep that lists all tools of the step, as Mastra's AgentController does, sends no place", async () => {
  const prepareStep = ({ tools }: { tools?: object }) => ({ activeTools: Object.keys(tools ?? {}) });
  for (const made of [
    missing(['get_weather'], { tools: toolRecord(weather()) }),
    callRig({ tools: toolRecord(weather()) }, calls(through('get_weather'))),
  ]) {
    await made.agent.generate('go', { prepareStep } as never);
    for (const received of made.model.calls) expect(toolNames(received).join()).not.toContain('.');
  }
});

it('in call mode, an own tool that prepareStep hides is not there for the bridge', async () => {
  const { agent, model } = callRig({ tools: toolRecord(weather()) }, calls(through('clock'), call('clock')), {
    agent: { tools: { clock: tool('clock'), timer: tool('timer') } },
  });
  const prepareStep = () => ({ activeTools: ['search_tools', 'call_tool', 'timer'] });
  await agent.generate('go', { prepareStep } as never);
  expect(model.sent(0)).toEqual(['search_tools', 'call_tool', 'timer']);
  const [bridged, direct] = toolResults(model.calls.at(-1)!.prompt);
  expect(bridged?.value).toEqual({
    success: false,
    message: 'Tool "clock" not found. Use search_tools to find available tools.',
  });
  expect(JSON.stringify(direct?.value)).toContain('not found');
});

describe.each([{}, { mode: 'call' }, { onMiss: 'run' }] as const)('a list of active tools, with %j,', (options) => {
  const changes: readonly [string, (list: string[]) => unknown][] = [
    ['splice', (list) => list.splice(list.indexOf('banned'), 1)],
    ['length', (list) => (list.length = 0)],
  ];

  it.each(
    changes.flatMap(([how, change]) =>
      (['prepareStep', 'a processor'] as const).map((who) => [how, who, change] as const),
    ),
  )('that is changed by %s in %s is heard', async (_, who, change) => {
    const execute = vi.fn(async () => 'ran');
    const processInputStep = ({ activeTools }: { activeTools?: string[] }) => void change(activeTools ?? []);
    const made = rig(
      { tools: {} },
      {
        script: calls(call('banned')),
        agent: {
          tools: toolRecord(tool('kept'), tool('banned', 'Banned.', { execute })) as never,
          inputProcessors: [
            new ToolSearchProcessor({ tools: toolRecord(weather()), ...options }),
            ...(who === 'prepareStep' ? [] : [{ id: 'other', processInputStep } as never]),
          ],
        },
      },
    );
    const prepareStep = who === 'prepareStep' ? { prepareStep: processInputStep } : {};
    await made.agent.generate('go', { activeTools: ['kept', 'banned'], ...prepareStep } as never);
    expect(made.model.sent(0)).not.toContain('banned');
    expect(execute).not.toHaveBeenCalled();
  });
});

it('a list of active tools that prepareStep extends in place shows the tool, and missed calls are loaded', async () => {
  const made = missing(['get_weather', 'get_weather'], {}, { tools: toolRecord(tool('kept'), tool('added')) });
  const prepareStep = ({ activeTools }: { activeTools: string[] }) => void activeTools.push('added');
  await made.agent.generate('go', { activeTools: ['kept'], prepareStep } as never);
  expect(made.model.sent(0)).toEqual(['search_tools', 'load_tool', 'kept', 'added']);
  expect(made.mended()).toHaveLength(1);
  expect(ran(made.model.calls.at(-1)!.prompt)).toEqual([undefined, 'get_weather']);
});
