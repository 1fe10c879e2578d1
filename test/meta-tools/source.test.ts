// What the model gets of a source: searches, loads by name, patterns, suggestions, and faults.
import type { ToolSearchFilter, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';
import { memorySource, TENANT } from '../support/memory-source.ts';
import { Session } from './session.ts';

const of = (group: string, name: string, description: string) =>
  Object.assign(tool(name, description), { mcpMetadata: { serverName: group } });
const tools = () => ({
  ...toolRecord(
    of('github', 'github_create_issue', 'Create an issue in a repository.'),
    of('github', 'github_close_issue', 'Close an issue of a repository.'),
    of('tracker', 'open_ticket', 'Open a ticket, as an issue of the team.'),
    tool('get_weather', 'Get the current weather of a city.'),
    tool('send_email', 'Send an email message.'),
  ),
});

async function open(options: Partial<ToolSearchProcessorOptions> = {}, list = true) {
  const source = await memorySource(tools(), { list });
  const session = new Session({ ...options, tools: source });
  const asked = () => source.asked.map(({ operation, what }) => `${operation} ${what}`);
  return { source, session, asked };
}

describe('a search', () => {
  it('shows candidates with group and confidence, and loads none', async () => {
    const { session, asked } = await open();
    const { results, message } = await session.search({ query: 'create an issue' });
    expect(results[0]).toMatchObject({
      name: 'github_create_issue',
      description: 'Create an issue in a repository.',
      group: 'github',
      confidence: expect.any(Number),
    });
    expect(message).toContain('Use load_tool');
    // Nobody knows its parameters, which are not the same as none.
    expect(results[0]).not.toMatchObject({ signature: '()' });
    expect(asked()).toEqual(['search create an issue']);
    expect((await session.search({ query: 'xylophone' })).message).toContain('No tools found matching');
  });

  it('asks the filter about candidates alone, and reports neither how many tools there are nor how many are hidden', async () => {
    const asked: string[] = [];
    const filter: ToolSearchFilter = ({ toolName, phase }) => {
      if (phase === 'search') asked.push(toolName);
      return toolName !== 'send_email';
    };
    const { session } = await open({ filter });
    await session.search({ query: 'weather' });
    expect(asked).toEqual(['get_weather']);
    const [event] = session.eventsOf('search');
    expect(event).toMatchObject({ scorer: 'memory', results: ['get_weather'], verdict: 'fits' });
    await session.step();
    const [step] = session.eventsOf('step');
    expect(step).toMatchObject({ sent: ['search_tools', 'load_tool'], tokensSent: expect.any(Number) });
    for (const field of ['candidates', 'denied', 'deferred', 'tokensSaved'])
      for (const told of [event, step]) expect(told).not.toHaveProperty(field);
  });

  it.each([true, false])('selects names, patterns and groups, in their order (list: %s)', async (list) => {
    const { session } = await open({}, list);
    const { results, loaded } = await session.search({ query: 'select:send_email,github_*' });
    const [first, ...others] = results.map(({ name }) => name);
    expect([first, ...others.sort()]).toEqual(['send_email', 'github_close_issue', 'github_create_issue']);
    expect(loaded?.toSorted()).toEqual(['github_close_issue', 'github_create_issue', 'send_email']);
  });
});

describe('a load', () => {
  it('fetches a tool by its exact name, once, and can be taken back', async () => {
    const { session, asked } = await open({ metaTools: { unload: true } });
    expect(await session.load({ toolName: 'get_weather' })).toMatchObject({ success: true, loaded: ['get_weather'] });
    expect(await session.sent()).toEqual(['unload_tool', 'get_weather']);
    expect(asked()).toEqual(['get get_weather']);
    const unloaded = await session.call('unload_tool', { toolNames: ['get_weather'] });
    expect(unloaded).toMatchObject({ unloaded: ['get_weather'] });
    await session.load({ toolName: 'get_weather' });
    await session.processor.unload({ threadId: 'thread-1' }, ['get_weather']);
    expect(session.eventsOf('unload').map(({ by }) => by)).toEqual(['model', 'method']);
  });

  it('suggests what an unknown name may mean, and asks for it once', async () => {
    const { session, source, asked } = await open();
    for (const name of ['getWeather', 'get-weather', 'functions.get_weather', 'get_wether', 'get_wether'])
      expect((await session.load({ toolName: name })).message).toContain('get_weather');
    expect(asked().filter((each) => each === 'get get_wether')).toHaveLength(1);
    expect(source.asked.filter(({ operation }) => operation === 'search')).not.toEqual([]);
  });

  it('takes a group by its name, and keeps what a pattern means from who may not see it', async () => {
    const { session, asked } = await open({ filter: ({ toolName }) => toolName !== 'github_close_issue' });
    expect(await session.load({ toolNames: ['Tracker_*'] })).toMatchObject({ loaded: ['open_ticket'] });
    expect(asked().slice(0, 2).sort()).toEqual(['list Tracker', 'list Tracker_*']);
    expect(await session.load({ toolNames: ['github_*'] })).toMatchObject({ loaded: ['github_create_issue'] });
    expect((await session.load({ toolName: 'github_close_isue' })).message).not.toContain('github_close_issue');
  });
});

describe('a source that fails', () => {
  it('is told to the model as a scorer that fails, reported, and waited for no longer than timeouts.tools', async () => {
    const { session, source } = await open({ timeouts: { tools: 50 } });
    for (const fault of [new Error('no route to host'), new Promise(() => {})]) {
      source.fault = fault;
      const { results, message } = await session.search({ query: 'weather' });
      expect(results).toEqual([]);
      expect(message).toContain('failed for a technical reason');
    }
    const failed = { source: 'memory', operation: 'search' };
    expect(session.eventsOf('source-failed')).toMatchObject([
      { ...failed, error: { message: 'no route to host' } },
      failed,
    ]);
    expect(session.eventsOf('scorer-failed')).toEqual([]);
    expect(session.eventsOf('search')).toMatchObject([{ verdict: 'failed' }, { verdict: 'failed' }]);
  });

  it('makes no unknown name of one that it could not be asked for', async () => {
    const { session, source } = await open();
    source.fault = new Error('down');
    const answer = await session.load({ toolName: 'get_weather' });
    expect(answer).toMatchObject({ success: false, message: expect.stringContaining('for a technical reason') });
    expect(session.eventsOf('load')).toMatchObject([{ notFound: [], denied: [], failed: ['get_weather'] }]);
    const { message } = await session.load({ toolNames: ['github_*'] });
    expect(message).toContain('for a technical reason: github_*');
  });

  it.each([true, false])('tells no forbidden tool from a name that nothing has (found before: %s)', async (isFound) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { session, source } = await open({ filter: ({ toolName }) => toolName !== 'get_weather' });
    if (isFound) await session.search({ query: 'weather' });
    const said = async (toolName: string) => (await session.load({ toolName })).message.replace(toolName, 'it');
    source.fault = new Error('down');
    expect(await said('get_weather')).toBe(await said('grow_papaya'));
    source.fault = undefined;
    vi.setSystemTime(Date.now() + 60_000);
    expect(await said('get_weather')).toBe(await said('grow_papaya'));
  });

  it('leaves loaded tools in place for the run and its thread, and brings back none that was gone before', async () => {
    const { session, source } = await open();
    const later = () => new Session({}, { processor: session.processor });
    await session.load({ toolName: 'get_weather' });
    source.fault = new Error('down');
    expect(await session.sent()).toEqual(['get_weather']);
    const { tools: sent } = await later().step();
    expect(await sent['get_weather']?.execute?.({} as never, {} as never)).toMatchObject({ ran: 'get_weather' });
    source.fault = undefined;
    expect(await later().sent()).toEqual(['get_weather']);
    await source.fill({});
    expect(await later().sent()).toEqual([]);
    source.fault = new Error('down');
    expect(await later().sent()).toEqual([]);
  });

  it('leaves no tool of one user to another who shares the loaded ones', async () => {
    const { session, source } = await open({ scope: () => 'the team' });
    await session.load({ toolName: 'get_weather' });
    source.fault = new Error('down');
    const another = () => new Session({}, { processor: session.processor, thread: 'thread-2', resource: 'user-2' });
    const other = another();
    expect(await other.sent()).toEqual([]);
    expect(await other.load({ toolName: 'get_weather' })).toMatchObject({ success: false });
    source.fault = undefined;
    expect(await another().sent()).toEqual(['get_weather']);
  });

  it('leaves no tool of one tenant to another in the same thread', async () => {
    const { session, source } = await open();
    const as = (tenant: string): Session => {
      const made = new Session({}, { processor: session.processor });
      made.requestContext.set(TENANT, { name: tenant });
      return made;
    };
    await source.fill(tools(), '[object Object]');
    await as('one').load({ toolName: 'get_weather' });
    source.fault = new Error('down');
    expect(await as('one').sent()).toEqual(['get_weather']);
    expect(await as('two').sent()).toEqual([]);
  });
});
