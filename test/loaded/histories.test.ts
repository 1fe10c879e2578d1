import { MessageList } from '@mastra/core/agent/message-list';
import { ToolSearchProcessor as CoreToolSearchProcessor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { email, toolRecord, weather } from '../support/agent.ts';
import { message, result, userSays } from './conversation/messages.ts';

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

const loads = (calls: readonly Call[], ...shows: string[]) => ({ calls, shows, autoLoad: false });
const searches = (calls: readonly Call[], ...shows: string[]) => ({ calls, shows, autoLoad: true });
const byName = load({ toolName: 'get_weather' });
const byList = load({ toolNames: ['send_email', 'get_weather'] });

it.each([
  { what: 'a load by name', ...loads([byName], 'get_weather') },
  { what: 'a load by list', ...loads([byList], 'send_email', 'get_weather') },
  { what: 'a load with an unknown name', ...loads([load({ toolNames: ['nope', 'get_weather'] })], 'get_weather') },
  { what: 'a load that failed', ...loads([load({ toolName: 'nope' })]) },
  { what: 'a load of unknown names', ...loads([load({ toolNames: ['nope', 'no'] })]) },
  { what: 'a load of no names', ...loads([load({ toolNames: [] })]) },
  { what: 'a load without names', ...loads([load({})]) },
  { what: 'a search that loads', ...searches([search('weather')], 'get_weather') },
  { what: 'a search that finds nothing', ...searches([search('xyzzy')]) },
])('the result of $what is read by this package, by @mastra/core 1.71 and by later versions', async (row) => {
  const { calls, shows, autoLoad } = row;
  const written = await write('ours', autoLoad, calls);
  expect(await read('ours', autoLoad, written)).toEqual(shows);
  expect((await read('@mastra/core 1.71', autoLoad, written)).sort()).toEqual([...shows].sort());
  expect(newerCoreReads(written)).toEqual(shows);
  expect(await read('ours', autoLoad, await write('@mastra/core 1.71', autoLoad, calls))).toEqual(shows);
});

it.each([
  { what: 'a second load', ...loads([byName], 'get_weather') },
  { what: 'a second load of a list', ...loads([byList], 'get_weather', 'send_email') },
  { what: 'a second search', ...searches([search('weather')], 'get_weather') },
])(
  '$what shows tools after the first result was trimmed away, whoever wrote it',
  async ({ calls, shows, autoLoad }) => {
    for (const by of ['ours', '@mastra/core 1.71'] as const) {
      const [, second] = await write(by, autoLoad, [...calls, ...calls]);
      expect((await read('ours', autoLoad, [second!])).sort()).toEqual(shows);
      // Later versions of core read no list that loaded nothing.
      if (by === 'ours' && calls[0] !== byList) expect(newerCoreReads([second!])).toEqual(shows);
    }
  },
);

it.each([
  { query: 'select:send_email', autoLoad: false },
  { query: ['weather', 'email'], autoLoad: true },
  { query: ['select:send_email', 'weather'], autoLoad: true },
])('a search for $query, as this package alone writes it, is read by later versions of @mastra/core', async (row) => {
  const written = await write('ours', row.autoLoad, [search(row.query)]);
  const shows = await read('ours', row.autoLoad, written);
  expect(shows).toContain('send_email');
  expect(newerCoreReads(written)).toEqual(shows);
});

it('a search that loads a part of what it shows has no receipt, and one that loads nothing shows nothing', async () => {
  const [[, value] = []] = await write('ours', false, [search(['select:send_email', 'weather'])]);
  expect(value).toMatchObject({ loaded: ['send_email'] });
  expect(value).not.toHaveProperty('activation');
  for (const by of ['ours', '@mastra/core 1.71'] as const)
    expect(await read('ours', false, await write(by, false, [search('weather')]))).toEqual([]);
});

it('a result of a later @mastra/core is read as far as it names what was loaded', async () => {
  const results = [{ name: 'get_weather', description: 'Weather.', score: 2.5 }];
  const receipt = (loaded: unknown, changes: object = {}) => ({
    ...{ results, message: 'Found and loaded 1 tool(s): get_weather.' },
    activation: { type: 'tool-search-auto-load', version: 1, loaded, ...changes },
  });
  const shownBy = (name: string, value: unknown) => read('ours', true, [[name, value]]);
  for (const [name, value] of [
    ['load_tool', { success: true, toolName: 'get_weather', loaded: ['get_weather'] }],
    ['load_tool', { success: false, loadedCount: 1, loaded: ['get_weather'] }],
    ['search_tools', receipt(['get_weather'])],
  ] as const)
    expect(await shownBy(name, value)).toEqual(['get_weather']);
  for (const value of [
    receipt(['send_email']),
    receipt(['get_weather'], { type: 'other' }),
    receipt(['get_weather'], { version: 2 }),
    receipt('get_weather'),
    { ...receipt([]), activation: null },
  ])
    expect(await shownBy('search_tools', value)).toEqual([]);
});
