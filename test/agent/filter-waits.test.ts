import type { ToolSearchFilter, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { expect, it, vi } from 'vitest';
import {
  call,
  calls,
  durableOf,
  email,
  inMastra,
  inThread,
  load,
  newMemory,
  rig,
  search,
  tool,
  toolRecord,
  weather,
} from '../support/agent.ts';

const tools = () => toolRecord(weather(), email());

/** A filter with what it was asked, which first does what the test wants. */
function asking(first: (question: string) => unknown = () => true) {
  const asked: string[] = [];
  const filter = async ({ toolName, phase }: { toolName: string; phase: string }) => {
    asked.push(`${phase} ${toolName}`);
    return first(`${phase} ${toolName}`);
  };
  const counts = (start: string) => asked.filter((question) => question.startsWith(start)).length;
  return { asked, counts, filter: filter as ToolSearchFilter };
}

it('a tool is not sent on the step after its right is withdrawn, nor called loaded', async () => {
  let isActive = true;
  const own = tool('withdraw', 'Withdraws.', { execute: async () => (isActive = false) });
  const { agent, model } = rig(
    { tools: tools(), filter: ({ phase }) => phase !== 'active' || isActive },
    { script: calls(load('get_weather'), call('withdraw'), load('get_weather')), agent: { tools: { withdraw: own } } },
  );
  await agent.generate('weather');
  const sent = model.calls.map((_, step) => model.sent(step).includes('get_weather'));
  expect(sent).toEqual([false, true, false, false]);
  expect(model.result()).toMatchObject({ message: expect.stringContaining('Tool "get_weather" not found') });
});

it.each([false, true])(
  'a call in the run that loaded the tool asks the phase active alone: own tools %s',
  async (areOwn) => {
    const { counts, filter } = asking();
    const options = { filter, tools: areOwn ? {} : tools(), includeResolvedTools: areOwn };
    const script = calls(load('get_weather'), call('get_weather'));
    const { agent, model } = rig(options, { script, agent: areOwn ? { tools: tools() } : {} });
    inMastra(agent);
    await agent.generate('go');
    expect(model.result()).toMatchObject({ ran: 'get_weather' });
    expect([counts('load get_weather'), counts('active get_weather')]).toEqual([1, 3]);
  },
);

it('a DurableAgent that goes on after an approval, whenever that was, asks the filter anew', async () => {
  let isAllowed = true;
  const { counts, filter } = asking((question) => isAllowed || question.endsWith('waits'));
  const waits = tool('waits', 'Waits.', { requireApproval: true });
  const script = calls(load('waits'), search('weather'), call('waits'), search('weather'));
  const { agent, model } = rig({ tools: { ...tools(), waits }, filter }, { script, agent: { memory: newMemory() } });
  const durable = durableOf(agent);
  const run = await durable.stream('go', { ...inThread, maxSteps: 9 });
  for await (const { type } of run.output.fullStream) if (type === 'tool-call-approval') break;
  isAllowed = false;
  const resumed = await durable.resume(run.runId, { approved: true });
  await resumed.output.consumeStream();
  run.cleanup();
  expect(model.calls).toHaveLength(5);
  expect(counts('search get_weather')).toBe(2);
  expect(JSON.stringify(model.calls.at(-1)!.prompt)).toContain('No tools found matching');
});

const four = { toolNames: ['report_0', 'report_1', 'report_2', 'report_3'] };
it.each<
  [
    when: string,
    question: string,
    options: ToolSearchProcessorOptions,
    called: ReturnType<typeof call>[],
    models: number,
  ]
>([
  ['in a search', 'search report_2', { search: { autoLoad: true, topK: 500 } }, [search('report')], 1],
  ['in a load', 'load report_2', {}, [call('load_tool', four)], 1],
  ['for the injected catalog', 'search report_2', { injectCatalog: 'names' }, [search('report')], 0],
  ['before a tool would be sent', 'active report_1', {}, [load('report_1'), call('report_1')], 1],
  ['right before a tool would run', 'active report_1 again', {}, [load('report_1'), call('report_1')], 2],
])('a run that is aborted while the filter is asked %s ends, loads and runs nothing', async (...given) => {
  const [, question, options, called, models] = given;
  const execute = vi.fn();
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  const abort = new AbortController();
  // The answer that the run ends with never comes.
  const { asked, counts, filter } = asking((current) => {
    if (current !== question.replace(' again', '')) return true;
    if (question.endsWith(' again') && counts(current) === 1) return true;
    abort.abort();
    return new Promise(() => {});
  });
  const reports = Array.from({ length: 600 }, (_, n) => tool(`report_${n}`, 'Write a report.', { execute }));
  const { agent, model, processor, events } = rig(
    { tools: toolRecord(...reports), filter, ...options },
    { script: calls(...called), agent: { memory: newMemory() } },
  );
  const output = await agent.stream('go', { abortSignal: abort.signal, ...inThread, maxSteps: 9 });
  await output.consumeStream().catch(() => {});
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  const faults = ['filter-failed', 'filter-budget', 'call-denied'];
  expect(events.filter(({ type }) => faults.includes(type))).toEqual([]);
  expect(abort.signal.aborted).toBe(true);
  expect(execute).not.toHaveBeenCalled();
  expect(model.calls).toHaveLength(models);
  expect(asked.length).toBeLessThanOrEqual(256);
  if (!question.startsWith('active')) expect(processor.getStateStats().threadCount).toBe(0);
  if (question.startsWith('search')) expect(counts('load')).toBe(0);
});
