// What the requests of native mode hold.
import { readFileSync } from 'node:fs';
import { InMemoryStore } from '@mastra/core/storage';
import { Tool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import type { MastraTool, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/harness.ts';
import {
  type AnthropicBody,
  anthropicStep,
  message,
  type OpenAIBody,
  type OpenAITool,
  openaiFunctions,
  openaiStep,
  serverSearch,
  text,
  toolSearchCall,
  toolUse,
} from './fakes/fake-provider.ts';
import {
  anthropicPackages,
  catalog,
  DONE,
  type Execution,
  executions,
  fixtureRun,
  fixtureUrl,
  openaiPackages,
  ownTools,
  PROVIDERS,
  packageRuns,
  runAnthropic,
  runOpenAI,
  runPackage,
  type Scripts,
  searchAndUse,
} from './rig/package-runs.ts';
import { FORMS_AND_MODES, goalRig, KINDLESS_FORMS, MODES, say, turn } from './rig/rig.ts';

const CATALOG = Object.keys(catalog());
const native = (execution: Execution, more: object = {}): ToolSearchProcessorOptions => ({
  ...{ tools: catalog(), mode: 'native', native: { execution } },
  ...more,
});
const withOwn = { agent: { tools: ownTools() } };
const names = ({ tools = [] }: AnthropicBody | OpenAIBody) => tools.map(({ name, type }) => name ?? type);

describe('the whole bodies of a run', () => {
  it.each(packageRuns)('are as recorded: $name, $execution, $mode', async ({ name, execution, mode }) => {
    const { bodies, refused, text: answer } = await fixtureRun(name, execution, mode);
    const expected: object[] = JSON.parse(readFileSync(fixtureUrl(name, execution), 'utf8'));
    expect(refused).toEqual([]);
    expect(answer).toMatch(/Done\.$/);
    expect(bodies).toEqual(mode === 'stream' ? expected.map(streamed) : expected);
  });
});

/** What the packages add to a body for a stream: for Anthropic, also to each function. */
function streamed(body: object): object {
  if (!('messages' in body)) return { ...body, stream: true };
  const tools = (body as AnthropicBody).tools?.map((entry) =>
    entry.type === undefined ? { ...entry, eager_input_streaming: true } : entry,
  );
  return { ...body, stream: true, tools };
}

describe('a tool is defined as the package would', () => {
  const plain = { agent: { tools: catalog() } };

  it.each(anthropicPackages)('where it is deferred, and no beta is asked for: %s', async (name) => {
    const { bodies, headers } = await runAnthropic(name, DONE.anthropic, native('client'));
    const without = await runAnthropic(name, DONE.anthropic, undefined, plain);
    const deferred = bodies[0]!.tools!.slice(-CATALOG.length).map(({ defer_loading: _, ...rest }) => rest);
    expect(JSON.stringify(deferred)).toBe(JSON.stringify(without.bodies[0]!.tools));
    expect(headers[0]!['anthropic-beta']).toBe(without.headers[0]!['anthropic-beta']);
  });

  it.each(openaiPackages)('where a search found it, with input or without: %s', async (name) => {
    const args = { query: `select:${CATALOG.join(',')}` };
    const { bodies } = await runOpenAI(
      name,
      ({ body, index }) =>
        openaiStep(body) === 0
          ? { content: [toolSearchCall({ id: index, callId: index, args })] }
          : { content: [message(index, 'Hm.')] },
      native('client'),
    );
    const found = bodies[1]!.input.find(({ type }) => type === 'tool_search_output')!.tools!;
    const without = openaiFunctions((await runOpenAI(name, DONE.openai, undefined, plain)).bodies[0]!);
    // Versions before 4 leave out `strict`, which means the same.
    const withoutStrict = ({ strict: _, defer_loading: __, ...rest }: OpenAITool) => rest;
    expect(found.map(withoutStrict)).toEqual(without.map(withoutStrict));
    expect(found.every(({ strict, defer_loading }) => strict === false && defer_loading === true)).toBe(true);
    const parameters = (tools: readonly OpenAITool[]) => JSON.stringify(tools.map((one) => one.parameters));
    expect(parameters(found)).toBe(parameters(without));
  });
});

it.each(KINDLESS_FORMS.flatMap((form) => MODES.map((mode) => ({ ...form, mode }))))(
  'a request begins as the one before it: $dialect $execution, $mode',
  async ({ mode, ...form }) => {
    const { service, refused, done } = goalRig(form);
    await done(mode, 'use get_weather own_tool', 'use send_email get_weather');
    expect(refused()).toEqual([]);
    const bodies = service.bodies();
    expect(bodies.length).toBeGreaterThan(5);
    const fixed = bodies.map((body) => JSON.stringify([body.tools, 'system' in body ? body.system : '']));
    expect(new Set(fixed).size).toBe(1);
    const conversations = bodies.map((body): readonly unknown[] => ('input' in body ? body.input : body.messages));
    for (const [at, conversation] of conversations.slice(1).entries()) {
      const before = conversations[at]!;
      expect(conversation.length).toBeGreaterThan(before.length);
      expect(conversation.slice(0, before.length)).toEqual(before);
    }
  },
);

const cacheControl = { type: 'ephemeral' };

it.each(['cacheControl', 'cache_control'])(
  'breakpoints of the prompt cache stay on resident tools, and go from deferred ones: %s',
  async (key) => {
    const cached = (id: string) => tool(id, undefined, { providerOptions: { anthropic: { [key]: cacheControl } } });
    const tools = toolRecord(cached('pinned_tool'), cached('deferred_tool'));
    const options = native('server', { tools, alwaysLoaded: ['pinned_tool'] });
    const setup = { agent: { tools: toolRecord(cached('own_tool')) } };
    const { bodies, refused } = await runAnthropic('anthropic 4', DONE.anthropic, options, setup);
    expect(refused).toEqual([]);
    expect(bodies[0]!.tools!.map((entry) => [entry.name, entry.defer_loading, entry.cache_control])).toEqual([
      ['own_tool', undefined, cacheControl],
      ['pinned_tool', undefined, cacheControl],
      ['tool_search_tool_bm25', undefined, undefined],
      ['deferred_tool', true, undefined],
    ]);
  },
);

/** Frozen to the ground, but for what cannot be: functions and schemas of others. */
function freeze<Value>(value: Value, depth = 0): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || depth > 3) return value;
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) {
    if (key !== 'inputSchema' && key !== 'outputSchema') freeze(Reflect.get(value, key), depth + 1);
  }
  return value;
}

describe("the caller's tools", () => {
  it.each(PROVIDERS.flatMap((name) => executions.map((execution) => ({ name, execution }))))(
    'may be frozen: $name, $execution',
    async ({ name, execution }) => {
      const { create_issue: issue, ...others } = catalog();
      const providerOptions = { anthropic: { cacheControl }, openai: { some: 'option' } };
      const tools = freeze({ ...others, create_issue: Object.assign(issue!, { providerOptions }) });
      const run = await runPackage(name, searchAndUse(execution), native(execution, { tools }));
      expect([run.refused, run.text.endsWith('Done.')]).toEqual([[], true]);
      expect(JSON.stringify(run.bodies.at(-1))).toContain('{\\"ran\\":\\"create_issue\\"}');
    },
  );

  it.each([
    ['anthropic.messages', 'claude-sonnet-4-5', 'anthropic'],
    ['openai.responses', 'gpt-5.4', 'openai'],
  ])('are copied with their class and all their fields: %s', async (provider, modelId, dialect) => {
    const more = { extra: 'kept', providerOptions: { other: { kept: true } } };
    const original = freeze(Object.assign(tool('get_weather'), more));
    const session = new Session(native('server', { tools: toolRecord(original) }));
    // As in a step for which Mastra converted nothing.
    const { tools } = await session.step({ tools: {}, model: { specificationVersion: 'v3', provider, modelId } });
    const copy = tools['get_weather']!;
    expect(copy).toBeInstanceOf(Tool);
    expect(Object.keys(copy).toSorted()).toEqual(Object.keys(original).toSorted());
    expect(copy).toMatchObject({ id: 'get_weather', extra: 'kept', inputSchema: original.inputSchema });
    expect(copy.providerOptions).toEqual({ other: { kept: true }, [dialect]: { deferLoading: true } });
    expect(original.providerOptions).toEqual({ other: { kept: true } });
  });
});

describe("a provider's own tool in the catalog", () => {
  const webSearch = { type: 'provider-defined', id: 'anthropic.web_search_20250305', name: 'web_search', args: {} };
  const tools = { ...catalog(), web_search: webSearch as unknown as MastraTool };
  const input = { query: 'select:web_search,get_weather' };
  const search: Scripts = {
    anthropic: ({ body, index }) => ({
      content: anthropicStep(body) === 0 ? [toolUse(index, 'search_tools', input)] : [text('Done.')],
    }),
    openai: ({ body, index }) => ({
      content:
        openaiStep(body) === 0
          ? [toolSearchCall({ id: index, callId: index, args: input })]
          : [message(index, 'Done.')],
    }),
  };
  const sentWith = async (options: ToolSearchProcessorOptions, scripts = DONE) => {
    const { bodies, refused } = await runAnthropic('anthropic 4', scripts.anthropic, options);
    expect(refused).toEqual([]);
    expect(JSON.stringify(bodies)).not.toContain('"tool_name":"web_search"');
    return bodies.map((body) => body.tools!.filter(({ name }) => name === 'web_search'));
  };
  const SENT = [{ type: 'web_search_20250305', name: 'web_search' }];

  it('is sent at once where it is pinned, once it is loaded, and not unasked', async () => {
    const pinned = { tools, alwaysLoaded: ['web_search'] };
    expect(await sentWith(native('client', pinned), search)).toEqual([SENT, SENT]);
    expect(await sentWith(native('server', pinned))).toEqual([SENT]);
    expect(await sentWith(native('client', { tools }), search)).toEqual([[], SENT]);
    expect(await sentWith(native('server', { tools }))).toEqual([[]]);
    // The filter knows a tool by its id.
    const filter = ({ toolName }: { toolName: string }): boolean => toolName !== webSearch.id;
    expect(await sentWith(native('client', { tools, filter }), search)).toEqual([[], []]);
    const own = { ...webSearch, id: 'openai.web_search' } as unknown as MastraTool;
    const options = native('client', { tools: { ...catalog(), web_search: own } });
    const [first, second] = (await runOpenAI('openai 4', search.openai, options)).bodies.map(names);
    expect([first, second?.toSorted()]).toEqual([['tool_search'], ['tool_search', 'web_search']]);
  });
});

describe('where the provider searches', () => {
  it.each(PROVIDERS)('keywords stand in descriptions, of deferred tools alone: %s', async (name) => {
    const search = { keywords: { get_weather: ['forecast', 'climate'], read_clock: ['hour'] } };
    const tools = { ...catalog(), ...toolRecord(tool('read_clock', 'Tell the time.')) };
    const options = { tools, search, alwaysLoaded: ['read_clock'] };
    const { bodies } = await runPackage(name, DONE, native('server', options));
    const json = JSON.stringify(bodies[0]!.tools);
    expect(json.match(/"description":"[^"]*Also: [^"]*"/g)).toEqual([
      '"description":"Get the current weather of a city.\\n\\nAlso: forecast, climate"',
    ]);
    const client = await runPackage(name, searchAndUse('client'), native('client', options));
    expect(JSON.stringify(client.bodies)).not.toContain('Also:');
  });

  it.each([
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', { variant: 'bm25' }],
    ['my-profile', { detect: () => 'anthropic' }],
  ] as const)('the variant is regex for Bedrock, which has no other: %s', async (modelId, more) => {
    const session = new Session(native('server', { native: { execution: 'server', ...more } }));
    const model = { specificationVersion: 'v3', provider: 'bedrock.anthropic.messages', modelId };
    const { tools } = await session.step({ tools: {}, model });
    const id = 'anthropic.tool_search_regex_20251119';
    expect(tools['tool_search_tool_regex']).toMatchObject({ type: 'provider-defined', id });
  });

  it('what was found is loaded, and reported once, if there is such a tool', async () => {
    const found = ['a_ghost', 'get_weather', 'send_email'];
    const { events, bodies, refused } = await runAnthropic(
      'anthropic 4',
      ({ body, index }) => ({
        content:
          anthropicStep(body) < 2 ? [...serverSearch(index, found), toolUse(index, 'get_weather')] : [text('Done.')],
      }),
      native('server'),
    );
    expect(refused).toEqual([]);
    expect(JSON.stringify(bodies[2]!.messages)).not.toContain('a_ghost');
    expect(events).toEqual([{ type: 'load', loaded: ['get_weather', 'send_email'], alreadyLoaded: [], notFound: [] }]);
  });

  it.each(PROVIDERS)('the search tool stays where there is nothing to find, or all is denied: %s', async (name) => {
    for (const more of [{ tools: {} }, { filter: () => false }]) {
      const { bodies, refused } = await runPackage(name, DONE, native('server', more), withOwn);
      expect(refused).toEqual([]);
      const search = name === 'openai 4' ? 'tool_search' : 'tool_search_tool_bm25';
      expect(names(bodies[0]!)).toEqual(['first_own', 'second_own', search]);
    }
  });

  it('no tool is sent that the filter denies in any phase, and the filter is asked once a request', async () => {
    const asked: string[] = [];
    const denied: Record<string, string> = { get_weather: 'search', send_email: 'load', play_music: 'active' };
    const filter: ToolSearchProcessorOptions['filter'] = ({ toolName, phase }) => {
      asked.push(`${toolName} ${phase}`);
      return denied[toolName] !== phase;
    };
    const { bodies } = await runAnthropic(
      'anthropic 4',
      ({ body, index }) => ({ content: anthropicStep(body) < 2 ? [toolUse(index, 'first_own')] : [text('Done.')] }),
      native('server', { filter }),
      withOwn,
    );
    expect(bodies).toHaveLength(3);
    const permitted = ['book_meeting', 'create_issue', 'list_commits'];
    for (const body of bodies)
      expect(names(body)).toEqual(['first_own', 'second_own', 'tool_search_tool_bm25', ...permitted]);
    expect(asked).toEqual([...new Set(asked)]);
  });
});

it.each(FORMS_AND_MODES)(
  'a tool of the catalog that the caller forces is sent eager, and runs, unless it is denied: $dialect $execution, $mode',
  async ({ mode, ...form }) => {
    for (const isDenied of [false, true]) {
      const ran = vi.fn(async () => 'sunny');
      const filter = () => !isDenied;
      const tools = toolRecord(tool('get_weather', 'The weather.', { execute: ran }), tool('send_email'));
      const { agent, service, refused } = goalRig(form, { tools, processor: { filter } });
      const options = { toolChoice: { type: 'tool', toolName: 'get_weather' }, maxSteps: 1 };
      await say(agent, mode, 'use get_weather', options).catch(() => undefined);
      for (const { eager, deferred } of service.views()) {
        expect([eager.includes('get_weather'), deferred.includes('get_weather')]).toEqual([!isDenied, false]);
      }
      if (!isDenied) expect([ran.mock.calls.length, refused()]).toEqual([1, []]);
      else expect(ran).not.toHaveBeenCalled();
    }
  },
);

it.each(packageRuns)(
  "toolChoice 'none' in the turn after a search leaves no search behind: $name, $execution, $mode",
  async ({ name, execution, mode }) => {
    const { anthropic, openai } = searchAndUse(execution);
    const isSecond = (texts: readonly unknown[]): boolean => JSON.stringify(texts).includes('and now?');
    const scripts: Scripts = {
      anthropic: (request) => (isSecond(request.body.messages) ? DONE : { anthropic }).anthropic(request),
      openai: (request) => (isSecond(request.body.input) ? DONE : { openai }).openai(request),
    };
    for (const restriction of [{ toolChoice: 'none' }, { prepareStep: () => ({ toolChoice: 'none' }) }]) {
      const run = await runPackage(name, scripts, native(execution), {
        mode,
        agent: { tools: ownTools(), memory: new Memory({ storage: new InMemoryStore() }) },
        turns: ['hi', 'and now?'],
        call: (at) => ({ ...turn, ...(at === 0 ? {} : restriction) }),
      });
      expect([run.refused, run.text]).toEqual([[], 'Done.']);
      const json = JSON.stringify(run.bodies.at(-1));
      const isWhole = 'toolChoice' in restriction;
      expect(json).not.toMatch(isWhole ? /tool_reference|tool_search|server_tool_use|"tsc_|"tso_/ : /tool_reference/);
      // What the tools answered is still there.
      expect(json).toContain('{\\"ran\\":\\"create_issue\\"}');
    }
  },
);
