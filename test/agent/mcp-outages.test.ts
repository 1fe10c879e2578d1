import type { MastraTool } from 'mastra-tool-search';
import { afterEach, expect, it } from 'vitest';
import type { ChangingServers } from '../support/changing-mcp.ts';
import { call, load } from '../support/harness.ts';
import { found, search, type Thread, textOf, threadOver } from './changing-mcp.ts';

const META = ['search_tools', 'load_tool'];
const tools = { one: { get_weather: 'Get the weather.' }, two: { send_email: 'Send an email.' } };

let thread: Thread | undefined;
afterEach(() => thread?.servers.close());
const over = (...args: Parameters<typeof threadOver>): Thread => {
  thread = threadOver(...args);
  return thread;
};

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
