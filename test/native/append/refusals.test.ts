import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import type { Sent } from '../rig/goals.ts';
import { say } from '../rig/rig.ts';
import { dialects, rigOf, serviceOf } from './append-rig.ts';

describe('a refusal of definitions in mid-conversation', () => {
  const refusals = {
    anthropic: "role 'system' is not supported on this model",
    openai: "Invalid value: 'additional_tools'. (input[3].type)",
  };
  it.each(dialects)('has the same request sent without, and is remembered for the model: %s', async (dialect) => {
    const interrupt = ({ appended }: Sent) =>
      appended.length > 0 ? { status: 400, error: { message: refusals[dialect] } } : undefined;
    const service = serviceOf(dialect, interrupt);
    const id = dialect === 'anthropic' ? 'claude-opus-5' : 'gpt-6';
    const { fetch } = service.fake;
    const model =
      dialect === 'anthropic'
        ? anthropic4.createAnthropic({ apiKey: 'x', fetch })(id)
        : openai4.createOpenAI({ apiKey: 'x', fetch }).responses(id);
    const rig = rigOf(dialect, { service, model, processor: { preselect: true, timeouts: { preselect: 10_000 } } });
    expect((await say(rig.agent, 'stream', 'use get_weather send_email')).text).toBe('done');
    expect((await say(rig.agent, 'stream', 'use get_weather')).text).toBe('done');
    expect(rig.service.views().filter(({ appended }) => appended.length > 0)).toHaveLength(1);
    const offs = rig.events.filter(({ type }) => type === 'native-off');
    expect(offs).toMatchObject([{ reason: 'append-refused', model: expect.stringContaining(id) }]);
  });
});

it('a run goes from appending to deferral to load mode where all are refused', async () => {
  const interrupt = ({ appended, deferred }: Sent) => {
    if (appended.length > 0) return { status: 400, error: { message: "role 'system' is not supported on this model" } };
    if (deferred.length > 0)
      return { status: 400, error: { message: 'defer_loading: Extra inputs are not permitted' } };
    return undefined;
  };
  const service = serviceOf('anthropic', interrupt);
  const model = anthropic4.createAnthropic({ apiKey: 'x', fetch: service.fake.fetch })('claude-opus-5');
  const rig = rigOf('anthropic', { service, model, hearsErrors: true });
  expect((await say(rig.agent, 'stream', 'use get_weather send_email', { maxSteps: 10 })).text).toBe('done');
  const reasons = rig.events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : []));
  expect(reasons).toEqual(['append-refused', 'refused']);
  const last = rig.service.views().at(-1);
  expect([last?.appended, last?.deferred]).toEqual([[], []]);
  expect(last?.eager).toEqual(expect.arrayContaining(['search_tools', 'load_tool', 'get_weather', 'send_email']));
});
