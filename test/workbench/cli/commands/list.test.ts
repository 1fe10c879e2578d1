// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the environment are written so.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { lint } from 'mastra-tool-search/evaluate';
import { expect, it } from 'vitest';
import { command, inProcess, office, withFiles } from '../command.ts';

const serverFile = (name: string): string =>
  fileURLToPath(new URL(`../../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));
const mcp = {
  mcpServers: {
    every: { command: 'node', args: [serverFile('server-everything')], env: { API_KEY: '${SECRET_OF_TEST}' } },
    memory: { command: 'node', args: [serverFile('server-memory')], env: { TOKEN: 'token-in-the-file' } },
  },
};
const cases = [{ query: 'note who works with whom', relevant: ['memory_create_relations'] }];

/** What the commands say of a catalog, but for its name. */
async function saidOf(catalog: string, folder: string): Promise<readonly unknown[]> {
  const lines = [
    ['search', catalog, 'note who works with whom', 'add numbers'],
    ['lint', catalog],
    ['lint', catalog, '--mode', 'native'],
    ['tokens', catalog],
    ['eval', catalog, path.join(folder, 'cases.json')],
  ];
  const said: unknown[] = [];
  for (const line of lines) {
    const { code, stdout } = await inProcess([...line, '--json']);
    said.push({ code, ...JSON.parse(stdout), catalog: undefined });
  }
  return said;
}

it('writes what the other commands read as they read the servers of an mcp.json', () =>
  withFiles({ 'mcp.json': mcp, 'cases.json': cases }, async (folder) => {
    process.env['SECRET_OF_TEST'] = 'secret-of-the-environment';
    try {
      const [config, file] = ['mcp.json', 'tools.json'].map((name) => path.join(folder, name)) as [string, string];
      const { code, stdout, stderr } = await inProcess(['list', config]);
      expect([code, stderr]).toEqual([0, `${config}: 22 tools.\n`]);
      expect(stdout).not.toMatch(/secret-of-the|token-in-the|API_KEY|TOKEN"/);
      writeFileSync(file, stdout);
      expect(await saidOf(file, folder)).toEqual(await saidOf(config, folder));
      expect((await inProcess(['list', file])).stdout).toBe(stdout);
      // The library reads the list as well.
      const findings = JSON.parse((await inProcess(['lint', config, '--json'])).stdout).findings;
      expect(JSON.parse(JSON.stringify(await lint(JSON.parse(stdout).tools)))).toEqual(findings);
    } finally {
      delete process.env['SECRET_OF_TEST'];
    }
  }));

it('keeps every field that searches and checks read', async () => {
  const tool = {
    ...{ name: 'send_email', title: 'Mail', description: 'Send an email.' },
    inputSchema: { type: 'object', properties: { to: { type: 'string', description: 'The address' } } },
    outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    annotations: { readOnlyHint: false },
    _meta: { 'anthropic/searchHint': 'letter' },
    mcpMetadata: { serverName: 'mail', serverInstructions: 'Be kind.' },
  };
  await withFiles({ 'tools.json': [tool, { ...tool, description: 'The second of this name.' }] }, async (folder) => {
    const { stdout } = await inProcess(['list', path.join(folder, 'tools.json')]);
    expect(JSON.parse(stdout)).toEqual({ tools: [tool, { ...tool, description: 'The second of this name.' }] });
  });
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
  return withFiles({ 'tools.mjs': source, 'cases.json': cases }, async (folder) => {
    const module = path.join(folder, 'tools.mjs');
    const { code, stdout, stderr } = await inProcess(['list', module]);
    expect([code, stderr]).toEqual([0, `warning: The tool "odd" is left out: it is no tool.\n${module}: 3 tools.\n`]);
    const written = JSON.parse(stdout);
    expect(written).toMatchObject({
      tools: [
        {
          name: 'send_email',
          inputSchema: { properties: { to: { description: 'The address' } }, required: ['to'] },
          outputSchema: { properties: { id: {} } },
        },
        { name: 'weather', inputSchema: { properties: { city: {} } } },
        { name: 'later', inputSchema: { properties: { when: {} } }, metadata: { keywords: ['late'] } },
      ],
      keywords: { send_email: ['letter'], weather: ['umbrella'] },
      groups: { send_email: { name: 'post', description: 'Letters.' }, weather: 'sky' },
    });
    writeFileSync(path.join(folder, 'tools.json'), stdout);
    writeFileSync(path.join(folder, 'fine.mjs'), source.replace(', odd: 7', ''));
    // Of a tool whose definition comes on demand, a list has what a search reads.
    writeFileSync(path.join(folder, 'prompt.mjs'), source.replace(', later, odd: 7', ''));
    writeFileSync(path.join(folder, 'prompt.json'), JSON.stringify({ ...written, tools: written.tools.slice(0, 2) }));
    for (const args of [['search'], ['lint', '--mode', 'native'], ['tokens']]) {
      const [name = '', ...rest] = args;
      const queries = name === 'search' ? ['letter', 'umbrella', 'letters', 'late', 'sky'] : [];
      const [json, mjs] = name === 'tokens' ? ['prompt.json', 'prompt.mjs'] : ['tools.json', 'fine.mjs'];
      const said = async (file = ''): Promise<object> => {
        const ran = await inProcess([name, path.join(folder, file), ...queries, ...rest, '--json']);
        // Call mode writes a schema of zod as zod does.
        return { ...JSON.parse(ran.stdout), catalog: undefined, modes: undefined };
      };
      expect(await said(json)).toEqual(await said(mjs));
    }
    expect(await inProcess(['list', module, '--strict'])).toMatchObject({
      ...{ code: 2, stdout: '', stderr: expect.stringContaining('error: The tool "odd" is left out') },
    });
  });
});

it('writes nothing with --strict where a server cannot be asked, and says why', () => {
  const servers = { ...mcp.mcpServers, every: { command: 'no-such-program-of-tests' } };
  return withFiles({ 'mcp.json': { mcpServers: servers } }, async (cwd) => {
    const strict = await command(['list', 'mcp.json', '--strict'], { cwd });
    expect([strict.code, strict.stdout]).toEqual([2, '']);
    expect(strict.stderr).toContain('error: The server "every" cannot be asked for its tools: ');
    const { code, stdout, stderr } = await command(['list', 'mcp.json'], { cwd });
    expect([code, JSON.parse(stdout).tools.length]).toEqual([0, 9]);
    expect(stderr).toMatch(/^warning: The server "every" cannot be asked .*\.\nmcp\.json: 9 tools\.\n$/);
  });
});

it('writes a table in Markdown', () =>
  withFiles({ 'tools.json': office }, async (cwd) => {
    const { stdout } = await command(['list', 'tools.json', '--markdown'], { cwd });
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      '| tool | server | description |',
      '| --- | --- | --- |',
      '| send\\_email |  | Send an email to one or more people. |',
    ]);
  }));

it.each([
  [{ tools: office, keywords: { send_email: 'mail' } }, '"keywords" of tools.json must hold lists of words by tool'],
  [{ tools: office, groups: { send_email: 7 } }, '"groups" of tools.json must hold the group of each tool'],
])('refuses a file whose keywords or groups are none', (content, message) =>
  withFiles({ 'tools.json': content }, async (cwd) => {
    const { code, stderr } = await command(['list', 'tools.json'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }),
);
