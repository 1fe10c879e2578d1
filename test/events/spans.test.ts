import { randomUUID } from 'node:crypto';
import { SamplingStrategyType } from '@mastra/observability';
import { bm25Scorer, type ToolScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { FORMS, goalRig } from '../native/rig/rig.ts';
import { call, calls, email, load, rig, searchLoadCall, tool, toolRecord } from '../support/harness.ts';
import { STEP, saidBy, search, traced } from './traced.ts';

/** The default scorer, whose index takes a while. */
const slowToBuild: ToolScorer = {
  ...bm25Scorer(),
  index: async (documents) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return bm25Scorer().index(documents);
  },
};
/** No two alike: processors of a process share the indexes of equal tools, and a shared index has no span. */
const tools = () => toolRecord(tool('get_weather', `Get the current weather of a city: ${randomUUID()}`), email());
const searchFor = (query: string) => ({ toolName: 'search_tools', input: { query } });

describe('the spans of a run', () => {
  it('say in load mode what was searched and loaded, and how the index came to be', async () => {
    const { agent } = rig({ tools: tools() }, { script: searchLoadCall('weather') });
    const { run, own, said, exporter } = traced(agent);
    await run();
    expect(await own()).toEqual([`${STEP} > index`, `${search} > search`]);
    expect(await said(search)).toMatchObject([{ type: 'search', results: ['get_weather'], loaded: [] }]);
    expect(await said("tool: 'load_tool'")).toMatchObject([{ type: 'load', loaded: ['get_weather'] }]);
    expect(await said('tool-search: index')).toEqual([
      { type: 'index', scorer: 'bm25', tools: 2, how: 'built', ms: expect.any(Number) },
    ]);
    expect(exporter.getIncompleteSpans()).toEqual([]);
    const steps = await said(STEP);
    const metaTools = ['search_tools', 'load_tool'];
    const withWeather = [...metaTools, 'get_weather'];
    expect(steps.map(({ sent }) => sent)).toEqual([metaTools, metaTools, withWeather, withWeather]);
    expect(steps[0]).toMatchObject({ type: 'step', deferred: 2, preselected: [], tokensSent: expect.any(Number) });
    const [found] = await said(search);
    expect(found).toMatchObject({ scorer: 'bm25', candidates: 2, denied: 0, returned: [{ name: 'get_weather' }] });
  });

  it('say in call mode what was searched, and which call runs without having been sent', async () => {
    const bridged = { toolName: 'call_tool', input: { toolName: 'get_weather', arguments: {} } };
    const script = calls(searchFor('weather'), bridged, call('send_email'));
    const { run, own, said } = traced(rig({ tools: tools(), mode: 'call' }, { script }).agent);
    await run();
    expect(await own()).toEqual([`${STEP} > index`, `${STEP} > run-on-miss`, `${search} > search`]);
    expect(await said('tool-search: run-on-miss')).toMatchObject([{ called: 'send_email', toolName: 'send_email' }]);
  });

  it.each(FORMS.flatMap((form) => (['Agent', 'DurableAgent'] as const).map((kind) => ({ ...form, kind }))))(
    'of $kind say in native mode ($dialect, $execution) what this package searched, or the provider found',
    async ({ kind, ...form }) => {
      const { run, own, said } = traced(goalRig(form, { kind, isAlone: true }).agent);
      await run('use get_weather', { memory: { thread: 't', resource: 'ann' } });
      const found = (await own()).filter((line) => !line.endsWith('> index'));
      if (form.execution === 'server') {
        expect(found).toEqual([`${STEP} > load`]);
        expect(await said('tool-search: load')).toMatchObject([{ loaded: ['get_weather'] }]);
      } else {
        // OpenAI's search has no span of Mastra.
        const parent = form.dialect === 'openai' ? 'step: 0' : search;
        expect(found).toEqual([`${parent} > search`]);
        expect(await said('tool-search: search')).toMatchObject([
          { results: ['get_weather'], loaded: ['get_weather'] },
        ]);
      }
    },
  );

  it.each<[why: string, options: object]>([
    ['what the run began with', { tools: tools() }],
    // Begun before the first step.
    ['how its index came to be', { tools: async () => tools(), search: { scorer: slowToBuild } }],
  ])('say %s', async (_, given) => {
    const options = { ...given, preselect: { minConfidence: 0.5 }, timeouts: { preselect: 10_000, index: 10_000 } };
    const { agent } = rig(options, { script: calls(call('get_weather')) });
    const { run, own, said } = traced(agent);
    await run('What is the weather in Paris?');
    expect(await own()).toEqual([`${STEP} > index`, `${STEP} > preselect`]);
    expect(await said('tool-search: preselect')).toMatchObject([{ tools: ['get_weather'] }]);
  });

  it('say what made room, what was called without being loaded, and what was unloaded', async () => {
    const options = { tools: tools(), maxLoaded: { tools: 1 }, onMiss: 'load', metaTools: { unload: true } } as const;
    const unload = { toolName: 'unload_tool', input: { toolNames: ['send_email'] } };
    const { run, own, said } = traced(
      rig(options, { script: calls(load('get_weather'), call('send_email'), call('send_email'), unload) }).agent,
    );
    // After a call of a tool that Mastra has not, a run ends.
    await run('go', { memory: undefined });
    expect((await own()).filter((line) => !line.endsWith('> index'))).toEqual([
      `${STEP} > evict`,
      `${STEP} > load-on-miss`,
    ]);
    expect(await said('tool-search: evict')).toMatchObject([{ toolNames: ['get_weather'] }]);
    expect(await said('tool-search: load-on-miss')).toMatchObject([{ called: 'send_email', loaded: 'send_email' }]);
  });
});

describe('the spans of what fails', () => {
  const broken: ToolScorer = {
    name: 'broken',
    index: () => {
      throw new TypeError('The index is broken.');
    },
  };

  it('hold the error of a scorer, and all of them end', async () => {
    const options = { tools: tools(), search: { scorer: broken } };
    const { run, own, spans, exporter } = traced(rig(options, { script: calls(searchFor('weather')) }).agent);
    await run();
    expect(await own()).toEqual([`${search} > scorer-failed`, `${search} > search`]);
    const failed = (await spans()).find(({ name }) => name === 'tool-search: scorer-failed');
    expect(failed?.errorInfo).toMatchObject({ name: 'TypeError', message: 'The index is broken.' });
    expect(failed && saidBy(failed)).toEqual({ type: 'scorer-failed', scorer: 'broken' });
    expect(exporter.getIncompleteSpans()).toEqual([]);
  });
});

it('a span holds its event, without words of the query, and with lists of 50 items at most, and few are of one fault', async () => {
  const of = (what: string) => Array.from({ length: 80 }, (_, n) => tool(`${what}_${n}`, `Sends a ${what}.`));
  const many = toolRecord(...of('letter'), ...of('parcel'));
  const filter = ({ phase }: { phase: string }) => phase !== 'load' || JSON.parse('down');
  const script = calls(searchFor('secret letter'), load('letter_*'));
  const { run, spans, own } = traced(rig({ tools: many, search: { topK: 80 }, filter }, { script }).agent);
  await run();
  const searched = (await spans()).find(({ name }) => name === 'tool-search: search');
  const { results, resultsCount } = (searched && saidBy(searched)) ?? {};
  expect([(results as unknown[]).length, resultsCount]).toEqual([50, 80]);
  expect(JSON.stringify(searched)).not.toContain('secret');
  const failed = (await own()).filter((line) => line.endsWith('> filter-failed'));
  expect(failed.length).toBeGreaterThan(10);
  expect(failed.length).toBeLessThanOrEqual(40);
});

it.each<[how: string, config: object | null]>([
  ['without observability', null],
  ['in a run that is not sampled', { sampling: { type: SamplingStrategyType.NEVER } }],
  ['where the exporter wants none of these spans', { excludeSpanTypes: ['generic'] }],
])('nothing is traced, and the run is the same, %s', async (_name, config) => {
  const { agent, model } = rig({ tools: tools() }, { script: searchLoadCall('weather') });
  const { run, own } = traced(agent, config);
  await run();
  expect(model.calls).toHaveLength(4);
  expect(await own()).toEqual([]);
});

it.each(['update', 'createChildSpan', 'createEventSpan', 'isValid', 'type', 'endTime'])(
  'a tracer changes nothing where %s throws',
  async (member) => {
    const span = { isValid: true, type: 'tool_call', update() {}, createChildSpan: () => span, createEventSpan() {} };
    Object.defineProperty(span, member, { get: () => JSON.parse('out of order') });
    const tracingContext = { currentSpan: span };
    const options = { preselect: { minConfidence: 0.5 }, timeouts: { preselect: 10_000 } };
    const session = new Session({ tools: tools(), ...options });
    const { tools: sent } = await session.step({ tracingContext });
    const run = (name: string, input: object) => sent[name]?.execute?.(input as never, { tracingContext } as never);
    expect(await run('search_tools', { query: 'weather' })).toMatchObject({ results: [{ name: 'get_weather' }] });
    expect(await run('load_tool', { toolName: 'get_weather' })).toMatchObject({ success: true });
    expect(await session.sent({ tracingContext })).toEqual(['get_weather']);
  },
);
