// What happens where a provider refuses its tool search.
import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import * as anthropic3 from 'anthropic-v3';
import fc from 'fast-check';
import * as openai3First from 'openai-v3-first';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { pairwise, part } from '../support/breadth.ts';
import type { FakeError } from './fakes/fake-provider.ts';
import type { Sent } from './rig/goals.ts';
import { FORMS_AND_MODES, type Form, type GoalRig, goalRig, KINDS, MODES, modelOf, say } from './rig/rig.ts';
import { type Interruption, serviceOf } from './rig/services.ts';

const error = (status: number, message: string): FakeError => ({
  ...{ status, error: { message } },
  headers: { 'retry-after-ms': '1' },
});
const UNSUPPORTED = 'tool search is not supported on this model';
const NOT_FOUND = "Tool reference 'get_weather' not found in available tools";
const REFUSALS: Readonly<Record<Form['dialect'], readonly string[]>> = {
  anthropic: [
    UNSUPPORTED,
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

/** What a request must not hold after a refusal. */
function expectLoadMode(views: readonly Sent[], ...loaded: readonly string[]): void {
  expect(views.length).toBeGreaterThan(0);
  for (const { isNative, deferred, eager } of views) {
    expect([isNative, deferred]).toEqual([false, []]);
    expect(eager).toEqual(expect.arrayContaining(['own_tool', 'search_tools', 'load_tool', ...loaded]));
    expect(eager).not.toContain('filler_1');
  }
}

const kindsForms = pairwise({ kind: KINDS, form: FORMS_AND_MODES }).map(({ kind, form }) => ({ kind, ...form }));
const each = <Item extends object>(items: (form: Form) => readonly Item[]) =>
  part(
    kindsForms.flatMap((form) => items(form).map((item) => ({ ...form, ...item }))),
    'values',
  );

describe('a 400 that names the tool search', () => {
  it.each(each(({ dialect }) => REFUSALS[dialect].map((message) => ({ message }))))(
    'is tried again in load mode: $kind, $dialect $execution, $mode, $message',
    async ({ kind, mode, message, ...form }) => {
      let isOn = true;
      const interrupt = refuseNative(message, () => isOn);
      const { agent, service, offs, refused, done } = goalRig(form, { kind, hearsErrors: true, interrupt });
      await done(mode, 'use get_weather');
      const [first, ...others] = service.views();
      expect(first?.isNative).toBe(true);
      expectLoadMode(others);
      expect(offs()).toEqual(['refused']);
      // What was wrong with a conversation is forgotten with the run; what the model lacks, it lacks in the next one too.
      isOn = false;
      const isRemembered = message !== NOT_FOUND;
      const before = service.views().length;
      await say(agent, mode, 'use get_weather');
      expect(service.views()[before]?.isNative).toBe(!isRemembered);
      expect([offs(), refused()]).toEqual([isRemembered ? ['refused', 'refused'] : ['refused'], []]);
    },
  );

  it.each(kindsForms.filter(({ kind, execution }) => kind === 'Agent' || execution === 'client'))(
    'is tried again with what an earlier turn, or the search before it, loaded: $kind, $dialect $execution, $mode',
    async ({ kind, mode, ...form }) => {
      for (const isEarlier of [true, false]) {
        let isOn = false;
        const interrupt = refuseNative(NOT_FOUND, ({ calls }) => isOn || (!isEarlier && calls.length > 0));
        const { agent, service, offs, refused, done } = goalRig(form, { kind, hearsErrors: true, interrupt });
        if (isEarlier) await say(agent, mode, 'find get_weather');
        isOn = isEarlier;
        const before = service.views().length;
        await done(mode, isEarlier ? 'use send_email' : 'use get_weather');
        const views = service.views().slice(before);
        expectLoadMode(views.slice(views.findIndex(({ isNative }) => !isNative)), 'get_weather');
        expect([offs(), refused()]).toEqual([['refused'], []]);
      }
    },
  );

  const creators = [
    anthropic3.createAnthropic,
    anthropic4.createAnthropic,
    openai3First.createOpenAI,
    openai4.createOpenAI,
  ];
  it.each(pairwise({ create: creators, mode: MODES }))(
    'is read from the error of a package: $mode',
    async ({ create, mode }) => {
      const dialect = creators.indexOf(create) < 2 ? 'anthropic' : 'openai';
      const service = serviceOf(dialect, refuseNative('tool search is not supported'));
      const model = create({ apiKey: 'x', fetch: service.fake.fetch })(
        { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5.4' }[dialect],
      );
      const rig = goalRig({ dialect, execution: 'client' }, { hearsErrors: true, service, model });
      await rig.done(mode, 'use get_weather');
      expect([rig.offs(), rig.refused()]).toEqual([['refused'], []]);
    },
  );
});

describe('a model whose tool search was refused', () => {
  const refuseOnce = async (): Promise<GoalRig> => {
    const interrupt = refuseNative("Tool 'tool_search' is not supported with gpt-5.4.", ({ index }) => index === 0);
    const rig = goalRig({ dialect: 'openai', execution: 'client' }, { hearsErrors: true, interrupt });
    await rig.done('generate', 'use get_weather');
    return rig;
  };
  const isNative = ({ service }: GoalRig): boolean | undefined => service.views().at(-1)?.isNative;

  it('gets load mode in other threads too, for an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const rig = await refuseOnce();
    const inThread = (thread: string): object => ({ memory: { thread, resource: 'ben' } });
    await say(rig.agent, 'generate', 'use get_weather', inThread('second'));
    expect(isNative(rig)).toBe(false);
    vi.advanceTimersByTime(60 * 60 * 1000);
    await say(rig.agent, 'generate', 'use get_weather', inThread('third'));
    expect([isNative(rig), rig.refused()]).toEqual([true, []]);
  });

  it('does not take native mode from other models, nor from other processors', async () => {
    const rig = await refuseOnce();
    const other = openai4.createOpenAI({ apiKey: 'x', fetch: rig.service.fake.fetch })('gpt-5.5');
    await say(rig.agent, 'generate', 'use send_email', { model: other });
    expect(isNative(rig)).toBe(true);
    const another = goalRig({ dialect: 'openai', execution: 'client' }, { service: rig.service });
    await another.done('generate', 'use get_weather');
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

  it.each(each(() => others.map((failure) => ({ failure, why: failure.error.message }))))(
    'after another failure: $kind, $dialect $execution: $why',
    async ({ kind, mode, failure, ...form }) => {
      const rig = goalRig(form, { kind, hearsErrors: true, interrupt: () => failure, agent: { maxRetries: 0 } });
      await say(rig.agent, mode, 'use get_weather').catch(() => undefined);
      // What may pass is left to Mastra.
      if (failure.status < 429) expect(rig.service.views()).toHaveLength(1);
      expect(rig.service.views().every(({ isNative }) => isNative)).toBe(true);
      expect(rig.offs()).toEqual([]);
    },
  );

  it.each(kindsForms)(
    "with fallback 'error', or without errorProcessors: $kind, $dialect $execution, $mode",
    async ({ kind, mode, ...form }) => {
      for (const more of [{ hearsErrors: true, native: { fallback: 'error' } }, {}] as const) {
        const rig = goalRig(form, { kind, interrupt: refuseNative(UNSUPPORTED), ...more });
        await say(rig.agent, mode, 'use get_weather').catch(() => undefined);
        expect([rig.service.views().length, rig.offs()]).toEqual([1, []]);
      }
    },
  );
});

const fallbacks = pairwise({
  ...{ kind: KINDS, mode: MODES, execution: ['client', 'server'] },
  order: [['anthropic', 'openai'] as const, ['openai', 'anthropic'] as const],
  what: ['is heard', 'is not heard', 'is down'],
});

it.each(fallbacks)(
  'a list of fallback models is entered where a refusal is not tried again: $what; $kind, $mode, $execution, $order',
  async ({ kind, mode, execution, order: [first, second], what }) => {
    const service = serviceOf(first, what === 'is down' ? () => error(500, 'down') : refuseNative(UNSUPPORTED));
    const other = serviceOf(second);
    const model = [
      { model: modelOf(first, service.fake), maxRetries: 0 },
      { model: modelOf(second, other.fake), maxRetries: 0 },
    ];
    const hearsErrors = what === 'is heard';
    const rig = goalRig({ dialect: first, execution }, { kind, service, model, hearsErrors });
    await rig.done(mode, 'use get_weather');
    expect([...rig.refused(), ...other.fake.refused]).toEqual([]);
    expect(rig.offs()).toEqual(hearsErrors ? ['refused'] : []);
    if (hearsErrors) expectLoadMode(service.views().slice(1));
    expect(other.views().length > 1).toBe(!hearsErrors);
    for (const { isNative, eager, foreign } of other.views()) {
      expect([isNative, eager.includes('load_tool'), foreign]).toEqual([true, false, []]);
    }
  },
);

describe('an error that the hook is given', () => {
  /** Whether the request of a native step is worth another try after this error. */
  async function isRefusal(given: unknown): Promise<boolean> {
    const session = new Session({ tools: {}, mode: 'native' });
    const state = {};
    const model = { specificationVersion: 'v3', provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
    await session.step({ model, tools: {}, state });
    const { processor, requestContext, messageList } = session;
    const args = { error: given, state, requestContext, messageList, retryCount: 0 };
    return processor.processAPIError(args as never)?.retry === true;
  }
  const refusal = { statusCode: 400, message: UNSUPPORTED };
  const deep = (depth: number): object => (depth === 0 ? refusal : { message: 'wrapped', cause: deep(depth - 1) });
  const get = (): never => {
    throw new Error('no');
  };
  const throwing = new Proxy({}, { get });
  const cyclic: Record<string, unknown> = {};
  Object.assign(cyclic, { cause: cyclic, lastError: cyclic });

  it.each([
    ['its message', refusal, true],
    ['the body of the answer', { statusCode: 400, message: 'Bad', responseBody: '{"m":"defer_loading"}' }, true],
    ['the cause', new Error('failed', { cause: refusal }), true],
    ['the last of several tries', { message: 'Failed after 3 attempts', lastError: refusal }, true],
    ['what is within others', deep(3), true],
    ['what is too deep', deep(50), false],
    ['a cycle', cyclic, false],
    ['a status as a text', { ...refusal, statusCode: '400' }, false],
    ['a symbol', { statusCode: 400, message: Symbol('x') }, false],
    ['what throws', throwing, false],
    ['a message that throws', { statusCode: 400, message: throwing }, false],
    ['a text', UNSUPPORTED, false],
    ['nothing', undefined, false],
  ])('is a refusal of tool search by %s', async (_, given, expected) => {
    expect(await isRefusal(given)).toBe(expected);
  });

  it('may be anything', async () => {
    const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true });
    const property = fc.asyncProperty(anything, async (value) => {
      const within = { statusCode: 400, message: value, responseBody: value, cause: value, lastError: value };
      expect([await isRefusal(value), typeof (await isRefusal(within))]).toEqual([false, 'boolean']);
    });
    await fc.assert(property);
  });
});
