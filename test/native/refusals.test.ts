// What happens where a provider refuses its tool search.
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import type { FakeError } from './fakes/fake-provider.ts';
import type { Sent } from './rig/goals.ts';
import { dialectOf, modelFrom } from './rig/package-runs.ts';
import { CASES, type Form, type GoalRig, goalRig, KINDS, say } from './rig/rig.ts';
import { type Interruption, serviceOf } from './rig/services.ts';

const error = (status: number, message: string): FakeError => ({
  ...{ status, error: { message } },
  headers: { 'retry-after-ms': '1' },
});
const UNSUPPORTED = 'tool search is not supported on this model';
const NOT_FOUND = "Tool reference 'get_weather' not found in available tools";
const REFUSALS: readonly (readonly [Form['dialect'], string])[] = [
  ['anthropic', UNSUPPORTED],
  ['anthropic', 'tools.3.defer_loading: Extra inputs are not permitted'],
  ['anthropic', NOT_FOUND],
  ['anthropic', "content.0: Input tag 'tool_reference' found using 'type' does not match any of the expected tags"],
  ['anthropic', "tools.1: Input tag 'tool_search_tool_bm25_20251119' does not match any of the expected tags"],
  ['openai', 'Unsupported tool type: tool_search'],
  ['openai', "Unknown parameter: 'tools[2].defer_loading'."],
  ['openai', "Invalid value: 'tool_search_output'. Supported values are: 'message', 'function_call'."],
];

/** Refuses what is native as long as `isOn`. */
const refuseNative =
  (message: string, isOn: (view: Sent) => boolean = () => true): Interruption =>
  (view) =>
    view.isNative && isOn(view) ? error(400, message) : undefined;

/** What a request must not hold after a refusal. */
function expectLoadMode(views: readonly Sent[], ...loaded: readonly string[]): void {
  expect(views.length).toBeGreaterThan(0);
  for (const { isNative, deferred, eager } of views) {
    expect([isNative, deferred, eager.includes('filler_1')]).toEqual([false, [], false]);
    expect(eager).toEqual(expect.arrayContaining(['own_tool', 'search_tools', 'load_tool', ...loaded]));
  }
}

describe('a 400 that names the tool search', () => {
  const cases = REFUSALS.map(([dialect, message], at) => {
    const fitting = CASES.filter((one) => one.dialect === dialect);
    return { ...fitting[at % 3]!, message, kind: KINDS[at % 2]! };
  });
  it.each(cases)(
    'is tried again in load mode: $kind, $dialect $execution, $mode, $message',
    async ({ kind, mode, message, ...form }) => {
      let isOn = true;
      const interrupt = refuseNative(message, () => isOn);
      const { agent, service, offs, refused, done, since } = goalRig(form, { kind, hearsErrors: true, interrupt });
      await done(mode, 'use get_weather');
      expect(service.views()[0]?.isNative).toBe(true);
      expectLoadMode(since(1));
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

  it.each(CASES.filter(({ kind, execution }) => kind === 'Agent' || execution === 'client'))(
    'is tried again with what an earlier turn, or the search before it, loaded: $kind, $dialect $execution',
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

  it.each(['anthropic 3', 'openai 3.0.46'] as const)('is read from the error of a package: %s', async (name) => {
    const service = serviceOf(dialectOf(name), refuseNative(UNSUPPORTED));
    const options = { hearsErrors: true, service, model: modelFrom(name, service.fake) };
    const rig = goalRig({ dialect: dialectOf(name), execution: 'client' }, options);
    await rig.done('stream', 'use get_weather');
    expect(rig.faults()).toEqual(['refused']);
  });
});

it('a model whose tool search was refused gets load mode in all threads for an hour; others, and other processors, keep theirs', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const form = { dialect: 'openai', execution: 'client' } as const;
  const rig = goalRig(form, { hearsErrors: true, interrupt: refuseNative(UNSUPPORTED, ({ index }) => index === 0) });
  await rig.done('generate', 'use get_weather');
  const isNative = async (thread: string, options: object = {}, { agent, service }: GoalRig = rig) => {
    await say(agent, 'generate', 'use get_weather', { memory: { thread, resource: 'ben' }, ...options });
    return service.views().at(-1)?.isNative;
  };
  const model = createOpenAI({ apiKey: 'x', fetch: rig.service.fake.fetch })('gpt-5.5');
  expect([await isNative('second'), await isNative('third', { model })]).toEqual([false, true]);
  expect(await isNative('fourth', {}, goalRig(form, { service: rig.service }))).toBe(true);
  vi.advanceTimersByTime(60 * 60 * 1000);
  expect([await isNative('fifth'), rig.refused()]).toEqual([true, []]);
});

describe('a request is not tried again', () => {
  const others = [
    error(400, 'prompt is too long: 210000 tokens > 200000 maximum'),
    error(400, 'messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1'),
    error(404, 'model: claude-sonnet-4-5 does not have tool search'),
    error(413, 'request_too_large: tool_search'),
    error(429, 'tool_search is overloaded'),
    error(500, 'tool_search is overloaded'),
  ];
  it.each(CASES.map((one, at) => ({ ...one, failure: others[at]! })))(
    'after another failure: $kind, $dialect $execution, $failure.error.message',
    async ({ kind, mode, failure, ...form }) => {
      const rig = goalRig(form, { kind, hearsErrors: true, interrupt: () => failure, agent: { maxRetries: 0 } });
      await say(rig.agent, mode, 'use get_weather').catch(() => undefined);
      // What may pass is left to Mastra.
      if (failure.status < 429) expect(rig.service.views()).toHaveLength(1);
      expect([rig.service.views().every(({ isNative }) => isNative), rig.offs()]).toEqual([true, []]);
    },
  );

  it.each(CASES)(
    "with fallback 'error', or without errorProcessors: $kind, $dialect $execution",
    async ({ kind, mode, ...form }) => {
      for (const more of [{ hearsErrors: true, native: { fallback: 'error' } }, {}] as const) {
        const rig = goalRig(form, { kind, interrupt: refuseNative(UNSUPPORTED), ...more });
        await say(rig.agent, mode, 'use get_weather').catch(() => undefined);
        expect([rig.service.views().length, rig.offs()]).toEqual([1, []]);
      }
    },
  );
});

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
    ['the body of the answer', { statusCode: 422, message: 'Bad', responseBody: '{"m":"defer_loading"}' }, true],
    ['the last of several tries', { message: 'Failed after 3 attempts', lastError: refusal }, true],
    ['what is within others', new Error('failed', { cause: deep(3) }), true],
    ['what is too deep', deep(5), false],
    ['a cycle', cyclic, false],
    ['a status as a text', { ...refusal, statusCode: '400' }, false],
    ['what throws', throwing, false],
    ['a message that throws', { statusCode: 400, message: throwing }, false],
    ['a text', UNSUPPORTED, false],
  ])('is a refusal of tool search by %s', async (_, given, expected) => {
    expect(await isRefusal(given)).toBe(expected);
  });
});
