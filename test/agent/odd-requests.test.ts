import { RequestContext } from '@mastra/core/request-context';
import { memoryStore, type ToolSearchEvent, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { call, calls, load, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { memorySource } from '../support/memory-source.ts';
import { lastToolResult, type Script, toolNames } from '../support/scripted-model.ts';

const tools = () => toolRecord(tool('tool_a'), tool('tool_b'));
const loadedIn = (names: readonly string[]) => names.filter((name) => name.startsWith('tool_'));

it('unload() and getLoadedToolsForRequestContext() do nothing for ids that are no texts, and ask no store', async () => {
  const events: ToolSearchEvent[] = [];
  const asked: unknown[] = [];
  const storage = memoryStore();
  const get = (scope: string) => {
    asked.push(scope);
    return storage.get(scope);
  };
  const session = new Session({ tools: tools(), storage: { ...storage, get }, onEvent: (event) => events.push(event) });
  await session.load({ toolName: 'tool_a' });
  events.length = 0;
  asked.length = 0;
  const { processor } = session;
  for (const odd of [7, null, {}, ['thread-1'], true, '']) {
    await processor.unload({ threadId: odd as never }, ['tool_a']);
    await processor.unload({ threadId: 'thread-1', resourceId: odd as never }, ['tool_a']);
    const requestContext = new RequestContext([['mastra__threadId', odd]] as never);
    expect(await processor.getLoadedToolsForRequestContext({ requestContext })).toEqual({});
  }
  expect(events).toEqual([]);
  expect(asked).toEqual([]);
  expect(await session.sent()).toEqual(['tool_a']);
});

describe('a listener that changes the events it gets', () => {
  const spoil = (event: ToolSearchEvent): void => {
    for (const value of Object.values(event)) if (Array.isArray(value)) value.splice(0, value.length, 'spoiled');
  };
  const spoiled = (options: Partial<ToolSearchProcessorOptions>, script: Script) =>
    rig({ tools: tools(), onEvent: spoil, ...options }, { script });

  it.each([
    { why: 'a load', options: {}, asked: load('tool_a') },
    { why: 'a load of several', options: {}, asked: call('load_tool', { toolNames: ['tool_a', 'tool_b', 'x'] }) },
    { why: 'a selection', options: {}, asked: call('search_tools', { query: 'select:tool_a,x' }) },
    {
      why: 'a search that loads',
      options: { search: { autoLoad: true } },
      asked: call('search_tools', { query: 'a' }),
    },
    { why: 'several queries', options: {}, asked: call('search_tools', { query: ['tool a', 'tool b'] }) },
    {
      why: 'a load that evicts',
      options: { maxLoaded: { tools: 1 } },
      asked: call('load_tool', { toolNames: ['tool_b'] }),
      before: load('tool_a'),
    },
    {
      why: 'an unload',
      options: { metaTools: { unload: true } },
      asked: call('unload_tool', { toolNames: ['tool_a', 'x'] }),
      before: load('tool_a'),
    },
  ])('changes no answer and no step: $why', async ({ options, asked, before }) => {
    const all = [...(before ? [before] : []), asked];
    const one = spoiled(options, calls(...all));
    const other = spoiled({ ...options, onEvent: () => {} }, calls(...all));
    await one.agent.generate('go');
    await other.agent.generate('go');
    const read = ({ model }: typeof one) =>
      model.calls.map((received) => ({ result: lastToolResult(received.prompt)?.value, tools: toolNames(received) }));
    expect(read(one)).toEqual(read(other));
    expect(JSON.stringify(read(one))).not.toContain('spoiled');
  });
});

describe('a request context that throws for a key', () => {
  /** As one that guards what it holds might. */
  class Guarded extends RequestContext {
    override get<Key extends string>(key: Key): never {
      if (key === 'MastraMemory') throw new Error(`no access to ${key}`);
      return super.get(key as never) as never;
    }
  }

  it.each([
    ['in-memory', 'a record'],
    ['context', 'a record'],
    ['in-memory', 'a source'],
    ['context', 'a source'],
  ] as const)('ends no run, and keeps the loads to the request (%s, %s)', async (storage, given) => {
    const events: ToolSearchEvent[] = [];
    const all = given === 'a source' ? await memorySource(tools()) : tools();
    const { agent, model } = rig(
      { tools: all, storage, filter: () => true, onEvent: (event) => events.push(event) },
      { script: calls(load('tool_a'), call('tool_a')) },
    );
    const memory = { thread: 't', resource: 'r' };
    for (const _ of ['once', 'again']) {
      const before = model.calls.length;
      const { text } = await agent.generate('go', { requestContext: new Guarded(), memory } as never);
      expect(text).toBe('done');
      const sent = model.calls.slice(before).map((received) => loadedIn(toolNames(received)));
      expect(sent).toEqual([[], ['tool_a'], ['tool_a']]);
      expect(lastToolResult(model.calls.at(-1)!.prompt)).toMatchObject({ isError: false, value: { ran: 'tool_a' } });
    }
    expect(events).toContainEqual({ type: 'scope-failed', error: expect.any(Error) });
  });
});

describe('a tool of the request that is called "__proto__"', () => {
  const record = () => Object.fromEntries([['__proto__', weather()]]);

  it('is searched with includeResolvedTools, and sent as it came without', async () => {
    const searching = new Session({ includeResolvedTools: true });
    const { tools: sent } = await searching.step({ tools: record() });
    expect(Object.keys(sent)).toEqual(['search_tools', 'load_tool']);
    const found = await sent['search_tools']?.execute?.({ query: 'weather' } as never, {} as never);
    expect(found).toMatchObject({ results: [{ description: 'Get the current weather of a city.' }] });

    const resident = new Session({ tools: tools() });
    expect(Object.keys((await resident.step({ tools: record() })).tools)).toEqual([
      'search_tools',
      'load_tool',
      '__proto__',
    ]);
  });
});
