// The namespaces of OpenAI's tool search.
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { MastraTool, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';
import {
  functionCall,
  message,
  type OpenAIScript,
  type OpenAITool,
  openaiStep,
  toolSearchCall,
} from './fakes/fake-provider.ts';
import {
  catalog,
  DONE,
  type Execution,
  executions,
  modes,
  type OpenAIPackage,
  openaiPackages,
  ownTools,
  runAnthropic,
  runOpenAI,
} from './rig/package-runs.ts';
import { FORMS_AND_MODES, goalRig, say } from './rig/rig.ts';
import { openaiService } from './rig/services.ts';

type Options = ToolSearchProcessorOptions;
type Namespace = NonNullable<Options['native']>['namespace'];

const native = (execution: Execution, namespace?: Namespace, more: Partial<Options> = {}): Options => ({
  ...{ tools: catalog(), mode: 'native' },
  native: { execution, ...(namespace === undefined ? {} : { namespace }) },
  ...more,
});

/** What a request, or a result, holds: names, with the tools of namespaces. */
const shape = ({ type, name, description, tools }: OpenAITool): unknown =>
  type === 'namespace' ? [name, description, tools?.map(shape)] : name;

async function sent(namespace?: Namespace, more: Partial<Options> = {}): Promise<unknown[]> {
  const { bodies, refused } = await runOpenAI('openai 4', DONE.openai, native('server', namespace, more));
  expect(refused).toEqual([]);
  const [search, ...rest] = bodies[0]!.tools!;
  expect(search).toEqual({ type: 'tool_search' });
  return rest.map(shape);
}

/** Searches for each of the queries, and calls what is named then. */
const searching =
  (queries: readonly string[], call?: string, namespace?: string): OpenAIScript =>
  ({ body, index }) => {
    const step = openaiStep(body);
    const query = queries[step];
    if (query !== undefined) return { content: [toolSearchCall({ id: index, callId: index, args: { query } })] };
    const isCalling = call !== undefined && step === queries.length;
    return { content: [isCalling ? functionCall(index, call, { text: 'x' }, namespace) : message(index, 'Done.')] };
  };

const ALONE = ['get_weather', 'send_email', 'book_meeting', 'play_music'];
const GITHUB = ['create_issue', 'list_commits'];

describe('the namespaces of a request', () => {
  it('are by default the MCP servers, or the groups of the option; none with false', async () => {
    expect(await sent()).toEqual([...ALONE, ['github', 'Tools of the MCP server github.', GITHUB]]);
    const groups = ({ id }: { id?: string }) => (id === 'play_music' ? 'Fun & games' : '');
    expect(await sent(undefined, { groups })).toContainEqual(['Fun___games', 'Tools of Fun & games.', ['play_music']]);
    expect(await sent(false)).toEqual([...ALONE, ...GITHUB]);
  });

  it('are a name, a name with a description, or none, as a function says; the first description counts', async () => {
    const namespace: Namespace = ({ id }) => {
      if (id === 'get_weather' || id === 'send_email') return 'daily';
      if (id === 'create_issue') return { name: 'forge', description: 'Issues and code.' };
      return id === 'list_commits' ? { name: 'forge' } : undefined;
    };
    expect(await sent(namespace)).toEqual([
      ['daily', 'Tools of daily.', ['get_weather', 'send_email']],
      ...['book_meeting', 'play_music'],
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
    ['answers an empty name', () => ''],
    ['answers an object without a name', () => ({ description: 'Tools.' })],
    ['answers a name of another type', () => ({ name: 5 })],
  ])('are none where a function %s', async (_, namespace) => {
    expect(await sent(namespace as never)).toEqual([...ALONE, ...GITHUB]);
  });

  it.each([
    ['My CRM (EU)', 'My_CRM__EU_'],
    ['a.b/c', 'a_b_c'],
    ['größe', 'gr__e'],
    ['😀x', '_x'],
    ['n'.repeat(80), 'n'.repeat(64)],
  ])('have names without characters that OpenAI refuses: %s', async (given, expected) => {
    // Two names may become the same.
    const all = await sent(({ id }) => (id === 'get_weather' ? expected : given));
    expect(all).toEqual([[expected, expect.stringContaining('Tools of '), Object.keys(catalog())]]);
  });

  it('have a description of one line and bounded length, and the default one instead of blanks', async () => {
    const describe = async (description: string) =>
      ((await sent(() => ({ name: 'all', description }))) as [[0, string]])[0][1];
    const long = await describe(`a\nb ${'c'.repeat(2_000)}`);
    expect(long).toMatch(/^a b c+\.\.\.$/);
    expect(long.length).toBeLessThanOrEqual(500);
    expect(await describe('  ')).toBe('Tools of all.');
  });
});

describe.each(openaiPackages)('the namespaces of what a search found: %s', (name) => {
  const results = async (queries: readonly string[], namespace: Namespace, call?: string) => {
    const run = await runOpenAI(name, searching(queries, call), native('client', namespace));
    const outputs = run.bodies.at(-1)!.input.filter(({ type }) => type === 'tool_search_output');
    return { ...run, found: outputs.map(({ tools = [] }) => tools.map(shape)) };
  };

  it('hold all that one search returns, or nothing of it', async () => {
    const namespace: Namespace = ({ id }) => (id === 'create_issue' ? 'forge' : undefined);
    const queries = ['select:get_weather,send_email', 'select:create_issue,book_meeting'];
    const { found, text } = await results(queries, namespace, 'get_weather');
    expect([found, text]).toEqual([
      [
        ['get_weather', 'send_email'],
        [
          ['forge', 'Tools of forge.', ['create_issue']],
          ['book_meeting', expect.stringContaining('meeting'), ['book_meeting']],
        ],
      ],
      'Done.',
    ]);
  });

  it('have the first description over all searches', async () => {
    const namespace: Namespace = ({ id }) => ({ name: 'all', description: `Said of ${id}.` });
    const { found } = await results(['select:send_email', 'select:get_weather'], namespace);
    const descriptions = (found.flat() as [string, string, string[]][]).map(([, description]) => description);
    expect(new Set(descriptions).size).toBe(1);
    expect(descriptions).toHaveLength(2);
  });
});

describe('a call of a tool that a search has loaded', () => {
  /** Before 3.0.68 the package loses namespaces. */
  const loses = (name: OpenAIPackage): boolean => name === 'openai 3.0.46';
  const rulesOf = (refused: readonly unknown[]) => refused.map((one) => (one as { rule: string }).rule);

  /** Searches in the first of three turns, and calls the tool in each. */
  const converse = (name: OpenAIPackage, mode: (typeof modes)[number], call: (turn: number) => object) => {
    const script: OpenAIScript = (request) => {
      const isFirst = request.body.input.filter(({ role }) => role === 'user').length === 1;
      return searching(isFirst ? ['select:get_weather'] : [], 'get_weather')(request);
    };
    const memory = new Memory({ storage: new InMemoryStore() });
    const turn = (n: number): object => ({ memory: { thread: 'thread', resource: 'user' }, ...call(n) });
    const setup = { mode, agent: { tools: ownTools(), memory }, call: turn, turns: ['one', 'two', 'three'] };
    return runOpenAI(name, script, native('client'), setup);
  };
  const cases = openaiPackages.map((name, at) => ({ name, mode: modes[at % 2]! }));

  it.each(cases)('names its namespace where nothing is stored: $name, $mode', async ({ name, mode }) => {
    const run = await converse(name, mode, () => ({ providerOptions: { openai: { store: false } } }));
    expect(run.text).toBe('Done.');
    expect(rulesOf(run.refused)).toEqual(loses(name) ? ['missing-namespace'] : []);
    const later = run.bodies.slice(loses(name) ? 3 : 2);
    expect(later.length).toBeGreaterThan(3);
    for (const { tools = [], input } of later) {
      expect(tools.some((sentTool) => sentTool.name === 'get_weather')).toBe(loses(name));
      const calls = input.filter(({ type }) => type === 'function_call');
      expect(new Set(calls.map((one) => one.namespace))).toEqual(new Set([loses(name) ? undefined : 'get_weather']));
    }
    expect(run.events.filter(({ type }) => type === 'native-off')).toEqual([]);
  });

  it.each(cases)('names its namespace where the tool was forced meanwhile: $name, $mode', async ({ name, mode }) => {
    const forced = { toolChoice: { type: 'tool', toolName: 'get_weather' } };
    const run = await converse(name, mode, (turn) => (turn === 1 ? forced : {}));
    expect(run.text).toBe('Done.');
    // What is sent by its id, the service has without the namespace: then it says so, once.
    expect(rulesOf(run.refused)).toEqual(run.refused.map(() => 'missing-namespace'));
    expect(run.refused.length).toBeLessThanOrEqual(loses(name) ? 1 : 0);
    expect(run.events.filter(({ type }) => type === 'native-off')).toEqual([]);
  });

  it.each(FORMS_AND_MODES.filter(({ dialect }) => dialect === 'openai'))(
    'gets load mode where a service misses it whatever is sent, in that run alone: $execution, $mode',
    async ({ mode, ...form }) => {
      const error = { message: "Missing namespace for function_call 'get_weather'." };
      let isOn = true;
      const service = openaiService(({ calls, isNative }) =>
        isOn && isNative && calls.length > 0 ? { status: 400, error } : undefined,
      );
      const { agent, events } = goalRig(form, { service, hearsErrors: true });
      expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
      isOn = false;
      expect((await say(agent, mode, 'use send_email')).text).toBe('done');
      expect(service.views().at(-1)?.isNative).toBe(true);
      expect(events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : []))).toEqual(['refused']);
    },
  );
});

describe('a namespace of ten functions or more', () => {
  const many = (count: number, server = 'crm'): Record<string, MastraTool> =>
    toolRecord(...Array.from({ length: count }, (_, n) => tool(`${server}_${n}`, `Does ${server} ${n}.`)));
  const namespace = ({ id }: { id?: string }): string | undefined => id?.split('_')[0];
  const problems = async (options: Options) => {
    const { events } = await runOpenAI('openai 4', DONE.openai, options, { turns: ['hi', 'and again'] });
    return events.flatMap((event) => (event.type === 'tool-problem' ? [event] : []));
  };
  const tools = { ...many(12), ...many(11, 'erp'), ...many(9, 'small') };

  it.each(executions)('is reported once, over all requests: %s', async (execution) => {
    const reported = await problems(native(execution, namespace, { tools }));
    expect(reported.map(({ toolName, problem }) => [toolName, problem])).toEqual([
      ['crm', 'crowded-namespace'],
      ['erp', 'crowded-namespace'],
    ]);
    expect(reported[0]!.message).toMatch(/"crm" has 12 functions.*native\.namespace/);
  });

  it('is reported for the groups that are namespaces by default, and for none where there are none', async () => {
    const groups = namespace;
    expect((await problems(native('server', undefined, { tools, groups }))).map(({ toolName }) => toolName)).toEqual([
      'crm',
      'erp',
    ]);
    const filter = ({ toolName }: { toolName: string }) => toolName < 'crm_3';
    expect(await problems(native('server', namespace, { tools: many(12), filter }))).toEqual([]);
    expect(await problems(native('server', false, { tools }))).toEqual([]);
    expect(await problems(native('client', undefined, { tools, groups }))).toEqual([]);
    const { events } = await runAnthropic('anthropic 4', DONE.anthropic, native('server', namespace, { tools }));
    expect(events.filter(({ type }) => type === 'tool-problem')).toEqual([]);
  });
});
