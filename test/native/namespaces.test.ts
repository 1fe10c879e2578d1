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
  type OpenAIPackage,
  openaiPackages,
  ownTools,
  runAnthropic,
  runOpenAI,
} from './rig/package-runs.ts';
import { FORMS_AND_MODES, goalRig, turn as inThread, MODES } from './rig/rig.ts';
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

it.each(openaiPackages)(
  'namespaces hold all that one search returns, or nothing of it, and have the first description over all searches: %s',
  async (name) => {
    const foundBy = async (queries: readonly string[], namespace: Namespace, call?: string) => {
      const { bodies, text } = await runOpenAI(name, searching(queries, call), native('client', namespace));
      expect(text).toBe('Done.');
      const outputs = bodies.at(-1)!.input.filter(({ type }) => type === 'tool_search_output');
      return outputs.map(({ tools = [] }) => tools.map(shape));
    };
    const one: Namespace = ({ id }) => (id === 'create_issue' ? 'forge' : undefined);
    const queries = ['select:get_weather,send_email', 'select:create_issue,book_meeting'];
    expect(await foundBy(queries, one, 'get_weather')).toEqual([
      ['get_weather', 'send_email'],
      [
        ['forge', 'Tools of forge.', ['create_issue']],
        ['book_meeting', expect.stringContaining('meeting'), ['book_meeting']],
      ],
    ]);
    const all: Namespace = ({ id }) => ({ name: 'all', description: `Said of ${id}.` });
    const found = (await foundBy(['select:send_email', 'select:get_weather'], all)).flat() as [string, string][];
    const [[, first], [, second]] = found as [[string, string], [string, string]];
    expect([found.length, second]).toEqual([2, first]);
  },
);

describe('a call of a tool that a search has loaded', () => {
  /** Before 3.0.68 the package loses namespaces. */
  const loses = (name: OpenAIPackage): boolean => name === 'openai 3.0.46';
  const store = { providerOptions: { openai: { store: false } } };
  const forced = { toolChoice: { type: 'tool', toolName: 'get_weather' } };
  const cases = openaiPackages.flatMap((name, at) =>
    [true, false].map((isStored) => ({ name, mode: MODES[at % 2]!, isStored })),
  );

  it.each(cases)(
    'names its namespace where nothing is stored, and where the tool was forced meanwhile: $name, $mode, stored: $isStored',
    async ({ name, mode, isStored }) => {
      // Searches in the first of three turns, and calls the tool in each.
      const script: OpenAIScript = (request) => {
        const isFirst = request.body.input.filter(({ role }) => role === 'user').length === 1;
        return searching(isFirst ? ['select:get_weather'] : [], 'get_weather')(request);
      };
      const run = await runOpenAI(name, script, native('client'), {
        mode,
        agent: { tools: ownTools(), memory: new Memory({ storage: new InMemoryStore() }) },
        call: (turn) => ({
          ...inThread,
          ...(isStored ? (turn === 1 ? forced : {}) : store),
        }),
        turns: ['one', 'two', 'three'],
      });
      expect([run.text, run.events.filter(({ type }) => type === 'native-off')]).toEqual(['Done.', []]);
      const rules = run.refused.map((one) => (one as { rule: string }).rule);
      // What is sent by its id, the service has without the namespace: then it says so, once.
      if (isStored) expect(rules).toEqual(rules.slice(0, loses(name) ? 1 : 0).map(() => 'missing-namespace'));
      else expect(rules).toEqual(loses(name) ? ['missing-namespace'] : []);
      if (isStored) return;
      const later = run.bodies.slice(loses(name) ? 3 : 2);
      expect(later.length).toBeGreaterThan(3);
      for (const { tools = [], input } of later) {
        expect(tools.some((sentTool) => sentTool.name === 'get_weather')).toBe(loses(name));
        const calls = input.filter(({ type }) => type === 'function_call');
        expect(new Set(calls.map((one) => one.namespace))).toEqual(new Set([loses(name) ? undefined : 'get_weather']));
      }
    },
  );

  it.each(FORMS_AND_MODES.filter(({ dialect }) => dialect === 'openai'))(
    'gets load mode where a service misses it whatever is sent, in that run alone: $execution, $mode',
    async ({ mode, ...form }) => {
      const error = { message: "Missing namespace for function_call 'get_weather'." };
      let isOn = true;
      const service = openaiService(({ calls, isNative }) =>
        isOn && isNative && calls.length > 0 ? { status: 400, error } : undefined,
      );
      const { offs, done } = goalRig(form, { service, hearsErrors: true });
      await done(mode, 'use get_weather');
      isOn = false;
      await done(mode, 'use send_email');
      expect([service.views().at(-1)?.isNative, offs()]).toEqual([true, ['refused']]);
    },
  );
});

it('a namespace of ten functions or more is reported once, over all requests, where there are namespaces', async () => {
  const many = (count: number, server: string): Record<string, MastraTool> =>
    toolRecord(...Array.from({ length: count }, (_, n) => tool(`${server}_${n}`, `Does ${server} ${n}.`)));
  const ofServer = ({ id }: { id?: string }): string | undefined => id?.split('_')[0];
  const tools = { ...many(12, 'crm'), ...many(11, 'erp'), ...many(9, 'small') };
  const problems = async (...given: Parameters<typeof native>) => {
    const options = native(given[0], given[1], { tools, ...given[2] });
    const { events } = await runOpenAI('openai 4', DONE.openai, options, { turns: ['hi', 'and again'] });
    return events.flatMap((event) => (event.type === 'tool-problem' ? [event] : []));
  };
  const CROWDED = ['crm', 'erp'].map((toolName) => ({ toolName, problem: 'crowded-namespace' }));
  for (const execution of executions) {
    const reported = await problems(execution, ofServer);
    expect(reported).toMatchObject(CROWDED);
    expect(reported[0]!.message).toMatch(/"crm" has 12 functions.*native\.namespace/);
  }
  expect(await problems('server', undefined, { groups: ofServer })).toMatchObject(CROWDED);
  const filter = ({ toolName }: { toolName: string }) => toolName < 'crm_3';
  expect(await problems('server', ofServer, { filter })).toEqual([]);
  expect(await problems('server', false)).toEqual([]);
  expect(await problems('client', undefined, { groups: ofServer })).toEqual([]);
  const { events } = await runAnthropic('anthropic 4', DONE.anthropic, native('server', ofServer, { tools }));
  expect(events.filter(({ type }) => type === 'tool-problem')).toEqual([]);
});
