// Definitions in mid-conversation; requests.test.ts has the whole bodies of such runs.
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import fc from 'fast-check';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { threadStateStore } from 'mastra-tool-search/thread-state';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';
import type { AnthropicBody, OpenAIBody } from './fakes/fake-provider.ts';
import type { Action, Sent } from './rig/goals.ts';
import { dialectOf } from './rig/package-runs.ts';
import {
  changesOf,
  checkGrowth,
  count,
  DIALECTS,
  type Form,
  type GoalRig,
  goalRig,
  KINDS,
  MODES,
  type RigOptions,
  say,
} from './rig/rig.ts';
import { serviceOf } from './rig/services.ts';

type Dialect = Form['dialect'];
type Create = (settings: object) => (id: string) => object;

/** The first models that take definitions: their thinking is bound to nothing. */
const FIRST = { anthropic: 'claude-opus-5', openai: 'gpt-6' };

interface Options extends RigOptions {
  /** By default that of the newest models: Claude's take no thinking whose conversation has changed. */
  readonly id?: string;
}

async function modelOf(from: string, fetch: typeof globalThis.fetch, id: string): Promise<object> {
  const { createAnthropic, createOpenAI } = (await import(from)) as Record<string, Create>;
  return (createAnthropic ?? createOpenAI)!({ apiKey: 'x', fetch })(id);
}

async function rigOf(dialect: Dialect, options: Options = {}): Promise<GoalRig> {
  const { interrupt, decide, id = { anthropic: 'claude-opus-5-5', openai: 'gpt-6' }[dialect], ...rest } = options;
  const { service = serviceOf(dialect, interrupt, decide) } = options;
  const model = options.model ?? (await modelOf(`@ai-sdk/${dialect}`, service.fake.fetch, id));
  return goalRig({ dialect, execution: 'append' }, { ...rest, model, service });
}
const preselect = { preselect: true, timeouts: { preselect: 10_000 } } as const;
const lastBody = ({ service }: GoalRig) => service.bodies().at(-1)!;
/** The changes in the last request, where none was refused. */
function changesAtEnd(rig: GoalRig): readonly string[] {
  expect(rig.refused()).toEqual([]);
  return changesOf(lastBody(rig));
}
const namesOf = ({ tools = [] }: AnthropicBody | OpenAIBody) => tools.map(({ name, type }) => name ?? type);

/** Each request begins with the one before it, and none was refused. */
function expectGrowth({ service, refused }: GoalRig, from = 0): void {
  checkGrowth(service.bodies().slice(from));
  expect(refused()).toEqual([]);
}

describe('definitions are sent in mid-conversation where the package of the model sends them', () => {
  it.each([
    ['@ai-sdk/anthropic', true],
    ['anthropic-v4-before-changes', false],
    ['anthropic-v3', false],
    ['@ai-sdk/openai', true],
    ['openai-v4-results', false],
    ['openai-v3-first', false],
  ])('%s: %s, and no request is sent to learn it', async (from, sends) => {
    const dialect = dialectOf(from.replace('@ai-sdk/', ''));
    const service = serviceOf(dialect);
    const model = await modelOf(from, service.fake.fetch, FIRST[dialect]);
    const rig = await rigOf(dialect, { service, model, processor: preselect });
    await rig.done('stream', 'use get_weather');
    expect(changesAtEnd(rig)).toEqual(sends ? ['+get_weather'] : []);
    expect(rig.service.bodies()).toHaveLength(2);
  });

  const throws =
    (name = 'Error') =>
    (): never => {
      throw Object.assign(new Error('x'), { name });
    };
  it.each([
    ['throws', 2, throws()],
    // As a package does that sends definitions, of a prompt with what is none.
    ['refuses whatever it is given', 4, throws('AI_InvalidArgumentError')],
    ['never answers', 2, () => new Promise(() => {})],
    ['answers', 2, async () => ({ content: [] })],
  ])('a model that %s when it is asked is not believed to, and is asked once a run', async (_, times, answer) => {
    const service = serviceOf('anthropic');
    const real = await modelOf('@ai-sdk/anthropic', service.fake.fetch, FIRST.anthropic);
    let asked = 0;
    const doGenerate = (call: { abortSignal?: AbortSignal }): unknown => {
      if (!call.abortSignal?.aborted) return (real as { doGenerate(call: object): unknown }).doGenerate(call);
      asked += 1;
      return answer();
    };
    const rig = await rigOf('anthropic', { service, model: Object.assign(Object.create(real), { doGenerate }) });
    await rig.done('generate', 'use get_weather', 'use send_email');
    expect([changesAtEnd(rig), asked]).toEqual([[], times]);
  });
});

describe.each(DIALECTS)('over %s, a conversation', (dialect) => {
  const id = FIRST[dialect];

  it('goes on in a new process as it was, also with tools that were unloaded before', async () => {
    const [storage, service] = [new InMemoryStore(), serviceOf(dialect)];
    const processor = { metaTools: { unload: true }, storage: threadStateStore() };
    const open = () => rigOf(dialect, { storage, service, processor });
    await (await open()).done('stream', 'use get_weather send_email', 'unload send_email');
    const after = await open();
    await after.done('stream', 'use get_weather');
    // OpenAI's results of searches lose what was unloaded.
    if (dialect === 'anthropic') expectGrowth(after);
    expect([after.refused(), namesOf(lastBody(after)).length]).toEqual([[], 3]);
  });

  it('sends once, at its end, what its cut beginning had added', async () => {
    const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 2 } });
    const rig = await rigOf(dialect, { memory, id });
    await rig.done('stream', 'use get_weather', 'use send_email', 'hello', 'hello', 'use get_weather send_email');
    expect(changesAtEnd(rig).toSorted()).toEqual(['+get_weather', '+send_email']);
    expect(namesOf(lastBody(rig))).not.toContain('get_weather');
    expect(count(rig, 'search')).toBe(2);
  });

  it('puts all into the list of tools where a call is forced, and nothing in mid-conversation where append is false', async () => {
    const rig = await rigOf(dialect, { id });
    await rig.done('stream', 'use get_weather');
    const toolChoice = { type: 'tool', toolName: 'get_weather' };
    const prepareStep = ({ stepNumber }: { stepNumber: number }) => (stepNumber === 0 ? { toolChoice } : {});
    await say(rig.agent, 'stream', 'use get_weather', { prepareStep });
    const forced = rig.service.bodies().find((body) => JSON.stringify(body.tool_choice ?? '').includes('get_weather'))!;
    expect([namesOf(forced).includes('get_weather'), changesOf(forced), rig.refused()]).toEqual([true, [], []]);
    const off = await rigOf(dialect, { native: { append: false } });
    await off.done('stream', 'use get_weather');
    expect(changesAtEnd(off)).toEqual([]);
  });

  it.each([
    [{ anthropic: "role 'system' is not supported", openai: "Invalid value: 'additional_tools'." }, 1],
    [{ anthropic: "role 'system' must precede an 'assistant'", openai: "Duplicate 'additional_tools'." }, 4],
  ])('is sent again without what is refused, which is remembered for the model, or not: %o', async (said, times) => {
    const interrupt = ({ appended }: Sent) =>
      appended.length > 0 ? { status: 400, error: { message: said[dialect] } } : undefined;
    const rig = await rigOf(dialect, { interrupt, processor: preselect, id });
    await rig.done('stream', 'use get_weather', 'use send_email');
    expect(rig.service.views().filter(({ appended }) => appended.length > 0)).toHaveLength(times);
    const off = { reason: 'append-refused', model: expect.stringContaining(id) };
    expect(rig.events.filter(({ type }) => type === 'native-off')).toMatchObject(Array(times).fill(off));
  });

  it('is accepted whatever its answers note, who may be anybody', async () => {
    const rig = await rigOf(dialect, { processor: preselect, id });
    await rig.done('stream', 'use get_weather', 'use send_email');
    const { messages } = await (await rig.agent.getMemory())!.recall({ threadId: 't', resourceId: 'ann' } as never);
    const digest = /"(get_weather|send_email)":"([0-9a-f]{16})"/g;
    const noted = [...JSON.stringify(messages).matchAll(digest)].map(([, name, value]) => [name!, value!] as const);
    expect(new Set(noted.map(([name]) => name)).size).toBe(2);
    const names = fc.constantFrom('get_weather', 'send_email', 'gone', '__proto__');
    const entry = fc.oneof(fc.constantFrom(...noted), fc.tuple(names, fc.constantFrom('forged', 7)));
    const note = fc.oneof(
      fc.record({ added: fc.array(entry).map((all) => Object.fromEntries(all)), removed: fc.array(names) }),
      fc.constantFrom(undefined, 'x', null, { added: 'x', removed: [1, {}] }),
    );
    const history = fc.array(fc.array(note, { minLength: 1, maxLength: 3 }), { maxLength: 5 });
    let [thread, most] = [0, 0];
    const property = fc.asyncProperty(history, fc.boolean(), async (answers, beginsWithAnswer) => {
      thread += 1;
      const messageOf = (role: string, at: number, parts: readonly object[]) => ({
        ...{ id: `${thread}-${role}-${at}`, role, createdAt: new Date(), content: { format: 2, parts } },
      });
      const said = answers.flatMap((notes, position) => {
        const parts = notes.map((one, at) => {
          const call = { toolCallId: `toolu_${thread}_${position}_${at}`, toolName: 'own_tool', args: {} };
          const toolInvocation = { state: 'result', ...call, result: 'ok' };
          const providerMetadata = { [`mastra-tool-search.${dialect}`]: one };
          return { type: 'tool-invocation', toolInvocation, providerMetadata };
        });
        return [messageOf('user', position, [{ type: 'text', text: 'x' }]), messageOf('assistant', position, parts)];
      });
      const all = [...said.slice(beginsWithAnswer ? 1 : 0), { role: 'user', content: 'use send_email get_weather' }];
      const { text } = await rig.agent.generate(all as never, { memory: { thread: `${thread}`, resource: 'eve' } });
      expect([text, rig.refused()]).toEqual(['done', []]);
      most = Math.max(most, changesOf(lastBody(rig)).length);
    });
    await fc.assert(property, { numRuns: 8, seed: 1 });
    // OpenAI takes a definition once.
    expect(most).toBeGreaterThan(dialect === 'anthropic' ? 2 : 0);
  });
});

it('a run goes from appending to deferral to load mode where all are refused', async () => {
  const refuse = (message: string) => ({ status: 400, error: { message } });
  const interrupt = ({ appended, deferred }: Sent) => {
    if (appended.length > 0) return refuse("role 'system' is not supported on this model");
    return deferred.length > 0 ? refuse('defer_loading: Extra inputs are not permitted') : undefined;
  };
  const rig = await rigOf('anthropic', { interrupt, hearsErrors: true, id: FIRST.anthropic });
  expect((await say(rig.agent, 'stream', 'use get_weather send_email', { maxSteps: 10 })).text).toBe('done');
  expect(rig.offs()).toEqual(['append-refused', 'refused']);
  const last = rig.service.views().at(-1);
  expect([last?.appended, last?.deferred]).toEqual([[], []]);
  expect(last?.eager).toEqual(expect.arrayContaining(['search_tools', 'load_tool', 'get_weather', 'send_email']));
});

describe('the note of an answer', () => {
  it.each(MODES)('leaves what OpenAI notes itself: the search that begins an answer stays one: %s', async (mode) => {
    const search: Action = { type: 'search', query: 'send email', wanted: ['send_email'], tool: 'tool_search' };
    const decide = ({ asked, calls }: Sent) => (asked.startsWith('use') && calls.length === 0 ? search : undefined);
    const rig = await rigOf('openai', { decide, processor: preselect });
    await rig.done(mode, 'use get_weather', 'hello');
    expectGrowth(rig);
  });

  it('of two processors on one agent holds what each has changed', async () => {
    const other = new ToolSearchProcessor({
      ...{ tools: toolRecord(tool('read_mail')), mode: 'native', metaTools: { search: { name: 'seek_tools' } } },
      ...preselect,
    } as ToolSearchProcessorOptions);
    const rig = await rigOf('anthropic', { processor: preselect, around: (one) => [one, other] });
    await rig.done('stream', 'use get_weather', 'use read_mail', 'use get_weather read_mail', 'hello');
    expectGrowth(rig);
  });

  it('that somebody else wrote brings no definition to a request that may not have it', async () => {
    const filter: ToolSearchProcessorOptions['filter'] = ({ requestContext, toolName }) =>
      toolName !== 'send_email' || requestContext?.get('boss') === true;
    const rig = await rigOf('anthropic', { processor: { filter } });
    const requestContext = new RequestContext([['boss', true]] as never);
    await say(rig.agent, 'stream', 'use send_email', { requestContext });
    expect(changesAtEnd(rig)).toEqual(['+send_email']);
    // A client of another conversation sends the messages of this one, notes and all.
    const { messages } = await (await rig.agent.getMemory())!.recall({ threadId: 't', resourceId: 'ann' } as never);
    const copied = messages.map(({ threadId: _, resourceId: __, ...rest }) => rest);
    const memory = { thread: 'other', resource: 'eve' };
    await rig.agent.generate([...copied, { role: 'user', content: 'hello' }] as never, { memory });
    expect(changesAtEnd(rig)).toEqual([]);
  });
});

it('a right that is withdrawn leaves the beginning as it is, and takes the tool away, also in later turns', async () => {
  let denied = '';
  const rig = await rigOf('anthropic', { processor: { filter: ({ toolName }) => toolName !== denied } });
  await rig.done('stream', 'use get_weather');
  denied = 'get_weather';
  expect((await say(rig.agent, 'stream', 'use get_weather')).text).toBe('not found');
  await rig.done('stream', 'hello');
  expect(changesAtEnd(rig)).toEqual(['+get_weather', '-get_weather']);
  denied = '';
  await rig.done('stream', 'use get_weather');
  expectGrowth(rig);
});

it('thinking whose beginning has changed is left out from then on, so that the thread goes on', async () => {
  const [storage, service] = [new InMemoryStore(), serviceOf('anthropic')];
  await (await rigOf('anthropic', { storage, service, native: { append: false } })).done('stream', 'use get_weather');
  const after = await rigOf('anthropic', { storage, service });
  await after.done('stream', 'hello', 'use send_email', 'use get_weather');
  expect(after.refused()).toMatchObject([{ rule: 'thinking-bound' }]);
});

it.each(KINDS)('a %s that is registered nowhere, with a large catalog, is sent definitions', async (kind) => {
  const names = Array.from({ length: 501 }, (_, n) => tool(`filler_${n}`, 'Padding.'));
  const tools = toolRecord(tool('get_weather'), tool('send_email'), ...names);
  const rig = await rigOf('anthropic', { kind, tools, isAlone: true, id: FIRST.anthropic });
  await rig.done('stream', 'use get_weather', 'use send_email get_weather');
  expect(changesAtEnd(rig)).toEqual(['+get_weather', '+send_email']);
  expectGrowth(rig);
});

it('a tool that is called before it is there is added behind the failed call, which tells so', async () => {
  const decide = ({ calls }: Sent): Action | undefined =>
    calls.length === 0 ? { type: 'call', name: 'get_weather' } : undefined;
  const rig = await rigOf('anthropic', { decide });
  await rig.done('stream', 'use get_weather');
  expectGrowth(rig, 1);
  expect(changesAtEnd(rig)).toEqual(['+get_weather']);
  expect(new Set(rig.service.views().map(({ system }) => system)).size).toBe(1);
});

it('a definition that has changed is replaced where that was seen', async () => {
  let description = 'Get the current weather of a city.';
  const tools = () => toolRecord(tool('get_weather', description), tool('send_email'));
  const rig = await rigOf('anthropic', { processor: { tools, storage: 'context' } as never });
  await rig.done('stream', 'use get_weather');
  description = 'Get the weather of a planet.';
  await rig.done('stream', 'use get_weather');
  expect(JSON.stringify(lastBody(rig)).split('weather of a planet')).toHaveLength(2);
  expect(changesAtEnd(rig)).toEqual(['+get_weather', '+get_weather']);
});

it('an agent without memory keeps the changes within a run', async () => {
  const rig = await rigOf('anthropic', { memory: false });
  expect((await rig.agent.generate('use get_weather send_email', { maxSteps: 8 })).text).toBe('done');
  expectGrowth(rig);
});
