import { readFileSync } from 'node:fs';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool } from '../support/harness.ts';
import { differencesTable } from './differences.ts';
import { type Both, both, catalog, type Json, Session, saidNow, shape } from './side-by-side.ts';

/** A load by name without its list, which only later versions of @mastra/core have. */
function withoutReceipt({ loaded, ...rest }: Json): Json {
  return 'toolName' in rest ? rest : { ...rest, loaded };
}

describe('this package agrees with @mastra/core in', () => {
  it('id, name, description and public methods', () => {
    const core = new CoreProcessor({ tools: {} });
    const ours = new ToolSearchProcessor({ tools: {} });
    expect({ id: ours.id, name: ours.name, description: ours.description }).toEqual({
      id: core.id,
      name: core.name,
      description: core.description,
    });
    const internal =
      /^(constructor|resolveThreadId|getThreadId|makeStoreContext|find|catalogForStep|formatCatalog|isToolAllowed|getSuggested|getLoadedTools$|searchTools)/;
    const methods = Object.getOwnPropertyNames(CoreProcessor.prototype).filter((name) => !internal.test(name));
    expect(Object.getOwnPropertyNames(ToolSearchProcessor.prototype)).toEqual(expect.arrayContaining(methods));
    expect(methods).toContain('getStateStats');
  });

  it('an instance that Mastra can write its index to', () => {
    const ours = new ToolSearchProcessor({ tools: {} }) as { processorIndex?: number };
    ours.processorIndex = 3;
    expect(ours.processorIndex).toBe(3);
  });

  it.each([
    { why: 'the default', options: {} },
    { why: 'autoLoad', options: { search: { autoLoad: true } } },
    { why: 'an injected catalog', options: { injectCatalog: true } },
    { why: 'an injected catalog with autoLoad', options: { injectCatalog: true, search: { autoLoad: true } } },
  ])('the system text for $why', async ({ options }) => {
    const text = await both(
      async (session) => {
        await session.step();
        return session.messageList.getAllSystemMessages().map(({ content }) => content);
      },
      () => ({ tools: catalog(), ...options }),
    );
    expect(text.ours).toEqual(saidNow(text.core));
  });

  it.each([{}, { search: { autoLoad: true } }])('the descriptions of the meta-tools for %j', async (options) => {
    const described = await both(
      async (session) =>
        Object.values((await session.step()).tools).map(({ id, description }) => ({ id, description })),
      () => ({ tools: catalog(), ...options }),
    );
    // That of search_tools says what to ask for.
    expect(described.ours.slice(1)).toEqual(described.core.slice(1));
    const start = String(described.core[0]?.description).split('. Returns')[0];
    expect(described.ours[0]).toMatchObject({
      id: 'search_tools',
      description: expect.stringContaining(String(start)),
    });
  });

  it('the keys of a search result, the cut of long descriptions and the messages', async () => {
    for (const query of ['weather', 'delete file', 'qqqq']) {
      const result = await both((session) => session.call('search_tools', { query }));
      for (const found of result.ours['results'] as Json[]) {
        delete found['confidence'];
        delete found['signature'];
      }
      expect(shape(result.ours)).toEqual(shape(result.core));
      const count = (result.ours['results'] as unknown[]).length;
      expect(result.ours['message']).toBe(String(result.core['message']).replace(/Found \d+/, `Found ${count}`));
    }
    const long = await both((session) => session.call('search_tools', { query: 'delete file' }));
    const first = ({ results }: Json) => (results as { name: string; description: string }[])[0];
    expect(first(long.ours)?.name).toBe('delete_file');
    // Up to the last whole sentence.
    expect(first(long.core)?.description).toContain(first(long.ours)?.description);
  });

  it.each([
    { why: 'one', input: { toolName: 'get_weather' } },
    { why: 'one that is unknown', input: { toolName: 'qqqq' } },
    { why: 'none', input: {} },
    { why: 'an empty list', input: { toolNames: [] } },
    { why: 'an empty list and a name', input: { toolName: 'get_weather', toolNames: [] } },
    { why: 'a list of one', input: { toolNames: ['get_weather'] } },
    { why: 'several', input: { toolNames: ['get_weather', 'send_email'] } },
    { why: 'several and a name', input: { toolName: 'create_issue', toolNames: ['get_weather', 'send_email'] } },
    { why: 'the same twice', input: { toolNames: ['get_weather', 'get_weather'] } },
    { why: 'known and unknown ones', input: { toolNames: ['get_weather', 'qqqq'] } },
    { why: 'unknown ones only', input: { toolNames: ['qqqq', 'zzzz'] } },
  ])('the result of loading $why', async ({ input }) => {
    const result = await both((session) => session.call('load_tool', input));
    expect(withoutReceipt(result.ours)).toEqual(saidNow(withoutReceipt(result.core)));
  });

  it.each([{ toolName: 'get_weather' }, { toolNames: ['get_weather', 'send_email'] }])(
    'the result of loading %j again',
    async (input) => {
      const result = await both(async (session) => {
        await session.call('load_tool', input);
        return session.call('load_tool', input);
      });
      expect(withoutReceipt(result.ours)).toEqual(saidNow(withoutReceipt(result.core)));
    },
  );

  it('the tools of each step, in order, and the loaded tools', async () => {
    const own = tool('own');
    const seen = await both(async (session) => {
      const steps: string[][] = [];
      const look = async () => steps.push(Object.keys((await session.step({ tools: { own } })).tools));
      await look();
      await session.call('load_tool', { toolName: 'send_email' });
      await look();
      await session.call('load_tool', { toolNames: ['get_weather', 'create_issue'] });
      await look();
      session.nextRequest();
      await look();
      return { steps, loaded: Object.keys(await session.loaded()) };
    });
    expect(seen.ours).toEqual(seen.core);
    expect(seen.ours.steps.at(-1)).toEqual([
      'search_tools',
      'load_tool',
      'own',
      'send_email',
      'get_weather',
      'create_issue',
    ]);
  });

  it('loaded tools that are the very instances of the catalog', async () => {
    const tools = catalog();
    const session = new Session('ours', { tools });
    await session.call('load_tool', { toolName: 'get_weather' });
    expect((await session.step()).tools['get_weather']).toBe(tools['get_weather']);
    expect((await session.loaded())['get_weather']).toBe(tools['get_weather']);
  });

  it('autoLoad, which loads what was found', async () => {
    const seen = await both(
      async (session) => {
        const found = await session.call('search_tools', { query: 'issue' });
        return { found: found['message'], tools: Object.keys((await session.step()).tools) };
      },
      () => ({ tools: catalog(), search: { autoLoad: true, topK: 1 } }),
    );
    expect(seen.ours).toEqual(saidNow(seen.core));
  });

  it('clearState(), clearAllState(), getStateStats() and cleanupNow()', async () => {
    const seen = await both(async (session) => {
      const names = async () => Object.keys(await session.loaded());
      const log: unknown[] = [];
      await session.call('load_tool', { toolName: 'get_weather' });
      log.push(await names(), session.processor.getStateStats().threadCount, session.processor.cleanupNow());
      session.processor.clearState('another');
      log.push(await names());
      session.processor.clearState('thread-1');
      log.push(await names());
      await session.call('load_tool', { toolName: 'get_weather' });
      session.processor.clearAllState();
      log.push(await names(), typeof session.processor.getStateStats().oldestAccessTime);
      return log;
    });
    expect(seen.ours.slice(0, 6)).toEqual(seen.core.slice(0, 6));
  });

  it('topK and includeResolvedTools', async () => {
    const own = { own_report: tool('own_report', 'Write a report.') };
    const seen = await both(
      async (session) => {
        const { tools } = await session.step({ tools: own });
        const found = (await tools['search_tools']?.execute?.({ query: 'report' } as never, {} as never)) as Json;
        await tools['load_tool']?.execute?.({ toolName: 'own_report' } as never, {} as never);
        return {
          before: Object.keys(tools),
          found: (found['results'] as { name: string }[]).map(({ name }) => name),
          after: Object.keys((await session.step({ tools: own })).tools),
        };
      },
      () => ({ tools: catalog(), includeResolvedTools: true, search: { topK: 1 } }),
    );
    expect(seen.ours).toEqual(seen.core);
  });

  it('the filter’s arguments', async () => {
    const asked: Record<Both, string[]> = { core: [], ours: [] };
    for (const kind of ['core', 'ours'] as const) {
      const filter: ToolSearchProcessorOptions['filter'] = (args) => {
        const { callableName: _, ...cores } = args;
        asked[kind].push(`${args.phase} ${args.toolName} ${args.tool.id} ${Object.keys(cores).sort()}`);
        return true;
      };
      const session = new Session(kind, { tools: catalog(), filter });
      await session.call('search_tools', { query: 'issue' });
      await session.call('load_tool', { toolName: 'create_issue' });
      await session.step();
    }
    // A search asks about the whole catalog here, not only about what matches.
    const others = asked.ours.filter((question) => !asked.core.includes(question));
    expect(asked.ours.filter((question) => asked.core.includes(question))).toEqual(asked.core);
    expect(others.every((question) => question.startsWith('search '))).toBe(true);
  });
});

it('the table of docs/differences.md is what test/parity/differences.ts says (to update it: node test/parity/write-table.ts)', () => {
  const page = readFileSync(new URL('../../docs/differences.md', import.meta.url), 'utf8');
  expect(page).toContain(differencesTable());
});
