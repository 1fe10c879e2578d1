import type { MastraTool, ToolGroup, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';
import {
  functionCall,
  message,
  type OpenAIScript,
  type OpenAITool,
  openaiStep,
  toolSearchCall,
  toolSearchOutput,
} from './fakes/fake-provider.ts';
import { catalog, executions, modes, runAnthropic, runOpenAI } from './rig/package-runs.ts';

type Namespace = NonNullable<ToolSearchProcessorOptions['native']>['namespace'];
const PACKAGES = ['openai 4', 'openai router'] as const;

const options = (namespace?: Namespace, tools: Record<string, MastraTool> = catalog()): ToolSearchProcessorOptions => ({
  tools,
  mode: 'native',
  native: { execution: 'server', ...(namespace === undefined ? {} : { namespace }) },
});

const say: OpenAIScript = () => ({ content: [message(1, 'Done.')] });

/** What a request holds after the search tool: names, with the tools of namespaces. */
const shape = ({ type, name, description, tools }: OpenAITool): unknown =>
  type === 'namespace' ? [name, description, tools?.map(shape)] : name;

async function sent(
  namespace?: Namespace,
  tools?: Record<string, MastraTool>,
  name: (typeof PACKAGES)[number] = 'openai 4',
): Promise<unknown[]> {
  const { bodies, refused } = await runOpenAI(name, say, options(namespace, tools));
  expect(refused).toEqual([]);
  expect(bodies).toHaveLength(1);
  const [search, ...rest] = bodies[0]!.tools!;
  expect(search).toEqual({ type: 'tool_search' });
  return rest.map(shape);
}

const ALONE = ['get_weather', 'send_email', 'book_meeting', 'play_music'];
const GITHUB = ['create_issue', 'list_commits'];

describe('the namespaces of OpenAI', () => {
  it.each(PACKAGES)('hold all that one search returns, or nothing of it: %s', async (name) => {
    const results = async (query: string): Promise<unknown[]> => {
      const script: OpenAIScript = ({ body, index }) => {
        const step = openaiStep(body);
        if (step === 0) return { content: [toolSearchCall({ id: index, callId: index, args: { query } })] };
        return { content: [step === 1 ? functionCall(index, 'get_weather', { text: 'x' }) : message(index, 'Done.')] };
      };
      const namespace: Namespace = ({ id }) => (id === 'create_issue' ? 'forge' : undefined);
      const native = { namespace, execution: 'client' } as const;
      const { bodies, refused, text } = await runOpenAI(name, script, { tools: catalog(), mode: 'native', native });
      expect([refused, text]).toEqual([[], 'Done.']);
      const call = bodies.at(-1)!.input.find(({ type }) => type === 'function_call');
      expect(call?.namespace ?? 'get_weather').toBe('get_weather');
      return bodies
        .at(-1)!
        .input.find(({ type }) => type === 'tool_search_output')!
        .tools!.map(shape);
    };
    expect(await results('select:get_weather,send_email')).toEqual(['get_weather', 'send_email']);
    expect(await results('select:get_weather,create_issue')).toEqual([
      ['get_weather', expect.stringContaining('weather'), ['get_weather']],
      ['forge', 'Tools of forge.', ['create_issue']],
    ]);
  });

  it.each(PACKAGES)('are by default the MCP servers: %s', async (name) => {
    expect(await sent(undefined, undefined, name)).toEqual([
      ...ALONE,
      ['github', 'Tools of the MCP server github.', GITHUB],
    ]);
  });

  it('are the groups of the option, where there is one', async () => {
    const groups: ToolGroup = ({ id }) => (id === 'play_music' ? 'Fun & games' : '');
    const { bodies } = await runOpenAI('openai 4', say, { ...options(), groups });
    const names = bodies[0]!.tools!.slice(1).map(shape);
    expect(names).toContainEqual(['Fun___games', 'Tools of Fun & games.', ['play_music']]);
    expect(names).toContain('create_issue');
  });

  it('are none with false', async () => {
    expect(await sent(false)).toEqual([...ALONE, ...GITHUB]);
  });

  it('are a name, a name with a description, or none, as a function says', async () => {
    const namespace: Namespace = ({ id }) => {
      if (id === 'get_weather' || id === 'send_email') return 'daily';
      if (id === 'create_issue') return { name: 'forge', description: 'Issues and code.' };
      if (id === 'list_commits') return { name: 'forge' };
      return undefined;
    };
    expect(await sent(namespace)).toEqual([
      ['daily', 'Tools of daily.', ['get_weather', 'send_email']],
      'book_meeting',
      'play_music',
      ['forge', 'Issues and code.', GITHUB],
    ]);
  });

  const fails = (): never => {
    throw new Error('no idea');
  };

  it.each<[string, (...given: unknown[]) => unknown]>([
    ['throws', fails],
    ['answers a promise', async () => 'later'],
    ['rejects', async () => fails()],
    ['answers a number', () => 5],
    ['answers null', () => null],
    ['answers an empty name', () => ''],
    ['answers an object without a name', () => ({ description: 'Tools.' })],
    ['answers a name of another type', () => ({ name: 5 })],
  ])('a function that %s: no namespace', async (_, namespace) => {
    expect(await sent(namespace as never)).toEqual([...ALONE, ...GITHUB]);
  });

  it('have the first of two descriptions', async () => {
    const tools = toolRecord(tool('first'), tool('second'), tool('third'));
    const namespace: Namespace = ({ id }) => ({ name: 'all', description: `Said of ${id}.` });
    expect(await sent(namespace, tools)).toEqual([['all', 'Said of first.', ['first', 'second', 'third']]]);
  });

  it.each(PACKAGES)('have the first description over all searches: %s, client', async (name) => {
    const queries = ['select:send_email', 'select:get_weather'];
    const script: OpenAIScript = ({ body, index }) => {
      const query = queries[openaiStep(body)];
      const search = toolSearchCall({ id: index, callId: index, args: { query } });
      return { content: [query === undefined ? message(index, 'Done.') : search] };
    };
    const namespace: Namespace = ({ id }) => ({ name: 'all', description: `Said of ${id}.` });
    const native = { execution: 'client', namespace } as const;
    const { bodies } = await runOpenAI(name, script, { tools: catalog(), mode: 'native', native });
    const { input, tools = [] } = bodies.at(-1)!;
    const found = [
      ...tools,
      ...input.flatMap((item) => (item.type === 'tool_search_output' ? (item.tools ?? []) : [])),
    ];
    const descriptions = found.filter(({ type }) => type === 'namespace').map(({ description }) => description);
    expect(new Set(descriptions).size).toBe(1);
  });

  it.each([
    ['My CRM (EU)', 'My_CRM__EU_'],
    ['a.b/c', 'a_b_c'],
    ['größe', 'gr__e'],
    ['😀x', '_x'],
    ['-ok_1', '-ok_1'],
    ['n'.repeat(80), 'n'.repeat(64)],
  ])('have names without characters that OpenAI refuses: %s', async (given, expected) => {
    const names = (await sent(() => given)) as [string, string, string[]][];
    expect(names).toEqual([[expected, expect.any(String), Object.keys(catalog())]]);
    expect(names[0]![1].startsWith(`Tools of ${given}`)).toBe(true);
  });

  it('are one where two names become the same', async () => {
    const tools = toolRecord(tool('first'), tool('second'));
    expect(await sent(({ id }) => (id === 'first' ? 'a b' : 'a_b'), tools)).toEqual([
      ['a_b', 'Tools of a b.', ['first', 'second']],
    ]);
  });

  it('have a description of one line and bounded length', async () => {
    const [[, description]] = (await sent(() => ({ name: 'all', description: `a\nb ${'c'.repeat(2_000)}` }))) as [
      [string, string],
    ];
    expect(description).toMatch(/^a b c+\.\.\.$/);
    expect(description.length).toBeLessThanOrEqual(500);
  });

  it('have the default description instead of blanks', async () => {
    const [[, description]] = (await sent(() => ({ name: 'all', description: '  ' }))) as [[string, string]];
    expect(description).toBe('Tools of all.');
  });

  it('stand in no request to Anthropic', async () => {
    const namespace: Namespace = () => 'all';
    const { bodies } = await runAnthropic('anthropic 4', () => ({ content: [] }), options(namespace));
    expect(JSON.stringify(bodies)).not.toContain('namespace');
  });
});

describe('a namespaced call', () => {
  const cases = PACKAGES.flatMap((name) =>
    executions.flatMap((execution) => modes.map((mode) => [name, execution, mode] as const)),
  );

  it.each(cases)('runs, and comes back with its namespace: %s, %s, %s', async (name, execution, mode) => {
    const script: OpenAIScript = ({ body, index }) => {
      const step = openaiStep(body);
      const call = functionCall(index, 'get_weather', { text: 'Oslo' }, 'sky');
      if (execution === 'server') {
        if (step > 0) return { content: [message(index, 'Done.')] };
        const tools = body.tools!.filter((entry) => entry.name === 'sky');
        return { content: [toolSearchCall({ id: index }), toolSearchOutput({ id: index, tools }), call] };
      }
      const query = 'select:get_weather';
      if (step === 0) return { content: [toolSearchCall({ id: index, callId: index, args: { query } })] };
      return { content: [step === 1 ? call : message(index, 'Done.')] };
    };
    const native = { execution, namespace: ({ id }: MastraTool) => (id === 'get_weather' ? 'sky' : undefined) };
    const { bodies, refused, text } = await runOpenAI(
      name,
      script,
      { tools: catalog(), mode: 'native', native },
      { mode },
    );
    expect(refused).toEqual([]);
    expect(text).toBe('Done.');
    const { input } = bodies.at(-1)!;
    expect(input.filter(({ type }) => type === 'function_call')).toMatchObject([
      { name: 'get_weather', namespace: 'sky' },
    ]);
    const [output] = input.filter(({ type }) => type === 'function_call_output');
    expect(JSON.parse(String(output!.output))).toEqual({ ran: 'get_weather', input: { text: 'Oslo' } });
  });
});
