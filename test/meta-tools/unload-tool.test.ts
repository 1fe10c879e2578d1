import { type LoadedToolStore, memoryStore, ToolSearchError, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, load, rig, tool, toolRecord } from '../support/harness.ts';
import { toolNames } from '../support/scripted-model.ts';
import { Session } from './session.ts';

const tools = () => toolRecord(tool('get_weather'), tool('send_email'), tool('list_files'));
const metaTools = { unload: true };

/** A store that does no more than it has to. */
function plainStore(): LoadedToolStore {
  const { get, add, clear } = memoryStore();
  return { get, add, clear };
}

describe('unload_tool', () => {
  it('takes a tool away from the next step on, and it can be loaded again', async () => {
    const { agent, model } = rig(
      { tools: tools(), metaTools },
      {
        script: calls(load('get_weather'), call('unload_tool', { toolNames: ['get_weather'] }), load('get_weather')),
      },
    );
    await agent.generate('go');
    const sent = model.calls.map((received) => toolNames(received).includes('get_weather'));
    expect(sent).toEqual([false, true, false, true]);
    expect(Object.keys((await new Session({ tools: tools() }).step()).tools)).not.toContain('unload_tool');
  });

  it.each([
    ['one that is loaded and one that is not', [' get_weather ', 'send_email'], ['send_email']],
    ['a text instead of a list', ' get_weather ', undefined],
    ['things that are no text', ['get_weather', '', 7, null, {}], undefined],
    ['a list as JSON', '["get_weather","send_email"]', ['send_email']],
  ])('says what it unloaded and what it did not: %s', async (_, asked, notLoaded) => {
    const session = new Session({ tools: tools(), metaTools });
    await session.load({ toolName: 'get_weather' });
    const message = expect.stringContaining('Unloaded: get_weather');
    const result = await session.call<object>('unload_tool', { toolNames: asked });
    expect(result).toEqual({
      success: !notLoaded,
      message,
      unloaded: ['get_weather'],
      ...(notLoaded && { notLoaded }),
    });
    expect(session.eventsOf('unload')).toEqual([{ type: 'unload', toolNames: ['get_weather'] }]);
  });

  it.each([{}, { toolNames: [] }, { toolNames: null }])('asks for names when it gets %j', async (input) => {
    const session = new Session({ tools: tools(), metaTools });
    expect(await session.call('unload_tool', input)).toEqual({
      success: false,
      message: 'toolNames array must not be empty.',
    });
  });

  it('does not unload a tool that is always sent', async () => {
    const session = new Session({ tools: tools(), metaTools, alwaysLoaded: ['send_email'] });
    expect(await session.call('unload_tool', { toolNames: ['send_email', 'search_tools'] })).toMatchObject({
      success: false,
      notLoaded: ['send_email', 'search_tools'],
    });
    expect(await session.sent()).toContain('send_email');
  });

  it('may have another name, which is then reserved', async () => {
    const session = new Session({ tools: tools(), metaTools: { unload: { name: 'forget', description: 'Forget.' } } });
    await session.load({ toolName: 'get_weather' });
    await session.call('forget', { toolNames: ['get_weather'] });
    expect(await session.sent()).toEqual(['forget']);
    expect(() => new ToolSearchProcessor({ tools: { x: tool('unload_tool') }, metaTools })).toThrow(ToolSearchError);
    expect(() => new ToolSearchProcessor({ tools: tools(), metaTools: { unload: { name: 'load_tool' } } })).toThrow(
      /metaTools\.unload\.name/,
    );
  });
});

describe.each([
  { name: 'memoryStore', storage: memoryStore },
  { name: 'the conversation', storage: () => 'context' as const },
  { name: 'a store without remove', storage: plainStore },
])('unload() over $name', ({ storage }) => {
  it('unloads tools of a scope, of a thread, and of the thread of a request context', async () => {
    const session = new Session({ tools: tools(), storage: storage() });
    const { processor, requestContext } = session;
    const all = ['get_weather', 'send_email', 'list_files'];
    for (const of of ['[null,"thread-1"]', { threadId: 'thread-1' }, { requestContext }]) {
      await session.load({ toolNames: all });
      await processor.unload(of, ['send_email', 'unknown']);
      expect((await session.sent()).toSorted()).toEqual(['get_weather', 'list_files']);
    }
  });
});

it('unload() changes nothing for a request without a thread, whose loads are its own', async () => {
  const session = new Session({ tools: tools() }, { thread: null });
  await session.load({ toolName: 'get_weather' });
  await session.processor.unload({ requestContext: session.requestContext }, ['get_weather']);
  expect(await session.sent()).toEqual(['get_weather']);
  expect(session.eventsOf('unload')).toEqual([]);
});
