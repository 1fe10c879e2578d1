// Definitions in mid-conversation.
import { readFileSync } from 'node:fs';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { wrapLanguageModel } from 'ai';
import fc from 'fast-check';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { threadStateStore } from 'mastra-tool-search/thread-state';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/simple-tools.ts';
import { type AnthropicBody, additionsIn, changesIn, type OpenAIBody } from './fakes/fake-provider.ts';
import { appendFixtureUrl, appendPackages, appendRun, outermost, unloading, ways } from './rig/append-runs.ts';
import { type Action, nextAction, type Sent } from './rig/goals.ts';
import { type Form, type GoalRig, goalRig, KINDS, MODES, type RigOptions, say } from './rig/rig.ts';
import { serviceOf } from './rig/services.ts';

type Dialect = Form['dialect'];
type Body = AnthropicBody | OpenAIBody;
const dialects = ['anthropic', 'openai'] as const;

interface Options extends RigOptions {
  /** By default that of the newest models: Claude's take no thinking whose conversation has changed. */
  readonly id?: string;
  /** The package of the model. */
  readonly from?: string;
}

async function rigOf(dialect: Dialect, options: Options = {}): Promise<GoalRig> {
  const { service = serviceOf(dialect), id = dialect === 'anthropic' ? 'claude-opus-5-5' : 'gpt-6', ...rest } = options;
  const { createAnthropic, createOpenAI } = await import(options.from ?? `@ai-sdk/${dialect}`);
  const given = { apiKey: 'x', fetch: service.fake.fetch };
  const model = createAnthropic ? createAnthropic(given)(id) : createOpenAI(given).responses(id);
  return goalRig({ dialect, execution: 'append' }, { model, ...rest, service });
}
/** The first model of Claude's that takes definitions, whose thinking is bound to nothing. */
const unbound = (dialect: Dialect) => ({ id: dialect === 'anthropic' ? 'claude-opus-5' : 'gpt-6' });
const preselect = { preselect: true, timeouts: { preselect: 10_000 } } as const;

const expectDone = ({ done }: GoalRig, ...said: readonly string[]): Promise<void> => done('stream', ...said);
const lastBody = ({ service }: GoalRig): Body => service.bodies().at(-1)!;
/** What a request adds and removes in mid-conversation. */
const changesOf = (body: Body): readonly string[] =>
  'input' in body ? additionsIn(body).map((name) => `+${name}`) : changesIn(body);
/** The last request, where none was refused. */
const changesAtEnd = (rig: GoalRig): readonly string[] => {
  expect(rig.refused()).toEqual([]);
  return changesOf(lastBody(rig));
};
const namesOf = ({ tools = [] }: Body) => tools.map(({ name, type }) => name ?? type);
const itemsOf = (body: Body): readonly unknown[] =>
  'input' in body ? [body.tools, ...body.input] : [body.tools, body.system, ...body.messages];

/** Each request begins with the one before it. */
function expectGrowth(bodies: readonly Body[]): void {
  for (const [at, body] of bodies.slice(1).entries()) {
    const before = itemsOf(bodies[at]!);
    expect(JSON.stringify(itemsOf(body).slice(0, before.length))).toBe(JSON.stringify(before));
  }
}
const growsIn = ({ service }: GoalRig, from = 0) => expectGrowth(service.bodies().slice(from));

const runs = appendPackages.flatMap((name) => ways.map((way, at) => ({ name, way, mode: MODES[at]! })));

it.each(runs)(
  'a run begins as the one before, and its bodies are as recorded: $name, $way, $mode',
  async ({ name, way, mode }) => {
    const run = await appendRun(name, way, mode);
    expect(run.refused).toEqual([]);
    const expected: object[] = JSON.parse(readFileSync(appendFixtureUrl(name, way), 'utf8'));
    expect(outermost(run).map(plain)).toEqual(expected);
    const last = run.bodies.at(-1)!;
    // OpenAI has no item that removes a tool: what was unloaded may stay where it is; what is forbidden goes.
    expectGrowth('input' in last ? run.bodies.slice(0, run.marks[0]) : run.bodies);
    const changes = ['+create_issue', '+get_weather', '-create_issue', '+play_music', '-play_music'];
    expect(changesOf(last)).toEqual('input' in last ? (way === 'preselect' ? ['+create_issue'] : []) : changes);
  },
);

/** Without what differs between `generate` and `stream`. */
function plain({ stream: _, ...rest }: Body): object {
  if ('input' in rest) return rest;
  const tools = rest.tools?.map((entry) => ({ ...entry, eager_input_streaming: undefined }));
  return JSON.parse(JSON.stringify({ ...rest, tools })) as object;
}

/** Whether a package sends definitions. */
const PACKAGES = {
  '@ai-sdk/anthropic': true,
  'anthropic-v4-before-changes': false,
  'anthropic-v3': false,
  '@ai-sdk/openai': true,
  'openai-v4-results': false,
  'openai-v3-first': false,
};
const dialectOf = (name: string): Dialect => (name.includes('anthropic') ? 'anthropic' : 'openai');

it.each(Object.entries(PACKAGES))(
  '%s sends definitions in mid-conversation: %s, and no request to learn it',
  async (from, sends) => {
    const rig = await rigOf(dialectOf(from), { from, processor: preselect, ...unbound(dialectOf(from)) });
    await expectDone(rig, 'use get_weather');
    expect(changesAtEnd(rig)).toEqual(sends ? ['+get_weather'] : []);
    expect(rig.service.bodies()).toHaveLength(2);
  },
);

/** Models that send no definitions, whatever they do when they are asked whether they do. */
const ODD: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error('x');
  },
  'never answers': () => new Promise(() => {}),
  answers: async () => ({ content: [] }),
};

it.each(Object.entries(ODD))(
  'a model is not believed to send them that %s, and is asked once a run',
  async (_, answer) => {
    const service = serviceOf('anthropic');
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const real = createAnthropic({ apiKey: 'x', fetch: service.fake.fetch })('claude-opus-5');
    let asked = 0;
    const doGenerate = (call: Parameters<typeof real.doGenerate>[0]): unknown => {
      if (!call.abortSignal?.aborted) return real.doGenerate(call);
      asked += 1;
      return answer();
    };
    const model = Object.assign(Object.create(real), { doGenerate });
    const rig = await rigOf('anthropic', { service, model });
    await expectDone(rig, 'use get_weather', 'use send_email');
    expect([changesAtEnd(rig), asked]).toEqual([[], 2]);
  },
);

it('a package is not believed to send them where a middleware alone reads the options', async () => {
  const service = serviceOf('anthropic');
  const { createAnthropic } = await import('anthropic-v4-before-changes' as string);
  const transformParams = async ({ params }: { params: object }) =>
    structuredClone({ ...params, abortSignal: undefined });
  const model = wrapLanguageModel({
    model: createAnthropic({ apiKey: 'x', fetch: service.fake.fetch })('claude-opus-5'),
    middleware: { specificationVersion: 'v4', transformParams } as never,
  });
  const rig = await rigOf('anthropic', { service, model });
  await expectDone(rig, 'use get_weather');
  expect(changesAtEnd(rig)).toEqual([]);
});

describe.each(dialects)('over %s, a conversation', (dialect) => {
  it('goes on in a new process as it was, also with tools that were unloaded before', async () => {
    const storage = new InMemoryStore();
    const service = serviceOf(dialect, undefined, unloading);
    const processor = { metaTools: { unload: true }, storage: threadStateStore() };
    const open = () => rigOf(dialect, { storage, service, processor });
    await expectDone(await open(), 'use get_weather send_email', 'unload send_email');
    const after = await open();
    await expectDone(after, 'use get_weather');
    expect(after.refused()).toEqual([]);
    // OpenAI's results of searches lose what was unloaded.
    if (dialect === 'anthropic') growsIn(after);
    expect(namesOf(lastBody(after))).toHaveLength(3);
  });

  it('sends once, at its end, what its cut beginning had added', async () => {
    const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 2 } });
    const rig = await rigOf(dialect, { memory, ...unbound(dialect) });
    await expectDone(rig, 'use get_weather', 'use send_email', 'hello', 'hello', 'use get_weather send_email');
    expect(changesAtEnd(rig).toSorted()).toEqual(['+get_weather', '+send_email']);
    expect(namesOf(lastBody(rig))).not.toContain('get_weather');
    expect(rig.events.filter(({ type }) => type === 'search')).toHaveLength(2);
  });

  it('adds what is preselected, and keeps its beginning over turns with other needs', async () => {
    const rig = await rigOf(dialect, { processor: preselect });
    await expectDone(rig, 'use get_weather', 'use send_email', 'use get_weather', 'use send_email');
    growsIn(rig);
    expect([rig.refused(), rig.events.filter(({ type }) => type === 'search')]).toEqual([[], []]);
  });

  it('puts all into the list of tools where a call is forced, and nothing in mid-conversation where append is false', async () => {
    const rig = await rigOf(dialect, unbound(dialect));
    await say(rig.agent, 'stream', 'use get_weather');
    const toolChoice = { type: 'tool', toolName: 'get_weather' };
    const prepareStep = ({ stepNumber }: { stepNumber: number }) => (stepNumber === 0 ? { toolChoice } : {});
    await say(rig.agent, 'stream', 'use get_weather', { prepareStep });
    const forced = rig.service.bodies().find((body) => JSON.stringify(body.tool_choice ?? '').includes('get_weather'))!;
    expect(namesOf(forced)).toContain('get_weather');
    expect([changesOf(forced), rig.refused()]).toEqual([[], []]);
    const off = await rigOf(dialect, { native: { append: false } });
    await expectDone(off, 'use get_weather');
    expect(changesOf(lastBody(off))).toEqual([]);
  });

  it('is sent again without what the provider refuses, which is remembered for the model', async () => {
    const message = {
      anthropic: "role 'system' is not supported on this model",
      openai: "Invalid value: 'additional_tools'. (input[3].type)",
    }[dialect];
    const interrupt = ({ appended }: Sent) => (appended.length > 0 ? { status: 400, error: { message } } : undefined);
    const service = serviceOf(dialect, interrupt);
    const rig = await rigOf(dialect, { service, processor: preselect, ...unbound(dialect) });
    await expectDone(rig, 'use get_weather send_email', 'use get_weather');
    expect(rig.service.views().filter(({ appended }) => appended.length > 0)).toHaveLength(1);
    const offs = rig.events.filter(({ type }) => type === 'native-off');
    expect(offs).toMatchObject([{ reason: 'append-refused', model: expect.stringContaining(unbound(dialect).id) }]);
  });

  it('is accepted whatever its answers note, who may be anybody', async () => {
    const rig = await rigOf(dialect, { processor: preselect, ...unbound(dialect) });
    await expectDone(rig, 'use get_weather', 'use send_email');
    const { messages } = await (await rig.agent.getMemory())!.recall({ threadId: 't', resourceId: 'ann' } as never);
    const key = `mastra-tool-search.${dialect}`;
    const digest = /"(get_weather|send_email)":"([0-9a-f]{16})"/g;
    const noted = [...JSON.stringify(messages).matchAll(digest)].map(([, name, value]) => [name!, value!] as const);
    expect(new Set(noted.map(([name]) => name)).size).toBe(2);
    const names = fc.constantFrom('get_weather', 'send_email', 'gone', '__proto__');
    const entry = fc.oneof(fc.constantFrom(...noted), fc.tuple(names, fc.constantFrom('forged', 7)));
    const note = fc.oneof(
      fc.record({ added: fc.array(entry).map((all) => Object.fromEntries(all)), removed: fc.array(names) }),
      fc.constantFrom('x', null, { added: 'x', removed: [1, {}] }),
    );
    const history = fc.array(fc.array(fc.option(note, { nil: undefined }), { minLength: 1, maxLength: 3 }), {
      maxLength: 5,
    });
    let [thread, most] = [0, 0];
    await fc.assert(
      fc.asyncProperty(history, fc.boolean(), async (answers, beginsWithAnswer) => {
        const messageOf = (role: string, parts: readonly object[]) => ({
          ...{ id: `${thread}-${role}-${Math.random()}`, role, createdAt: new Date(), content: { format: 2, parts } },
        });
        const said = answers.flatMap((notes, position) => {
          const parts = notes.map((one, at) => {
            const call = {
              toolCallId: `toolu_${thread}_${position}_${at}`,
              toolName: 'own_tool',
              args: {},
              result: 'ok',
            };
            const toolInvocation = { state: 'result', ...call };
            return { type: 'tool-invocation', toolInvocation, providerMetadata: { [key]: one } };
          });
          return [messageOf('user', [{ type: 'text', text: 'x' }]), messageOf('assistant', parts)];
        });
        const all = [...said.slice(beginsWithAnswer ? 1 : 0), { role: 'user', content: 'use send_email get_weather' }];
        const { text } = await rig.agent.generate(all as never, { memory: { thread: `${thread++}`, resource: 'eve' } });
        expect([text, rig.refused()]).toEqual(['done', []]);
        most = Math.max(most, changesOf(lastBody(rig)).length);
      }),
      { numRuns: 30 },
    );
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
  const service = serviceOf('anthropic', interrupt);
  const rig = await rigOf('anthropic', { service, hearsErrors: true, ...unbound('anthropic') });
  expect((await say(rig.agent, 'stream', 'use get_weather send_email', { maxSteps: 10 })).text).toBe('done');
  const reasons = rig.events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : []));
  expect(reasons).toEqual(['append-refused', 'refused']);
  const last = rig.service.views().at(-1);
  expect([last?.appended, last?.deferred]).toEqual([[], []]);
  expect(last?.eager).toEqual(expect.arrayContaining(['search_tools', 'load_tool', 'get_weather', 'send_email']));
});

describe('the note of an answer', () => {
  it.each(MODES)('leaves what OpenAI notes itself: the search that begins an answer stays one: %s', async (mode) => {
    const decide = (sent: Sent): Action => {
      const search: Action = { type: 'search', query: 'send email', wanted: ['send_email'], tool: 'tool_search' };
      return sent.asked.startsWith('use') && sent.calls.length === 0 ? search : nextAction(sent);
    };
    const rig = await rigOf('openai', { service: serviceOf('openai', undefined, decide), processor: preselect });
    expect((await say(rig.agent, mode, 'use get_weather')).text).toBe('done');
    await say(rig.agent, mode, 'hello');
    growsIn(rig);
    expect(rig.refused()).toEqual([]);
  });

  it('of two processors on one agent holds what each has changed', async () => {
    const other = new ToolSearchProcessor({
      ...{ tools: toolRecord(tool('read_mail')), mode: 'native', metaTools: { search: { name: 'seek_tools' } } },
      ...preselect,
    } as ToolSearchProcessorOptions);
    const rig = await rigOf('anthropic', { processor: preselect, around: (one) => [one, other] });
    await expectDone(rig, 'use get_weather', 'use read_mail', 'use get_weather read_mail', 'hello');
    growsIn(rig);
    expect(rig.refused()).toEqual([]);
  });

  it('that somebody else wrote brings no definition to a request that may not have it', async () => {
    const filter: ToolSearchProcessorOptions['filter'] = ({ requestContext, toolName }) =>
      toolName !== 'send_email' || requestContext?.get('boss') === true;
    const rig = await rigOf('anthropic', { processor: { filter } });
    const requestContext = new RequestContext([['boss', true]] as never);
    await say(rig.agent, 'stream', 'use send_email', { requestContext });
    expect(changesOf(lastBody(rig))).toEqual(['+send_email']);
    // A client of another conversation sends the messages of this one, notes and all.
    const { messages } = await (await rig.agent.getMemory())!.recall({ threadId: 't', resourceId: 'ann' } as never);
    const copied = messages.map(({ threadId: _, resourceId: __, ...rest }) => rest);
    const memory = { thread: 'other', resource: 'eve' };
    await rig.agent.generate([...copied, { role: 'user', content: 'hello' }] as never, { memory });
    expect(changesAtEnd(rig)).toEqual([]);
  });
});

describe('a right that is withdrawn', () => {
  it('leaves the beginning as it is, and takes the tool away, also in later turns', async () => {
    let denied = '';
    const rig = await rigOf('anthropic', { processor: { filter: ({ toolName }) => toolName !== denied } });
    await say(rig.agent, 'stream', 'use get_weather');
    denied = 'get_weather';
    expect((await say(rig.agent, 'stream', 'use get_weather')).text).toBe('not found');
    await say(rig.agent, 'stream', 'hello');
    expect(changesAtEnd(rig)).toEqual(['+get_weather', '-get_weather']);
    denied = '';
    await expectDone(rig, 'use get_weather');
    growsIn(rig);
  });

  it('of OpenAI, which takes no removal, takes the definition out of the conversation', async () => {
    let denied = '';
    const rig = await rigOf('openai', { processor: { ...preselect, filter: ({ toolName }) => toolName !== denied } });
    await say(rig.agent, 'stream', 'use get_weather');
    expect(changesOf(lastBody(rig))).toEqual(['+get_weather']);
    denied = 'get_weather';
    await say(rig.agent, 'stream', 'hello');
    expect(changesOf(lastBody(rig))).toEqual([]);
    expect(JSON.stringify(lastBody(rig))).not.toContain('Does get weather.');
  });
});

it('thinking whose beginning has changed is left out from then on, so that the thread goes on', async () => {
  const [storage, service] = [new InMemoryStore(), serviceOf('anthropic')];
  const before = await rigOf('anthropic', { storage, service, native: { append: false } });
  await say(before.agent, 'stream', 'use get_weather');
  const after = await rigOf('anthropic', { storage, service });
  await expectDone(after, 'hello', 'use send_email', 'use get_weather');
  expect(after.refused()).toMatchObject([{ rule: 'thinking-bound' }]);
});

it.each(KINDS)(
  'a %s that is registered nowhere, with a large catalog, is sent definitions in mid-conversation',
  async (kind) => {
    const names = Array.from({ length: 600 }, (_, n) => tool(`filler_${n}`, 'Padding.'));
    const tools = toolRecord(tool('get_weather'), tool('send_email'), ...names);
    const rig = await rigOf('anthropic', { kind, tools, isAlone: true, ...unbound('anthropic') });
    await expectDone(rig, 'use get_weather', 'use send_email get_weather');
    expect(changesAtEnd(rig)).toEqual(['+get_weather', '+send_email']);
    growsIn(rig);
  },
);

it('a tool that is called before it is there is added behind the failed call, which tells so', async () => {
  const decide = (sent: Sent): Action =>
    sent.calls.length === 0 ? { type: 'call', name: 'get_weather' } : nextAction(sent);
  const rig = await rigOf('anthropic', { service: serviceOf('anthropic', undefined, decide) });
  await expectDone(rig, 'use get_weather');
  growsIn(rig, 1);
  expect(changesAtEnd(rig)).toEqual(['+get_weather']);
  const systems = (rig.service.bodies() as AnthropicBody[]).map(({ system }) => JSON.stringify(system));
  expect(new Set(systems).size).toBe(1);
});

it('a definition that has changed is replaced where that was seen', async () => {
  let description = 'Get the current weather of a city.';
  const tools = () => toolRecord(tool('get_weather', description), tool('send_email'));
  const rig = await rigOf('anthropic', { processor: { tools, storage: 'context' } as never });
  await say(rig.agent, 'stream', 'use get_weather');
  description = 'Get the weather of a planet.';
  await expectDone(rig, 'use get_weather');
  expect(JSON.stringify(lastBody(rig)).split('weather of a planet').length - 1).toBe(1);
  expect(changesAtEnd(rig)).toEqual(['+get_weather', '+get_weather']);
});

it('an agent without memory keeps the changes within a run', async () => {
  const rig = await rigOf('anthropic', { memory: false });
  expect((await rig.agent.generate('use get_weather send_email', { maxSteps: 8 })).text).toBe('done');
  growsIn(rig);
  expect(rig.refused()).toEqual([]);
});
