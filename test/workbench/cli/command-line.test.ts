import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { commands } from '../../../src/workbench/cli/command-line.ts';
import { safeOutput } from '../../../src/workbench/cli/output.ts';
import { READ_TYPESCRIPT } from '../../support/new-process.ts';
import { command, inProcess, office, type Ran, widest, withFiles } from './command.ts';

const run = (...args: string[]): Promise<Ran> => inProcess(args);

it('tells its version', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await command(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

it('helps with and without being asked', async () => {
  const { code, stdout } = await run('--help');
  expect(code).toBe(0);
  for (const { name } of commands) expect(stdout).toContain(`\n  ${name} `);
  expect(await run()).toEqual({ code: 2, stdout, stderr: '' });
  expect((await run('help', 'search')).stdout).toBe((await run('search', '--wrong', '-h')).stdout);
});

it.each(commands)(
  'helps with $name: usage, every option, examples, within 80 columns',
  async ({ name, options, examples }) => {
    const { code, stdout } = await run(name, '--help');
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: mastra-tool-search ${name}`);
    for (const option of Object.keys(options)) expect(stdout).toContain(`--${option}`);
    for (const [line] of examples) expect(stdout).toContain(`  mastra-tool-search ${line}\n`);
    const lines = stdout.split('\n').filter((line) => !line.startsWith('  mastra-tool-search '));
    expect(widest(lines.join('\n'))).toBeLessThanOrEqual(80);
  },
);

it.each([
  [['serch', 'x'], "unknown command 'serch'", '(Did you mean search?)'],
  [['zzz'], "unknown command 'zzz'", 'See mastra-tool-search --help'],
  [['help', 'zzz'], "unknown command 'zzz'", 'See mastra-tool-search --help'],
  [['--json'], "unknown option '--json'", 'See mastra-tool-search --help'],
  [['search', 'x', '--scorr', 'y'], "unknown option '--scorr'", '(Did you mean --scorer?)'],
  [['search', 'x', '-q'], "unknown option '-q'", 'See mastra-tool-search search --help'],
  [['search', 'x', '--scorer'], "option '--scorer <NAME|FILE>' argument missing"],
  [
    ['search', 'x', '--scorer', '--json'],
    "option '--scorer <NAME|FILE>' argument '--json' is invalid. It needs a value.",
  ],
  [['search', 'x', '--json=yes'], "unknown option '--json=yes'"],
  [['search', 'x', '--json', '--markdown'], '--json and --markdown are two formats. Leave one of them out.'],
  [['search', 'x', 'y', '--top', '0'], '--top must be a whole number of 1 or more; got "0".'],
  [['search', 'x', 'y', '--top', 'many'], '--top must be a whole number of 1 or more; got "many".'],
  [['search', 'x', 'y', '--columns', '9'], '--columns must be a whole number from 40 to 1000; got "9".'],
  [['search'], 'Which catalog? Give a file of tools or an mcp.json, or a server with --mcp "npx -y …".'],
  [['search', 'no\u001b[31m.json', 'y'], 'There is no file no [31m.json.'],
  [['search', 'src', 'y'], 'src is a folder. Give a file in it: tools as JSON, a module, or an mcp.json.'],
])('refuses %j with 2, and says what to do', async (args, message, hint = '') => {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stdout]).toEqual([2, '']);
  const [first, second] = stderr.split('\n');
  expect(first).toBe(`error: ${message}`);
  expect(second).toContain(hint);
  expect(stderr).not.toContain('    at ');
});

it('shows where an error comes from with --debug', async () => {
  expect((await run('search', 'none.json', 'x', '--debug')).stderr).toContain('    at ');
});

it('shows the cause of an error with --debug', () =>
  withFiles({ 'tools.mjs': 'throw new TypeError("out of order");' }, async (cwd) => {
    const { code, stderr } = await command(['lint', 'tools.mjs', '--debug'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('[cause]: TypeError: out of order');
  }));

it('keeps what a module prints out of the results', () =>
  withFiles(
    { 'tools.mjs': `console.log('starting'); export const tools = ${JSON.stringify({ a: office[0] })};` },
    async (cwd) => {
      const { stdout, stderr } = await command(['search', 'tools.mjs', 'mail', '--json'], { cwd });
      expect(JSON.parse(stdout)).toMatchObject({ tools: 1 });
      expect(stderr).toBe('starting\n');
    },
  ));

it('says nothing of its own arguments to a module, which is not the program that runs', () => {
  const source = `
    import { fileURLToPath } from 'node:url';
    if (process.argv[1] === fileURLToPath(import.meta.url)) console.log('a program runs');
    console.log(JSON.stringify(process.argv.slice(2)));
    export const tools = () => {
      console.log(JSON.stringify(process.argv.slice(2)));
      return ${JSON.stringify({ a: office[0] })};
    };
    export const scorer = { name: 'own', index: () => { console.log(JSON.stringify(process.argv.slice(2))); return { search: () => [] }; } };`;
  return withFiles({ 'tools.mjs': source }, async (cwd) => {
    const ran = await command(['search', 'tools.mjs', 'mail', '--scorer', 'tools.mjs', '--debug'], { cwd });
    expect([ran.code, ran.stderr]).toEqual([0, '[]\n[]\n[]\n']);
  });
});

it.each([
  [['lint', 'sub/broken.mjs'], 'sub/broken.mjs cannot be imported: It is broken.'],
  [['lint', './sub/broken.mjs'], './sub/broken.mjs cannot be imported: It is broken.'],
  [['search', 'sub/tools.json', 'x', '--scorer', 'sub/broken.mjs'], 'sub/broken.mjs cannot be imported: It is broken.'],
  [['search', 'sub/tools.json', 'x', '--scorer', './sub/none.mjs'], 'There is no file ./sub/none.mjs.'],
  [['lint', 'sub/empty.json'], 'sub/empty.json is empty. It must hold'],
  [['lint', 'sub/text.json'], 'sub/text.json is no JSON ('],
  [['lint', 'sub/nothing.json'], 'sub/nothing.json has no tools.'],
  [['lint', 'sub/nothing.mjs'], 'sub/nothing.mjs has no tools.'],
  [['eval', 'sub/tools.json', 'sub/empty.json'], 'sub/empty.json has no cases.'],
  [['search', '', 'x'], 'Which catalog? Give a file of tools'],
])('names a file as it was given, in one sentence: %j', (args, message) => {
  const files = {
    'sub/broken.mjs': `throw new Error('It is broken.');`,
    ...{ 'sub/empty.json': '', 'sub/text.json': '{', 'sub/nothing.json': { tools: [] } },
    ...{ 'sub/nothing.mjs': 'export default {};', 'sub/tools.json': office },
  };
  return withFiles(files, async (cwd) => {
    const { code, stderr } = await command(args, { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${message}`)]);
    expect(stderr).not.toMatch(/\.\.\s/);
    expect(stderr).not.toContain(cwd);
  });
});

it.each(['search', 'eval', 'lint', 'tokens'])('names the catalog of %s as it was given', (name) => {
  const files = { 'sub/tools.json': office, 'cases.json': [{ query: 'mail', relevant: ['send_email'] }] };
  const args = { search: ['mail'], eval: ['cases.json'] }[name] ?? [];
  return withFiles(files, async (cwd) => {
    const { stdout } = await command([name, 'sub/tools.json', ...args, '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ catalog: 'sub/tools.json' });
    if (name === 'search') return;
    expect((await command([name, 'sub/tools.json', ...args], { cwd })).stdout).toContain('sub/tools.json: ');
  });
});

it.each([
  ['eval', 'mcp.json', 'none.jsonl'],
  ['eval', '--mcp', 'node server.mjs', 'none.jsonl'],
  ['tokens', 'mcp.json', '--cases', 'none.jsonl'],
  ['inspect', 'mcp.json', '--log', 'none.jsonl'],
])('starts no server where a file is missing: %s %s %s %s', (...args) => {
  const files = {
    'server.mjs': `import { writeFileSync } from 'node:fs'; writeFileSync('started', '');`,
    'mcp.json': { mcpServers: { one: { command: 'node', args: ['server.mjs'] } } },
  };
  return withFiles(files, async (cwd) => {
    const { code, stderr } = await command(args.filter(Boolean), { cwd });
    expect([code, stderr.split('\n')[0]]).toEqual([2, 'error: There is no file none.jsonl.']);
    expect(existsSync(path.join(cwd, 'started'))).toBe(false);
  });
});

it('ends the reason of a server with one period', () => {
  const source = `console.error('No key is set.'); process.exit(1);`;
  return withFiles({ 'server.mjs': source }, async (cwd) => {
    const { stderr } = await command(['lint', '--mcp', 'node server.mjs'], { cwd });
    expect(stderr).toMatch(/cannot be asked for its tools: .*[^.]\. It said: No key is set\.\n/);
  });
});

it('honours FORCE_COLOR, and its 0', () =>
  withFiles({ 'tools.json': office }, async (cwd) => {
    const coloured = async (FORCE_COLOR: string): Promise<boolean> =>
      (await command(['search', 'tools.json', 'mail'], { cwd, env: { FORCE_COLOR } })).stdout.includes('\u001b[');
    expect([await coloured('1'), await coloured('0'), await coloured('')]).toEqual([true, false, false]);
  }));

/** Runs a line of bash with `$MTS` for the command. */
function bash(line: string, cwd: string): string {
  const main = fileURLToPath(new URL('../../../src/workbench/cli/main.ts', import.meta.url));
  const MTS = `${process.execPath} ${READ_TYPESCRIPT.join(' ')} ${main}`;
  return execFileSync('bash', ['-c', line], { cwd, encoding: 'utf8', env: { ...process.env, MTS } });
}

it('keeps its exit code when nobody reads on, and the baseline', () => {
  const cases = Array.from({ length: 2_000 }, (_, at) => ({ query: `weather ${at}`, relevant: ['send_email'] }));
  return withFiles({ 'tools.json': office, 'cases.json': cases }, async (cwd) => {
    const line =
      '$MTS eval tools.json cases.json --json --min-recall 1 --save-baseline b.json | head -c 1 > /dev/null; exit=$PIPESTATUS; echo $exit; ls b.json';
    expect(bash(line, cwd)).toBe('1\nb.json\n');
  });
});

it.skipIf(!existsSync('/dev/full'))('says that its output cannot be written', () =>
  withFiles({ 'tools.json': office }, async (cwd) => {
    const said = bash('$MTS lint tools.json 2>&1 > /dev/full; echo $?', cwd);
    expect(said).toMatch(/^error: The output cannot be written: ENOSPC: .*\. Make room, or write elsewhere\.\n2\n$/);
  }),
);

it('ends quietly when nobody reads on', () =>
  withFiles({ 'tools.json': office }, async (cwd) => {
    const queries = Array.from({ length: 4_000 }, () => '"weather"').join(' ');
    const line = `$MTS search tools.json ${queries} | head -n 1; echo "\${PIPESTATUS[0]}"`;
    expect(bash(line, cwd)).toBe('weather\n0\n');
  }));

it.each([
  ['search', 'tools.json', 'thing'],
  ['lint', 'tools.json'],
  ['lint', 'tools.json', '--sarif'],
  ['tokens', 'tools.json'],
])('writes nothing that a terminal obeys: %s %s %s', async (...args) => {
  const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
  const hostile = 'thing\u009b31m\u001b[31m\u202egnp\u2066.\u2028\u0085\u007f';
  const tools = [{ name: hostile, description: `A ${hostile}`, inputSchema: { properties: { [hostile]: {} } } }];
  await withFiles({ 'tools.json': tools }, async (folder) => {
    const words = args.map((word) => (word === 'tools.json' ? path.join(folder, word) : word));
    const formats = args.includes('--sarif') ? [[]] : [['--json'], ['--markdown'], []];
    for (const format of formats) {
      const { stdout } = await inProcess([...words, ...format]);
      expect(stdout).toContain('thing');
      expect(unsafe.exec(stdout.replaceAll('\n', ''))).toBeNull();
    }
  });
});

it('writes the same value as JSON, with escapes for what a terminal obeys', () => {
  const value = { a: 'x\u009b\u202e\u2028é\u007f', 'b\u200f': ['\\u202e\\', '\u001b'] };
  const text = safeOutput(JSON.stringify(value));
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toContain('x\\u009b\\u202e\\u2028é\\u007f');
});
