import type { MastraTool, SearchToolsResult, ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, inThread, load, META, newMemory, rig, search } from '../support/agent.ts';
import { type ChangingServers, changingServers } from '../support/changing-mcp.ts';
import { type Script, type ToolResult, toolResults, userText } from '../support/scripted-model.ts';

/** The servers of this file; a test leaves them as they were. */
let servers: ChangingServers;
const FIRST = {
  mail: { send: 'Sends a note by mail.', read_mail: 'Reads a note of the mailbox.' },
  files: { write: 'Writes a note to a file.', read_file: 'Reads a note of a file.' },
};
beforeAll(async () => {
  servers = changingServers('toolsets', FIRST);
  await servers.client.listTools();
});
afterAll(() => servers.close());

const listTools = () => servers.client.listTools();
const listToolsets = () => servers.client.listToolsets();

interface Thread {
  readonly events: readonly ToolSearchEvent[];
  /** What the first step of a run was sent, and the results of its calls. */
  run(...toolCalls: ReturnType<typeof call>[]): Promise<{ sent: readonly string[]; results: ToolResult[] }>;
}

/** One thread of an agent whose runs each ask the servers, and whose model makes the calls that the user lists. */
function threadOver(options: ToolSearchProcessorOptions = { tools: listTools }): Thread {
  const script: Script = ({ prompt, step }) => {
    const next = (JSON.parse(userText(prompt)) as ReturnType<typeof call>[])[step];
    return next ? { toolCalls: [next] } : { text: 'done' };
  };
  // What the user says here are calls, with the words of tools.
  const given = { search: { useMessage: false }, timeouts: { tools: 120_000 }, ...options };
  const { agent, model, events } = rig(given, { script, agent: { memory: newMemory() } });
  return {
    events,
    async run(...toolCalls) {
      const before = model.calls.length;
      await agent.generate(JSON.stringify(toolCalls), { ...inThread, maxSteps: 9 });
      const last = model.calls.at(-1)!.prompt;
      const results = toolResults(last.slice(last.findLastIndex(({ role }) => role === 'user')));
      return { sent: model.sent(before), results };
    },
  };
}

/** The names that a search found. */
const found = (result: ToolResult | undefined) =>
  (result?.value as SearchToolsResult | undefined)?.results.map(({ name }) => name);
const textOf = (result: ToolResult | undefined): string => JSON.stringify(result?.value);

describe('a tool of a real MCP server, over the runs of one thread,', () => {
  const weather = { get_weather: 'Get the current weather of a city.' };
  const WEATHER = 'mail_get_weather';

  it('is found by the next run when it appears, answered for when it vanishes, and there when it comes back', async () => {
    const { run, events } = threadOver();
    expect(found((await run(search('weather'))).results[0])).toEqual([]);
    await servers.change('mail', { set: weather });
    const { results } = await run(search('weather'), load(WEATHER), call(WEATHER));
    expect(found(results[0])).toEqual([WEATHER]);
    expect(textOf(results[2])).toContain('get_weather ran');
    expect((await run()).sent).toEqual([...META, WEATHER]);

    await servers.change('mail', { remove: ['get_weather'] });
    const gone = await run(search('weather'), call(WEATHER), load(WEATHER));
    expect(gone.sent).toEqual(META);
    expect(found(gone.results[0])).toEqual([]);
    const notFound = expect.stringContaining(`"${WEATHER}" not found`);
    expect(gone.results[1]).toMatchObject({ isError: true, value: notFound });
    expect(gone.results[2]).toMatchObject({ value: { success: false, message: notFound } });

    await servers.change('mail', { set: weather });
    const back = await run(call(WEATHER));
    expect(back.sent).toEqual([...META, WEATHER]);
    expect(textOf(back.results[0])).toContain('get_weather ran');
    expect(events.filter(({ type }) => type.endsWith('failed') || type === 'tool-problem')).toEqual([]);

    await servers.change('mail', { set: { get_weather: 'Translate a sentence.' } });
    const redescribed = await run(search('translate'), search('current city'));
    expect(redescribed.results.map(found)).toEqual([[WEATHER], []]);
    await servers.change('mail', { remove: ['get_weather'] });
  });

  it('has its calls answered by the server when it vanishes in the middle of a run', async () => {
    await servers.change('mail', { set: weather });
    const { run } = threadOver();
    const input = { remove: ['get_weather'], set: { get_forecast: 'Get the weather of tomorrow.' } };
    const changing = [load(WEATHER), load('mail_change'), call('mail_change', input)];
    const { results } = await run(...changing, call(WEATHER), search('forecast of tomorrow'));
    expect(textOf(results[3])).toMatch(/get_weather.*(not found|disabled)|Unknown tool/i);
    expect(found(results[4])).not.toContain('mail_get_forecast');
    expect(found((await run(search('forecast of tomorrow'))).results[0])).toEqual(['mail_get_forecast']);
    await servers.change('mail', { remove: ['get_forecast'] });
  });
});

describe('mcp outages', () => {
  const BOTH = [...META, 'mail_send', 'files_write'];
  const failures = ({ events }: Thread) => events.filter(({ type }) => type === 'tools-failed');

  /** As docs/tools-per-user.md shows it. */
  const withErrors = (missing: string[], perServerTimeoutMs: number) => ({
    tools: async (): Promise<Record<string, MastraTool>> => {
      const listed = await servers.client.listToolsWithErrors({ perServerTimeoutMs });
      missing.push(...Object.keys(listed.errors));
      return listed.tools;
    },
  });
  /** Runs at once, as the waiting is the same. */
  const first = (threads: readonly Thread[], ...toolCalls: ReturnType<typeof call>[]) =>
    Promise.all(threads.map(async ({ run }) => (await run(...toolCalls)).sent));
  const loads = [load('mail_send'), load('files_write')];

  it('an MCP server that hangs costs its own tools alone where it has a limit of its own, else all, which is reported', async () => {
    const missing: string[] = [];
    const limited = threadOver(withErrors(missing, 2_000));
    const unlimited = threadOver({ tools: listTools, timeouts: { tools: 2_000 } });
    const threads = [limited, unlimited];
    await first(threads, ...loads);
    const resume = await servers.pause('files');
    expect(await first(threads)).toEqual([[...META, 'mail_send'], META]);
    expect(missing).toEqual(['files']);
    expect(failures(limited)).toEqual([]);
    expect(failures(unlimited)).toMatchObject([{ error: { message: 'it took longer than 2000 ms' } }]);
    resume();
    expect(await first(threads)).toEqual([BOTH, BOTH]);
  });

  it('an MCP server whose process is gone costs its own tools alone, which come back with it', async () => {
    const missing: string[] = [];
    const made = threadOver();
    const told = threadOver(withErrors(missing, 60_000));
    const alone = threadOver({ tools: async () => ({ files: (await listToolsets())['files'] ?? {} }) });
    await first([made, told], ...loads);
    await servers.kill('files');
    const { sent, results } = await made.run(search('write'), call('mail_send'), call('files_write'));
    expect(sent).toEqual([...META, 'mail_send']);
    expect(found(results[0])).not.toContain('files_write');
    expect(textOf(results[1])).toContain('send ran');
    expect(results[2]).toMatchObject({ isError: true });
    // MCPClient logs what is missing; it does not throw.
    expect(failures(made)).toEqual([]);
    expect((await told.run()).sent).toEqual([...META, 'mail_send']);
    expect(missing).toEqual(['files']);
    // No server is left: the catalog is empty, which the model is told.
    expect(textOf((await alone.run(search('note'))).results[0])).toContain('No other tools are available');

    servers.revive('files');
    const back = await made.run(call('files_write'));
    expect(back.sent).toEqual(BOTH);
    expect(textOf(back.results[0])).toContain('write ran');
  });
});
