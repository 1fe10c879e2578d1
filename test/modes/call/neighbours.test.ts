import type { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Mode, missing, run, turn } from '../../agent/missed-calls.ts';
import { say } from '../../native/rig/rig.ts';
import {
  approve,
  askingTool,
  call,
  calls,
  durableOf,
  email,
  inMastra,
  newMemory,
  rig,
  SIZES,
  tool,
  toolRecord,
  weather,
} from '../../support/agent.ts';
import { inTurn, pairwise } from '../../support/breadth.ts';
import { scriptedModel, toolNames, toolResults } from '../../support/scripted-model.ts';
import { answersTo, callRig, through } from './setup.ts';

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
const everywhere = { mode: modes, catalog: SIZES } as const;
const x = { text: 'x' };
const metaTools = { search: { name: 'find_more' }, load: { name: 'load_more' }, call: { name: 'use_more' } };
const { search, load: loading, call: calling } = metaTools;
const [loadNames, bridgeNames] = [
  { search, load: loading },
  { search, call: calling },
];
const others = (toolName: string) => call('use_more', { toolName, arguments: {} });

/** The tools that ran, call by call. */
const ran = ({ model }: Pick<ReturnType<typeof rig>, 'model'>): unknown[] =>
  toolResults(model.calls.at(-1)!.prompt).flatMap(({ value }) => (value as { ran?: string } | undefined)?.ran ?? []);
const secretly = (extra: object = {}) => {
  const execute = vi.fn(async () => 'ran');
  return { execute, tools: toolRecord(tool('secret', 'Secret.', { execute, ...extra }), weather()) };
};
const pickFile = createTool({ id: 'pick_file', description: 'Picks a file.', inputSchema: z.object({}) });

describe('two processors of one agent', () => {
  it.each(inTurn({ how: pairwise({ order: ['as they are', 'reversed'], other: ['load', 'call'] }), ...everywhere }))(
    'run their tools side by side, one in call mode and one in mode $how.other, $how.order ($mode, $catalog.size catalog)',
    async ({ mode, catalog: { fillers }, how: { order, other } }) => {
      const inputProcessors = [
        new ToolSearchProcessor({ tools: { ...toolRecord(weather()), ...fillers }, mode: 'call' }),
        new ToolSearchProcessor({
          ...{ tools: toolRecord(email()), mode: other },
          metaTools: other === 'load' ? loadNames : bridgeNames,
        }),
      ];
      const called =
        other === 'call' ? [others('send_email')] : [call('load_more', { toolName: 'send_email' }), call('send_email')];
      if (order === 'reversed') inputProcessors.reverse();
      const made = missing([through('functions.getWeather'), ...called], { tools: {} }, { inputProcessors });
      await run(made, mode);
      expect(ran(made)).toEqual(['get_weather', 'send_email']);
    },
  );

  it.each(inTurn(everywhere))('do not run what neither permits ($mode, $catalog.size catalog)', async (where) => {
    const { execute, tools } = secretly();
    const filter = () => false;
    const given = { tools: { ...tools, ...where.catalog.fillers }, filter, mode: 'call' } as const;
    const inputProcessors = [given, { ...given, metaTools: bridgeNames }].map((one) => new ToolSearchProcessor(one));
    await run(missing([through('secret'), others('secret')], { tools: {} }, { inputProcessors }), where.mode);
    expect(execute).not.toHaveBeenCalled();
  });
});

it('tools run through the bridge of a sub-agent with tools of its own, and not with those of the agent above', async () => {
  const mode = 'call';
  const inner = missing([through('get_weather'), through('send_email')], { tools: toolRecord(weather()), mode });
  const asked = [call('agent-helper', { prompt: 'the weather' }), through('send_email'), through('get_weather')];
  const outer = missing(asked, { tools: toolRecord(email()), mode }, { agents: { helper: inner.agent } });
  await outer.agent.generate('go');
  expect(ran(inner)).toEqual(['get_weather']);
  expect(ran(outer)).toEqual(['send_email']);
});

// Which tools run, from anywhere, whatever the filter denies: test/modes/permissions.test.ts, test/modes/neighbours.test.ts.
describe('a request that names what may be called', () => {
  it.each([
    { choice: 'none', runs: 0 },
    { choice: { type: 'tool', toolName: 'search_tools' }, runs: 0 },
    { choice: { type: 'tool', toolName: 'clock' }, runs: 0 },
    { choice: { type: 'tool', toolName: 'get_weather' }, runs: 0 },
    { choice: { type: 'tool', toolName: 'secret' }, runs: 1 },
    { choice: { type: 'tool', toolName: 'call_tool' }, runs: 1 },
    { choice: 'required', runs: 1 },
  ])('runs a call or not, and asks for its approval or not, with the tool choice $choice', async ({ choice, runs }) => {
    const { execute, tools } = secretly();
    const own = { tools: { clock: tool('clock') } };
    const { agent } = callRig({ tools }, calls(through('secret')), { agent: own });
    await agent.generate('go', { toolChoice: choice, maxSteps: 2 } as never);
    expect(execute).toHaveBeenCalledTimes(runs);
    const { tools: asking } = secretly({ requireApproval: true });
    const waiting = callRig({ tools: asking }, calls(through('secret')), { agent: own });
    const { finishReason } = await waiting.agent.generate('go', { toolChoice: choice, maxSteps: 2 } as never);
    expect(finishReason === 'suspended').toBe(runs === 1);
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
    const { execute, tools } = secretly();
    const written = [through('clock'), through('Clock'), through('secret')];
    const made = missing(written, { tools, mode: 'call' }, own);
    await run(made, mode, { activeTools: ['timer'] } as never);
    expect(made.model.sent(0)).toEqual(['search_tools', 'call_tool', 'timer']);
    expect(ran(made)).toEqual([]);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  const changes: Readonly<Record<string, (list: string[]) => unknown>> = {
    splice: (list) => list.splice(list.indexOf('banned'), 1),
    length: (list) => Object.assign(list, { length: 0 }),
  };
  it.each(
    pairwise({
      how: Object.keys(changes),
      who: ['prepareStep', 'a processor'],
      options: [{}, { mode: 'call' }] as const,
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
    expect(ran(made)).toEqual(['get_weather']);
  });
});

describe('hooks and approvals of a call', () => {
  it.each(SIZES)('stand around it under the name of its tool, and may stop it ($size catalog)', async ({ fillers }) => {
    const seen: unknown[] = [];
    const hooks = {
      beforeToolCall: ({ toolName, input }: { toolName: string; input: object }) => void seen.push(toolName, input),
      afterToolCall: ({ toolName }: { toolName: string }) => void seen.push(toolName),
    };
    const { execute, tools } = secretly();
    const all = { ...tools, ...fillers };
    const script = calls(through('functions.getWeather', x));
    await callRig({ tools: all }, script, { agent: { hooks } }).agent.generate('go');
    await callRig({ tools: all }, script).agent.generate('go', { hooks } as never);
    expect(seen).toEqual(Array(2).fill(['get_weather', x, 'get_weather']).flat());
    const stopping = { beforeToolCall: () => ({ proceed: false, output: 'stopped' }) };
    const { agent, model } = callRig({ tools: all }, calls(through('secret')), { agent: { hooks: stopping } });
    await agent.generate('go');
    expect(execute).not.toHaveBeenCalled();
    expect(model.result(1)).toBe('stopped');
  });

  const policies = {
    all: true,
    'by the name of the tool': ({ toolName }: { toolName: string }) => toolName === 'secret',
    'by its arguments': ({ args }: { args: { text?: string } }) => args.text === 'x',
    'that throws': () => {
      throw new Error('down');
    },
  } as const;
  it.each(pairwise({ mode: modes, policy: Object.keys(policies) as (keyof typeof policies)[] }))(
    'are those that the run asks for: $policy ($mode)',
    async ({ mode, policy }) => {
      const { execute, tools } = secretly();
      const run = { requireToolApproval: policies[policy] } as never;
      const made = missing([through('secret', x)], { tools, mode: 'call' }, { memory: newMemory() });
      const driven = mode === 'durable' ? (durableOf(made.agent) as unknown as Agent) : made.agent;
      const how = mode === 'generate' ? 'generate' : 'stream';
      const waiting = await say(driven, how, 'go', { ...turn, ...(run as object) });
      expect(waiting.waitingTool).toBe('secret');
      expect(execute).not.toHaveBeenCalled();
    },
  );

  it("are the tool's own before those of the run, as in Mastra", async () => {
    const { execute, tools } = secretly({ requireApproval: ({ text }: { text?: string }) => text === 'much' });
    const made = () => callRig({ tools }, calls(through('secret', x), through('secret', { text: 'much' })));
    const waits = await made().agent.generate('go', { requireToolApproval: true } as never);
    expect([waits.finishReason, execute.mock.calls.length]).toEqual(['suspended', 1]);
    expect(waits.suspendPayload).toMatchObject({
      toolName: 'call_tool',
      args: { toolName: 'secret', arguments: { text: 'much' } },
    });
  });

  it('are not lost where a later processor replaces call_tool by a tool that asks for none', async () => {
    const { execute, tools } = secretly({ requireApproval: true });
    const later = ({ tools: sent = {} }: { tools?: object }) => {
      const { call_tool: bridge, ...rest } = sent as Record<string, object>;
      return { tools: { ...rest, call_tool: { ...bridge, requireApproval: undefined } } };
    };
    const { agent, model } = callRig({ tools }, calls(through('secret')), { later });
    await agent.generate('go');
    expect(execute).not.toHaveBeenCalled();
    expect(model.result(1)).toMatchObject({ success: false, message: expect.stringContaining('needs an approval') });
  });

  it.each([true, false])('are one after the other behind a tool that suspends itself: approval %s', async (isAsked) => {
    const { execute, tools } = secretly({ requireApproval: isAsked });
    const written = { toolCalls: [through('ask'), through('secret')] };
    const made = callRig({ tools: { ...tools, ask: askingTool('ask') } }, ({ step }) =>
      step === 0 ? written : { text: 'done' },
    );
    inMastra(made.agent);
    const first = await made.agent.generate('go');
    expect(first.suspendPayload).toMatchObject({ toolName: 'call_tool' });
    expect(execute).not.toHaveBeenCalled();
    const { toolCallId } = first.suspendPayload as { toolCallId: string };
    const second = await made.agent.resumeGenerate({ answer: 'yes' }, { runId: first.runId ?? '', toolCallId });
    expect(second.finishReason).toBe(isAsked ? 'suspended' : 'stop');
    if (isAsked) await approve(made.agent, second);
    expect(execute).toHaveBeenCalledTimes(1);
    expect(toolResults(made.model.calls[1]!.prompt).map(({ value }) => value)).toEqual([{ answer: 'yes' }, 'ran']);
  });
});

it("the tool's own hooks hear its own input and output, and each result is what its tool makes of it", async () => {
  const heard: [string, unknown][] = [];
  const telling = (id: string) =>
    tool(id, 'Tells.', {
      execute: async () => 'same',
      onInputAvailable: ({ input }: { input: unknown }) => void heard.push([id, input]),
      onOutput: ({ toolName, output }: { toolName: string; output: unknown }) => void heard.push([toolName, output]),
      toModelOutput: (output: string) => ({ type: 'text', value: `${output} of ${id}` }),
    });
  const silent = tool('silent', 'Says nothing.', { execute: async () => 'same' });
  const toolCalls = [through('b', x), through('silent'), through('a', x), through('b', x)];
  for (const mode of modes) {
    heard.length = 0;
    const made = callRig({ tools: toolRecord(telling('a'), telling('b'), silent) }, ({ step }) =>
      step === 0 ? { toolCalls } : { text: 'done' },
    );
    await run(made, mode);
    const told = toolResults(made.model.calls[1]!.prompt).map(({ value }) => value);
    expect(told).toEqual(['same of b', 'same', 'same of a', 'same of b']);
    expect(heard.filter(([id]) => id === 'a')).toEqual([
      ['a', x],
      ['a', 'same'],
    ]);
    expect(heard).toHaveLength(6);
  }
});

it('what a tool hides of its payloads is hidden in the call of call_tool, and nothing of other tools', async () => {
  const hidden = { input: () => 'hidden input', output: () => 'hidden output' };
  const transform = { display: hidden, transcript: hidden };
  const secretive = tool('secretive', 'Secretive.', { execute: async () => 'a secret result', transform });
  const { agent } = callRig(
    { tools: toolRecord(secretive, weather()) },
    calls(through('secretive', { text: 'a secret' }), through('get_weather', x)),
    { agent: { memory: newMemory() } },
  );
  await agent.generate('go', turn as never);
  const memory = await agent.getMemory();
  const stored = JSON.stringify(await memory?.recall({ threadId: 't', resourceId: 'r' }));
  expect(stored).toContain('hidden input');
  expect(stored).toContain('hidden output');
  expect(stored).toContain('"ran":"get_weather"');
});

it('a tool that runs at the client, or at the provider, is not run, and the model is told so', async () => {
  const tools = { ...toolRecord(pickFile as never), web: { type: 'provider', id: 'openai.web_search', args: {} } };
  const { values } = await answersTo({ tools: tools as never }, [through('pick_file'), through('web_search')]);
  expect(values).toMatchObject([
    { success: false, message: expect.stringContaining('runs elsewhere') },
    { success: false },
  ]);
});

it('many calls of one answer run', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `t${n}`);
  const toolCalls = names.map((name) => through(name));
  const made = callRig({ tools: toolRecord(...names.map((name) => tool(name))) }, ({ step }) =>
    step === 0 ? { toolCalls } : { text: 'done' },
  );
  await made.agent.generate('go');
  expect(ran(made)).toEqual(names);
});

it('an own tool of the agent keeps its id', async () => {
  const ownKey = tool('get_weather', 'Own.', { execute: async () => ({ ran: 'own' }) });
  const made = missing(['get_weather', 'functions.getWeather'], {}, { tools: { ownKey } });
  await made.agent.generate('go');
  expect(ran(made)).toEqual(['own']);
});

describe.each(SIZES)('call mode with a $size catalog', ({ fillers }) => {
  const tools = { ...toolRecord(weather(), email()), ...fillers };
  const script = calls(through('get_weather', x));
  const other = scriptedModel(script);

  it.each([
    { what: 'the model', later: () => ({ model: other }) },
    {
      what: 'the list of active tools',
      later: ({ tools: sent = {} }: { tools?: object }) => ({ activeTools: Object.keys(sent) }),
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
