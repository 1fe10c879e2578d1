// What happens where a provider refuses its tool search.
import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import * as anthropic3 from 'anthropic-v3';
import fc from 'fast-check';
import type { ToolSearchEvent } from 'mastra-tool-search';
import * as openai3First from 'openai-v3-first';
import { describe, expect, it, vi } from 'vitest';
import { refuses } from '../../src/native/refusal.ts';
import { pairwise, part } from '../support/breadth.ts';
import type { FakeError } from './fakes/fake-provider.ts';
import type { Sent } from './rig/goals.ts';
import {
  CLIENT_FORMS,
  FORMS_AND_MODES,
  type Form,
  type GoalRig,
  goalRig,
  KINDS,
  MODES,
  modelOf,
  say,
} from './rig/rig.ts';
import { anthropicService, type Interruption, openaiService } from './rig/services.ts';

const error = (status: number, message: string): FakeError => ({
  ...{ status, error: { message } },
  headers: { 'retry-after-ms': '1' },
});
const NOT_FOUND = "Tool reference 'get_weather' not found in available tools";
const REFUSALS: Readonly<Record<Form['dialect'], readonly string[]>> = {
  anthropic: [
    'tool search is not supported on this model',
    'tools.3.defer_loading: Extra inputs are not permitted',
    NOT_FOUND,
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
const refuseNative =
  (message: string, isOn: (view: Sent) => boolean = () => true): Interruption =>
  (view) =>
    view.isNative && isOn(view) ? error(400, message) : undefined;

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

const kindsForms = pairwise({ kind: KINDS, form: FORMS_AND_MODES }).map(({ kind, form }) => ({ kind, ...form }));
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
      const isRemembered = message !== NOT_FOUND;
      const before = service.views().length;
      await say(agent, mode, 'use get_weather');
      expect(service.views()[before]?.isNative).toBe(!isRemembered);
      expect(offs(events)).toEqual(isRemembered ? ['refused', 'refused'] : ['refused']);
      expect(refused()).toEqual([]);
    },
  );

  it.each(kindsForms.filter(({ kind, execution }) => kind === 'Agent' || execution === 'client'))(
    'is tried again with what an earlier turn, or the search before it, loaded: $kind, $dialect $execution, $mode',
    async ({ kind, mode, ...form }) => {
      for (const said of ['use send_email', 'use get_weather']) {
        let isOn = false;
        const interrupt = refuseNative(
          NOT_FOUND,
          ({ calls }) => isOn || (said === 'use get_weather' && calls.length > 0),
        );
        const { agent, service, events, refused } = goalRig(form, { kind, hearsErrors: true, interrupt });
        if (said === 'use send_email') await say(agent, mode, 'find get_weather');
        isOn = said === 'use send_email';
        const before = service.views().length;
        expect((await say(agent, mode, said)).text).toBe('done');
        const views = service.views().slice(before);
        const others = views.slice(views.findIndex(({ isNative }) => !isNative));
        expectLoadMode(others);
        for (const { eager } of others) expect(eager).toContain('get_weather');
        expect([offs(events), refused()]).toEqual([['refused'], []]);
      }
    },
  );

  const creators = [
    anthropic3.createAnthropic,
    anthropic4.createAnthropic,
    openai3First.createOpenAI,
    openai4.createOpenAI,
  ];

  it.each(creators.flatMap((create, at) => MODES.map((mode) => ({ create, at, mode }))))(
    'is read from the error of a package: $at, $mode',
    async ({ create, at, mode }) => {
      const interrupt = refuseNative('tool search is not supported');
      const service = at < 2 ? anthropicService(interrupt) : openaiService(interrupt);
      const model = create({ apiKey: 'x', fetch: service.fake.fetch })(at < 2 ? 'claude-sonnet-4-5' : 'gpt-5.4');
      const rig = goalRig(CLIENT_FORMS[0]!, { hearsErrors: true, service, model });
      expect((await say(rig.agent, mode, 'use get_weather')).text).toBe('done');
      expect([offs(rig.events), rig.refused()]).toEqual([['refused'], []]);
    },
  );
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
      expect([isNative(rig), rig.refused()]).toEqual([true, []]);
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

describe('a request is not tried again', () => {
  const others = [
    error(400, 'prompt is too long: 210000 tokens > 200000 maximum'),
    error(400, 'messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1'),
    error(401, 'invalid x-api-key'),
    error(404, 'model: claude-sonnet-4-5 does not have tool search'),
    error(413, 'request_too_large: tool_search'),
    error(429, 'tool_search is overloaded'),
    error(500, 'tool_search is overloaded'),
  ];
  const failures = part(
    kindsForms.flatMap((form) => others.map((failure) => ({ ...form, failure, why: failure.error.message }))),
    'values',
  );

  it.each(failures)(
    'after another failure: $kind, $dialect $execution: $why',
    async ({ kind, mode, failure, ...form }) => {
      const rig = goalRig(form, { kind, hearsErrors: true, interrupt: () => failure, agent: { maxRetries: 0 } });
      await say(rig.agent, mode, 'use get_weather').catch(() => undefined);
      // What may pass is left to Mastra.
      if (failure.status < 429) expect(rig.service.views()).toHaveLength(1);
      expect(rig.service.views().every(({ isNative }) => isNative)).toBe(true);
      expect(offs(rig.events)).toEqual([]);
    },
  );

  it.each(kindsForms)(
    "with fallback 'error', or without errorProcessors: $kind, $dialect $execution, $mode",
    async ({ kind, mode, ...form }) => {
      const interrupt = refuseNative('tool search is not supported on this model');
      for (const more of [{ hearsErrors: true, native: { fallback: 'error' } }, {}] as const) {
        const rig = goalRig(form, { kind, interrupt, ...more });
        await say(rig.agent, mode, 'use get_weather').catch(() => undefined);
        expect(rig.service.views()).toHaveLength(1);
        expect(offs(rig.events)).toEqual([]);
      }
    },
  );
});

describe('a list of fallback models', () => {
  const refusing: Interruption = refuseNative('tool search is not supported on this model');
  const isDown: Interruption = () => error(500, 'down');
  const orders = [
    ['anthropic', 'openai'],
    ['openai', 'anthropic'],
  ] as const;
  const cases = pairwise({
    ...{ kind: KINDS, mode: MODES, execution: ['client', 'server'], order: orders },
    what: ['is heard', 'is not heard', 'is down'],
  });

  it.each(cases)(
    'is entered where a refusal is not tried again: $what; $kind, $mode, $execution, $order',
    async ({ kind, mode, execution, order: [first, second], what }) => {
      const serviceOf = (dialect: typeof first, interrupt?: Interruption) =>
        dialect === 'anthropic' ? anthropicService(interrupt) : openaiService(interrupt);
      const service = serviceOf(first, what === 'is down' ? isDown : refusing);
      const other = serviceOf(second);
      const model = [
        { model: modelOf(first, service.fake), maxRetries: 0 },
        { model: modelOf(second, other.fake), maxRetries: 0 },
      ];
      const hearsErrors = what === 'is heard';
      const { agent, events, refused } = goalRig({ dialect: first, execution }, { kind, service, model, hearsErrors });
      expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
      expect([...refused(), ...other.fake.refused]).toEqual([]);
      expect(offs(events)).toEqual(hearsErrors ? ['refused'] : []);
      if (hearsErrors) expectLoadMode(service.views().slice(1));
      expect(other.views().length > 1).toBe(!hearsErrors);
      for (const { isNative, eager, foreign } of other.views()) {
        expect([isNative, eager.includes('load_tool'), foreign]).toEqual([true, false, []]);
      }
    },
  );
});

describe('an error', () => {
  const refusal = { statusCode: 400, message: 'tool search is not supported' };
  const deep = (depth: number): object => (depth === 0 ? refusal : { message: 'wrapped', cause: deep(depth - 1) });
  const throwing = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
    },
  );
  const cyclic: Record<string, unknown> = {};
  Object.assign(cyclic, { cause: cyclic, lastError: cyclic });

  it.each([
    ['its message', refusal, true],
    [
      'the body of the answer',
      { statusCode: 400, message: 'Bad Request', responseBody: '{"m":"defer_loading"}' },
      true,
    ],
    ['the cause', new Error('failed', { cause: refusal }), true],
    ['the last of several tries', { message: 'Failed after 3 attempts', lastError: refusal }, true],
    ['what is within others', deep(3), true],
    ['what is too deep', deep(50), false],
    ['a cycle', cyclic, false],
    ['another status', { ...refusal, statusCode: 404 }, false],
    ['a status as a text', { ...refusal, statusCode: '400' }, false],
    ['another complaint', { statusCode: 400, message: 'prompt is too long' }, false],
    ['a symbol', { statusCode: 400, message: Symbol('x') }, false],
    ['what throws', throwing, false],
    ['a message that throws', { statusCode: 400, message: throwing }, false],
    ['a text', 'tool search is not supported', false],
    ['nothing', undefined, false],
  ])('is a refusal of tool search by %s', (_, given, expected) => {
    expect(refuses(given, 'toolSearch')).toBe(expected);
  });

  it('may be anything', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), (value) => {
        expect(refuses(value, 'toolSearch')).toBe(false);
        const within = { statusCode: 400, message: value, responseBody: value, cause: value, lastError: value };
        expect(typeof refuses(within, 'toolSearch')).toBe('boolean');
      }),
    );
  });
});
