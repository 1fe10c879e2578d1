import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../../src/entries/evaluate.ts';
import { catalogOptions, type LoadedCatalog, loadCatalog } from '../../../../src/workbench/cli/catalog/load.ts';
import { callOf, command, keptTerminal, office, withFiles } from '../command.ts';

interface Loaded {
  readonly catalog: LoadedCatalog;
  readonly rest: readonly string[];
  readonly stderr: string;
}

async function load(args: readonly string[], stdin = ''): Promise<Loaded> {
  const terminal = keptTerminal(stdin);
  const loaded = await loadCatalog({ ...callOf(args, catalogOptions), terminal });
  return { ...loaded, stderr: terminal.said.stderr };
}

/** Loads a catalog that is one file. */
const loadFile = (name: string, content: unknown, ...args: string[]): Promise<Loaded> =>
  withFiles({ [name]: content }, (folder) => load([path.join(folder, name), ...args]));

const names = ({ catalog }: Loaded): readonly string[] => Object.keys(catalog.tools);
const NAMES = ['send_email', 'get_weather', 'post_message'];

describe('a JSON catalog', () => {
  const anthropic = office.map(({ inputSchema, ...tool }) => ({ ...tool, input_schema: inputSchema }));
  const openai = office.map(({ inputSchema: parameters, ...tool }) => ({
    type: 'function',
    function: { ...tool, parameters },
  }));
  const responses = office.map(({ inputSchema: parameters, ...tool }) => ({ type: 'function', ...tool, parameters }));
  const google = [
    { functionDeclarations: office.map(({ inputSchema: parameters, ...tool }) => ({ ...tool, parameters })) },
  ];
  const mastra = office.map(({ name: id, ...tool }) => ({ id, ...tool }));

  it.each([
    ['a list', office],
    ['the result of tools/list', { tools: office, nextCursor: null }],
    ['the whole response of a server', { jsonrpc: '2.0', id: 1, result: { tools: office } }],
    ['the tools of a request to Anthropic', { model: 'x', tools: anthropic }],
    ['the tools of a chat completion', openai],
    ['the tools of the Responses API', responses],
    ['the declarations of Gemini', google],
    ['tools by their ids', mastra],
    ['tools by name', Object.fromEntries(office.map(({ name, ...tool }) => [name, tool]))],
    ['tools by name, under "tools"', { tools: Object.fromEntries(office.map(({ name, ...tool }) => [name, tool])) }],
    ['JSON lines', office.map((tool) => JSON.stringify(tool)).join('\n')],
    ['JSON with a byte order mark', `\ufeff${JSON.stringify(office)}`],
  ])('may be %s', async (_, content) => {
    const loaded = await loadFile('tools.json', content);
    expect(names(loaded)).toEqual(NAMES);
    expect(loaded.catalog.tools['send_email']).toMatchObject({
      description: office[0]?.description,
      inputSchema: office[0]?.inputSchema,
    });
    expect([loaded.stderr, path.basename(loaded.catalog.title)]).toEqual(['', 'tools.json']);
  });

  it('keeps what searches read of a tool besides', async () => {
    const annotations = { title: 'Mail', readOnlyHint: true };
    const tool = { ...office[0], title: 'Mail', annotations, _meta: { 'example.com/keywords': ['letter'] } };
    const { catalog } = await loadFile('tools.json', [tool]);
    expect(catalog.tools['send_email']).toMatchObject({ title: 'Mail', mcp: { annotations, _meta: tool._meta } });
    const { scorers } = await evaluate({
      tools: catalog.tools,
      cases: [{ query: 'letter', relevant: ['send_email'] }],
    });
    expect(scorers[0]?.figures?.hit1.mean).toBe(1);
  });

  it('warns of what is no tool, and of names that come twice; with --strict it refuses them', async () => {
    const content = [office[0], 'no tool', { description: 'no name' }, { ...office[0], description: 'the last' }];
    const loaded = await loadFile('tools.json', content);
    expect(loaded.catalog.tools['send_email']).toMatchObject({ description: 'the last' });
    expect(loaded.catalog.list).toHaveLength(2);
    expect(loaded.stderr).toBe(
      'warning: 2 of the list are no tools and are left out: number 2, 3. A tool has a "name".\n' +
        'warning: Several tools are called "send_email"; the last one counts.\n',
    );
    await expect(loadFile('tools.json', content, '--strict')).rejects.toThrow('2 of the list are no tools');
  });

  it("leaves out the providers' own tools, with one warning", async () => {
    const provided = [
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'code_interpreter', container: { type: 'auto' } },
    ];
    const own = { type: 'custom', name: 'own', description: 'Mine.' };
    const loaded = await loadFile('tools.json', [office[0], ...provided, own], '--strict');
    expect(names(loaded)).toEqual(['send_email', 'own']);
    expect(loaded.stderr).toBe(
      'warning: 2 of the list are tools that a provider runs itself, and are left out: web_search, code_interpreter. They have no description to search.\n',
    );
  });

  it.each([
    ['', 'tools.json is empty. It must hold a list of tools,'],
    ['{ "tools": [', 'tools.json is no JSON ('],
    ['"text"', 'has no tools. It must hold a list of tools,'],
    [{ name: 'a-package', version: '1.0.0' }, 'has no tools. It must hold a list of tools,'],
    [[], 'tools.json has no tools.'],
    [[1, 2], 'tools.json has no tools.'],
  ])('is refused where it is %j', async (content, message) => {
    await expect(loadFile('tools.json', content)).rejects.toThrow(message);
  });

  it('has names such as those of inherited fields', async () => {
    const loaded = await loadFile('tools.json', [
      { name: '__proto__', description: 'a' },
      { name: 'constructor', description: 'b' },
    ]);
    expect(names(loaded)).toEqual(['__proto__', 'constructor']);
  });
});

describe('a module', () => {
  const record = `{ send_email: { id: 'send_email', description: 'Send an email.', inputSchema: {}, execute: async () => 'sent' } }`;

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
  ])('may export its tools as %s does', async (name, source) => {
    expect(names(await loadFile(name, source))).toEqual(['send_email']);
  });

  it('may be TypeScript, and an agent', async () => {
    const source = `
      import { Agent } from '${import.meta.resolve('@mastra/core/agent')}';
      import { createTool } from '${import.meta.resolve('@mastra/core/tools')}';
      const clock = createTool({ id: 'clock', description: 'The time.', execute: async (): Promise<number> => 1 });
      export default new Agent({ id: 'a', name: 'A', instructions: 'x', model: 'openai/gpt-5-mini', tools: { clock } });`;
    expect(names(await loadFile('agent.ts', source))).toEqual(['clock']);
  });

  it('may bring keywords, scorers, cases and a filter', async () => {
    const source = `
      export const tools = ${record};
      export const keywords = { send_email: ['letter'] };
      export const scorer = { name: 'mine', index: () => ({ search: () => [] }) };
      export const cases = [{ query: 'letter', relevant: ['send_email'] }];
      export const filter = () => true;`;
    const words = { send_email: ['post'] };
    const { catalog } = await withFiles({ 'a.mjs': source, 'words.json': words }, (folder) =>
      load([path.join(folder, 'a.mjs'), '--keywords', path.join(folder, 'words.json')]),
    );
    expect(catalog).toMatchObject({ keywords: words, scorers: [{ name: 'mine' }], cases: [{ query: 'letter' }] });
    expect(catalog.filter).toBeTypeOf('function');
  });

  it.each([
    ['a.mjs', 'export const other = 1;', 'exports no tools: it exports other. Export them as "tools"'],
    ['b.mjs', 'throw new Error("out of order");', 'cannot be imported: out of order.'],
    ['c.mjs', 'export default 7;', 'exports as its tools is number. Export a record of tools by name'],
    ['d.mjs', 'export default [{ description: "no name" }];', 'has a list with something that is no tool'],
    ['e.mjs', 'export default {};', 'e.mjs has no tools.'],
    ['f.mjs', 'throw null;', 'f.mjs cannot be imported: it throws null.'],
    ['g.mjs', 'throw "out of order";', 'g.mjs cannot be imported: it throws out of order.'],
  ])('is refused where it is %s: %s', async (name, source, message) => {
    await expect(loadFile(name, source)).rejects.toThrow(message);
  });

  it.each([
    ['a.mjs', 'await new Promise(() => {});', 'a.mjs cannot be imported: it is not ready after 1 s; --timeout'],
    [
      'b.mjs',
      'export const tools = () => new Promise(() => {});',
      'as its tools: it is not ready after 1 s; --timeout',
    ],
  ])('is waited for no longer than is told where it is %s: %s', async (name, source, message) => {
    await withFiles({ [name]: source, 'tools.json': office }, async (cwd) => {
      const { code, stderr } = await command(['search', name, 'x', '--timeout', '1'], { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    });
  });

  it('is told from a processor, whose tools nobody can read', async () => {
    const source = `export default { id: 'tool-search', processInputStep() {} };`;
    await expect(loadFile('a.mjs', source)).rejects.toThrow('is a ToolSearchProcessor, which does not tell its tools');
  });
});

it('tells of an agent whose tools are in a processor', async () => {
  const source = `
    import { Agent } from '${import.meta.resolve('@mastra/core/agent')}';
    import { ToolSearchProcessor } from '${import.meta.resolve('@mastra/core/processors')}';
    export default new Agent({ id: 'a', name: 'A', instructions: 'x', model: 'openai/gpt-5-mini',
      inputProcessors: [new ToolSearchProcessor({ tools: {} })] });`;
  await expect(loadFile('agent.mjs', source)).rejects.toThrow(
    'is an Agent whose tools are in a ToolSearchProcessor, which does not tell them. Export',
  );
});

it('says what helps where Node takes a module for CommonJS', async () => {
  const files = { 'package.json': { type: 'commonjs' }, 'tools.js': 'export const tools = {};' };
  await withFiles(files, async (cwd) => {
    expect((await command(['lint', 'tools.js'], { cwd })).stderr).toContain(
      'Node takes it for CommonJS: call it .mjs, or set "type": "module" in package.json.',
    );
  });
});

it('refuses keywords that are none, and headers without a value', async () => {
  const files = { 'tools.json': office, 'words.json': { send_email: 'mail' } };
  await withFiles(files, async (folder) => {
    const [tools, words] = ['tools.json', 'words.json'].map((name) => path.join(folder, name)) as [string, string];
    await expect(load([tools, '--keywords', words])).rejects.toThrow('must hold lists of words by tool');
    await expect(load([tools, '--header', 'nothing'])).rejects.toThrow('--header needs a name and a value');
  });
});

it('leaves the other positionals to the command', async () => {
  const terminal = keptTerminal(JSON.stringify(office));
  const loaded = await loadCatalog({ ...callOf(['-', 'one', 'two'], catalogOptions), terminal }, 2);
  expect([loaded.rest, loaded.catalog.title]).toEqual([['one', 'two'], 'stdin']);
});
