// The namespaces of OpenAI's tool search.
import type { MastraTool, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';
import type { OpenAIBody, OpenAITool } from './fakes/fake-provider.ts';
import type { Action, Sent } from './rig/goals.ts';
import { catalog, executions, modelFrom, openaiPackages, routed } from './rig/package-runs.ts';
import { goalRig, MODES, type RigOptions, say } from './rig/rig.ts';
import { serviceOf } from './rig/services.ts';

type Options = Partial<ToolSearchProcessorOptions>;
type Groups = NonNullable<ToolSearchProcessorOptions['groups']>;

const rigOf = (execution: 'client' | 'server', more: RigOptions = {}) =>
  goalRig({ dialect: 'openai', execution }, { tools: catalog(), agent: { tools: {} }, ...more });
/** What a request, or a result, holds: names, with the tools of namespaces. */
const shape = ({ type, name, description, tools }: OpenAITool): unknown =>
  type === 'namespace' ? [name, description, tools?.map(shape)] : name;

async function sent(groups?: Groups): Promise<unknown[]> {
  const { agent, service, refused } = rigOf('server', groups ? { processor: { groups } } : {});
  await say(agent, 'generate', 'hello');
  expect(refused()).toEqual([]);
  const [search, ...rest] = (service.bodies()[0] as OpenAIBody).tools!;
  expect(search).toEqual({ type: 'tool_search' });
  return rest.map(shape);
}

const ALONE = ['get_weather', 'send_email', 'book_meeting', 'play_music'];
const GITHUB = ['create_issue', 'list_commits'];

describe('the namespaces of a request', () => {
  it('are by default the MCP servers', async () => {
    expect(await sent()).toEqual([...ALONE, ['github', 'Tools of the MCP server github.', GITHUB]]);
  });

  it('are the groups of the option, with their descriptions, of which the first counts', async () => {
    const groups: Groups = ({ id }) => {
      if (id === 'get_weather' || id === 'send_email') return 'daily';
      if (id === 'create_issue') return { name: 'forge', description: 'Issues and code.' };
      return id === 'list_commits' ? { name: 'forge' } : undefined;
    };
    expect(await sent(groups)).toEqual([
      ['daily', 'Tools of daily.', ['get_weather', 'send_email']],
      ...['book_meeting', 'play_music'],
      ['forge', 'Issues and code.', GITHUB],
    ]);
  });

  it.each<[string, () => unknown]>([
    ['throws', () => JSON.parse('{')],
    ['rejects', async () => JSON.parse('{')],
    ['answers an empty name', () => ''],
    ['answers an object without a name', () => ({ description: 'Tools.' })],
    ['answers a name of another type', () => ({ name: 5 })],
  ])('are none where a function %s', async (_, groups) => {
    expect(await sent(groups as never)).toEqual([...ALONE, ...GITHUB]);
  });

  it.each([
    ['My CRM (EU)', 'My_CRM__EU_'],
    ['a.b/größe', 'a_b_gr__e'],
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
    expect(long).toBe(`a b ${'c'.repeat(496)}`);
    expect(await describe('  ')).toBe('Tools of all.');
  });
});

it('a search that this processor answers returns functions without namespaces', async () => {
  const decide = ({ calls }: Sent): Action | undefined =>
    calls.length > 0
      ? undefined
      : { type: 'search', query: 'select:create_issue,book_meeting', wanted: [], tool: 'tool_search' };
  const rig = rigOf('client', { decide, processor: { groups: () => 'all' } });
  await rig.done('generate', 'hello');
  const { input } = rig.service.bodies().at(-1) as OpenAIBody;
  const found = input.flatMap(({ type, tools = [] }) => (type === 'tool_search_output' ? [tools.map(shape)] : []));
  expect(found).toEqual([['create_issue', 'book_meeting']]);
});

describe('a call of a tool that a search has loaded', () => {
  const cases = openaiPackages.flatMap((name, at) =>
    [true, false].map((isStored) => ({ name, mode: MODES[at % 2]!, isStored })),
  );
  it.each(cases)(
    'names its namespace where nothing is stored, and where the tool was forced meanwhile: $name, $mode, stored: $isStored',
    async ({ name, mode, isStored }) => {
      const service = serviceOf('openai');
      const rig = rigOf('client', { service, model: modelFrom(name, service.fake) });
      const forced = { toolChoice: { type: 'tool', toolName: 'get_weather' } };
      await routed(service.fake as never, async () => {
        for (const turn of [0, 1, 2]) {
          const store = isStored ? {} : { providerOptions: { openai: { store: false } } };
          // What is forced is called without end.
          const options = isStored && turn === 1 ? { ...forced, maxSteps: 2 } : store;
          await say(rig.agent, mode, 'use get_weather', options);
        }
      });
      // Before 3.0.68 the package loses namespaces. What is sent by its id, the service has without: it says so, once.
      const isLosing = name === 'openai 3.0.46';
      expect(rig.refused().map(({ rule }) => rule)).toEqual(isLosing ? ['missing-namespace'] : []);
      expect(rig.offs()).toEqual([]);
      if (isStored) return;
      const later = (service.bodies() as OpenAIBody[]).slice(isLosing ? 3 : 2);
      expect(later.length).toBeGreaterThan(3);
      for (const { tools = [], input } of later) {
        expect(tools.some((one) => one.name === 'get_weather')).toBe(isLosing);
        const calls = input.filter(({ type }) => type === 'function_call');
        expect(new Set(calls.map((one) => one.namespace))).toEqual(new Set([isLosing ? undefined : 'get_weather']));
      }
    },
  );

  it.each(executions)(
    'gets load mode where a service misses it whatever is sent, in that run alone: %s',
    async (execution) => {
      const error = { message: "Missing namespace for function_call 'get_weather'." };
      let isOn = true;
      const interrupt = ({ calls, isNative }: Sent) =>
        isOn && isNative && calls.length > 0 ? { status: 400, error } : undefined;
      const rig = rigOf(execution, { interrupt, hearsErrors: true });
      await rig.done('stream', 'use get_weather');
      isOn = false;
      await rig.done('stream', 'use send_email');
      expect([rig.service.views().at(-1)?.isNative, rig.offs()]).toEqual([true, ['refused']]);
    },
  );
});

it('a namespace of ten functions or more is reported once, over all requests, where there are namespaces', async () => {
  const many = (count: number, server: string): Record<string, MastraTool> =>
    toolRecord(...Array.from({ length: count }, (_, n) => tool(`${server}_${n}`, `Does ${server} ${n}.`)));
  const ofServer = ({ id }: { id?: string }): string | undefined => id?.split('_')[0];
  const tools = { ...many(12, 'crm'), ...many(11, 'erp'), ...many(9, 'small') };
  const problems = async (execution: 'client' | 'server', processor: Options = {}) => {
    const rig = rigOf(execution, { tools, processor });
    await rig.done('generate', 'hi', 'and again');
    return rig.events.flatMap((event) => (event.type === 'tool-problem' ? [event] : []));
  };
  const reported = await problems('server', { groups: ofServer });
  expect(reported).toMatchObject(['crm', 'erp'].map((toolName) => ({ toolName, problem: 'crowded-namespace' })));
  expect(reported[0]!.message).toMatch(/"crm" has 12 functions.* Split it with groups\./);
  const filter = ({ toolName }: { toolName: string }) => toolName < 'crm_3';
  expect(await problems('server', { groups: ofServer, filter })).toEqual([]);
  expect(await problems('server')).toEqual([]);
  expect(await problems('client', { groups: ofServer })).toEqual([]);
  const anthropic = goalRig({ dialect: 'anthropic', execution: 'server' }, { tools, processor: { groups: ofServer } });
  await anthropic.done('generate', 'hi');
  expect(anthropic.events).toEqual([]);
});
