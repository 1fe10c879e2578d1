import { createTool } from '@mastra/core/tools';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, calls, email, rig, SIZES, tool, toolRecord, weather } from '../../support/harness.ts';
import { scriptedModel, toolNames, toolResults } from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

describe.each(SIZES)('call mode with a $size catalog', ({ fillers }) => {
  const tools = { ...toolRecord(weather(), email()), ...fillers };
  const script = calls(through('get_weather', { text: 'x' }));

  it.each(['model', 'list of active tools', 'tools'] as const)(
    'runs the tool within the call of the bridge where a later processor replaces the %s',
    async (what) => {
      const other = scriptedModel(script);
      const changes = {
        model: () => ({ model: other }),
        'list of active tools': ({ activeTools = [] }: { activeTools?: string[] }) => ({
          activeTools: [...activeTools],
        }),
        tools: ({ tools: sent = {} }: { tools?: object }) => ({
          tools: Object.fromEntries(Object.entries(sent).filter(([name]) => !name.includes('.'))),
        }),
      };
      const { agent, model } = callRig({ tools }, script, { later: changes[what] });
      await agent.generate('go');
      const asked = what === 'model' ? other : model;
      expect(asked.result(1)).toEqual({ ran: 'get_weather', input: { text: 'x' } });
    },
  );

  it('sends a tool that a later processor adds', async () => {
    const later = ({ tools: sent = {} }: { tools?: object }) => ({ tools: { ...sent, extra: tool('extra') } });
    const { agent, model } = callRig({ tools }, script, { later });
    await agent.generate('go');
    expect(model.sent(0)).toEqual(['search_tools', 'call_tool', 'extra']);
    expect(model.result(1)).toMatchObject({ ran: 'get_weather' });
  });
});

it.each([
  { why: 'by its own option', extra: { requireApproval: true }, run: {} },
  {
    why: 'by a function of the run',
    extra: {},
    run: { requireToolApproval: ({ toolName }: { toolName: string }) => toolName === 'subject' },
  },
  { why: 'as it suspends itself', extra: { suspendSchema: z.object({}) }, run: {} },
])('a tool that needs an approval does not run within the call of the bridge: $why', async ({ extra, run }) => {
  const execute = vi.fn(async () => 'ran');
  const other = scriptedModel(calls(through('subject')));
  const subject = tool('subject', 'Subject.', { ...extra, execute });
  const { agent } = callRig({ tools: toolRecord(subject) }, calls(), { later: () => ({ model: other }) });
  await agent.generate('go', run as never);
  expect(execute).not.toHaveBeenCalled();
  expect(other.result(1)).toMatchObject({ success: false, message: expect.stringContaining('needs an approval') });
});

it('lets a tool that runs at the client be called under its own name', async () => {
  const client = createTool({ id: 'pick_file', description: 'Lets the user pick a file.', inputSchema: z.object({}) });
  const { agent } = callRig({ tools: toolRecord(client as never, weather()) }, calls(through('pick_file')));
  const result = await agent.generate('go');
  expect(result.toolCalls.map(({ payload }) => payload.toolName)).toEqual(['pick_file']);
  expect(result.finishReason).toBe('tool-calls');
});

it('serves two processors of one agent in call mode', async () => {
  const first = new ToolSearchProcessor({ tools: toolRecord(weather()), mode: 'call' });
  const second = new ToolSearchProcessor({
    tools: toolRecord(email()),
    mode: 'call',
    metaTools: { search: { name: 'find_more' }, call: { name: 'use_more' } },
  });
  const { agent, model } = rig(
    { tools: {} },
    {
      script: calls(through('get_weather'), { toolName: 'use_more', input: { toolName: 'send_email', arguments: {} } }),
      agent: { inputProcessors: [first, second] },
    },
  );
  await agent.generate('go');
  expect(toolResults(model.calls.at(-1)!.prompt).map(({ toolName, value }) => ({ toolName, value }))).toMatchObject([
    { toolName: 'call_tool', value: { ran: 'get_weather' } },
    { toolName: 'use_more', value: { ran: 'send_email' } },
  ]);
});

it('finds and calls the own tools of the agent with includeResolvedTools', async () => {
  const { agent, model } = callRig(
    { tools: toolRecord(email()), includeResolvedTools: true },
    calls(call('search_tools', { query: 'weather' }), through('get_weather', { text: 'x' }), through('weatherKey', {})),
    { agent: { tools: { weatherKey: weather() } } },
  );
  await agent.generate('go');
  expect(model.sent(0)).toEqual(['search_tools', 'call_tool']);
  const [, byName, byKey] = toolResults(model.calls.at(-1)!.prompt);
  expect(byName?.value).toEqual({ ran: 'get_weather', input: { text: 'x' } });
  expect(byKey?.value).toEqual({ ran: 'get_weather', input: {} });
});

it("keeps the caller's list of active tools", async () => {
  const { agent, model } = callRig({ tools: toolRecord(weather()) }, calls(through('get_weather'), through('clock')), {
    agent: { tools: { clock: tool('clock'), timer: tool('timer') } },
  });
  await agent.generate('go', { activeTools: ['timer'] } as never);
  expect(model.sent(0)).toEqual(['search_tools', 'call_tool', 'timer']);
  const [first, second] = toolResults(model.calls.at(-1)!.prompt);
  expect(first?.value).toMatchObject({ ran: 'get_weather' });
  expect(second?.value).toMatchObject({ success: false });
});

it('sends no tools where none may be called, and the prompt all the same', async () => {
  const { agent, model } = callRig({ tools: toolRecord(weather()) }, ({ tools, step }) =>
    step === 0 && tools.length > 0 ? { toolCalls: [through('get_weather')] } : { text: 'done' },
  );
  await agent.generate('go', { toolChoice: 'none' });
  expect(model.calls.map(toolNames)).toEqual([[]]);
});

it('runs what the places have room for, and the rest within the calls of the bridge', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `tool_${n}`);
  const { agent, model } = callRig({ tools: toolRecord(...names.map((name) => tool(name))) }, ({ step }) =>
    step === 0 ? { toolCalls: names.map((name) => through(name)) } : { text: 'done' },
  );
  await agent.generate('go');
  expect(toolResults(model.calls[1]!.prompt).map(({ value }) => (value as { ran: string }).ran)).toEqual(names);
});
