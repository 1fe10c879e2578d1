import { RequestContext } from '@mastra/core/request-context';
import type { ToolSearchEvent, ToolSearchFilter, ToolSearchFilterPhase } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { call, calls, durableOf, email, load, newMemory, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { toolNames } from '../support/scripted-model.ts';

const search = (query: string) => call('search_tools', { query });
const tools = () => toolRecord(weather(), email());

/** A filter with what it was asked, which first does what the test wants. */
function asking(first: (question: string) => unknown = () => true) {
  const asked: string[] = [];
  const filter = async ({ toolName, phase }: { toolName: string; phase: ToolSearchFilterPhase }) => {
    asked.push(`${phase} ${toolName}`);
    return first(`${phase} ${toolName}`);
  };
  return { asked, filter: filter as ToolSearchFilter };
}

describe('a request', () => {
  it('asks the filter once about each tool, over all its searches and loads', async () => {
    const { asked, filter } = asking();
    const { agent } = rig(
      { tools: tools(), filter, injectCatalog: true },
      { script: calls(search('weather'), search('weather city'), load('get_weather'), load('get_weather')) },
    );
    await agent.generate('weather');
    const counts = (phase: string) => asked.filter((question) => question.startsWith(phase));
    expect(counts('search')).toEqual(['search get_weather', 'search send_email']);
    expect(counts('load')).toEqual(['load get_weather']);
    // In each of the two steps behind the load.
    expect(counts('active')).toEqual(['active get_weather', 'active get_weather']);
  });

  it('asks the filter anew, also under the request context of the one before', async () => {
    const { asked, filter } = asking();
    const { agent } = rig({ tools: tools(), filter }, { script: calls(search('weather')) });
    const requestContext = new RequestContext();
    await agent.generate('weather', { requestContext });
    await Promise.all([
      agent.generate('weather', { requestContext }),
      agent.generate('weather', { requestContext: new RequestContext() }),
    ]);
    expect(asked.filter((question) => question === 'search get_weather')).toHaveLength(3);
  });

  it('does not send a tool on the step after its right is withdrawn, nor say that it is loaded', async () => {
    let isActive = true;
    const { agent, model } = rig(
      { tools: tools(), filter: ({ phase }) => phase !== 'active' || isActive },
      { script: calls(load('get_weather'), search('email'), load('get_weather')) },
    );
    const generate = model.doGenerate.bind(model);
    model.doGenerate = (async (options: never) => {
      const answer = await generate(options);
      if (model.calls.length === 2) isActive = false;
      return answer;
    }) as never;
    await agent.generate('weather');
    const sent = model.calls.map((received) => toolNames(received).includes('get_weather'));
    expect(sent).toEqual([false, true, false, false]);
    expect(JSON.stringify(model.calls.at(-1)!.prompt)).toContain('Tool \\"get_weather\\" not found');
  });
});

it('a DurableAgent that goes on after an approval, whenever that was, asks the filter anew', async () => {
  let isAllowed = true;
  const { asked, filter } = asking((question) => isAllowed || question.endsWith('waits'));
  const waits = tool('waits', 'Waits.', { requireApproval: true });
  const { agent, model } = rig(
    { tools: { ...tools(), waits }, filter },
    {
      script: calls(load('waits'), search('weather'), call('waits'), search('weather')),
      agent: { memory: newMemory() },
    },
  );
  const durable = durableOf(agent);
  const run = await durable.stream('go', { memory: { thread: 't', resource: 'r' }, maxSteps: 9 });
  for await (const { type } of run.output.fullStream) if (type === 'tool-call-approval') break;
  isAllowed = false;
  const resumed = await durable.resume(run.runId, { approved: true });
  await resumed.output.consumeStream();
  run.cleanup();
  expect(model.calls).toHaveLength(5);
  expect(asked.filter((question) => question === 'search get_weather')).toHaveLength(2);
  expect(JSON.stringify(model.calls.at(-1)!.prompt)).toContain('No tools found matching');
});

describe('a run that is aborted while the filter is asked', () => {
  /** The run ends when the filter is asked that, or asked it again; the answer never comes. */
  async function abortAt(question: string, options: object, ...toolCalls: { toolName: string; input: unknown }[]) {
    const [what, isAgain] = [question.replace(' again', ''), question.endsWith(' again')];
    let hasBeenAsked = false;
    const execute = vi.fn();
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const abort = new AbortController();
    const events: ToolSearchEvent[] = [];
    const { asked, filter } = asking((current) => {
      if (current !== what) return true;
      if (isAgain && !hasBeenAsked) {
        hasBeenAsked = true;
        return true;
      }
      abort.abort();
      return new Promise(() => {});
    });
    const many = toolRecord(
      ...Array.from({ length: 600 }, (_, n) => tool(`report_${n}`, 'Write a report.', { execute })),
    );
    const { agent, model, processor } = rig(
      { tools: many, filter, onEvent: (event) => void events.push(event), ...options },
      { script: calls(...toolCalls), agent: { memory: newMemory() } },
    );
    const memory = { thread: 't', resource: 'r' };
    const output = await agent.stream('go', { abortSignal: abort.signal, memory, maxSteps: 9 });
    await output.consumeStream().catch(() => {});
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(events.filter(({ type }) => type === 'filter-failed' || type === 'filter-budget')).toEqual([]);
    expect(abort.signal.aborted).toBe(true);
    expect(execute).not.toHaveBeenCalled();
    return { asked, model, events, loaded: processor.getStateStats().threadCount };
  }

  it('in a search asks no more and loads nothing', async () => {
    const { asked, model, loaded } = await abortAt(
      'search report_2',
      { search: { autoLoad: true, topK: 500 } },
      search('report'),
    );
    expect(asked.length).toBeLessThanOrEqual(256);
    expect(asked.filter((question) => question.startsWith('load'))).toEqual([]);
    expect([model.calls.length, loaded]).toEqual([1, 0]);
  });

  it('in a load loads nothing', async () => {
    const toolNames = ['report_0', 'report_1', 'report_2', 'report_3'];
    const { model, loaded } = await abortAt('load report_2', {}, call('load_tool', { toolNames }));
    expect([model.calls.length, loaded]).toEqual([1, 0]);
  });

  it('for the injected catalog ends without a call of the model', async () => {
    const { asked, model } = await abortAt('search report_2', { injectCatalog: 'names' }, search('report'));
    expect(asked.length).toBeLessThanOrEqual(256);
    expect(model.calls.length).toBe(0);
  });

  it.each([
    { when: 'before it would be sent', question: 'active report_1', models: 1 },
    { when: 'right before it would run', question: 'active report_1 again', models: 2 },
  ])('for the right to use a tool, $when, does not run the tool', async ({ question, models }) => {
    const { events, model } = await abortAt(question, {}, load('report_1'), call('report_1'));
    expect(model.calls).toHaveLength(models);
    expect(events.map(({ type }) => type)).not.toContain('call-denied');
  });
});
