import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { part } from '../support/breadth.ts';
import {
  type AnthropicBlock,
  type AnthropicBody,
  functionCall,
  message,
  type OpenAIBody,
  type OpenAIItem,
  type OpenAITool,
  openaiFunctions,
  openaiStep,
  text,
  toolSearchCall,
  toolUse,
} from './fakes/fake-provider.ts';
import {
  type AnthropicPackage,
  anthropicPackages,
  catalog,
  type Execution,
  executions,
  FOUND,
  fixtureRun,
  fixtureUrl,
  type Mode,
  modes,
  type OpenAIPackage,
  openaiPackages,
  type Package,
  packages,
  type Recorded,
  runAnthropic,
  runOpenAI,
} from './rig/package-runs.ts';

const CATALOG = Object.keys(catalog());
const RESIDENT = ['first_own', 'second_own', 'read_clock'];

const runs = <Name extends Package>(names: readonly Name[]) =>
  part(
    names.flatMap((name) => executions.flatMap((execution) => modes.map((mode) => [name, execution, mode] as const))),
    'pairs',
  );

const anthropicRun = async (...run: Parameters<typeof fixtureRun>) =>
  (await fixtureRun(...run)) as Recorded<AnthropicBody>;
const openaiRun = async (...run: Parameters<typeof fixtureRun>) => (await fixtureRun(...run)) as Recorded<OpenAIBody>;

describe('the whole bodies of a run', () => {
  it.each(runs(packages))('are as recorded: %s, %s, %s', async (name, execution, mode) => {
    const { bodies, refused, text: answer } = await fixtureRun(name, execution, mode);
    const expected: object[] = JSON.parse(readFileSync(fixtureUrl(name, execution), 'utf8'));
    expect(refused).toEqual([]);
    expect(answer).toMatch(/Done\.$/);
    expect(bodies).toHaveLength(execution === 'client' ? 3 : 2);
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

describe('a request to Anthropic', () => {
  const anthropicRuns = runs(anthropicPackages);

  /** With the catalog as the agent's own tools, and without the processor. */
  const plainRun = (name: AnthropicPackage, mode: Mode) =>
    runAnthropic(name, () => ({ content: [text('Hm.')] }), undefined, { mode, agent: { tools: catalog() } });

  it.each(anthropicRuns)(
    'has pinned tools, search and own tools before the deferred ones: %s, %s, %s',
    async (name, execution, mode) => {
      const { bodies } = await anthropicRun(name, execution, mode);
      const search =
        execution === 'client'
          ? ['search_tools', undefined, undefined]
          : ['tool_search_tool_bm25', 'tool_search_tool_bm25_20251119', undefined];
      for (const { tools = [] } of bodies) {
        expect(tools.map((entry) => [entry.name, entry.type, entry.defer_loading])).toEqual([
          ...RESIDENT.map((own) => [own, undefined, undefined]),
          search,
          ...CATALOG.map((deferred) => [deferred, undefined, true]),
        ]);
      }
    },
  );

  it.each(anthropicRuns)('asks for no beta of its own: %s, %s, %s', async (name, execution, mode) => {
    const { headers } = await anthropicRun(name, execution, mode);
    const plain = await plainRun(name, mode);
    for (const sent of headers) expect(sent['anthropic-beta']).toBe(plain.headers[0]!['anthropic-beta']);
  });

  it.each(anthropicRuns)(
    'refers to what was found, and pairs calls with results: %s, %s, %s',
    async (name, execution, mode) => {
      const { bodies } = await anthropicRun(name, execution, mode);
      const blocks = bodies.at(-1)!.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
      const of = (type: string): AnthropicBlock[] => blocks.filter((block) => block.type === type);
      const references = FOUND.map((tool_name) => ({ type: 'tool_reference', tool_name }));
      const results = of('tool_result').map(({ tool_use_id: id }) => id);
      expect(results).toEqual(of('tool_use').map(({ id }) => id));
      expect(new Set(results).size).toBe(execution === 'client' ? 3 : 2);
      if (execution === 'client') {
        expect(of('tool_result')[0]).toEqual({
          type: 'tool_result',
          tool_use_id: of('tool_use')[0]!.id,
          content: references,
        });
        return;
      }
      expect(of('tool_search_tool_result')).toEqual([
        {
          type: 'tool_search_tool_result',
          tool_use_id: of('server_tool_use')[0]!.id,
          content: { type: 'tool_search_tool_search_result', tool_references: references },
        },
      ]);
    },
  );

  it.each(anthropicPackages)('defines a deferred tool as an eager one: %s', async (name) => {
    const { bodies } = await anthropicRun(name, 'client', 'generate');
    const plain = await plainRun(name, 'generate');
    const deferred = bodies[0]!.tools!.slice(-CATALOG.length);
    expect(deferred.map(({ defer_loading: _, ...definition }) => definition)).toEqual(plain.bodies[0]!.tools);
    expect(JSON.stringify(deferred.map((entry) => entry.input_schema))).toBe(
      JSON.stringify(plain.bodies[0]!.tools!.map((entry) => entry.input_schema)),
    );
  });

  it.each(anthropicPackages)('does not offer load_tool: %s', async (name) => {
    const { bodies } = await runAnthropic(
      name,
      ({ index }) => ({
        content: index === 0 ? [toolUse(1, 'load_tool', { toolName: 'get_weather' })] : [text('No.')],
      }),
      { tools: catalog(), mode: 'native' },
    );
    expect(bodies[0]!.tools!.map((entry) => entry.name)).toEqual(['search_tools', ...CATALOG]);
    expect(JSON.stringify(bodies.at(-1)!.messages)).not.toContain('tool_reference');
  });
});

describe('a request to OpenAI', () => {
  const hasNamespaces = (name: Package): boolean => name !== 'openai 3.0.46';
  const openaiRuns = runs(openaiPackages);

  const shape = ({ type, name, defer_loading: deferred, tools }: OpenAITool): unknown =>
    tools ? [type, name, tools.map(shape)] : [type, name, deferred];

  function expected(name: Package, execution: Execution): unknown[] {
    const deferred = (names: readonly string[]) => names.map((tool) => ['function', tool, true]);
    const github = ['create_issue', 'list_commits'];
    const own = [...RESIDENT.map((tool) => ['function', tool, undefined]), ['tool_search', undefined, undefined]];
    // What was found stands in the conversation alone.
    if (execution === 'client') return own;
    if (!hasNamespaces(name)) return [...own, ...deferred(CATALOG)];
    const alone = CATALOG.filter((tool) => !github.includes(tool));
    return [...own, ...deferred(alone), ['namespace', 'github', deferred(github)]];
  }

  it.each(openaiRuns)(
    'has pinned tools, search and own tools before the deferred ones: %s, %s, %s',
    async (name, execution, mode) => {
      const { bodies } = await openaiRun(name, execution, mode);
      for (const { tools = [] } of bodies) expect(tools.map(shape)).toEqual(expected(name, execution));
    },
  );

  it.each(openaiRuns)('pairs calls with results: %s, %s, %s', async (name, execution, mode) => {
    const { bodies } = await openaiRun(name, execution, mode);
    const of = (type: string): OpenAIItem[] => bodies.at(-1)!.input.filter((item) => item.type === type);
    const outputs = of('function_call_output').map((item) => item.call_id);
    expect(outputs).toHaveLength(FOUND.length);
    expect(new Set(outputs).size).toBe(FOUND.length);
    const referred = of('item_reference').map(({ id }) => id);
    const calls = of('function_call');
    // The oldest version refers to the calls themselves.
    if (calls.length > 0) expect(outputs).toEqual(calls.map((item) => item.call_id));
    else expect(outputs.map((id) => id?.slice(-2))).toEqual(referred.slice(-2).map((id) => id?.slice(-2)));
    // A tool in none is called in one of its own name.
    const namespaces = execution === 'server' ? ['github', 'get_weather'] : FOUND;
    if (calls.length > 0) expect(calls.map((item) => item.namespace)).toEqual(namespaces);
    const searches = of('tool_search_output');
    if (execution === 'server') expect(searches).toEqual([]);
    else
      expect(searches.map((item) => [item.execution, item.call_id])).toEqual([
        ['client', toolSearchCall({ id: 0, callId: 0 }).call_id],
      ]);
  });

  /** The result of a search that returns the whole catalog. */
  async function afterSearch(name: OpenAIPackage) {
    const query = `select:${CATALOG.join(',')}`;
    const { bodies } = await runOpenAI(
      name,
      ({ body, index }) =>
        openaiStep(body) === 0
          ? { content: [toolSearchCall({ id: index, callId: index, args: { query } })] }
          : { content: [message(index, 'Hm.')] },
      { tools: catalog(), mode: 'native' },
    );
    const found = bodies[1]!.input.find(({ type }) => type === 'tool_search_output')!.tools!;
    expect(found.map((tool) => tool.name)).toEqual(CATALOG);
    return found;
  }

  /** How the package sends the catalog as the agent's own tools, without the processor. */
  async function plainDefinitions(name: OpenAIPackage) {
    const { bodies } = await runOpenAI(name, () => ({ content: [message(1, 'Hm.')] }), undefined, {
      agent: { tools: catalog() },
    });
    return openaiFunctions(bodies[0]!);
  }

  const parameters = (tools: readonly OpenAITool[]): string[] => tools.map((tool) => JSON.stringify(tool.parameters));
  /** `play_music` has none. */
  const hasInput = ({ name }: OpenAITool): boolean => name !== 'play_music';

  it.each(openaiPackages)('defines a found tool as the package would: %s', async (name) => {
    const found = (await afterSearch(name)).filter(hasInput);
    const plain = (await plainDefinitions(name)).filter(hasInput);
    // Versions before 4 leave out `strict`, which means the same.
    expect(found).toEqual(plain.map((tool) => ({ strict: false, ...tool, defer_loading: true })));
    expect(parameters(found)).toEqual(parameters(plain));
  });

  it.each(openaiPackages)('defines a found tool without input as the package would: %s', async (name) => {
    const isIt = (tool: OpenAITool): boolean => !hasInput(tool);
    const found = await afterSearch(name);
    expect(parameters(found.filter(isIt))).toEqual(parameters((await plainDefinitions(name)).filter(isIt)));
  });

  it.each(openaiPackages)('holds what a search found in the namespaces of the option: %s', async (name) => {
    const returned = await runOpenAI(
      name,
      ({ body, index }) => ({
        content:
          openaiStep(body) === 0
            ? [
                toolSearchCall({
                  id: index,
                  callId: index,
                  args: { query: 'select:create_issue,get_weather,list_commits' },
                }),
              ]
            : openaiStep(body) === 1
              ? [functionCall(index, 'create_issue', { title: 'A' }, 'forge')]
              : [message(index, 'Done.')],
      }),
      {
        tools: catalog(),
        mode: 'native',
        native: { namespace: ({ id }) => (id === 'get_weather' ? 'world' : { name: 'forge', description: 'Code.' }) },
      },
    );
    expect(returned.refused).toEqual([]);
    expect(returned.text).toBe('Done.');
    const [output] = returned.bodies[1]!.input.filter(({ type }) => type === 'tool_search_output');
    expect(output!.tools!.map(shape)).toEqual([
      [
        'namespace',
        'forge',
        [
          ['function', 'create_issue', true],
          ['function', 'list_commits', true],
        ],
      ],
      ['namespace', 'world', [['function', 'get_weather', true]]],
    ]);
  });
});
