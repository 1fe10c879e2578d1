import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import * as anthropic3 from 'anthropic-v3';
import type { ToolSearchEvent } from 'mastra-tool-search';
import * as openai3First from 'openai-v3-first';
import { describe, expect, it, vi } from 'vitest';
import { part } from '../support/breadth.ts';
import type { FakeError } from './fakes/fake-provider.ts';
import type { Sent } from './rig/goals.ts';
import { FORMS_AND_MODES, type Form, type GoalRig, goalRig, KINDS, type Mode, say } from './rig/rig.ts';
import { anthropicService, type Interruption, openaiService } from './rig/services.ts';

const error = (status: number, message: string): FakeError => ({ status, error: { message } });

const REFUSALS: Readonly<Record<Form['dialect'], readonly string[]>> = {
  anthropic: [
    'tool search is not supported on this model',
    'tools.3.defer_loading: Extra inputs are not permitted',
    "Tool reference 'get_weather' not found in available tools",
    "messages.2.content.0.tool_result.content.0: Input tag 'tool_reference' found using 'type' does not match any of the expected tags",
    "tools.1: Input tag 'tool_search_tool_bm25_20251119' found using 'type' does not match any of the expected tags",
  ],
  openai: [
    'Unsupported tool type: tool_search',
    "Tool 'tool_search' is not supported with gpt-5.4.",
    "Unknown parameter: 'tools[2].defer_loading'.",
    "Invalid value: 'tool_search_output'. Supported values are: 'message', 'function_call'.",
  ],
};

/** Refuses what is native as long as `isOn`. */
const refuseNative = (message: string, isOn: (view: Sent) => boolean = () => true): Interruption => {
  return (view) => (view.isNative && isOn(view) ? error(400, message) : undefined);
};

const offs = (events: readonly ToolSearchEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : []));

/** What a request must not hold after a refusal. */
function expectLoadMode(views: readonly Sent[]): void {
  expect(views.length).toBeGreaterThan(0);
  for (const { isNative, deferred, eager } of views) {
    expect([isNative, deferred]).toEqual([false, []]);
    expect(eager).toEqual(expect.arrayContaining(['own_tool', 'search_tools', 'load_tool']));
    expect(eager).not.toContain('filler_1');
  }
}

const kindsForms = KINDS.flatMap((kind) => FORMS_AND_MODES.map((form) => ({ ...form, kind })));
/** Those whose searches load something. */
const loading = kindsForms.filter(({ kind, ...form }) => kind === 'Agent' || form.execution === 'client');
const refusals = part(
  kindsForms.flatMap((form) => REFUSALS[form.dialect].map((message) => ({ ...form, message }))),
  'values',
);

describe('a 400 that names the tool search', () => {
  it.each(refusals)(
    'is tried again in load mode: $kind, $dialect $execution, $mode, $message',
    async ({ kind, mode, message, ...form }) => {
      let isOn = true;
      const interrupt = refuseNative(message, () => isOn);
      const { agent, service, events, refused } = goalRig(form, { kind, hearsErrors: true, interrupt });
      expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
      const [first, ...others] = service.views();
      expect(first?.isNative).toBe(true);
      expectLoadMode(others);
      expect(offs(events)).toEqual(['refused']);
      // What was wrong with a conversation is forgotten with the run; what the model lacks, it lacks in the next one too.
      isOn = false;
      const isRemembered = !message.includes('not found');
      const before = service.views().length;
      await say(agent, mode, 'use get_weather');
      expect(service.views()[before]?.isNative).toBe(!isRemembered);
      expect(service.views()[before]?.eager.includes('load_tool')).toBe(isRemembered);
      expect(offs(events)).toEqual(isRemembered ? ['refused', 'refused'] : ['refused']);
      expect(refused()).toEqual([]);
    },
  );

  it.each(loading)(
    'is tried again with what an earlier turn loaded: $kind, $dialect $execution, $mode',
    async ({ kind, mode, ...form }) => {
      let isOn = false;
      const message = "Tool reference 'get_weather' not found: tool_search";
      const { agent, service, events, refused } = goalRig(form, {
        kind,
        hearsErrors: true,
        interrupt: refuseNative(message, () => isOn),
      });
      await say(agent, mode, 'find get_weather');
      isOn = true;
      const before = service.views().length;
      expect((await say(agent, mode, 'use send_email')).text).toBe('done');
      const [first, ...others] = service.views().slice(before);
      expect(first?.isNative).toBe(true);
      expectLoadMode(others);
      for (const { eager } of others) expect(eager).toContain('get_weather');
      expect(offs(events)).toEqual(['refused']);
      expect(refused()).toEqual([]);
    },
  );

  it.each(loading)('is tried again between search and answer: $kind, $dialect $execution, $mode', async (one) => {
    const { kind, mode, ...form } = one;
    const { agent, service, events, refused } = goalRig(form, {
      kind,
      hearsErrors: true,
      interrupt: refuseNative('tool search is not supported', ({ calls }) => calls.length > 0),
    });
    expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
    const views = service.views();
    expect(views.slice(0, 2).map(({ isNative }) => isNative)).toEqual([true, true]);
    expectLoadMode(views.slice(2));
    for (const { eager } of views.slice(2)) expect(eager).toContain('get_weather');
    expect(offs(events)).toEqual(['refused']);
    expect(refused()).toEqual([]);
  });
});

describe('a model whose tool search was refused', () => {
  const refuseOnce = async (): Promise<GoalRig> => {
    const interrupt = refuseNative("Tool 'tool_search' is not supported with gpt-5.4.", ({ index }) => index === 0);
    const rig = goalRig({ dialect: 'openai', execution: 'client' }, { hearsErrors: true, interrupt });
    await say(rig.agent, 'generate', 'use get_weather');
    return rig;
  };
  const isNative = ({ service }: GoalRig): boolean | undefined => service.views().at(-1)?.isNative;

  it('gets load mode in other threads too, for an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const rig = await refuseOnce();
      const inThread = (thread: string): object => ({ memory: { thread, resource: 'ben' } });
      await say(rig.agent, 'generate', 'use get_weather', inThread('second'));
      expect(isNative(rig)).toBe(false);
      vi.advanceTimersByTime(60 * 60 * 1000);
      await say(rig.agent, 'generate', 'use get_weather', inThread('third'));
      expect(isNative(rig)).toBe(true);
      expect(rig.refused()).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not take native mode from other models, nor from other processors', async () => {
    const rig = await refuseOnce();
    const other = openai4.createOpenAI({ apiKey: 'x', fetch: rig.service.fake.fetch })('gpt-5.5');
    await say(rig.agent, 'generate', 'use send_email', { model: other });
    expect(isNative(rig)).toBe(true);
    const another = goalRig({ dialect: 'openai', execution: 'client' }, { service: rig.service });
    await say(another.agent, 'generate', 'use get_weather');
    expect(isNative(another)).toBe(true);
  });
});

describe('another failure', () => {
  const others: readonly FakeError[] = [
    error(400, 'prompt is too long: 210000 tokens > 200000 maximum'),
    error(400, 'messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1'),
    error(401, 'invalid x-api-key'),
    error(404, 'model: claude-sonnet-4-5 does not have tool search'),
    error(413, 'request_too_large: tool_search'),
  ];
  const cases = kindsForms
    .filter(({ mode }) => mode === 'generate')
    .flatMap((form) => others.map((failure) => ({ ...form, failure, message: failure.error.message })));

  it.each(cases)('is left alone: $kind, $dialect $execution: $message', async ({ kind, mode, failure, ...form }) => {
    const { agent, service, events } = goalRig(form, { kind, hearsErrors: true, interrupt: () => failure });
    await say(agent, mode, 'use get_weather').catch(() => undefined);
    expect(service.views()).toHaveLength(1);
    expect(offs(events)).toEqual([]);
  });

  it.each(
    kindsForms
      .filter(({ mode }) => mode === 'generate')
      .flatMap((form) => [429, 500].map((status) => ({ ...form, status }))),
  )('that may pass is left to Mastra: $status, $kind, $dialect $execution', async ({ kind, mode, status, ...form }) => {
    const { agent, service, events } = goalRig(form, {
      kind,
      hearsErrors: true,
      interrupt: () => ({ ...error(status, 'tool_search is overloaded'), headers: { 'retry-after-ms': '1' } }),
      agent: { maxRetries: 0 },
    });
    await say(agent, mode, 'use get_weather').catch(() => undefined);
    expect(service.views().every(({ isNative }) => isNative)).toBe(true);
    expect(offs(events)).toEqual([]);
  });
});

describe('a refused request is not tried again', () => {
  const message = 'tool search is not supported on this model';
  const run = async (form: Form & { mode: Mode }, options: Parameters<typeof goalRig>[1]): Promise<GoalRig> => {
    const rig = goalRig(form, { interrupt: refuseNative(message), ...options });
    await say(rig.agent, form.mode, 'use get_weather').catch(() => undefined);
    expect(rig.service.views()).toHaveLength(1);
    expect(offs(rig.events)).toEqual([]);
    return rig;
  };

  it.each(kindsForms)("with fallback 'error': $kind, $dialect $execution, $mode", async ({ kind, ...form }) => {
    await run(form, { kind, hearsErrors: true, native: { fallback: 'error' } });
  });

  it.each(kindsForms)('without errorProcessors: $kind, $dialect $execution, $mode', async ({ kind, ...form }) => {
    await run(form, { kind });
  });
});

describe('a refusal read from the error of a package', () => {
  const services = {
    'anthropic 3': { dialect: 'anthropic', create: anthropic3.createAnthropic },
    'anthropic 4': { dialect: 'anthropic', create: anthropic4.createAnthropic },
    'openai 3 (first)': { dialect: 'openai', create: openai3First.createOpenAI },
    'openai 4': { dialect: 'openai', create: openai4.createOpenAI },
  } as const;
  const names = Object.keys(services) as (keyof typeof services)[];
  const cases = names.flatMap((name) =>
    FORMS_AND_MODES.flatMap(({ dialect, ...form }) =>
      dialect === services[name].dialect ? [{ name, dialect, ...form }] : [],
    ),
  );

  it.each(cases)('is tried again in load mode: $name, $execution, $mode', async ({ name, mode, ...form }) => {
    const { dialect, create } = services[name];
    const interrupt = refuseNative('tool search is not supported');
    const service = dialect === 'anthropic' ? anthropicService(interrupt) : openaiService(interrupt);
    const id = dialect === 'anthropic' ? 'claude-sonnet-4-5' : 'gpt-5.4';
    const model = create({ apiKey: 'x', fetch: service.fake.fetch })(id);
    const { agent, events, refused } = goalRig(form, { hearsErrors: true, service, model });
    expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
    expect(offs(events)).toEqual(['refused']);
    expect(refused()).toEqual([]);
  });
});
