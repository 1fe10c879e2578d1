import type { AgentConfig } from '@mastra/core/agent';
import type { MCPClient } from '@mastra/mcp';
import type { MastraTool, SearchToolsResult, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChangingServers, changingServers } from '../support/changing-mcp.ts';
import { call, load, META, rig } from '../support/harness.ts';
import { lastToolResult, type Script, toolResults } from '../support/scripted-model.ts';
import { found, search, type Thread, textOf, threadOver } from './changing-mcp.ts';

let servers: ChangingServers;
let client: MCPClient;
beforeAll(async () => {
  servers = changingServers('toolsets', {
    mail: { send: 'Sends a note by mail.', read_mail: 'Reads a note of the mailbox.' },
    files: { write: 'Writes a note to a file.', read_file: 'Reads a note of a file.' },
  });
  client = servers.client;
  await client.listTools();
});
afterAll(() => servers.close());

/** Searches, loads all that is shown, and calls each under the name it was shown by. */
const searchLoadCallAll: Script = ({ prompt, step }) => {
  if (step === 0) return { toolCalls: [call('search_tools', { query: 'note', maxResults: 20 })] };
  const { results } = lastToolResult(prompt, 'search_tools')!.value as SearchToolsResult;
  const names = results.map(({ name }) => name);
  if (step === 1) return { toolCalls: [call('load_tool', { toolNames: names })] };
  return step === 2 ? { toolCalls: names.map((name) => call(name)) } : { text: 'done' };
};

interface Way {
  readonly way: string;
  readonly options: () => Promise<ToolSearchProcessorOptions> | ToolSearchProcessorOptions;
  readonly agent?: () => Partial<AgentConfig>;
  readonly run?: () => Promise<object>;
}

const byServer = { mail_send: 'send', mail_read_mail: 'read_mail', files_write: 'write', files_read_file: 'read_file' };

const ways: readonly Way[] = [
  { way: 'listTools() in the constructor', options: async () => ({ tools: await client.listTools() }) },
  { way: 'listToolsets() in the constructor', options: async () => ({ tools: await client.listToolsets() }) },
  { way: 'listTools() as a function', options: () => ({ tools: () => client.listTools() }) },
  { way: 'listToolsets() as a function', options: () => ({ tools: () => client.listToolsets() }) },
  {
    way: "listTools() as the agent's tools",
    options: () => ({ includeResolvedTools: true }),
    agent: () => ({ tools: () => client.listTools() }),
  },
  {
    way: "listToolsets() as the request's toolsets",
    options: () => ({ includeResolvedTools: true }),
    run: async () => ({ toolsets: await client.listToolsets() }),
  },
  {
    way: "toolsets of the request beside a function's",
    options: () => ({
      tools: async () => ({ mail: (await client.listToolsets())['mail']! }),
      includeResolvedTools: true,
    }),
    run: async () => ({ toolsets: { files: (await client.listToolsets())['files'] } }),
  },
];

describe.each(ways)('$way', ({ options, agent, run }) => {
  it('lets the tools of two real servers be found, and run under the names that the search shows', async () => {
    const made = rig(await options(), { script: searchLoadCallAll, agent: agent?.() ?? {} });
    await made.agent.generate('go', (await run?.()) ?? {});
    const { results } = made.model.result(1) as SearchToolsResult;
    expect(results.map(({ name }) => name).sort()).toEqual(Object.keys(byServer).sort());
    const ran = toolResults(made.model.calls[3]!.prompt).slice(2);
    expect(Object.fromEntries(ran.map(({ toolName, value }) => [toolName, JSON.stringify(value)]))).toEqual(
      Object.fromEntries(
        Object.entries(byServer).map(([name, tool]) => [name, expect.stringContaining(`${tool} ran`)]),
      ),
    );
    expect(made.model.sent(0)).toEqual(['search_tools', 'load_tool']);
  });
});

// What the agent brings has been converted by Mastra, which drops the server.
it.each(ways.slice(0, 4))(
  '$way lets each tool be shown with its server, which can be loaded as a whole',
  async ({ options }) => {
    const toolCalls = [call('search_tools', { query: 'note' }), call('load_tool', { toolNames: ['files*'] })];
    const made = rig(await options(), { script: ({ step }) => (step === 0 ? { toolCalls } : { text: 'done' }) });
    await made.agent.generate('go');
    const { results } = made.model.result(1, 'search_tools') as SearchToolsResult;
    expect(results.map(({ name, group }) => `${group} ${name}`).sort()).toEqual([
      'files files_read_file',
      'files files_write',
      'mail mail_read_mail',
      'mail mail_send',
    ]);
    expect(made.model.sent(1).slice(2).sort()).toEqual(['files_change', 'files_read_file', 'files_write']);
  },
);

let thread: Thread | undefined;
afterEach(() => thread?.servers.close());
const over = (...args: Parameters<typeof threadOver>): Thread => {
  thread = threadOver(...args);
  return thread;
};

const weather = { get_weather: 'Get the current weather of a city.' };

describe('a tool of a real MCP server, over the runs of one thread,', () => {
  it('is found and run by the next run when it appears', async () => {
    const { servers, run } = over('appears', { one: {} });
    expect(found((await run(search('weather'))).results[0])).toEqual([]);
    await servers.change('one', { set: weather });
    const { results } = await run(search('weather'), load('one_get_weather'), call('one_get_weather'));
    expect(found(results[0])).toEqual(['one_get_weather']);
    expect(textOf(results[2])).toContain('get_weather ran');
  });

  it('is neither sent nor found when it vanishes, has its calls answered, and is loaded again when it comes back', async () => {
    const { servers, run, events } = over('vanishes', { one: { ...weather, send_email: 'Send an email.' } });
    await run(load('one_get_weather'));
    expect((await run()).sent).toEqual([...META, 'one_get_weather']);

    await servers.change('one', { remove: ['get_weather'] });
    const gone = await run(search('weather'), call('one_get_weather'), load('one_get_weather'));
    expect(gone.sent).toEqual(META);
    expect(found(gone.results[0])).toEqual([]);
    expect(gone.results[1]).toMatchObject({
      isError: true,
      value: expect.stringContaining('"one_get_weather" not found'),
    });
    expect(gone.results[2]).toMatchObject({
      value: { success: false, message: expect.stringContaining('"one_get_weather" not found') },
    });

    await servers.change('one', { set: weather });
    const back = await run(call('one_get_weather'));
    expect(back.sent).toEqual([...META, 'one_get_weather']);
    expect(textOf(back.results[0])).toContain('get_weather ran');
    expect(events.filter(({ type }) => type.endsWith('failed') || type === 'tool-problem')).toEqual([]);
  });

  it('is found by the words of its new description, and no more by the old ones', async () => {
    const { servers, run } = over('redescribed', {
      one: { lookup: 'Get the current weather of a city.', other: 'Else.' },
    });
    expect(found((await run(search('weather'))).results[0])).toEqual(['one_lookup']);
    await servers.change('one', { set: { lookup: 'Translate a sentence.' } });
    const { results } = await run(search('translate'), search('weather'));
    expect(results.map(found)).toEqual([['one_lookup'], []]);
  });

  it('has its calls answered by the server when it vanishes in the middle of a run', async () => {
    const { servers, run } = over('in mid-run', { one: { ...weather, change_of_plan: 'Plans.' } });
    const input = { remove: ['get_weather'], set: { get_forecast: 'Get the weather of tomorrow.' } };
    const { results } = await run(
      load('one_get_weather'),
      load('one_change'),
      call('one_change', input),
      call('one_get_weather'),
      search('forecast of tomorrow'),
    );
    expect(textOf(results[3])).toMatch(/get_weather.*(not found|disabled)|Unknown tool/i);
    expect(found(results[4])).not.toContain('one_get_forecast');
    expect(found((await run(search('forecast of tomorrow'))).results[0])).toEqual(['one_get_forecast']);
    expect(Object.keys(await servers.client.listTools())).not.toContain('one_get_weather');
  });
});

describe('mcp outages', () => {
  const tools = { one: { get_weather: 'Get the weather.' }, two: { send_email: 'Send an email.' } };

  let thread: Thread | undefined;
  afterEach(() => thread?.servers.close());

  const failures = ({ events }: Thread) => events.filter(({ type }) => type === 'tools-failed');

  /** As docs/tools-per-user.md shows it. */
  const withErrors =
    (missing: string[], perServerTimeoutMs: number) =>
    ({ client }: ChangingServers) => ({
      tools: async (): Promise<Record<string, MastraTool>> => {
        const listed = await client.listToolsWithErrors({ perServerTimeoutMs });
        missing.push(...Object.keys(listed.errors));
        return listed.tools;
      },
    });

  it('an MCP server whose process is gone costs its own tools alone, which come back with it', async () => {
    const made = over('gone', tools);
    await made.run(load('one_get_weather'), load('two_send_email'));
    await made.servers.kill('two');
    const { sent, results } = await made.run(search('email'), call('one_get_weather'), call('two_send_email'));
    expect(sent).toEqual([...META, 'one_get_weather']);
    expect(found(results[0])).toEqual([]);
    expect(textOf(results[1])).toContain('get_weather ran');
    expect(results[2]).toMatchObject({ isError: true });
    // MCPClient logs what is missing; it does not throw.
    expect(failures(made)).toEqual([]);

    made.servers.revive('two');
    const back = await made.run(call('two_send_email'));
    expect(back.sent).toEqual([...META, 'one_get_weather', 'two_send_email']);
    expect(textOf(back.results[0])).toContain('send_email ran');
  });

  it('an MCP server whose process is gone is named by listToolsWithErrors()', async () => {
    const missing: string[] = [];
    const made = over('told', tools, withErrors(missing, 60_000));
    await made.run(load('one_get_weather'));
    await made.servers.kill('two');
    expect((await made.run()).sent).toEqual([...META, 'one_get_weather']);
    expect(missing).toEqual(['two']);
  });

  it('an MCP server that hangs costs its own tools alone where it has a limit of its own', async () => {
    const missing: string[] = [];
    const made = over('hangs', tools, withErrors(missing, 8_000));
    // Starting them may take longer.
    await made.servers.client.listTools();
    await made.run(load('one_get_weather'), load('two_send_email'));
    const resume = await made.servers.pause('two');
    const { sent, results } = await made.run(call('one_get_weather'));
    expect(sent).toEqual([...META, 'one_get_weather']);
    expect(textOf(results[0])).toContain('get_weather ran');
    expect(missing).toEqual(['two']);
    expect(failures(made)).toEqual([]);
    resume();
    expect((await made.run()).sent).toEqual([...META, 'one_get_weather', 'two_send_email']);
  });

  it('an MCP server that hangs costs all tools where it has no limit of its own, which is reported', async () => {
    const made = over('hangs long', tools, ({ client }) => ({
      tools: () => client.listTools(),
      timeouts: { tools: 8_000 },
    }));
    await made.servers.client.listTools();
    await made.run(load('one_get_weather'));
    const resume = await made.servers.pause('two');
    expect((await made.run()).sent).toEqual(META);
    expect(failures(made)).toMatchObject([{ error: { message: 'it took longer than 8000 ms' } }]);
    resume();
    expect((await made.run()).sent).toEqual([...META, 'one_get_weather']);
  });

  it('a tools function that rejects is reported, and the next run has the tools again', async () => {
    let isDown = false;
    const made = over('rejects', tools, ({ client }) => ({
      tools: async () => {
        if (isDown) throw new Error('no list today');
        return client.listTools();
      },
    }));
    await made.run(load('one_get_weather'));
    isDown = true;
    expect((await made.run()).sent).toEqual(META);
    expect(failures(made)).toMatchObject([{ error: { message: 'no list today' } }]);
    isDown = false;
    expect((await made.run()).sent).toEqual([...META, 'one_get_weather']);
  });
});
