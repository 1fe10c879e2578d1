import { type LoadedToolStore, memoryStore, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, load, rig, tool, toolRecord } from '../support/agent.ts';
import { toolNames } from '../support/scripted-model.ts';
import { Session } from './session.ts';

const tools = () => toolRecord(tool('get_weather'), tool('send_email'), tool('list_files'));
const metaTools = { unload: true };

describe('unload_tool', () => {
  it('takes a tool away from the next step on, and it can be loaded again', async () => {
    const toolCalls = [load('get_weather'), call('unload_tool', { toolNames: ['get_weather'] }), load('get_weather')];
    const { agent, model } = rig({ tools: tools(), metaTools }, { script: calls(...toolCalls) });
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
    ['what is always sent', ['get_weather', 'list_files', 'search_tools'], ['list_files', 'search_tools']],
  ])('says what it unloaded and what it did not: %s', async (_, asked, notLoaded) => {
    const session = new Session({ tools: tools(), metaTools, alwaysLoaded: ['list_files'] });
    await session.load({ toolName: 'get_weather' });
    const message = expect.stringContaining('Unloaded: get_weather');
    const result = await session.call<object>('unload_tool', { toolNames: asked });
    const lists = { unloaded: ['get_weather'], ...(notLoaded && { notLoaded }) };
    expect(result).toEqual({ success: !notLoaded, message, ...lists });
    expect(session.eventsOf('unload')).toEqual([{ type: 'unload', toolNames: ['get_weather'] }]);
  });

  it('asks for names when it gets none', async () => {
    const session = new Session({ tools: tools(), metaTools });
    const message = 'toolNames array must not be empty.';
    for (const input of [{}, { toolNames: [] }, { toolNames: null }])
      expect(await session.call('unload_tool', input)).toEqual({ success: false, message });
  });

  it('may have another name, and its name is reserved', async () => {
    const session = new Session({ tools: tools(), metaTools: { unload: { name: 'forget', description: 'Forget.' } } });
    await session.load({ toolName: 'get_weather' });
    await session.call('forget', { toolNames: ['get_weather'] });
    expect(await session.sent()).toEqual(['forget']);
    const taken = () => new ToolSearchProcessor({ tools: { x: tool('unload_tool') }, metaTools });
    expect(taken).toThrow(expect.objectContaining({ code: 'reserved-name' }));
  });
});

/** A store that does no more than it has to. */
function plainStore(): LoadedToolStore {
  const { get, add, clear } = memoryStore();
  return { get, add, clear };
}

it.each([
  { name: 'memoryStore', storage: memoryStore },
  { name: 'the conversation', storage: () => 'context' as const },
  { name: 'a store without remove', storage: plainStore },
])('unload() unloads tools of a scope, of a thread, and of the thread of a request context: $name', async (store) => {
  const session = new Session({ tools: tools(), storage: store.storage() });
  const { processor, requestContext } = session;
  for (const of of ['[null,"thread-1"]', { threadId: 'thread-1' }, { requestContext }]) {
    await session.load({ toolNames: ['get_weather', 'send_email', 'list_files'] });
    await processor.unload(of, ['send_email', 'unknown']);
    expect((await session.sent()).toSorted()).toEqual(['get_weather', 'list_files']);
  }
});

it('unload() changes nothing for a request without a thread, whose loads are its own', async () => {
  const session = new Session({ tools: tools() }, { thread: null });
  await session.load({ toolName: 'get_weather' });
  await session.processor.unload({ requestContext: session.requestContext }, ['get_weather']);
  expect([await session.sent(), session.eventsOf('unload')]).toEqual([['get_weather'], []]);
});
