import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { part } from '../support/breadth.ts';
import {
  type AnthropicBody,
  functionCall,
  message,
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
  executions,
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

const runs = <Name extends Package>(names: readonly Name[]) =>
  part(
    names.flatMap((name) => executions.flatMap((execution) => modes.map((mode) => [name, execution, mode] as const))),
    'pairs',
  );

const anthropicRun = async (...run: Parameters<typeof fixtureRun>) =>
  (await fixtureRun(...run)) as Recorded<AnthropicBody>;

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

  it.each(anthropicRuns)('asks for no beta of its own: %s, %s, %s', async (name, execution, mode) => {
    const { headers } = await anthropicRun(name, execution, mode);
    const plain = await plainRun(name, mode);
    for (const sent of headers) expect(sent['anthropic-beta']).toBe(plain.headers[0]!['anthropic-beta']);
  });

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
  const shape = ({ type, name, defer_loading: deferred, tools }: OpenAITool): unknown =>
    tools ? [type, name, tools.map(shape)] : [type, name, deferred];

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
