import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { command, json, office, officeModule, refuses, runOn, withFiles } from '../command.ts';

/** The tools that `list` writes of a catalog that is one file, and what it warns of. */
const listed = async (name: string, content: unknown, options = '') => {
  const { stdout, stderr } = await runOn({ [name]: content }, `list ${name} ${options}`);
  const { tools } = JSON.parse(stdout || '{ "tools": [] }') as { tools: readonly { readonly name: string }[] };
  const warnings = stderr.split('\n').filter((line) => line.startsWith('warning: '));
  return { tools, names: tools.map((tool) => tool.name), warnings, stderr };
};

describe('a JSON catalog', () => {
  const anthropic = office.map(({ inputSchema, ...tool }) => ({ ...tool, input_schema: inputSchema }));
  const functions = office.map(({ inputSchema: parameters, ...tool }) => ({ ...tool, parameters }));
  const byName = Object.fromEntries(office.map(({ name, ...tool }) => [name, tool]));
  const text = JSON.stringify(office);

  it.each([
    ['a list', office],
    ['the result of tools/list', { tools: office, nextCursor: null }],
    ['the whole response of a server', { jsonrpc: '2.0', id: 1, result: { tools: office } }],
    ['the tools of a request to Anthropic', { model: 'x', tools: anthropic }],
    ['the tools of a chat completion', functions.map((tool) => ({ type: 'function', function: tool }))],
    ['the tools of the Responses API', functions.map((tool) => ({ type: 'function', ...tool }))],
    ['the declarations of Gemini', [{ functionDeclarations: functions }]],
    ['tools by their ids', office.map(({ name: id, ...tool }) => ({ id, ...tool }))],
    ['tools by name', byName],
    ['tools by name, under "tools"', { tools: byName }],
    ['JSON lines', office.map((tool) => JSON.stringify(tool)).join('\n')],
    ['JSON with a byte order mark', `\ufeff${text}`],
    ['JSON with comments and a comma too many', `[ // "a" comment, [\n ${text.slice(1, -1)}, /* *\n/ */ ]`],
  ])('may be %s', async (_, content) => {
    expect(await listed('tools.json', content)).toMatchObject({ tools: office, stderr: 'tools.json: 3 tools.\n' });
  });

  it('keeps strings that look like comments, and any JSON that follows one', async () => {
    const comments = fc.constant('http://x//y /* none */ \\" // none, ]');
    await fc.assert(
      fc.asyncProperty(fc.oneof(comments, fc.jsonValue()), fc.constantFrom(undefined, '\t'), async (value, space) => {
        const content = JSON.stringify([{ name: 'a', metadata: { value } }], null, space);
        const { tools } = await listed('tools.json', `/* a comment */${content}`);
        expect(tools).toMatchObject(JSON.parse(content));
      }),
      { numRuns: 20 },
    );
  });

  it('warns of what is no tool, and of names that come twice; with --strict it refuses them', async () => {
    const twice = [office[0], 'no tool', { description: 'no name' }, { ...office[0], description: 'the last' }];
    const odd = [...twice, { name: '__proto__' }, { name: 'constructor', description: 'b' }];
    const { names, warnings } = await listed('tools.json', JSON.stringify(odd));
    expect(names).toEqual(['send_email', 'send_email', '__proto__', 'constructor']);
    expect(warnings).toEqual([
      'warning: 2 of the list are no tools and are left out: number 2, 3. A tool has a "name".',
      'warning: Several tools are called "send_email"; the last one counts.',
    ]);
    await refuses({ 'tools.json': twice }, 'list tools.json --strict', '2 of the list are no tools');
    const found = await withFiles({ 'tools.json': twice }, () => json('search tools.json last'));
    expect(found.queries[0].results).toMatchObject([{ description: 'the last' }]);
  });

  it("leaves out the providers' own tools, with one warning", async () => {
    const container = { type: 'code_interpreter', container: { type: 'auto' } };
    const provided = [{ type: 'web_search_20250305', name: 'web_search' }, container];
    const own = { type: 'custom', name: 'own', description: 'Mine.' };
    expect(await listed('tools.json', [office[0], ...provided, own], '--strict')).toMatchObject({
      names: ['send_email', 'own'],
      warnings: [
        'warning: 2 of the list are tools that a provider runs itself, and are left out: web_search, code_interpreter. They have no description to search.',
      ],
    });
  });

  it.each([
    ['', 'tools.json is empty. It must hold a list of tools,'],
    ['{ "tools": [', 'tools.json is no JSON ('],
    ['"text"', 'tools.json has no tools. It must hold a list of tools,'],
    [{ name: 'a-package', version: '1.0.0' }, 'tools.json has no tools. It must hold a list of tools,'],
    [[], 'tools.json has no tools.'],
    [{ tools: office, keywords: { send_email: 'mail' } }, '"keywords" of tools.json must hold lists of words by tool'],
    [{ tools: office, groups: { send_email: 7 } }, '"groups" of tools.json must hold the group of each tool'],
  ])('is refused where it is %j', (content, message) => refuses({ 'tools.json': content }, 'list tools.json', message));

  it('has a file of keywords beside it, which must be one', () => {
    const files = { 'tools.json': office, 'words.json': { send_email: 'mail' } };
    return refuses(files, 'list tools.json --keywords words.json', 'words.json must hold lists of words by tool');
  });
});

describe('a module', () => {
  const mastra = (name: string): string => `'${import.meta.resolve(`@mastra/core/${name}`)}'`;
  const record = `{ send_email: { id: 'send_email', description: 'Send an email.', inputSchema: {}, execute: async () => 'sent' } }`;
  const agent = (parts: string): string => `import { Agent } from ${mastra('agent')};
    export default new Agent({ id: 'a', name: 'A', instructions: 'x', model: 'openai/gpt-5-mini', ${parts} });`;

  it.each([
    ['a.mjs', `export const tools = ${record};`],
    ['b.mjs', `export default ${record};`],
    ['c.cjs', `module.exports = { tools: ${record} };`],
    ['d.mjs', `export default async () => (${record});`],
    ['e.mjs', `export const tools = Promise.resolve(${record});`],
    ['f.mjs', `export default [{ name: 'send_email', description: 'Send an email.' }];`],
    ['g.mjs', `export default { async listTools() { return ${record}; }, async disconnect() {} };`],
    [
      'h.mjs',
      `export const tools = ({ requestContext }) => requestContext.get('user') === 'ada' ? ${record} : {};
      export const requestContext = new Map([['user', 'ada']]);`,
    ],
    [
      'agent.ts',
      `import { createTool } from ${mastra('tools')};
      const send_email = createTool({ id: 'send_email', description: 'Mail.', execute: async (): Promise<number> => 1 });
      ${agent('tools: { send_email }')}`,
    ],
  ])('may export its tools as %s does', async (name, source) => {
    expect((await listed(name, source)).names).toEqual(['send_email']);
  });

  it('may bring keywords, which those of a file replace, scorers, cases and a filter', () => {
    const source = officeModule(`
      export const keywords = { send_email: ['letter'], get_weather: ['sky'] };
      export const scorer = { name: 'mine', index: (documents) => ({ search: ({ text }) =>
        documents.flatMap(({ name, keywords }) => keywords.includes(text) ? [{ name, score: 1 }] : []) }) };
      export const cases = [{ query: 'post', relevant: ['send_email'] }, { query: 'sky', relevant: ['get_weather'] }];
      export const filter = ({ toolName }) => toolName !== 'get_weather';`);
    return withFiles({ 'a.mjs': source, 'words.json': { send_email: ['post'] } }, async () => {
      const words = '--keywords words.json';
      const { queries, scorer } = await json(`search a.mjs post letter sky ${words}`);
      expect(scorer).toBe('mine');
      expect(queries.map(({ results }: { results: unknown[] }) => results.length)).toEqual([1, 0, 0]);
      const [{ figures }] = (await json(`eval a.mjs ${words}`)).evaluation.scorers;
      expect(figures.hit1.mean).toBe(1);
    });
  });

  const EXPORTS = 'What a.mjs exports as its tools';
  it.each([
    ['export const other = 1;', 'a.mjs exports no tools: it exports other. Export them as "tools"'],
    ['throw new Error("out of order");', 'a.mjs cannot be imported: out of order.'],
    ['throw null;', 'a.mjs cannot be imported: it throws null.'],
    ['throw "out of order";', 'a.mjs cannot be imported: it throws out of order.'],
    ['export default 7;', `${EXPORTS} is number. Export a record of tools by name`],
    ['export default [{ description: "no name" }];', `${EXPORTS} has a list with something`],
    [
      `export default { id: 'tool-search', processInputStep() {} };`,
      `${EXPORTS} is a ToolSearchProcessor, which does not tell its tools`,
    ],
    ['await new Promise(() => {});', 'a.mjs cannot be imported: it is not ready after 1 s; --timeout'],
    ['export const tools = () => new Promise(() => {});', `${EXPORTS}: it is not ready after 1 s; --timeout`],
    [
      `import { ToolSearchProcessor } from ${mastra('processors')};
      ${agent('inputProcessors: [new ToolSearchProcessor({ tools: {} })]')}`,
      `${EXPORTS} is an Agent whose tools are in a ToolSearchProcessor, which does not tell them.`,
    ],
  ])('is refused where it is %s', (source, message) => {
    const timeout = message.includes('--timeout') ? '--timeout 1' : '';
    return refuses({ 'a.mjs': source }, `list a.mjs ${timeout}`, message);
  });

  it('is told what helps where Node takes it for CommonJS', () => {
    const files = { 'package.json': { type: 'commonjs' }, 'tools.js': 'export const tools = {};' };
    return withFiles(files, async () => {
      const remedy = 'Node takes it for CommonJS: call it .mjs, or set "type": "module" in package.json.';
      expect((await command('lint tools.js')).stderr).toContain(remedy);
    });
  });
});
