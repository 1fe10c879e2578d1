import { MessageList } from '@mastra/core/agent/message-list';
import { ToolSearchProcessor as CoreToolSearchProcessor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, toolRecord, weather } from '../../support/harness.ts';
import { message, result, userSays } from './messages.ts';

type Call = readonly [toolName: string, input: object];
type Written = readonly (readonly [toolName: string, value: unknown])[];
type Callable = Record<string, { execute(input: unknown, context: object): Promise<unknown> }>;
interface Anyone {
  processInputStep(args: never): Promise<unknown>;
}

const tools = () => toolRecord(weather(), email());
const processors = { ours: ToolSearchProcessor, '@mastra/core 1.71': CoreToolSearchProcessor };

const stepOf = async (processor: Anyone, messages: readonly object[], thread: string): Promise<Callable> => {
  const requestContext = new RequestContext([['mastra__threadId', thread]] as never);
  const args = { messageList: new MessageList(), messages, requestContext, state: {}, stepNumber: 0, steps: [] };
  return ((await processor.processInputStep(args as never)) as { tools: Callable }).tools;
};

/** The results that these calls leave in a conversation, all of one step. */
async function write(by: keyof typeof processors, autoLoad: boolean, calls: readonly Call[]): Promise<Written> {
  const made = new processors[by]({ tools: tools(), storage: 'context', search: { autoLoad } } as never);
  const step = await stepOf(made, [], 'writer');
  const written: [string, unknown][] = [];
  for (const [name, input] of calls) {
    written.push([name, JSON.parse(JSON.stringify(await step[name]?.execute(input, {})))]);
  }
  return written;
}

/** The tools that a step of a new process sends when the conversation holds these results. */
async function read(by: keyof typeof processors, autoLoad: boolean, written: Written): Promise<string[]> {
  const made = new processors[by]({ tools: tools(), storage: 'context', search: { autoLoad } } as never);
  const parts = written.map(([name, value]) => result(name, value));
  const sent = await stepOf(made, [userSays('go'), message('assistant', parts)], 'reader');
  return Object.keys(sent).filter((name) => !name.endsWith('_tools') && !name.endsWith('_tool'));
}

/** What @mastra/core counts as loaded after 1.71: lists of load_tool, and searches whose receipt names their results. */
function newerCoreReads(written: Written): string[] {
  const names = written.flatMap(([toolName, value]) => {
    const { success, loaded, results, activation } = value as {
      success?: unknown;
      loaded?: string[];
      results?: { name: string; description: string; score: number }[];
      activation?: { type: string; version: number; loaded: string[] };
    };
    if (toolName === 'load_tool') return typeof success === 'boolean' ? (loaded ?? []) : [];
    if (activation?.type !== 'tool-search-auto-load' || activation.version !== 1 || !results) return [];
    const isWhole = results.every(
      ({ description, score }) => typeof description === 'string' && Number.isFinite(score),
    );
    const found = results.map(({ name }) => name);
    return isWhole && [...found].sort().join() === [...activation.loaded].sort().join() ? found : [];
  });
  return [...new Set(names)];
}

const search = (query: string | string[]): Call => ['search_tools', { query }];
const load = (input: object): Call => ['load_tool', input];

const shared = [
  { what: 'a load by name', calls: [load({ toolName: 'get_weather' })], shows: ['get_weather'] },
  {
    what: 'a load by list',
    calls: [load({ toolNames: ['send_email', 'get_weather'] })],
    shows: ['send_email', 'get_weather'],
  },
  {
    what: 'a load with an unknown name',
    calls: [load({ toolNames: ['nope', 'get_weather'] })],
    shows: ['get_weather'],
  },
  { what: 'a load that failed', calls: [load({ toolName: 'nope' })], shows: [] },
  { what: 'a load of unknown names', calls: [load({ toolNames: ['nope', 'no'] })], shows: [] },
  { what: 'a load of no names', calls: [load({ toolNames: [] })], shows: [] },
  { what: 'a load without names', calls: [load({})], shows: [] },
  { what: 'a search that loads', autoLoad: true, calls: [search('weather')], shows: ['get_weather'] },
  { what: 'a search that finds nothing', autoLoad: true, calls: [search('xyzzy')], shows: [] },
] as const;

describe.each(shared)('the result of $what', ({ calls, shows, ...row }) => {
  const autoLoad = 'autoLoad' in row;

  it('by this package is read by this package, by @mastra/core 1.71 and by later versions', async () => {
    const written = await write('ours', autoLoad, calls);
    expect(await read('ours', autoLoad, written)).toEqual(shows);
    expect((await read('@mastra/core 1.71', autoLoad, written)).sort()).toEqual([...shows].sort());
    expect(newerCoreReads(written)).toEqual(shows);
  });

  it('by @mastra/core 1.71 is read by this package', async () => {
    const written = await write('@mastra/core 1.71', autoLoad, calls);
    expect(await read('ours', autoLoad, written)).toEqual(shows);
  });
});

const again = [
  { what: 'a second load', autoLoad: false, calls: [load({ toolName: 'get_weather' })], shows: ['get_weather'] },
  { what: 'a second search', autoLoad: true, calls: [search('weather')], shows: ['get_weather'] },
];
const againAsList = {
  what: 'a second load of a list',
  autoLoad: false,
  calls: [load({ toolNames: ['get_weather', 'send_email'] })],
  shows: ['get_weather', 'send_email'],
};

describe.each(['ours', '@mastra/core 1.71'] as const)('a result that the class of %s wrote', (by) => {
  it.each([...again, againAsList])(
    'shows tools to this package as $what, after the first result was trimmed away',
    async ({ autoLoad, calls, shows }) => {
      const [, second] = await write(by, autoLoad, [...calls, ...calls]);
      expect((await read('ours', autoLoad, [second!])).sort()).toEqual(shows);
    },
  );

  it('shows no tools to this package as a search that loads nothing', async () => {
    expect(await read('ours', false, await write(by, false, [search('weather')]))).toEqual([]);
  });
});

describe('a result that only this package writes is read by later versions of @mastra/core', () => {
  it.each(again)('as $what, after the first result was trimmed away', async ({ autoLoad, calls, shows }) => {
    const [, second] = await write('ours', autoLoad, [...calls, ...calls]);
    expect(newerCoreReads([second!])).toEqual(shows);
  });

  it.each([
    { query: 'select:send_email', autoLoad: false },
    { query: ['weather', 'email'], autoLoad: true },
    { query: ['select:send_email', 'weather'], autoLoad: true },
  ])('as a search for $query', async ({ query, autoLoad }) => {
    const written = await write('ours', autoLoad, [search(query)]);
    const shows = await read('ours', autoLoad, written);
    expect(shows).toContain('send_email');
    expect(newerCoreReads(written)).toEqual(shows);
  });

  it('except a search that loaded a part of what it shows, which has no receipt', async () => {
    const [[, value] = []] = await write('ours', false, [search(['select:send_email', 'weather'])]);
    expect(value).toMatchObject({ loaded: ['send_email'] });
    expect(value).not.toHaveProperty('activation');
  });
});

describe('a result of a later @mastra/core', () => {
  const receipt = (loaded: unknown, changes: object = {}) => ({
    results: [{ name: 'get_weather', description: 'Weather.', score: 2.5 }],
    message: 'Found and loaded 1 tool(s): get_weather.',
    activation: { type: 'tool-search-auto-load', version: 1, loaded, ...changes },
  });

  it.each([
    {
      what: 'a load by name',
      name: 'load_tool',
      value: { success: true, toolName: 'get_weather', loaded: ['get_weather'] },
    },
    { what: 'a list, in part', name: 'load_tool', value: { success: false, loadedCount: 1, loaded: ['get_weather'] } },
    { what: 'a search with a receipt', name: 'search_tools', value: receipt(['get_weather']) },
  ])('is read as $what', async ({ name, value }) => {
    expect(await read('ours', true, [[name, value]])).toEqual(['get_weather']);
  });

  it.each([
    { what: 'a receipt for other tools than the results', value: receipt(['send_email']) },
    { what: 'a receipt of another kind', value: receipt(['get_weather'], { type: 'other' }) },
    { what: 'a receipt of another version', value: receipt(['get_weather'], { version: 2 }) },
    { what: 'a receipt without a list', value: receipt('get_weather') },
    { what: 'no receipt, and results', value: { results: [{ name: 'get_weather' }], message: 'Found 1 tool(s).' } },
    { what: 'a receipt that is null', value: { ...receipt([]), activation: null } },
  ])('is not read with $what', async ({ value }) => {
    expect(await read('ours', true, [['search_tools', value]])).toEqual([]);
  });
});

describe('getLoadedToolsForRequestContext({ messages })', () => {
  const messages = [
    userSays('go'),
    message('assistant', [
      result('load_tool', { success: true, message: '', toolName: 'get_weather', loaded: ['get_weather'] }),
    ]),
  ] as never;

  it("returns the loads of the conversation with storage 'context', as far as the phases load and active allow", async () => {
    const phases: string[] = [];
    const filter = ({ phase }: { phase: string }) => phases.push(phase) > 0;
    const open = new ToolSearchProcessor({ tools: tools(), storage: 'context', filter });
    expect(Object.keys(await open.getLoadedToolsForRequestContext({ messages }))).toEqual(['get_weather']);
    expect(phases).toEqual(['load', 'active']);
    for (const denied of ['load', 'active']) {
      const closed = new ToolSearchProcessor({
        tools: tools(),
        storage: 'context',
        filter: ({ phase }) => phase !== denied,
      });
      expect(await closed.getLoadedToolsForRequestContext({ messages }), denied).toEqual({});
    }
  });

  it('returns what the store remembers with another storage', async () => {
    const processor = new ToolSearchProcessor({ tools: tools() });
    expect(await processor.getLoadedToolsForRequestContext({ messages })).toEqual({});
  });

  it("returns the agent's own tools that the conversation loaded, with includeResolvedTools", async () => {
    const processor = new ToolSearchProcessor({ includeResolvedTools: true, storage: 'context' });
    const own = tools();
    expect(Object.keys(await processor.getLoadedToolsForRequestContext({ tools: own, messages }))).toEqual([
      'get_weather',
    ]);
    expect(Object.keys(await processor.getLoadedToolsForRequestContext({ tools: own }))).toEqual([]);
  });
});
