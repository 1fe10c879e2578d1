import type { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { type MastraTool, type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { part } from '../support/breadth.ts';
import { call, calls, email, fillerTools, load, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { lastToolResult, toolNames } from '../support/scripted-model.ts';

/** Up to 500 tools Mastra converts all of them; above, a tool loaded in mid-run is dressed up by the processor. */
const sizes = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
];

const hooks = { beforeToolCall: () => {} };

async function runDurable(agent: Agent): Promise<void> {
  const durable = createDurableAgent({ agent });
  new Mastra({ agents: { durable } as never, logger: false, storage: new InMemoryStore() });
  const { output, cleanup } = await durable.stream('weather');
  await output.consumeStream();
  cleanup();
}

const runs = [
  { how: 'generate', run: (agent: Agent) => agent.generate('weather') },
  { how: 'stream', run: async (agent: Agent) => (await agent.stream('weather')).consumeStream() },
  { how: 'a DurableAgent', run: runDurable },
];

const agents = [
  { with_: 'without hooks', extra: {} },
  { with_: 'with hooks', extra: { hooks } as never },
  { with_: 'with Memory', extra: { memory: new Memory({ storage: new InMemoryStore() }) } },
];

it.each(
  part(
    sizes.flatMap((size) => agents.flatMap((agent) => runs.map((one) => ({ ...size, ...agent, ...one })))),
    'pairs',
  ),
)(
  'a function of tools, of a $size catalog, is called once in a run of four steps: $how $with_',
  async ({ fillers, extra, run }) => {
    const resolve = vi.fn(async (_args: object) => ({ ...toolRecord(weather(), email()), ...fillers }));
    const { agent, model } = rig({ tools: resolve }, { agent: extra });
    await run(agent);
    expect(model.calls.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
    expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'load_tool']);
    expect(toolNames(model.calls[3]!)).toEqual(['search_tools', 'load_tool', 'get_weather']);
    expect(lastToolResult(model.calls[3]!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
    expect(resolve).toHaveBeenCalledTimes(1);
    await run(agent);
    expect(resolve).toHaveBeenCalledTimes(2);
  },
);

describe.each(sizes)('a function of tools, of a $size catalog,', ({ fillers }) => {
  const tools = (): Record<string, MastraTool> => ({ ...toolRecord(weather(), email()), ...fillers });

  it('is called once where Mastra does not ask before the run, in the first step', async () => {
    const resolve = vi.fn(async () => tools());
    const processor = new ToolSearchProcessor({ tools: resolve });
    const bare = {
      id: 'bare',
      processInputStep: (args: ProcessInputStepArgs) => processor.processInputStep(args) as never,
    };
    const { agent, model } = rig({ tools: {} }, { agent: { inputProcessors: [bare] } });
    await agent.generate('weather');
    expect(lastToolResult(model.calls[3]!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it('is called once more by a run that goes on after an approval, whose waiting call is of the first', async () => {
    let runs = 0;
    const resolve = vi.fn(async () => {
      runs += 1;
      const run = `run ${runs}`;
      return {
        ...toolRecord(tool('pay', 'Pays a bill.', { requireApproval: true, execute: () => run }), tool(`only_${runs}`)),
        ...fillers,
      };
    });
    const script = calls(load('pay'), call('pay'), call('search_tools', { query: 'only' }));
    const { agent, model } = rig({ tools: resolve }, { script });
    new Mastra({ agents: { agent }, logger: false, storage: new InMemoryStore() });
    const first = await agent.generate('go');
    expect(resolve).toHaveBeenCalledTimes(1);
    const { toolCallId } = first.suspendPayload as { toolCallId: string };
    await agent.approveToolCallGenerate({ runId: first.runId!, toolCallId });
    expect(resolve).toHaveBeenCalledTimes(2);
    const { prompt } = model.calls.at(-1)!;
    expect(lastToolResult(prompt, 'pay')?.value).toBe('run 1');
    expect(lastToolResult(prompt, 'search_tools')?.value).toMatchObject({ results: [{ name: 'only_2' }] });
  });
});

describe('a function of tools', () => {
  it.each([
    {
      fault: 'throws',
      resolve: () => {
        throw new Error('down');
      },
    },
    { fault: 'rejects', resolve: () => Promise.reject(new Error('down')) },
    { fault: 'returns no record', resolve: async () => undefined as never },
  ])('that $fault is called once, reported once, and costs nothing but its tools', async ({ resolve }) => {
    for (const { run } of runs) {
      const events: ToolSearchEvent[] = [];
      const asked = vi.fn(resolve);
      const { agent, model } = rig(
        { tools: asked, includeResolvedTools: true, onEvent: (event) => events.push(event) },
        { agent: { tools: async () => toolRecord(weather()) } },
      );
      await run(agent);
      expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
      expect(asked).toHaveBeenCalledTimes(1);
      expect(events.filter(({ type }) => type === 'tools-failed')).toHaveLength(1);
    }
  });

  it.each(runs)('that returns no tools is called once: $how', async ({ run }) => {
    const resolve = vi.fn(() => ({}));
    const { agent, model } = rig({ tools: resolve });
    await run(agent);
    expect(model.calls.map(toolNames)).toEqual([
      ['search_tools', 'load_tool'],
      ['search_tools', 'load_tool'],
    ]);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it.each(runs)('is given the request context: $how', async ({ run, how }) => {
    const resolve = vi.fn((_args: { requestContext?: RequestContext }) => toolRecord(weather()));
    const { agent } = rig({ tools: resolve });
    if (how === 'generate')
      await agent.generate('go', { requestContext: new RequestContext<unknown>([['user', 'ada']]) });
    else await run(agent);
    const [{ requestContext }] = resolve.mock.calls[0] as [{ requestContext?: RequestContext }];
    expect(requestContext).toBeInstanceOf(RequestContext);
    if (how === 'generate') expect(requestContext?.get('user' as never)).toBe('ada');
  });

  it('is called by search() with its request context, and not before', async () => {
    const resolve = vi.fn(({ requestContext }: { requestContext?: RequestContext }) =>
      toolRecord(tool(requestContext?.get('user' as never) === 'ada' ? 'read_ada' : 'read_nobody')),
    );
    const processor = new ToolSearchProcessor({ tools: resolve });
    expect(resolve).not.toHaveBeenCalled();
    const requestContext = new RequestContext<unknown>([['user', 'ada']]);
    expect(await processor.search('read', { requestContext })).toMatchObject([{ name: 'read_ada' }]);
    expect(await processor.search('read')).toMatchObject([{ name: 'read_nobody' }]);
    expect(resolve).toHaveBeenCalledTimes(2);
  });

  it('may return what alwaysLoaded and keywords name', async () => {
    const { agent, model } = rig(
      {
        tools: () => toolRecord(weather(), email(), tool('zeta', 'Unrelated.')),
        alwaysLoaded: ['send_email', 'never_there'],
        search: { keywords: { zeta: ['umbrella'] } },
      },
      { script: calls(call('search_tools', { query: 'umbrella' })) },
    );
    await agent.generate('go');
    expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'load_tool', 'send_email']);
    expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({ results: [{ name: 'zeta' }] });
  });

  it('keeps what a thread has loaded from run to run', async () => {
    const memory = new Memory({ storage: new InMemoryStore() });
    const { agent, model } = rig(
      { tools: async () => toolRecord(weather(), email()) },
      { script: calls(load('send_email')), agent: { memory } },
    );
    const turn = { memory: { thread: 't', resource: 'r' } };
    await agent.generate('go', turn);
    await agent.generate('go', turn);
    expect(toolNames(model.calls[2]!)).toEqual(['search_tools', 'load_tool', 'send_email']);
  });

  it("leaves an agent's own tool of the same name to the agent", async () => {
    const { agent, model } = rig(
      { tools: () => toolRecord(weather(), email()) },
      {
        script: calls(call('get_weather')),
        agent: { tools: { get_weather: tool('get_weather', 'Own.', { execute: () => 'own' }) } },
      },
    );
    await agent.generate('go');
    expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'load_tool', 'get_weather']);
    expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toBe('own');
  });
});
