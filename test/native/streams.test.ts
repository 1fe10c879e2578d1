import { createOpenAI } from '@ai-sdk/openai';
import { RequestContext } from '@mastra/core/request-context';
import type { LoadedToolStore, ToolScorer, ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { fakeAnthropic, isChat, serverSearchCall, serverSearchResult, text, toolUse } from './fakes/fake-provider.ts';
import { CLIENT_FORMS, FORMS_AND_MODES, goalRig, MODES, modelOf, say } from './rig/rig.ts';
import { anthropicService, openaiService, type Service } from './rig/services.ts';
import { anthropicView } from './rig/views.ts';

const clientForms = CLIENT_FORMS.flatMap((form) => MODES.map((mode) => ({ ...form, mode })));
const of = (events: readonly ToolSearchEvent[], type: ToolSearchEvent['type']): number =>
  events.filter((event) => event.type === type).length;

describe('a run that is aborted', () => {
  it.each(FORMS_AND_MODES)(
    'before it began leaves the thread usable: $dialect $execution, $mode',
    async ({ mode, ...form }) => {
      const { agent, service, events, refused } = goalRig(form);
      const abortSignal = AbortSignal.abort();
      await say(agent, mode, 'use get_weather', { abortSignal }).catch(() => undefined);
      expect(service.views()).toEqual([]);
      expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
      expect(of(events, 'native-off')).toBe(0);
      expect(refused()).toEqual([]);
    },
  );

  it.each(clientForms)('while it searches leaves the thread usable: $dialect, $mode', async ({ mode, ...form }) => {
    const abort = new AbortController();
    const scorer: ToolScorer = {
      name: 'aborting',
      index: (documents) => ({
        async search() {
          abort.abort();
          return documents.map(({ name }) => ({ name, score: 1 }));
        },
      }),
    };
    const { agent, events, refused } = goalRig(form, { processor: { search: { scorer } } });
    await say(agent, mode, 'use get_weather', { abortSignal: abort.signal }).catch(() => undefined);
    expect(abort.signal.aborted).toBe(true);
    expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
    expect((await say(agent, mode, 'use send_email')).text).toBe('done');
    expect(of(events, 'native-off')).toBe(0);
    expect(refused()).toEqual([]);
  });

  it.each(FORMS_AND_MODES.flatMap((form) => [0, 1].map((at) => ({ ...form, at }))))(
    'during request $at leaves the thread usable: $dialect $execution, $mode',
    async ({ mode, at, ...form }) => {
      const abort = new AbortController();
      const interrupt = ({ index }: { index: number }): undefined => {
        if (index === at) abort.abort();
      };
      const { agent, service, events, refused } = goalRig(form, { interrupt });
      await say(agent, mode, 'use get_weather', { abortSignal: abort.signal }).catch(() => undefined);
      expect(service.views()).toHaveLength(at + 1);
      expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
      expect((await say(agent, mode, 'use send_email')).text).toBe('done');
      expect(of(events, 'native-off')).toBe(0);
      expect(refused()).toEqual([]);
    },
  );
});

describe('runs at the same time, on one agent and processor, with different models', () => {
  const cases = (['client', 'server'] as const).flatMap((execution) => MODES.map((mode) => ({ execution, mode })));

  it.each(cases)('are not mixed: $execution, $mode', async ({ execution, mode }) => {
    const services: Readonly<Record<string, Service>> = {
      anthropic: anthropicService(),
      openai: openaiService(),
      chat: openaiService(),
    };
    const models: Readonly<Record<string, unknown>> = {
      anthropic: modelOf('anthropic', services['anthropic']!.fake),
      openai: modelOf('openai', services['openai']!.fake),
      chat: createOpenAI({ apiKey: 'x', fetch: services['chat']!.fake.fetch }).chat('gpt-5.4'),
    };
    const model = ({ requestContext }: { requestContext: RequestContext }) =>
      models[String(requestContext.get('model'))];
    const rig = goalRig({ dialect: 'anthropic', execution }, { model });
    const names = Object.keys(services);
    const runs = names.flatMap((name) => [0, 1, 2].map((n) => ({ name, thread: `${name}-${n}` })));
    const goals = ['use get_weather', 'use send_email', 'use get_weather'];
    await Promise.all(
      runs.map(async ({ name, thread }) => {
        const requestContext = new RequestContext([['model', name]] as never);
        for (const goal of goals) {
          const options = { requestContext, memory: { thread, resource: 'ann' } };
          expect((await say(rig.agent, mode, goal, options)).text).toBe('done');
        }
      }),
    );
    for (const name of names) {
      const { fake, views } = services[name]!;
      expect(fake.refused).toEqual([]);
      for (const { isNative, eager, deferred } of views()) {
        expect(isNative).toBe(name !== 'chat');
        expect(eager.includes('load_tool')).toBe(name === 'chat');
        expect(eager.includes('tool_search')).toBe(name === 'openai');
        expect(deferred.includes('filler_1')).toBe(
          name === 'anthropic' || (name === 'openai' && execution === 'server'),
        );
      }
    }
    expect(services['chat']?.fake.requests.every(isChat)).toBe(true);
  });
});

describe('a search of Anthropic’s that ends later', () => {
  const form = { dialect: 'anthropic', execution: 'server' } as const;

  it.each(MODES)('may pause before its result, and the user may go on: %s', async (mode) => {
    const fake = fakeAnthropic(({ index }) => {
      if (index === 0) return { content: [serverSearchCall(1, 'weather')], stopReason: 'pause_turn' };
      return { content: [text('fine')] };
    });
    const service: Service = {
      fake,
      views: () => fake.requests.map(({ body }) => anthropicView(body)),
      bodies: () => [],
    };
    const { agent, events } = goalRig(form, { service });
    await say(agent, mode, 'hello');
    expect((await say(agent, mode, 'hello again')).text).toBe('fine');
    expect((await say(agent, mode, 'and again')).text).toBe('fine');
    expect(fake.refused).toEqual([]);
    expect(of(events, 'native-off')).toBe(0);
  });

  it.each(MODES)('may pause behind a text: %s', async (mode) => {
    const fake = fakeAnthropic(({ index }) => {
      if (index > 0) return { content: [text('fine')] };
      return { content: [text('Let me see.'), serverSearchCall(1, 'weather')], stopReason: 'pause_turn' };
    });
    const service: Service = {
      fake,
      views: () => fake.requests.map(({ body }) => anthropicView(body)),
      bodies: () => [],
    };
    const { agent } = goalRig(form, { service });
    await say(agent, mode, 'hello');
    expect((await say(agent, mode, 'hello again')).text).toBe('fine');
    expect(fake.refused).toEqual([]);
  });

  it.each(MODES)('may have its result in the next answer of the run: %s', async (mode) => {
    const fake = fakeAnthropic(({ index }) => {
      if (index === 0) return { content: [serverSearchCall(1, 'weather'), toolUse(2, 'own_tool')] };
      if (index === 1) return { content: [serverSearchResult(1, ['get_weather']), toolUse(3, 'get_weather')] };
      return { content: [text('fine')] };
    });
    const service: Service = {
      fake,
      views: () => fake.requests.map(({ body }) => anthropicView(body)),
      bodies: () => [],
    };
    const { agent, events } = goalRig(form, { service });
    expect((await say(agent, mode, 'hello')).text).toBe('fine');
    expect((await say(agent, mode, 'hello again')).text).toBe('fine');
    expect(fake.refused).toEqual([]);
    expect(of(events, 'load')).toBe(1);
  });
});

describe('a search', () => {
  it.each(FORMS_AND_MODES)('may find nothing: $dialect $execution, $mode', async ({ mode, ...form }) => {
    const { agent, service, events, refused } = goalRig(form);
    expect((await say(agent, mode, 'use no_such_tool')).text).toBe('not found');
    expect(service.views().at(-1)?.referenced).toEqual([]);
    expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
    expect((await say(agent, mode, 'use no_such_tool')).text).toBe('not found');
    expect(of(events, 'native-off')).toBe(0);
    expect(refused()).toEqual([]);
  });

  it.each(clientForms)('may fail with its scorer: $dialect, $mode', async ({ mode, ...form }) => {
    let isBroken = true;
    const scorer: ToolScorer = {
      name: 'broken',
      index: (documents) => ({
        search() {
          if (isBroken) throw new Error('no luck');
          return documents.map(({ name }) => ({ name, score: 1 }));
        },
      }),
    };
    const { agent, events, refused } = goalRig(form, { processor: { search: { scorer } } });
    expect((await say(agent, mode, 'use get_weather')).text).toBe('not found');
    expect(of(events, 'scorer-failed')).toBe(1);
    isBroken = false;
    expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
    expect(of(events, 'native-off')).toBe(0);
    expect(refused()).toEqual([]);
  });
});

describe('a store that fails', () => {
  const operations = ['get', 'add', 'everything'] as const;
  const cases = FORMS_AND_MODES.flatMap((form) => operations.map((operation) => ({ ...form, operation })));

  it.each(cases)(
    'leaves every turn with its tools: $operation, $dialect $execution, $mode',
    async ({ mode, operation, ...form }) => {
      const fails = (own: string): void => {
        if (operation === own || operation === 'everything') throw new Error('no luck');
      };
      const kept = new Set<string>();
      const storage: LoadedToolStore = {
        get() {
          fails('get');
          return [...kept];
        },
        add(_scope, names) {
          fails('add');
          for (const name of names) kept.add(name);
        },
        clear: () => fails('clear'),
        remove: () => fails('remove'),
      };
      const { agent, events, refused } = goalRig(form, { processor: { storage } });
      for (const goal of ['use get_weather', 'use send_email', 'use get_weather']) {
        expect((await say(agent, mode, goal)).text).toBe('done');
      }
      expect(of(events, 'store-failed')).toBeGreaterThan(0);
      expect(of(events, 'native-off')).toBe(0);
      expect(refused()).toEqual([]);
    },
  );
});
