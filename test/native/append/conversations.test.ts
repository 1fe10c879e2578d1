import * as anthropic4 from '@ai-sdk/anthropic';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { threadStateStore } from '../../../src/entries/thread-state.ts';
import { ToolSearchProcessor } from '../../../src/index.ts';
import { tool, toolRecord } from '../../support/simple-tools.ts';
import type { AnthropicBody } from '../fakes/fake-provider.ts';
import { type Action, nextAction, type Sent } from '../rig/goals.ts';
import { say } from '../rig/rig.ts';
import { changesOf, dialects, expectGrowth, lastBody, modelOf, namesOf, rigOf, serviceOf } from './append-rig.ts';

const unloads = (sent: Sent): Action => {
  const [goal] = sent.goals;
  if (goal === undefined || !sent.asked.startsWith('unload')) return nextAction(sent);
  if (sent.done.includes('unload_tool')) return { type: 'say', text: 'done' };
  return { type: 'call', name: 'unload_tool', input: { toolNames: [goal] } };
};

describe.each(dialects)('over %s, a conversation', (dialect) => {
  it('goes on in a new process as it was, also with tools that were unloaded before', async () => {
    const storage = new InMemoryStore();
    const service = serviceOf(dialect, undefined, unloads);
    const open = () =>
      rigOf(dialect, {
        ...{ storage, service },
        processor: { metaTools: { unload: true }, storage: threadStateStore() },
      });
    const before = open();
    await say(before.agent, 'stream', 'use get_weather send_email');
    await say(before.agent, 'stream', 'unload send_email');
    const after = open();
    expect((await say(after.agent, 'stream', 'use get_weather')).text).toBe('done');
    expect(after.refused()).toEqual([]);
    // OpenAI's results of searches lose what was unloaded.
    if (dialect === 'anthropic') expectGrowth(after);
    expect(namesOf(lastBody(after))).toHaveLength(3);
  });

  it('sends once, at its end, what its cut beginning had added', async () => {
    const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 2 } });
    // Without bound thinking, which no cut would leave valid.
    const service = serviceOf(dialect);
    const model =
      dialect === 'anthropic'
        ? anthropic4.createAnthropic({ apiKey: 'x', fetch: service.fake.fetch })('claude-opus-5')
        : modelOf(dialect, service);
    const rig = rigOf(dialect, { memory, service, model });
    for (const said of ['use get_weather', 'use send_email', 'hello', 'hello']) await say(rig.agent, 'stream', said);
    expect((await say(rig.agent, 'stream', 'use get_weather send_email')).text).toBe('done');
    expect(rig.refused()).toEqual([]);
    expect([...changesOf(lastBody(rig))].sort()).toEqual(['+get_weather', '+send_email']);
    expect(namesOf(lastBody(rig))).not.toContain('get_weather');
    expect(rig.events.filter(({ type }) => type === 'search')).toHaveLength(2);
  });

  it('adds what is preselected, and keeps its beginning over turns with other needs', async () => {
    const rig = rigOf(dialect, { processor: { preselect: true, timeouts: { preselect: 10_000 } } });
    for (const said of ['use get_weather', 'use send_email', 'use get_weather', 'use send_email']) {
      expect((await say(rig.agent, 'stream', said)).text).toBe('done');
    }
    expect(rig.refused()).toEqual([]);
    expectGrowth(rig);
    expect(rig.events.filter(({ type }) => type === 'search')).toEqual([]);
  });

  it('puts all into the list of tools where a call is forced', async () => {
    const service = serviceOf(dialect);
    const model =
      dialect === 'anthropic'
        ? anthropic4.createAnthropic({ apiKey: 'x', fetch: service.fake.fetch })('claude-opus-5')
        : modelOf(dialect, service);
    const rig = rigOf(dialect, { service, model });
    await say(rig.agent, 'stream', 'use get_weather');
    const toolChoice = { type: 'tool', toolName: 'get_weather' };
    let isFirst = true;
    const prepareStep = () => {
      const step = isFirst ? { toolChoice } : {};
      isFirst = false;
      return step;
    };
    await say(rig.agent, 'stream', 'use get_weather', { prepareStep });
    const forced = rig.service.bodies().find((body) => JSON.stringify(body.tool_choice ?? '').includes('get_weather'))!;
    expect(namesOf(forced)).toContain('get_weather');
    expect(changesOf(forced)).toEqual([]);
    expect(rig.refused()).toEqual([]);
  });

  it('is sent nothing where append is false', async () => {
    const rig = rigOf(dialect, { native: { append: false } });
    expect((await say(rig.agent, 'generate', 'use get_weather')).text).toBe('done');
    expect(changesOf(lastBody(rig))).toEqual([]);
  });
});

describe('the note of an answer', () => {
  it('leaves what OpenAI notes itself: the search that begins an answer stays one', async () => {
    const decide = (sent: Sent): Action => {
      const search: Action = { type: 'search', query: 'send email', wanted: ['send_email'], tool: 'tool_search' };
      return sent.asked.startsWith('use') && sent.calls.length === 0 ? search : nextAction(sent);
    };
    for (const mode of ['stream', 'generate'] as const) {
      const rig = rigOf('openai', {
        service: serviceOf('openai', undefined, decide),
        processor: { preselect: true, timeouts: { preselect: 10_000 } },
      });
      expect((await say(rig.agent, mode, 'use get_weather')).text).toBe('done');
      await say(rig.agent, mode, 'hello');
      expectGrowth(rig);
      expect(rig.refused()).toEqual([]);
    }
  });

  it('of two processors on one agent holds what each has changed', async () => {
    const other = new ToolSearchProcessor({
      tools: toolRecord(tool('read_mail')),
      mode: 'native',
      metaTools: { search: { name: 'seek_tools' } },
      preselect: true,
      timeouts: { preselect: 10_000 },
    });
    const rig = rigOf('anthropic', {
      processor: { preselect: true, timeouts: { preselect: 10_000 } },
      around: (one) => [one, other],
    });
    for (const said of ['use get_weather', 'use read_mail', 'use get_weather read_mail', 'hello']) {
      expect((await say(rig.agent, 'stream', said)).text).toBe('done');
    }
    expectGrowth(rig);
    expect(rig.refused()).toEqual([]);
  });
});

describe('thinking whose beginning has changed', () => {
  it('is left out from then on, so that the thread goes on', async () => {
    const storage = new InMemoryStore();
    const service = serviceOf('anthropic');
    const before = rigOf('anthropic', { storage, service, native: { append: false } });
    await say(before.agent, 'stream', 'use get_weather');
    const after = rigOf('anthropic', { storage, service });
    for (const said of ['hello', 'use send_email', 'use get_weather']) {
      expect((await say(after.agent, 'stream', said)).text).toBe('done');
    }
    expect(after.refused()).toMatchObject([{ rule: 'thinking-bound' }]);
  });
});

describe.each(['Agent', 'DurableAgent'] as const)('a %s that is registered nowhere, with a large catalog', (kind) => {
  it('is sent definitions in mid-conversation', async () => {
    const service = serviceOf('anthropic');
    const model = anthropic4.createAnthropic({ apiKey: 'x', fetch: service.fake.fetch })('claude-opus-5');
    const names = Array.from({ length: 600 }, (_, n) => tool(`filler_${n}`, 'Padding.'));
    const tools = toolRecord(tool('get_weather'), tool('send_email'), ...names);
    const rig = rigOf('anthropic', { kind, service, model, tools, isAlone: true });
    expect((await say(rig.agent, 'stream', 'use get_weather')).text).toBe('done');
    expect((await say(rig.agent, 'stream', 'use send_email get_weather')).text).toBe('done');
    expect(rig.refused()).toEqual([]);
    expect(changesOf(lastBody(rig))).toEqual(['+get_weather', '+send_email']);
    expectGrowth(rig);
  });
});

it('a tool that is called before it is there is added behind the failed call, which tells so', async () => {
  const decide = (sent: Sent): Action =>
    sent.calls.length === 0 ? { type: 'call', name: 'get_weather' } : nextAction(sent);
  const rig = rigOf('anthropic', { service: serviceOf('anthropic', undefined, decide) });
  expect((await say(rig.agent, 'stream', 'use get_weather')).text).toBe('done');
  expectGrowth({ ...rig, service: { ...rig.service, bodies: () => rig.service.bodies().slice(1) } });
  expect(rig.refused()).toEqual([]);
  expect(changesOf(lastBody(rig))).toEqual(['+get_weather']);
  const [first, ...later] = rig.service.bodies() as AnthropicBody[];
  expect(new Set(later.map(({ system }) => JSON.stringify(system)))).toEqual(new Set([JSON.stringify(first?.system)]));
});

it('a definition that has changed is replaced where that was seen', async () => {
  let description = 'Get the current weather of a city.';
  const tools = () => toolRecord(tool('get_weather', description), tool('send_email'));
  const rig = rigOf('anthropic', { processor: { tools, storage: 'context' } as never });
  await say(rig.agent, 'stream', 'use get_weather');
  description = 'Get the weather of a planet.';
  expect((await say(rig.agent, 'stream', 'use get_weather')).text).toBe('done');
  const json = JSON.stringify(lastBody(rig));
  expect(json.split('weather of a planet').length - 1).toBe(1);
  expect(changesOf(lastBody(rig))).toEqual(['+get_weather', '+get_weather']);
  expect(rig.refused()).toEqual([]);
});

it('an agent without memory keeps the changes within a run', async () => {
  const rig = rigOf('anthropic', { memory: false });
  expect(rig.agent).toBeInstanceOf(Agent);
  const { text } = await rig.agent.generate('use get_weather send_email', { maxSteps: 8 });
  expect(text).toBe('done');
  expectGrowth(rig);
  expect(rig.refused()).toEqual([]);
});
