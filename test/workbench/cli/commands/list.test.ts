// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the environment are written so.

import { writeFileSync } from 'node:fs';
import { lint } from 'mastra-tool-search/evaluate';
import { expect, it, vi } from 'vitest';
import { json, office, run, runOn, withFiles, withServer } from '../command.ts';

const tool = {
  ...{ name: 'send_email', title: 'Mail', description: 'Send an email.' },
  inputSchema: { type: 'object', properties: { to: { type: 'string', description: 'The address' } } },
  outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  annotations: { readOnlyHint: false },
  _meta: { 'anthropic/searchHint': 'letter' },
};
const cases = [{ query: 'a letter', relevant: ['mail_send_email'] }];

it('writes what the other commands read as they read the servers of an mcp.json', () =>
  withServer(
    () => ({ result: { tools: [tool, ...office.slice(1)] } }),
    async (url) => {
      vi.stubEnv('SECRET_OF_TEST', 'secret-of-the-environment');
      const of = (Authorization: string) => ({ url, headers: { Authorization } });
      const mcpServers = { mail: of('${SECRET_OF_TEST}'), other: of('token-in-the-file') };
      await withFiles({ 'mcp.json': { mcpServers }, 'cases.json': cases }, async () => {
        const { code, stdout, stderr } = await run('list mcp.json');
        expect([code, stderr]).toEqual([0, 'mcp.json: 6 tools.\n']);
        expect(stdout).not.toMatch(/secret-of-the|token-in-the|Authorization/);
        writeFileSync('tools.json', stdout);
        for (const line of ['search', 'lint', 'lint --mode native', 'tokens', 'eval']) {
          const rest = { search: 'letter weather', eval: 'cases.json' }[line] ?? '';
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
      });
    },
  ).finally(() => vi.unstubAllEnvs()));

it('keeps every field that searches and checks read, of two tools of one name too', async () => {
  const one = { ...tool, mcpMetadata: { serverName: 'mail', serverInstructions: 'Be kind.' } };
  const tools = [one, { ...one, description: 'The second of this name.' }];
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
    const error = expect.stringContaining('error: The tool "odd" is left out');
    expect(strict).toEqual({ code: 2, stdout: '', stderr: error });
  });
});
