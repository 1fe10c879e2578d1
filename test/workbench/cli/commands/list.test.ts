// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the environment are written so.

import { writeFileSync } from 'node:fs';
import { lint } from 'mastra-tool-search/evaluate';
import { expect, it, vi } from 'vitest';
import { json, office, refuses, run, runOn, serverFile, withFiles } from '../command.ts';

const mcpServers = {
  every: { command: 'node', args: [serverFile('server-everything')], env: { API_KEY: '${SECRET_OF_TEST}' } },
  memory: { command: 'node', args: [serverFile('server-memory')], env: { TOKEN: 'token-in-the-file' } },
};
const cases = [{ query: 'note who works with whom', relevant: ['memory_create_relations'] }];

it('writes what the other commands read as they read the servers of an mcp.json', () =>
  withFiles({ 'mcp.json': { mcpServers }, 'cases.json': cases }, async () => {
    vi.stubEnv('SECRET_OF_TEST', 'secret-of-the-environment');
    const { code, stdout, stderr } = await run('list mcp.json');
    expect([code, stderr]).toEqual([0, 'mcp.json: 22 tools.\n']);
    expect(stdout).not.toMatch(/secret-of-the|token-in-the|API_KEY|TOKEN"/);
    writeFileSync('tools.json', stdout);
    const queries = '"note who works with whom" "add numbers"';
    for (const line of ['search', 'lint', 'lint --mode native', 'tokens', 'eval']) {
      const rest = { search: queries, eval: 'cases.json' }[line] ?? '';
      const said = async (catalog: string) => {
        const { code, stdout } = await run(`${line} ${catalog} ${rest} --json`);
        return { code, ...JSON.parse(stdout), catalog: undefined };
      };
      expect(await said('tools.json')).toEqual(await said('mcp.json'));
    }
    expect((await run('list tools.json')).stdout).toBe(stdout);
    // The library reads the list as well.
    const { findings } = await json('lint mcp.json');
    expect(JSON.parse(JSON.stringify(await lint(JSON.parse(stdout).tools)))).toEqual(findings);
  }).finally(() => vi.unstubAllEnvs()));

it('keeps every field that searches and checks read, of two tools of one name too', async () => {
  const tool = {
    ...{ name: 'send_email', title: 'Mail', description: 'Send an email.' },
    inputSchema: { type: 'object', properties: { to: { type: 'string', description: 'The address' } } },
    outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    annotations: { readOnlyHint: false },
    _meta: { 'anthropic/searchHint': 'letter' },
    mcpMetadata: { serverName: 'mail', serverInstructions: 'Be kind.' },
  };
  const tools = [tool, { ...tool, description: 'The second of this name.' }];
  expect(JSON.parse((await runOn({ 'tools.json': tools }, 'list tools.json')).stdout)).toEqual({ tools });
});

it('writes the tools of a module with its keywords and groups, which are read again', () => {
  const source = `
    import { createTool } from '${import.meta.resolve('@mastra/core/tools')}';
    import { z } from '${import.meta.resolve('zod')}';
    const sendEmail = createTool({
      id: 'send_email',
      description: 'Send an email.',
      inputSchema: z.object({ to: z.string().describe('The address'), at: z.date().optional() }),
      outputSchema: z.object({ id: z.string() }),
      execute: async () => ({ id: '1' }),
    });
    const weather = { description: 'Get the weather.', inputSchema: z.object({ city: z.string() }), execute: async () => 1 };
    const later = { id: 'later', description: 'Come later.', keywords: ['late'], parameters: ['when'], resolve: () => sendEmail };
    export const tools = { sendEmail, weather, later, odd: 7 };
    export const keywords = { send_email: ['letter'], weather: ['umbrella'] };
    export const groups = ({ id }) => (id === 'send_email' ? { name: 'post', description: 'Letters.' } : id === 'weather' ? 'sky' : undefined);`;
  return withFiles({ 'tools.mjs': source }, async () => {
    const { code, stdout, stderr } = await run('list tools.mjs');
    const warning = 'warning: The tool "odd" is left out: it is no tool.\ntools.mjs: 3 tools.\n';
    expect([code, stderr]).toEqual([0, warning]);
    const written = JSON.parse(stdout);
    const to = { properties: { to: { description: 'The address' } }, required: ['to'] };
    expect(written).toMatchObject({
      tools: [
        { name: 'send_email', inputSchema: to, outputSchema: { properties: { id: {} } } },
        { name: 'weather', inputSchema: { properties: { city: {} } } },
        { name: 'later', inputSchema: { properties: { when: {} } }, metadata: { keywords: ['late'] } },
      ],
      keywords: { send_email: ['letter'], weather: ['umbrella'] },
      groups: { send_email: { name: 'post', description: 'Letters.' }, weather: 'sky' },
    });
    writeFileSync('tools.json', stdout);
    writeFileSync('fine.mjs', source.replace(', odd: 7', ''));
    // Of a tool whose definition comes on demand, a list has what a search reads.
    writeFileSync('prompt.mjs', source.replace(', later, odd: 7', ''));
    writeFileSync('prompt.json', JSON.stringify({ ...written, tools: written.tools.slice(0, 2) }));
    for (const [name, file, rest] of [
      ['search', ['tools.json', 'fine.mjs'], 'letter umbrella letters late sky'],
      ['lint', ['tools.json', 'fine.mjs'], '--mode native'],
      ['tokens', ['prompt.json', 'prompt.mjs'], ''],
    ] as const) {
      const [ofList, ofModule] = await Promise.all(file.map((one) => json(`${name} ${one} ${rest}`)));
      // Call mode writes a schema of zod as zod does.
      expect({ ...ofList, catalog: '', modes: [] }).toEqual({ ...ofModule, catalog: '', modes: [] });
    }
    const strict = await run('list tools.mjs --strict');
    expect([strict.code, strict.stdout]).toEqual([2, '']);
    expect(strict.stderr).toContain('error: The tool "odd" is left out');
  });
});

it('writes nothing with --strict where a server cannot be asked, and says why', () => {
  const servers = { ...mcpServers, every: { command: 'no-such-program-of-tests' } };
  return withFiles({ 'mcp.json': { mcpServers: servers } }, async () => {
    const strict = await run('list mcp.json --strict');
    expect([strict.code, strict.stdout]).toEqual([2, '']);
    expect(strict.stderr).toContain('error: The server "every" cannot be asked for its tools: ');
    const { code, stdout, stderr } = await run('list mcp.json');
    expect([code, JSON.parse(stdout).tools.length]).toEqual([0, 9]);
    expect(stderr).toMatch(/^warning: The server "every" cannot be asked .*\.\nmcp\.json: 9 tools\.\n$/);
  });
});

it('writes a table in Markdown', async () => {
  const { stdout } = await runOn({ 'tools.json': office }, 'list tools.json --markdown');
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    '| tool | server | description |',
    '| --- | --- | --- |',
    '| send\\_email |  | Send an email to one or more people. |',
  ]);
});

it.each([
  [{ keywords: { send_email: 'mail' } }, '"keywords" of tools.json must hold lists of words by tool'],
  [{ groups: { send_email: 7 } }, '"groups" of tools.json must hold the group of each tool'],
])('refuses a file of which %j', (extras, message) =>
  refuses({ 'tools.json': { tools: office, ...extras } }, 'list tools.json', message),
);
