import { ToolSearchProcessor as CoreToolSearchProcessor, type ProcessInputStepArgs } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import {
  type MastraTool,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { funnel, parseEvents } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { through } from '../modes/call/setup.ts';
import {
  call,
  calls,
  email,
  fillerTools,
  load,
  META,
  type Rig,
  rig,
  tool,
  toolRecord,
  weather,
} from '../support/harness.ts';
import { asText, recordingSpan, type SpanRecord } from '../support/recording-span.ts';
import type { Script } from '../support/scripted-model.ts';
import { type Mode, run, turn, withMemory } from './missed-calls.ts';

const search = (query: string) => call('search_tools', { query });

interface Told extends Rig {
  readonly events: ToolSearchEvent[];
  /** The events without what differs between two runs. */
  readonly story: () => object[];
}

/** An agent with tools to find, and the events of its run. */
async function tell(
  options: Partial<ToolSearchProcessorOptions>,
  script: Script,
  mode: Mode = 'generate',
): Promise<Told> {
  const events: ToolSearchEvent[] = [];
  const made = rig(
    {
      tools: { ...toolRecord(weather(), email()), ...fillerTools(8) },
      onEvent: (event) => events.push(event),
      ...options,
    },
    { script, agent: withMemory() },
  );
  await run(made, mode, turn);
  const story = (): object[] =>
    events.map((event) => {
      const { time, runId, agentId, threadId, resourceId, ...own } = event as ToolSearchEvent & {
        readonly ms?: number;
      };
      expect([typeof time, typeof runId, agentId, threadId, resourceId]).toEqual([
        'number',
        'string',
        'test-agent',
        't',
        'r',
      ]);
      const { ms, ...rest } = own;
      if (ms !== undefined) expect(ms).toBeGreaterThanOrEqual(0);
      if (!('tokensSent' in rest)) return rest;
      const { tokensSent, tokensSaved, ...step } = rest;
      expect(tokensSent).toBeGreaterThan(0);
      return { ...step, isSaving: tokensSaved! > 0 };
    });
  return { ...made, events, story };
}

const step = (number: number, sent: readonly string[], deferred: number, more: object = {}) => ({
  ...{ type: 'step', step: number, sent: expect.toContainExactly(sent), deferred, preselected: [] },
  ...{ isSaving: expect.any(Boolean), ...more },
});

expect.extend({
  toContainExactly: (received: readonly string[], names: readonly string[]) => ({
    pass: JSON.stringify([...received].sort()) === JSON.stringify([...names].sort()),
    message: () => `expected ${received} to be ${names}`,
  }),
});
declare module 'vitest' {
  interface AsymmetricMatchersContaining {
    toContainExactly(names: readonly string[]): unknown;
  }
}

const found = (number: number, name: string, more: object = {}) => ({
  ...{ type: 'search', step: number, queries: ['weather'], results: [name], loaded: [] },
  ...{ scorer: 'bm25', candidates: 10, denied: 0, verdict: 'fits', ...more },
  returned: [{ name, score: expect.any(Number), confidence: expect.any(Number) }],
});

describe.each(['generate', 'stream', 'durable'] as const)('with %s, the events of a run', (mode) => {
  it('tell whose they are, also in a large catalog', async () => {
    const made = await tell(
      { tools: { ...toolRecord(weather()), ...fillerTools(501) } },
      calls(search('weather')),
      mode,
    );
    expect(made.story()).not.toEqual([]);
  });

  it('tell of a search, a load and a call', async () => {
    const told = await tell({}, calls(search('weather'), load('get_weather'), call('get_weather')), mode);
    expect(told.story()).toEqual([
      step(1, META, 10),
      found(1, 'get_weather'),
      step(2, META, 10),
      {
        ...{ type: 'load', step: 2, by: 'model' },
        ...{ loaded: ['get_weather'], alreadyLoaded: [], notFound: [], denied: [] },
      },
      step(3, [...META, 'get_weather'], 9),
      { type: 'call', step: 3, toolName: 'get_weather', ok: true },
      step(4, [...META, 'get_weather'], 9),
    ]);
    expect(new Set(told.events.map(({ runId }) => runId)).size).toBe(1);
    const log = told.events.map((event) => JSON.stringify(event)).join('\n');
    expect(parseEvents(log)).toEqual({ events: told.events, broken: 0 });
    expect(funnel(told.events)).toMatchObject({
      stages: [{ count: 1 }, { count: 1 }, { count: 1 }, { count: 1 }],
      tokens: { steps: 4 },
      turnsSaved: { total: 0 },
    });
  });

  it('tell of a call in call mode, which needs no load', async () => {
    const told = await tell({ mode: 'call' }, calls(search('weather'), through('get_weather')), mode);
    const meta = ['search_tools', 'call_tool'];
    expect(told.story()).toEqual([
      step(1, meta, 10),
      found(1, 'get_weather'),
      step(2, meta, 10),
      { type: 'call', step: 2, toolName: 'get_weather', ok: true },
      step(3, meta, 10),
    ]);
    expect(funnel(told.events).turnsSaved).toEqual({ total: 1, preselect: 0, runOnMiss: 0, direct: 1 });
  });

  it('tell of a tool that was preselected', async () => {
    const options = { preselect: { query: () => 'weather of a city' }, timeouts: { preselect: 10_000 } };
    const told = await tell(options, calls(call('get_weather')), mode);
    const [decision, first, called] = told.story();
    expect(decision).toMatchObject({ type: 'preselect', step: 1, tools: ['get_weather'] });
    expect(first).toEqual(step(1, [...META, 'get_weather'], 9, { preselected: ['get_weather'] }));
    expect(called).toEqual({ type: 'call', step: 1, toolName: 'get_weather', ok: true });
    expect(funnel(told.events).turnsSaved).toMatchObject({ total: 2, preselect: 2 });
  });

  it('tell of missed calls: one that runs, and one of a tool that does not exist', async () => {
    const told = await tell({ onMiss: 'run' }, calls(call('get_weather'), call('fly_to_the_moon')), mode);
    expect(told.story().filter((event) => (event as { type: string }).type !== 'step')).toEqual([
      { type: 'run-on-miss', step: 1, called: 'get_weather', toolName: 'get_weather' },
      { type: 'call', step: 1, toolName: 'get_weather', ok: true },
      { type: 'miss', step: 3, called: 'fly_to_the_moon', cause: 'unknown' },
    ]);
    expect(funnel(told.events)).toMatchObject({ misses: { total: 2, ran: 1, lost: 1 }, turnsSaved: { runOnMiss: 2 } });
  });
});

describe('the events of a run', () => {
  const only = (story: object[], ...types: readonly string[]) =>
    story.filter((event) => types.includes((event as { type: string }).type));

  it('tell of a denied load, which is not one of an unknown name', async () => {
    const filter = ({ toolName, phase }: { toolName: string; phase: string }) =>
      phase !== 'load' || toolName !== 'send_email';
    const names = { toolNames: ['send_email', 'nothing_like_it', 'get_weather'] };
    const told = await tell({ filter }, calls(call('load_tool', names), call('send_email')));
    expect(only(told.story(), 'load', 'miss')).toEqual([
      {
        ...{ type: 'load', step: 1, by: 'model', loaded: ['get_weather'], alreadyLoaded: [] },
        ...{ notFound: ['nothing_like_it'], denied: ['send_email'] },
      },
      { type: 'miss', step: 3, called: 'send_email', cause: 'denied' },
    ]);
    expect(funnel(told.events).loads).toMatchObject({ total: 1, neverCalled: 1, notFound: 1, denied: 1 });
  });

  it('tell how many tools a filter hid from a search', async () => {
    const filter = ({ toolName }: { toolName: string }) => !toolName.startsWith('filler_');
    const told = await tell({ filter }, calls(search('weather')));
    expect(only(told.story(), 'search')).toEqual([found(1, 'get_weather', { candidates: 2, denied: 8 })]);
  });

  it.each([
    { why: 'tools', maxLoaded: { tools: 1 }, description: 'Get the current weather of a city.' },
    { why: 'tokens', maxLoaded: { tokens: 100 }, description: 'Get the current weather of a city. '.repeat(4) },
  ])('tell which cap made a tool go: $why', async ({ why, maxLoaded, description }) => {
    const tools = toolRecord(tool('get_weather', description), email());
    const script = calls(load('send_email'), call('send_email'), load('get_weather'));
    const told = await tell({ tools, maxLoaded } as never, script);
    expect(only(told.story(), 'evict')).toEqual([{ type: 'evict', step: 3, toolNames: ['send_email'], cause: why }]);
  });

  it('tell of searches without a fit, and of a call that failed', async () => {
    const fails = tool('get_weather', 'Get the current weather of a city.', {
      execute: async () => {
        throw new Error('no network');
      },
    });
    const script = calls(search('xyzzy'), load('get_weather'), call('get_weather'));
    const told = await tell({ tools: toolRecord(fails, email()) }, script);
    expect(only(told.story(), 'search')).toMatchObject([
      { results: [], returned: [], verdict: 'nothing', candidates: 2 },
    ]);
    expect(only(told.story(), 'call')).toEqual([{ type: 'call', step: 3, toolName: 'get_weather', ok: false }]);
    const { searches, calls: called, unmatched } = funnel(told.events);
    expect([searches.unmatched, called, unmatched]).toEqual([
      1,
      { total: 1, failed: 1, denied: 0 },
      [{ query: 'xyzzy', count: 1 }],
    ]);
  });

  it('tell who unloaded a tool', async () => {
    const told = await tell({ metaTools: { unload: true } } as never, calls(load('get_weather')));
    await told.processor.unload({ threadId: 't', resourceId: 'r' }, ['get_weather']);
    expect(told.events.at(-1)).toEqual({
      ...{ type: 'unload', toolNames: ['get_weather'], by: 'method' },
      ...{ time: expect.any(Number), threadId: 't', resourceId: 'r' },
    });
  });
});

describe('processor.stats()', () => {
  it('counts from its first call on, as funnel() does', async () => {
    const events: ToolSearchEvent[] = [];
    const script = calls(search('weather'), load('get_weather'), call('get_weather'));
    const made = rig(
      { tools: { ...toolRecord(weather(), email()), ...fillerTools(8) }, onEvent: (event) => events.push(event) },
      { script, agent: withMemory() },
    );
    expect(await made.processor.stats()).toEqual(funnel([]));
    await run(made, 'generate', turn);
    const stats = await made.processor.stats();
    expect(stats).toEqual(funnel(events));
    expect(stats.stages.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
    (stats.tools as unknown[]).length = 0;
    expect((await made.processor.stats()).tools).toHaveLength(1);
  });
});

const SECRET = 'Turns off the alarm of the vault';

const toolOf = (id: string, description: string): MastraTool =>
  createTool({
    id,
    description,
    inputSchema: z.object({ code: z.string().describe(`${description}, by this code`), when: z.string().optional() }),
    execute: async () => 'ran',
  }) as unknown as MastraTool;

const catalog = (): Record<string, MastraTool> => ({
  subject: toolOf('subject', 'Subject'),
  secret_admin: toolOf('secret_admin', SECRET),
  ...Object.fromEntries(
    Array.from({ length: 98 }, (_, n) => [`filler_${n}`, toolOf(`filler_${n}`, `Padding number ${n}`)]),
  ),
});
const filter = ({ toolName }: { toolName: string }) => !toolName.startsWith('secret');

interface Traced {
  /** What the run's spans hold. */
  readonly text: string;
  /** The definitions in its `model_generation` span. */
  readonly definitions: string;
  /** What a processor placed before was given, without functions. */
  readonly before: string;
}

async function traced(Processor: typeof ToolSearchProcessor | typeof CoreToolSearchProcessor): Promise<Traced> {
  let before = '';
  const earlier = {
    id: 'earlier',
    processInputStep: ({ tools }: ProcessInputStepArgs) => {
      before += JSON.stringify(tools);
      return {};
    },
  };
  const processor = new Processor({ tools: catalog(), filter } as never);
  const { agent } = rig(
    { tools: {} },
    {
      script: calls(load('subject'), call('subject', { code: 'x' })),
      agent: { inputProcessors: [earlier as never, processor] },
    },
  );
  const records: SpanRecord[] = [];
  await agent.generate('go', { tracingContext: { currentSpan: recordingSpan(records) } } as never);
  const generation = records.find(({ type }) => type === 'model_generation');
  const attributes = (generation?.written[0] as { attributes?: { tools?: unknown } } | undefined)?.attributes;
  return { text: asText(records), definitions: JSON.stringify(attributes?.tools ?? []), before };
}

describe('the spans of a run over 100 tools, one of them denied,', () => {
  it('hold no description and no schema of what is not loaded', async () => {
    const { text, definitions, before } = await traced(ToolSearchProcessor);
    expect(text).toContain('model_generation');
    expect(definitions).toContain('"name":"filler_97"');
    for (const seen of [text, definitions, before]) {
      expect(seen).not.toContain(SECRET);
      expect(seen).not.toContain('Padding number');
    }
  });

  it('take 80 bytes at most for the name of a tool', async () => {
    const ours = await traced(ToolSearchProcessor);
    const theirs = await traced(CoreToolSearchProcessor as never);
    expect(ours.definitions.length).toBeLessThan(theirs.definitions.length + 100 * 80);
  });
});
