import type { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { type ToolSearchEvent, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { call, calls, email, load, rig, toolRecord, weather } from '../support/harness.ts';
import type { Script } from '../support/scripted-model.ts';

const search = (query: string) => call('search_tools', { query });
/** Two tools: with the answer 7 model calls. */
const twoTools = calls(
  search('weather'),
  load('get_weather'),
  call('get_weather'),
  search('email'),
  load('send_email'),
  call('send_email'),
);

async function runDurable(agent: Agent, text: string, options: object): Promise<void> {
  const durable = createDurableAgent({ agent });
  new Mastra({ agents: { durable } as never, logger: false, storage: new InMemoryStore() });
  const { output, cleanup } = await durable.stream(text, options as never);
  await output.consumeStream();
  cleanup();
}

const ways: { how: string; run: (agent: Agent, text: string, options: object) => Promise<unknown> }[] = [
  { how: 'generate', run: (agent, text, options) => agent.generate(text, options) },
  { how: 'stream', run: async (agent, text, options) => (await agent.stream(text, options)).consumeStream() },
  { how: 'a DurableAgent', run: runDurable },
];

function agentWith(script: Script, more: object = {}, options: Partial<ToolSearchProcessorOptions> = {}) {
  const events: ToolSearchEvent[] = [];
  const processor = new ToolSearchProcessor({
    tools: toolRecord(weather(), email()),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const memory = new Memory({ storage: new InMemoryStore() });
  const agent = { inputProcessors: [processor], memory, ...more };
  const cuts = () => events.flatMap((event) => (event.type === 'run-cut' ? [event.steps] : []));
  return { ...rig({ tools: {} }, { script, agent }), processor, cuts };
}

const thread = { memory: { thread: 'thread-1', resource: 'user-1' } };

it("a run of two tools ends in the middle with Mastra's default maxSteps, and not with that of the quick start", async () => {
  const cut = await agentWith(twoTools).agent.generate('go');
  expect([cut.text, cut.steps.length]).toEqual(['', 5]);
  const whole = await agentWith(twoTools, { defaultOptions: { maxSteps: 20 } }).agent.generate('go');
  expect([whole.text, whole.steps.length]).toEqual(['done', 7]);
});

describe.each(ways)('a run that ends before its answer, with $how,', ({ how, run }) => {
  const maxSteps = how === 'a DurableAgent' ? { maxSteps: 5 } : {};

  it('is reported once, when its thread goes on', async () => {
    const { agent, cuts } = agentWith(twoTools);
    await run(agent, 'go', { ...thread, ...maxSteps });
    expect(cuts()).toEqual([]);
    for (const text of ['go on', 'and on']) await run(agent, text, { ...thread, maxSteps: 20 });
    expect(cuts()).toEqual([5]);
  });

  it('is not reported where it had its answer', async () => {
    const { agent, cuts } = agentWith(twoTools);
    for (const text of ['go', 'go on']) await run(agent, text, { ...thread, maxSteps: 20 });
    expect(cuts()).toEqual([]);
  });
});

describe('a run that ends before its answer, with the processor in outputProcessors as well,', () => {
  const both = (script: Script, memory: object = {}) => {
    const made = agentWith(script, memory);
    const { processor } = made;
    const more = { inputProcessors: [processor], outputProcessors: [processor], ...memory };
    return { ...made, ...rig({ tools: {} }, { script, agent: more as never }), processor };
  };

  it.each(ways)('is reported at once without Memory: $how', async ({ run }) => {
    const { agent, cuts } = both(twoTools);
    await run(agent, 'go', { maxSteps: 5 });
    expect(cuts()).toEqual([5]);
    await run(agent, 'go', { maxSteps: 20 });
    expect(cuts()).toEqual([5]);
  });

  it('is not reported again when its thread goes on', async () => {
    const { agent, cuts } = both(twoTools, { memory: new Memory({ storage: new InMemoryStore() }) });
    await agent.generate('go', thread);
    expect(cuts()).toEqual([5]);
    await agent.generate('go on', { ...thread, maxSteps: 20 });
    expect(cuts()).toEqual([5]);
  });

  it('has the answer that it had without', async () => {
    const { agent } = both(calls());
    expect((await agent.generate('go')).text).toBe('done');
  });
});

it('the log of a run that ended early names the remedy', async () => {
  const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { agent } = agentWith(twoTools);
  for (const text of ['go', 'go on']) await agent.generate(text, thread);
  const lines = log.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('ended after 5 steps'));
  expect(lines).toEqual([expect.stringContaining('defaultOptions: { maxSteps: 20 }')]);
  log.mockRestore();
});

it('a run that ended early is not reported without a call of a meta-tool', async () => {
  const { agent, cuts } = agentWith(
    calls(...Array(9).fill(call('get_weather'))),
    {},
    { alwaysLoaded: ['get_weather'] },
  );
  for (const text of ['go', 'go on']) await agent.generate(text, thread);
  expect(cuts()).toEqual([]);
});

it('a run that waits for an approval is not reported as ended early', async () => {
  const tools = { get_weather: { ...weather(), requireApproval: true } };
  const { agent, cuts } = agentWith(calls(load('get_weather'), call('get_weather')), {}, { tools: tools as never });
  new Mastra({ agents: { agent }, logger: false, storage: new InMemoryStore() });
  await (await agent.stream('go', thread)).consumeStream();
  await agent.generate('never mind', thread);
  expect(cuts()).toEqual([]);
});

it.each([
  { search: { name: 'find' }, names: ['find', 'load_tool'] },
  { load: { name: 'take' }, names: ['search_tools', 'take'] },
])('a run that ended early is reported with meta-tools of other names: $names', async ({ names, ...metaTools }) => {
  const [find = '', take = ''] = names;
  const script = calls(...Array(6).fill(call(find, { query: 'weather' })), call(take, { toolName: 'get_weather' }));
  const { agent, cuts } = agentWith(script, {}, { metaTools });
  for (const text of ['go', 'go on']) await agent.generate(text, thread);
  expect(cuts()).toEqual([5]);
});
