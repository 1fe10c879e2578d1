// What the requests of native mode hold.
import { Tool } from '@mastra/core/tools';
import type { MastraTool, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/agent.ts';
import { type AnthropicBody, type OpenAIBody, serverSearch, text, toolUse } from './fakes/fake-provider.ts';
import type { Action, Sent } from './rig/goals.ts';
import {
  anthropicPackages,
  catalog,
  dialectOf,
  executions,
  freeze,
  openaiPackages,
  type Recording,
  recordedRun,
} from './rig/package-runs.ts';
import {
  changesOf,
  checkGrowth,
  DIALECTS,
  FORMS,
  type Form,
  type GoalRig,
  goalRig,
  MODES,
  type RigOptions,
  say,
} from './rig/rig.ts';

type Body = AnthropicBody | OpenAIBody;
type Options = Partial<ToolSearchProcessorOptions>;
const tools = catalog();
const hosted = { dialect: 'anthropic', execution: 'server' } as const;
const bodiesOf = ({ service }: GoalRig) => service.bodies() as AnthropicBody[];

/** A turn in which nothing is refused. */
async function asked(form: Form, options: RigOptions = {}, said = 'hello', call: object = {}): Promise<GoalRig> {
  const rig = goalRig(form, { tools, agent: { tools: {} }, ...options });
  await say(rig.agent, 'generate', said, call);
  expect(rig.refused()).toEqual([]);
  return rig;
}
const withOptions = (form: Form, processor: Options, said?: string) => asked(form, { processor }, said);

/** A search in the first request of a turn. */
const searching =
  (query: string): ((sent: Sent) => Action) =>
  ({ calls, kind }) => {
    const name = kind === 'openai' ? 'tool_search' : 'search_tools';
    if (calls.length > 0) return { type: 'say', text: 'done' };
    return { type: 'search', query, wanted: [], tool: name };
  };

const recordings: readonly Recording[] = [
  ...[...anthropicPackages, ...openaiPackages].flatMap((name, at) =>
    executions.map((execution, position) => ({ name, execution, mode: MODES[(at + position) % 2]! })),
  ),
  ...(['anthropic 4', 'openai 4'] as const).flatMap((name) =>
    [true, false].map(
      (isPreselecting, at) => ({ name, execution: 'append', mode: MODES[at]!, isPreselecting }) as const,
    ),
  ),
];

it.each(recordings)(
  'a run begins as the one before, and its first and last bodies are as recorded: $name, $execution, $mode, $isPreselecting',
  async (recording) => {
    const { bodies, refused, before } = await recordedRun(recording);
    expect(refused).toEqual([]);
    const { name, execution, isPreselecting } = recording;
    const [first, last] = [bodies[0]!, bodies.at(-1)!];
    // All packages of Anthropic's send the same; of OpenAI's, those that are not the newest are not recorded.
    const sender = dialectOf(name);
    const file = `fixtures/${sender}-${execution}${isPreselecting ? '-preselect' : ''}.snap`;
    if (sender === 'anthropic' || name === 'openai 4')
      await expect(`${[first, last].map(linesOf).join('\n\n')}\n`).toMatchFileSnapshot(file);
    // Definitions in mid-conversation alone can be taken away without another beginning, and of Anthropic's models.
    const isWhole = execution === 'append' && 'messages' in last;
    const growing = isWhole ? bodies : bodies.slice(0, before);
    expect(growing.length).toBeGreaterThan(isPreselecting ? 2 : 3);
    checkGrowth(growing);
    const changes = ['+create_issue', '+get_weather', '-create_issue', '+play_music', '-play_music'];
    expect(changesOf(last)).toEqual(isWhole ? changes : isPreselecting ? ['+create_issue'] : []);
  },
);

/** A body, each tool and message on a line, without what differs between `generate` and `stream`, and without scores. */
function linesOf({ stream: _, tools = [], ...body }: Body): string {
  const { messages, input, ...rest } = body as Partial<AnthropicBody & OpenAIBody>;
  const definitions = tools.map((entry) => ({ ...entry, eager_input_streaming: undefined }));
  const lines = [rest, ...definitions, ...(messages ?? input ?? [])].map((part) => JSON.stringify(part));
  return lines.join('\n').replaceAll(/(?<=\\"score\\":)[\d.]+/g, '0');
}

it.each(DIALECTS)(
  'a tool is defined as the package would, in a list or where a search found it: %s',
  async (dialect) => {
    const form = { dialect, execution: 'client' } as const;
    const [without] = (await asked(form, { agent: { tools, inputProcessors: [] } })).service.bodies();
    const decide = searching(`select:${Object.keys(tools)}`);
    const last = (await asked(form, { decide })).service.bodies().at(-1)!;
    const strip = (one: object): object => ({ ...one, strict: undefined, defer_loading: undefined });
    const output = 'input' in last ? last.input.find(({ type }) => type === 'tool_search_output') : undefined;
    const found = output?.tools ?? (last as AnthropicBody).tools!.filter((one) => one.defer_loading === true);
    const parameters = (all: readonly object[]) => JSON.stringify(all.map((one) => Reflect.get(one, 'parameters')));
    expect(parameters(found)).toBe(parameters(without!.tools!));
    expect(found.map(strip)).toEqual(without!.tools!.map(strip));
    if (output) expect(found.every((one) => 'strict' in one && one.strict === false && one.defer_loading)).toBe(true);
  },
);

const cacheControl = { type: 'ephemeral' };

it('breakpoints of the prompt cache stay on resident tools, and go from deferred ones', async () => {
  const cached = (id: string, key = 'cacheControl') =>
    tool(id, undefined, { providerOptions: { anthropic: { [key]: cacheControl } } });
  const { service } = await asked(hosted, {
    tools: toolRecord(cached('pinned_tool'), cached('one'), cached('two', 'cache_control')),
    processor: { alwaysLoaded: ['pinned_tool'] },
    agent: { tools: toolRecord(cached('own_tool')) },
  });
  const [body] = service.bodies() as AnthropicBody[];
  expect(body!.tools!.map((entry) => [entry.name, entry.defer_loading, entry.cache_control])).toEqual([
    ['own_tool', undefined, cacheControl],
    ['pinned_tool', undefined, cacheControl],
    ['tool_search_tool_bm25', undefined, undefined],
    ['one', true, undefined],
    ['two', true, undefined],
  ]);
});

const session = (options: object) =>
  new Session({ tools, mode: 'native', native: { execution: 'server' }, ...options } as ToolSearchProcessorOptions);

it.each([
  ['anthropic.messages', 'claude-sonnet-4-5', 'anthropic'],
  ['openai.responses', 'gpt-5.4', 'openai'],
])("the caller's tools are copied with their class and all their fields: %s", async (provider, modelId, dialect) => {
  const more = { extra: 'kept', providerOptions: { other: { kept: true } } };
  const original = freeze(Object.assign(tool('get_weather'), more));
  // As in a step for which Mastra converted nothing.
  const model = { specificationVersion: 'v3', provider, modelId };
  const copy = (await session({ tools: toolRecord(original) }).step({ tools: {}, model })).tools['get_weather']!;
  expect(copy).toBeInstanceOf(Tool);
  expect(Object.keys(copy).toSorted()).toEqual(Object.keys(original).toSorted());
  expect(copy).toMatchObject({ id: 'get_weather', extra: 'kept', inputSchema: original.inputSchema });
  expect(copy.providerOptions).toEqual({ other: { kept: true }, [dialect]: { deferLoading: true } });
  expect(original.providerOptions).toEqual({ other: { kept: true } });
});

it.each([
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', {}],
  ['my-profile', { detect: () => 'anthropic' }],
] as const)('the search is by regex on Bedrock, which has no other: %s', async (modelId, more) => {
  const model = { specificationVersion: 'v3', provider: 'bedrock.anthropic.messages', modelId };
  const { tools: sent } = await session({ native: { execution: 'server', ...more } }).step({ tools: {}, model });
  const id = 'anthropic.tool_search_regex_20251119';
  expect(sent['tool_search_tool_regex']).toMatchObject({ type: 'provider-defined', id });
});

it("a provider's own tool in the catalog is sent at once where it is pinned, or once it is loaded", async () => {
  const search = { type: 'provider-defined', id: 'anthropic.web_search_20250305', name: 'web_search', args: {} };
  const ofOpenAI = { ...search, id: 'openai.web_search' };
  const sent = async (form: Form, processor: Options, own: object = search): Promise<boolean[]> => {
    const all = { ...tools, web_search: own as MastraTool };
    const decide = form.execution === 'client' ? searching('select:web_search,get_weather') : undefined;
    const { service } = await asked(form, { tools: all, processor, ...(decide && { decide }) });
    expect(JSON.stringify(service.bodies())).not.toContain('"tool_name":"web_search"');
    return service.bodies().map((body) => JSON.stringify(body.tools).includes('web_search'));
  };
  const client = { ...hosted, execution: 'client' } as const;
  const alwaysLoaded = ['web_search'];
  expect(await sent(client, { alwaysLoaded })).toEqual([true, true]);
  expect(await sent(hosted, { alwaysLoaded })).toEqual([true]);
  expect(await sent(client, {})).toEqual([false, true]);
  expect(await sent(hosted, {})).toEqual([false]);
  // The filter knows a tool by its id.
  expect(await sent(client, { filter: ({ toolName }) => toolName !== search.id })).toEqual([false, false]);
  expect(await sent({ dialect: 'openai', execution: 'client' }, {}, ofOpenAI)).toEqual([false, true]);
});

describe('where the provider searches', () => {
  it.each(DIALECTS)('keywords stand in descriptions, of deferred tools alone: %s', async (dialect) => {
    const search = { keywords: { get_weather: ['forecast', 'climate'], play_music: ['song'] } };
    const sent = async (execution: Form['execution'], said?: string) =>
      JSON.stringify(
        (await withOptions({ dialect, execution }, { search, alwaysLoaded: ['play_music'] }, said)).service.bodies(),
      );
    expect((await sent('server')).match(/"description":"[^"]*Also: [^"]*"/g)).toEqual([
      '"description":"Get the current weather of a city.\\n\\nAlso: forecast, climate"',
    ]);
    expect(await sent('client', 'use get_weather')).not.toContain('Also:');
  });

  it('what was found is loaded, and reported once, if there is such a tool', async () => {
    const found = ['a_ghost', 'get_weather', 'send_email'];
    const decide = ({ index, done }: Sent): Action => ({
      type: 'raw',
      content: done.length < 2 ? [...serverSearch(index, found), toolUse(index, 'get_weather')] : [text('Done.')],
    });
    const rig = await asked(hosted, { decide });
    expect(JSON.stringify(bodiesOf(rig).at(-1)!.messages)).not.toContain('a_ghost');
    expect(rig.events).toEqual([
      { type: 'load', loaded: ['get_weather', 'send_email'], alreadyLoaded: [], notFound: [] },
    ]);
  });

  it.each(DIALECTS)('the search tool stays where there is nothing to find, or all is denied: %s', async (dialect) => {
    for (const more of [{ tools: {} }, { filter: () => false }]) {
      const rig = await withOptions({ dialect, execution: 'server' }, more);
      const search = { anthropic: 'tool_search_tool_bm25', openai: 'tool_search' }[dialect];
      expect(rig.service.views()[0]?.eager).toEqual([search]);
    }
  });

  it('no tool is sent that the filter denies in any phase, and the filter is asked once a request', async () => {
    const questions: string[] = [];
    const denied: Record<string, string> = { get_weather: 'search', send_email: 'load', play_music: 'active' };
    const filter: Options['filter'] = ({ toolName, phase }) => {
      questions.push(`${toolName} ${phase}`);
      return denied[toolName] !== phase;
    };
    const decide = ({ done }: Sent): Action | undefined =>
      done.length < 2 ? { type: 'call', name: 'own_tool' } : undefined;
    const agent = { tools: toolRecord(tool('own_tool')) };
    const { service } = await asked(hosted, { processor: { filter }, decide, agent });
    const permitted = ['book_meeting', 'create_issue', 'list_commits'];
    expect(service.views().map(({ deferred }) => deferred)).toEqual(Array(3).fill(permitted));
    expect(questions).toEqual([...new Set(questions)]);
  });
});

it.each(FORMS)(
  'a tool of the catalog that the caller forces is sent eager, and runs, unless it is denied: $dialect $execution',
  async (form) => {
    for (const isDenied of [false, true]) {
      const ran = vi.fn(async () => 'sunny');
      const given = toolRecord(tool('get_weather', 'The weather.', { execute: ran }), tool('send_email'));
      const { agent, service } = goalRig(form, { tools: given, processor: { filter: () => !isDenied } });
      const options = { toolChoice: { type: 'tool', toolName: 'get_weather' }, maxSteps: 1 };
      await say(agent, 'generate', 'use get_weather', options).catch(() => undefined);
      for (const { eager, deferred } of service.views()) {
        expect([eager.includes('get_weather'), deferred.includes('get_weather')]).toEqual([!isDenied, false]);
      }
      expect(ran).toHaveBeenCalledTimes(isDenied ? 0 : 1);
      if (!isDenied) expect(service.fake.refused).toEqual([]);
    }
  },
);

it.each(FORMS)(
  "toolChoice 'none' in the turn after a search leaves no search behind: $dialect $execution",
  async (form) => {
    for (const restriction of [{ toolChoice: 'none' }, { prepareStep: () => ({ toolChoice: 'none' }) }]) {
      const rig = await asked(form, {}, 'use create_issue');
      await say(rig.agent, 'generate', 'and now?', restriction);
      expect(rig.refused()).toEqual([]);
      const json = JSON.stringify(rig.service.bodies().at(-1));
      const isWhole = 'toolChoice' in restriction;
      const own = /tool_reference|"tool_search|server_tool_use|"tsc_|"tso_/;
      expect(json).not.toMatch(isWhole ? own : /tool_reference/);
      // What the tools answered is still there.
      expect(json).toContain('{\\"ran\\":\\"create_issue\\"}');
    }
  },
);
