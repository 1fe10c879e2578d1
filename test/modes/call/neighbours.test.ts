import { createTool } from '@mastra/core/tools';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Mode, missingRun as missing, run } from '../../agent/missed-calls.ts';
import { pairwise } from '../../support/breadth.ts';
import { call, calls, email, fillerTools, load, rig, SIZES, tool, toolRecord, weather } from '../../support/harness.ts';
import { scriptedModel, toolNames, toolResults } from '../../support/scripted-model.ts';
import { answersTo, callRig, through } from './setup.ts';

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
const everywhere = { mode: modes, catalog: SIZES } as const;
const onMiss = 'run';
const x = { text: 'x' };
const large = fillerTools(501);
const metaTools = { search: { name: 'find_more' }, load: { name: 'load_more' }, call: { name: 'use_more' } };
const { search, load: loading, call: calling } = metaTools;
const [loadNames, bridgeNames] = [
  { search, load: loading },
  { search, call: calling },
];

/** The tools that ran, call by call. */
const ran = ({ model }: Pick<ReturnType<typeof rig>, 'model'>): unknown[] =>
  toolResults(model.calls.at(-1)!.prompt).map(({ value }) => (value as { ran?: string } | undefined)?.ran);
const secretly = (extra: object = {}) => {
  const execute = vi.fn(async () => 'ran');
  return { execute, tools: toolRecord(tool('secret', 'Secret.', { execute, ...extra }), weather()) };
};
const pickFile = createTool({ id: 'pick_file', description: 'Picks a file.', inputSchema: z.object({}) });
/** How a tool that was not sent is called. */
const WAYS = [
  { options: { mode: 'call' }, calling: through },
  { options: { mode: 'load', onMiss }, calling: call },
] as const;

describe('two processors of one agent', () => {
  it.each(
    pairwise({ ...everywhere, order: ['as they are', 'reversed'], modes: ['load load', 'load call', 'call call'] }),
  )(
    'run the calls of each other, in modes $modes, $order ($mode, $catalog.size catalog)',
    async ({ mode, catalog: { fillers }, order, modes: both }) => {
      const [one, other] = both.split(' ');
      const inputProcessors = [
        new ToolSearchProcessor({ tools: { ...toolRecord(weather()), ...fillers }, mode: one as 'load', onMiss }),
        new ToolSearchProcessor({
          ...{ tools: toolRecord(email()), onMiss, mode: other as 'load' },
          metaTools: other === 'load' ? loadNames : bridgeNames,
        }),
      ];
      const called = [
        ...(one === 'call' ? [through('get_weather')] : [call('get_weather')]),
        ...(other === 'call' ? [call('use_more', { toolName: 'send_email', arguments: {} })] : []),
        ...[call('send_email'), call('functions.getWeather')],
      ];
      if (order === 'reversed') inputProcessors.reverse();
      const made = missing(called, { tools: {} }, { inputProcessors });
      await run(made, mode);
      const expected = ['get_weather', ...(other === 'call' ? ['send_email'] : []), 'send_email', 'get_weather'];
      expect(ran(made)).toEqual(expected);
      expect(new Set(made.model.calls.map((each) => toolNames(each).sort().join())).size).toBe(1);
    },
  );

  it.each(pairwise(everywhere))('do not run what neither permits ($mode, $catalog.size catalog)', async (where) => {
    const { execute, tools } = secretly();
    const filter = () => false;
    const first = new ToolSearchProcessor({ tools: { ...tools, ...where.catalog.fillers }, filter, onMiss });
    const second = new ToolSearchProcessor({ tools, metaTools: loadNames, filter, onMiss });
    await run(missing(['secret', 'secret'], { tools: {} }, { inputProcessors: [first, second] }), where.mode);
    expect(execute).not.toHaveBeenCalled();
  });
});

it('missed calls run in a sub-agent with tools of its own, and not with those of the agent above', async () => {
  const inner = missing(['get_weather', 'send_email'], { tools: { ...toolRecord(weather()), ...large } });
  const asked = [call('agent-helper', { prompt: 'the weather' }), 'send_email', 'get_weather'];
  const outer = missing(asked, { tools: toolRecord(email()) }, { agents: { helper: inner.agent } });
  await outer.agent.generate('go');
  expect(ran(inner)).toEqual(['get_weather', undefined]);
  expect(ran(outer)).toEqual([undefined, 'send_email', undefined]);
});

// Which tools run, from anywhere, whatever the filter denies: test/modes/permissions.test.ts, test/modes/neighbours.test.ts.
describe('a request that names what may be called', () => {
  it.each([
    { choice: 'none', runs: 0 },
    { choice: { type: 'tool', toolName: 'search_tools' }, runs: 0 },
    { choice: 'required', runs: 1 },
  ])('runs a missed call or not, with the tool choice $choice', async ({ choice, runs }) => {
    const { execute, tools } = secretly();
    const { agent, events } = missing(['secret'], { tools });
    await agent.generate('go', { toolChoice: choice, maxSteps: 2 } as never);
    expect(execute).toHaveBeenCalledTimes(runs);
    expect(events.filter(({ type }) => type === 'run-on-miss')).toHaveLength(runs);
  });

  it('sends no tools in call mode where none may be called', async () => {
    const { agent, model } = callRig({ tools: toolRecord(weather()) }, ({ tools, step }) =>
      step === 0 && tools.length > 0 ? { toolCalls: [through('get_weather')] } : { text: 'done' },
    );
    await agent.generate('go', { toolChoice: 'none' });
    expect(model.calls.map(toolNames)).toEqual([[]]);
  });

  it.each(modes)('runs no own tool of the agent that its list of active tools lacks (%s)', async (mode) => {
    const own = { tools: toolRecord(tool('clock'), tool('timer')) };
    for (const { options, calling } of WAYS) {
      const { execute, tools } = secretly();
      const made = missing([calling('clock'), call('Clock'), calling('secret')], { tools, ...options }, own);
      await run(made, mode, { activeTools: ['timer'] } as never);
      expect(made.model.sent(0)).toEqual(['search_tools', calling === call ? 'load_tool' : 'call_tool', 'timer']);
      expect(ran(made).slice(0, 2)).toEqual([undefined, undefined]);
      expect(execute).toHaveBeenCalledTimes(1);
    }
  });

  it('has no own tool for the bridge that prepareStep hides', async () => {
    const prepareStep = () => ({ activeTools: ['search_tools', 'call_tool', 'timer'] });
    const { values, model } = await answersTo({ tools: toolRecord(weather()) }, [through('clock'), call('clock')], {
      agent: { tools: { clock: tool('clock'), timer: tool('timer') } },
      run: { prepareStep },
    });
    expect(model.sent(0)).toEqual(['search_tools', 'call_tool', 'timer']);
    expect(values).toEqual([
      { success: false, message: 'Tool "clock" not found. Use search_tools to find available tools.' },
      expect.stringContaining('not found'),
    ]);
  });

  const changes: Readonly<Record<string, (list: string[]) => unknown>> = {
    splice: (list) => list.splice(list.indexOf('banned'), 1),
    length: (list) => Object.assign(list, { length: 0 }),
  };
  it.each(
    pairwise({
      how: Object.keys(changes),
      who: ['prepareStep', 'a processor'],
      options: [{}, { mode: 'call' }, { onMiss }] as const,
    }),
  )('is heard where $who changes the list of active tools by $how, with $options', async ({ how, who, options }) => {
    const execute = vi.fn(async () => 'ran');
    const change = ({ activeTools = [] }: { activeTools?: string[] }) => void changes[how]!(activeTools);
    const processor = new ToolSearchProcessor({ tools: toolRecord(weather()), ...options });
    const isStep = who === 'prepareStep';
    const tools = toolRecord(tool('kept'), tool('banned', 'Banned.', { execute }));
    const inputProcessors = [processor, ...(isStep ? [] : [{ id: 'other', processInputStep: change }])];
    const made = rig({ tools: {} }, { script: calls(call('banned')), agent: { tools, inputProcessors } as never });
    const run = { activeTools: ['kept', 'banned'], ...(isStep ? { prepareStep: change } : {}) };
    await made.agent.generate('go', run as never);
    expect(made.model.sent(0)).not.toContain('banned');
    expect(execute).not.toHaveBeenCalled();
  });

  it('shows a tool by which prepareStep extends the list in place, and loads missed calls', async () => {
    const made = missing(['get_weather', 'get_weather'], {}, { tools: toolRecord(tool('kept'), tool('added')) });
    const prepareStep = ({ activeTools }: { activeTools: string[] }) => void activeTools.push('added');
    await made.agent.generate('go', { activeTools: ['kept'], prepareStep } as never);
    expect(made.model.sent(0)).toEqual(['search_tools', 'load_tool', 'kept', 'added']);
    expect(made.mended()).toHaveLength(1);
    expect(ran(made)).toEqual([undefined, 'get_weather']);
  });

  it("is sent no place where prepareStep lists all tools of the step, as Mastra's AgentController does", async () => {
    const prepareStep = ({ tools }: { tools?: object }) => ({ activeTools: Object.keys(tools ?? {}) });
    for (const { options, calling } of WAYS) {
      const made = missing([calling('get_weather')], options);
      await made.agent.generate('go', { prepareStep } as never);
      for (const received of made.model.calls) expect(toolNames(received).join()).not.toContain('.');
    }
  });
});

describe('hooks and approvals of a missed call', () => {
  const toolsOf = (tools: object) => ({ tools: { ...tools, ...large } as never });

  it('stand around it under the name of its tool, and may stop it', async () => {
    const seen: string[] = [];
    const hooks = {
      beforeToolCall: ({ toolName }: { toolName: string }) => void seen.push(`before ${toolName}`),
      afterToolCall: ({ toolName }: { toolName: string }) => void seen.push(`after ${toolName}`),
    };
    const { execute, tools } = secretly();
    await missing(['functions.getWeather'], toolsOf(tools), { hooks }).agent.generate('go');
    await missing(['get_weather'], { tools }).agent.generate('go', { hooks } as never);
    expect(seen).toEqual(Array(2).fill(['before get_weather', 'after get_weather']).flat());
    const stopping = { beforeToolCall: () => ({ proceed: false, output: 'stopped' }) };
    const { agent, model } = missing(['secret'], toolsOf(tools), { hooks: stopping });
    await agent.generate('go');
    expect(execute).not.toHaveBeenCalled();
    expect(model.result(1)).toBe('stopped');
  });

  it.each([true, ({ toolName }: { toolName: string }) => toolName === 'secret'])(
    'are those that the run asks for: %s',
    async (requireToolApproval) => {
      const { execute, tools } = secretly();
      const waiting = await missing(['secret'], toolsOf(tools)).agent.generate('go', { requireToolApproval } as never);
      expect(waiting.suspendPayload).toMatchObject({ toolName: 'secret' });
      expect(execute).not.toHaveBeenCalled();
    },
  );

  it.each([
    { why: 'by its own option', extra: { requireApproval: true }, run: {} },
    {
      why: 'by a function of the run',
      extra: {},
      run: { requireToolApproval: ({ toolName }: { toolName: string }) => toolName === 'secret' },
    },
    { why: 'as it suspends itself', extra: { suspendSchema: z.object({}) }, run: {} },
  ])('keep a tool from running within the call of the bridge: $why', async ({ extra, run: options }) => {
    const { execute, tools } = secretly(extra);
    const other = scriptedModel(calls(through('secret')));
    await callRig({ tools }, calls(), { later: () => ({ model: other }) }).agent.generate('go', options as never);
    expect(execute).not.toHaveBeenCalled();
    expect(other.result(1)).toMatchObject({ success: false, message: expect.stringContaining('needs an approval') });
  });
});

it.each(WAYS)('a tool that runs at the client is left to the client, with $options', async ({ options, calling }) => {
  const { agent } = missing([calling('pick_file')], {
    tools: { ...toolRecord(pickFile as never), ...large },
    ...options,
  });
  const result = await agent.generate('go');
  expect(result.toolCalls.map(({ payload }) => payload.toolName)).toEqual(['pick_file']);
  expect(result.finishReason).toBe('tool-calls');
});

it('a name that neither the client nor the catalog has is answered as that of any unknown tool', async () => {
  const made = missing(['pick_file', 'get_weather']);
  await made.agent.generate('go', { clientTools: { open_file: { ...pickFile, id: 'open_file' } } } as never);
  expect(made.model.sent(0)).toContain('open_file');
  expect(ran(made)).toEqual([undefined, 'get_weather']);
});

describe('many calls of one answer', () => {
  const names = Array.from({ length: 40 }, (_, n) => `t${n}`);
  const tools = toolRecord(...names.map((name) => tool(name)));

  it.each(pairwise(everywhere))(
    'run ten that were missed, and load the others ($mode, $catalog.size catalog)',
    async (one) => {
      const toolCalls = names.slice(0, 12).map((name) => call(name));
      const script = ({ step }: { step: number }) => (step === 0 ? { toolCalls } : { text: 'done' });
      const made = rig({ tools: { ...tools, ...one.catalog.fillers }, onMiss }, { script });
      await run(made, one.mode);
      expect(ran(made).filter(Boolean)).toEqual(names.slice(0, 10));
      expect(made.model.sent(1)).toEqual(['search_tools', 'load_tool', 't10', 't11']);
    },
  );

  it('run as far as places have room, and the rest within the calls of the bridge', async () => {
    const toolCalls = names.map((name) => through(name));
    const made = callRig({ tools }, ({ step }) => (step === 0 ? { toolCalls } : { text: 'done' }));
    await made.agent.generate('go');
    expect(ran(made)).toEqual(names);
  });
});

it('in native mode, missed calls run with a model that has no tool search', async () => {
  const { agent, model, events } = missing(['get_weather'], { mode: 'native' });
  await agent.generate('go');
  expect(model.calls.map(toolNames)).toEqual(Array(2).fill(['search_tools', 'load_tool']));
  expect(model.result(1)).toMatchObject({ ran: 'get_weather' });
  expect(events.filter(({ type }) => type === 'run-on-miss')).toHaveLength(1);
});

it.each(['run', 'load'] as const)("leave an own tool of the agent its id, with onMiss: '%s'", async (miss) => {
  const ownKey = tool('get_weather', 'Own.', { execute: async () => ({ ran: 'own' }) });
  const made = missing(['get_weather', 'functions.getWeather'], { onMiss: miss }, { tools: { ownKey } });
  await made.agent.generate('go');
  expect(ran(made)).toEqual(['own', undefined]);
  expect(made.events.filter(({ type }) => type === 'run-on-miss')).toEqual([]);
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
  const step = await processor.processInputStep({ ...args, model: scriptedModel(() => ({ text: 'done' })) } as never);
  expect(Object.keys(step)).toEqual(['tools']);
  expect(Object.keys(step.tools)).toEqual(['search_tools', 'load_tool', 'clock']);
});

describe.each(SIZES)('call mode with a $size catalog', ({ fillers }) => {
  const tools = { ...toolRecord(weather(), email()), ...fillers };
  const script = calls(through('get_weather', x));
  const other = scriptedModel(script);

  it.each([
    { what: 'the model', later: () => ({ model: other }) },
    {
      what: 'the list of active tools',
      later: ({ activeTools = [] }: { activeTools?: string[] }) => ({ activeTools: [...activeTools] }),
    },
    {
      what: 'the tools',
      later: ({ tools: sent = {} }: { tools?: object }) => ({
        tools: Object.fromEntries(Object.entries(sent).filter(([name]) => !name.includes('.'))),
      }),
    },
    {
      what: 'all, with one more',
      later: (step: { tools?: object }) => ({ tools: { ...step.tools, extra: tool('x') } }),
    },
  ])('runs the tool within the call of the bridge where a later processor replaces $what', async ({ what, later }) => {
    const { agent, model } = callRig({ tools }, script, { later });
    await agent.generate('go');
    expect((what === 'the model' ? other : model).result(1)).toEqual({ ran: 'get_weather', input: x });
    if (what.startsWith('all')) expect(model.sent(0)).toEqual(['search_tools', 'call_tool', 'extra']);
  });
});

it('call mode finds and calls the own tools of the agent with includeResolvedTools', async () => {
  const { values, model } = await answersTo(
    { tools: toolRecord(email()), includeResolvedTools: true },
    [call('search_tools', { query: 'weather' }), through('get_weather', x), through('weatherKey')],
    { agent: { tools: { weatherKey: weather() } } },
  );
  expect(model.sent(0)).toEqual(['search_tools', 'call_tool']);
  expect(values.slice(1)).toEqual([x, {}].map((input) => ({ ran: 'get_weather', input })));
});
