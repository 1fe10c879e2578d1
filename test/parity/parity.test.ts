import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool } from '../support/agent.ts';
import { both, catalog, type Json, type Look, processorOf, Session, saidNow } from './side-by-side.ts';

/** A load by name without its list, which only later versions of @mastra/core have. */
function withoutReceipt({ loaded, ...rest }: Json): Json {
  return 'toolName' in rest ? rest : { ...rest, loaded };
}

/** A result without what scorers and wording may decide: keys and kinds. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]));
}

const autoLoad: Partial<ToolSearchProcessorOptions> = { search: { autoLoad: true } };

/** What is the same on both sides. */
const SAME: Record<string, readonly [look: Look, options?: () => Partial<ToolSearchProcessorOptions>]> = {
  'id, name and description': [({ processor: { id, name, description } }) => ({ id, name, description })],
  'the tools of each step, in order, and the loaded tools': [
    async (session) => {
      const steps: (readonly string[])[] = [];
      const look = async () => steps.push(Object.keys((await session.step({ tools: { own: tool('own') } })).tools));
      await look();
      await session.load('send_email');
      await look();
      await session.load('get_weather', 'create_issue');
      session.nextRequest();
      await look();
      return { steps, loaded: await session.loaded() };
    },
  ],
  'autoLoad, which loads what was found': [
    async (session) => [(await session.call('search_tools', { query: 'issue' }))['message'], await session.sent()],
    () => ({ search: { autoLoad: true, topK: 1 } }),
  ],
  'clearState(), clearAllState(), getStateStats() and cleanupNow()': [
    async (session) => {
      const { processor } = session;
      const log: unknown[] = [];
      await session.load('get_weather');
      log.push(await session.loaded(), processor.getStateStats().threadCount, processor.cleanupNow());
      void processor.clearState('another');
      log.push(await session.loaded());
      void processor.clearState('thread-1');
      log.push(await session.loaded());
      await session.load('get_weather');
      void processor.clearAllState();
      return [...log, await session.loaded()];
    },
  ],
  'topK and includeResolvedTools': [
    async (session) => {
      const extra = { tools: { own_report: tool('own_report', 'Write a report.') } };
      const before = await session.sent(extra);
      const found = await session.found('report', ['name'], extra);
      await session.call('load_tool', { toolName: 'own_report' }, extra);
      return { before, found, after: await session.sent(extra) };
    },
    () => ({ includeResolvedTools: true, search: { topK: 1 } }),
  ],
};
for (const [why, options] of Object.entries({
  'the default': {},
  autoLoad,
  'an injected catalog': { injectCatalog: true },
  'an injected catalog with autoLoad': { injectCatalog: true, ...autoLoad },
} as Record<string, Partial<ToolSearchProcessorOptions>>)) {
  const look: Look = async (session) => {
    const { tools } = await session.step();
    // What that of search_tools asks for is another text.
    const [search = '', ...others] = Object.values(tools).map(({ id, description }) => `${id}: ${description}`);
    return [session.system(), search.split(/\. (?:Returns|Say)|: say/)[0], others];
  };
  SAME[`the system text and the descriptions of the meta-tools for ${why}`] = [look, () => options];
}

/** What is loaded, once and again. */
const LOADS: readonly object[] = [
  { toolName: 'get_weather' },
  { toolName: 'qqqq' },
  {},
  { toolNames: [] },
  { toolName: 'get_weather', toolNames: [] },
  { toolNames: ['get_weather'] },
  { toolName: 'create_issue', toolNames: ['get_weather', 'send_email'] },
  { toolNames: ['get_weather', 'get_weather'] },
  { toolNames: ['get_weather', 'qqqq'] },
  { toolNames: ['qqqq', 'zzzz'] },
];

describe('this package agrees with @mastra/core in', () => {
  it.each(Object.entries(SAME))('%s', async (_, [look, options]) => {
    const { core, ours } = await both(look, options);
    expect(ours).toEqual(saidNow(core));
  });

  it.each(LOADS)('the results of loading %j, and of loading it again', async (input) => {
    const { core, ours } = await both(async (session) =>
      [await session.call('load_tool', input), await session.call('load_tool', input)].map(withoutReceipt),
    );
    expect(ours).toEqual(saidNow(core));
  });

  it('its public methods, and in an instance that Mastra can write its index to', () => {
    const internal =
      /^(constructor|resolveThreadId|getThreadId|makeStoreContext|find|catalogForStep|formatCatalog|isToolAllowed|getSuggested|getLoadedTools$|searchTools)/;
    const methods = Object.getOwnPropertyNames(CoreProcessor.prototype).filter((name) => !internal.test(name));
    expect(Object.getOwnPropertyNames(ToolSearchProcessor.prototype)).toEqual(expect.arrayContaining(methods));
    expect(methods).toContain('getStateStats');
    expect(Object.assign(processorOf('ours'), { processorIndex: 3 }).processorIndex).toBe(3);
  });

  it('the keys of a search result, the messages and the cut of long descriptions', async () => {
    for (const query of ['weather', 'delete file', 'qqqq']) {
      const { core, ours } = (await both((session) => session.call('search_tools', { query }))) as Record<string, Json>;
      const results = (ours!['results'] as Json[]).map(({ confidence: _, signature: __, ...others }) => others);
      expect(shape({ ...ours, results })).toEqual(shape(core));
      expect(ours!['message']).toBe(String(core!['message']).replace(/Found \d+/, `Found ${results.length}`));
    }
    const long = await both((session) => session.found('delete file', ['name', 'description']));
    const [[name, description], [, whole]] = [long.ours[0], long.core[0]] as unknown as [string[], string[]];
    // Up to the last whole sentence.
    expect([name, whole]).toEqual(['delete_file', expect.stringContaining(description!)]);
  });

  it('loaded tools that are the very instances of the catalog', async () => {
    const tools = catalog();
    const session = new Session('ours', { tools });
    await session.load('get_weather');
    expect((await session.step()).tools['get_weather']).toBe(tools['get_weather']);
  });

  it('the filter’s arguments', async () => {
    const { core, ours } = await both(async (_, kind) => {
      const asked: string[] = [];
      const filter: ToolSearchProcessorOptions['filter'] = ({ callableName: __, ...args }) =>
        asked.push(`${args.phase} ${args.toolName} ${args.tool.id} ${Object.keys(args).sort()}`) > 0;
      const session = new Session(kind, { filter });
      await session.found('issue');
      await session.load('create_issue');
      await session.step();
      return asked;
    });
    // A search asks about the whole catalog here, not only about what matches.
    const [asked, askedOfCore] = [ours as string[], core as string[]];
    expect(asked.filter((question) => askedOfCore.includes(question))).toEqual(askedOfCore);
    const others = asked.filter((question) => !askedOfCore.includes(question));
    expect(others.every((question) => question.startsWith('search '))).toBe(true);
  });
});
