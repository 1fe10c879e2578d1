import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { read } from '../../docs/pages.ts';
import { READ_TYPESCRIPT } from '../../support/new-process.ts';
import { command, json, MAIN, office, run, runOn, widest, withFiles } from './command.ts';

/** The commands of the page. */
const NAMES = [...read('docs/command.md').matchAll(/^\| \[?`([a-z]+)`/gm)].map(([, name = '']) => name);

it('tells its version', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await command('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

describe('help', () => {
  it('is there with and without being asked', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    const commands = stdout.slice(stdout.indexOf('Commands:'), stdout.indexOf('CATALOG is one of'));
    expect(commands.match(/^ {2}[a-z]+(?= )/gm)?.map((name) => name.trim())).toEqual([...NAMES, 'help']);
    expect(await run('')).toEqual({ code: 2, stdout, stderr: '' });
    expect((await run('help search')).stdout).toBe((await run('search --wrong -h')).stdout);
  });

  it.each(NAMES)('tells of %s, within 80 columns: usage, options, examples that are calls', async (name) => {
    const { code, stdout } = await run(`${name} --help`);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: mastra-tool-search ${name}`);
    const [text = '', examples = ''] = stdout.split('Examples:');
    expect(widest(text)).toBeLessThanOrEqual(80);
    const options = new Set(text.match(/--[a-z0-9-]+/g));
    for (const option of examples.match(/--[a-z0-9-]+/g) ?? []) expect([...options]).toContain(option);
    expect(examples).toContain(`  mastra-tool-search ${name} `);
  });
});

describe('a call that cannot be done', () => {
  it.each([
    ['serch x', "unknown command 'serch'", '(Did you mean search?)'],
    ['zzz', "unknown command 'zzz'", 'See mastra-tool-search --help'],
    ['help zzz', "unknown command 'zzz'", 'See mastra-tool-search --help'],
    ['--json', "unknown option '--json'", 'See mastra-tool-search --help'],
    ['search x --scorr y', "unknown option '--scorr'", '(Did you mean --scorer?)'],
    ['search x -q', "unknown option '-q'", 'See mastra-tool-search search --help'],
    ['search x --scorer', "option '--scorer <NAME|FILE>' argument missing"],
    ['search x --scorer --json', "option '--scorer <NAME|FILE>' argument '--json' is invalid. It needs a value."],
    ['search x --json=yes', "unknown option '--json=yes'"],
    ['search x --json --markdown', '--json and --markdown are two formats. Leave one of them out.'],
    ['search x y --top 0', '--top must be a whole number of 1 or more; got "0".'],
    ['search x y --top many', '--top must be a whole number of 1 or more; got "many".'],
    ['search x y --columns 9', '--columns must be a whole number from 40 to 1000; got "9".'],
    ['search', 'Which catalog? Give a file of tools or an mcp.json, or a server with --mcp "npx -y …".'],
    ['search "" x', 'Which catalog? Give a file of tools or an mcp.json, or a server with --mcp "npx -y …".'],
    ['search no\u001b[31m.json y', 'There is no file no [31m.json.'],
    ['search sub y', 'sub is a folder. Give a file in it: tools as JSON, a module, or an mcp.json.'],
    [
      'search sub/tools.json x --mcp "npx nothing"',
      '"sub/tools.json" is one argument too many: --mcp stands in place of',
    ],
    ['search sub/tools.json x --scorer ./sub/none.mjs', 'There is no file ./sub/none.mjs.'],
    ['search sub/tools.json x --scorer sub/broken.mjs', 'sub/broken.mjs cannot be imported: It is broken.'],
    ['lint ./sub/broken.mjs', './sub/broken.mjs cannot be imported: It is broken.'],
    ['lint sub/empty.json', 'sub/empty.json is empty. It must hold'],
    ['lint sub/text.json', 'sub/text.json is no JSON ('],
    ['lint sub/nothing.json', 'sub/nothing.json has no tools.'],
    ['lint sub/nothing.mjs', 'sub/nothing.mjs has no tools.'],
    ['eval sub/tools.json sub/empty.json', 'sub/empty.json has no cases.'],
    ['lint sub/tools.json --header nothing', '--header needs a name and a value'],
    ['completion tcsh', 'completion takes one of bash, zsh, fish; got "tcsh".'],
  ])('%j is refused with 2, and names files as they were given', (line, message, hint = '') => {
    const files = {
      ...{ 'sub/broken.mjs': `throw new Error('It is broken.');`, 'sub/nothing.mjs': 'export default {};' },
      ...{ 'sub/empty.json': '', 'sub/text.json': '{', 'sub/nothing.json': { tools: [] }, 'sub/tools.json': office },
    };
    return withFiles(files, async (folder) => {
      const { code, stdout, stderr } = await run(line);
      expect([code, stdout]).toEqual([2, '']);
      const [first, second] = stderr.split('\n');
      expect(first).toContain(`error: ${message}`);
      expect(second).toContain(hint);
      expect(stderr).not.toMatch(/\.\.\s| {4}at /);
      expect(stderr).not.toContain(folder);
    });
  });

  it('shows where an error comes from, and its cause, with --debug', async () => {
    const source = { 'tools.mjs': 'throw new TypeError("out of order");' };
    const { code, stderr } = await runOn(source, 'lint tools.mjs --debug');
    expect(code).toBe(2);
    expect(stderr).toContain('    at ');
    expect(stderr).toContain('[cause]: TypeError: out of order');
  });

  it.each([
    'eval mcp.json none.jsonl',
    'eval --mcp "node server.mjs" none.jsonl',
    'tokens mcp.json --cases none.jsonl',
    'inspect mcp.json --log none.jsonl',
  ])('starts no server where a file is missing: %s', (line) => {
    const files = {
      'server.mjs': `import { writeFileSync } from 'node:fs'; writeFileSync('started', '');`,
      'mcp.json': { mcpServers: { one: { command: 'node', args: ['server.mjs'] } } },
    };
    return withFiles(files, async () => {
      const { code, stderr } = await run(line);
      expect([code, stderr.split('\n')[0]]).toEqual([2, 'error: There is no file none.jsonl.']);
      expect(existsSync('started')).toBe(false);
    });
  });
});

it.each(['search', 'eval', 'lint', 'tokens'])('names the catalog of %s as it was given', (name) => {
  const files = { 'sub/tools.json': office, 'cases.json': [{ query: 'mail', relevant: ['send_email'] }] };
  const line = `${name} sub/tools.json ${{ search: 'mail', eval: 'cases.json' }[name] ?? ''}`;
  return withFiles(files, async () => {
    expect(await json(line)).toMatchObject({ catalog: 'sub/tools.json' });
    if (name !== 'search') expect((await run(line)).stdout).toContain('sub/tools.json: ');
  });
});

describe('a process', () => {
  it('keeps what a module prints out of the results, and says nothing of its own arguments to it', () => {
    const source = `
      import { fileURLToPath } from 'node:url';
      if (process.argv[1] === fileURLToPath(import.meta.url)) console.log('a program runs');
      const say = () => console.log(JSON.stringify(process.argv.slice(2)));
      say();
      export const tools = () => { say(); return ${JSON.stringify(office)}; };
      export const scorer = { name: 'own', index: () => { say(); return { search: () => [] }; } };`;
    return withFiles({ 'tools.mjs': source }, async () => {
      const { code, stdout, stderr } = await command('search tools.mjs mail --scorer tools.mjs --debug --json');
      expect([code, JSON.parse(stdout).tools, stderr]).toEqual([0, 3, '[]\n[]\n[]\n']);
    });
  });

  it('colours where it is told to, and nowhere else', () =>
    withFiles({ 'tools.json': office }, async () => {
      const coloured = async (env: Readonly<Record<string, string>>, options = ''): Promise<boolean> =>
        (await command(`search tools.json weather ${options}`, { env })).stdout.includes('\u001b[');
      const asked = [{ CI: '1' }, { FORCE_COLOR: '1' }, { FORCE_COLOR: '0' }, { FORCE_COLOR: '' }];
      expect(await Promise.all(asked.map((env) => coloured(env)))).toEqual([false, true, false, false]);
      expect(await coloured({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
      expect(await coloured({ FORCE_COLOR: '1' }, '--json')).toBe(false);
    }));

  /** Runs a line of bash with `$MTS` for the command. */
  const bash = (line: string): string => {
    const MTS = `${process.execPath} ${READ_TYPESCRIPT.join(' ')} ${MAIN}`;
    return execFileSync('bash', ['-c', line], { encoding: 'utf8', env: { ...process.env, MTS } });
  };

  it('keeps its exit code when nobody reads on, and the baseline', () => {
    const cases = Array.from({ length: 2_000 }, (_, at) => ({ query: `weather ${at}`, relevant: ['send_email'] }));
    return withFiles({ 'tools.json': office, 'cases.json': cases }, async () => {
      const line =
        '$MTS eval tools.json cases.json --json --min-recall 1 --save-baseline b.json | head -c 1 > /dev/null; exit=$PIPESTATUS; echo $exit; ls b.json';
      expect(bash(line)).toBe('1\nb.json\n');
    });
  });

  it('ends quietly when nobody reads on', () =>
    withFiles({ 'tools.json': office }, async () => {
      const queries = Array.from({ length: 4_000 }, () => '"weather"').join(' ');
      expect(bash(`$MTS search tools.json ${queries} | head -n 1; echo "\${PIPESTATUS[0]}"`)).toBe('weather\n0\n');
    }));

  it.skipIf(!existsSync('/dev/full'))('says that its output cannot be written', () =>
    withFiles({ 'tools.json': office }, async () => {
      const said = bash('$MTS lint tools.json 2>&1 > /dev/full; echo $?');
      expect(said).toMatch(/^error: The output cannot be written: ENOSPC: .*\. Make room, or write elsewhere\.\n2\n$/);
    }),
  );
});

describe('what is written', () => {
  it.each(['search tools.json thing', 'lint tools.json', 'lint tools.json --sarif', 'tokens tools.json'])(
    'has nothing that a terminal obeys, and is the same value as JSON: %s',
    (line) => {
      const unsafe = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
      const hostile = 'thing\u009b31m\u001b[31m\u001b]0;t\u0007\u202egnp\u2066.\u2028\u0085\u007f\n\r';
      const tools = [{ name: hostile, description: `A ${hostile}`, inputSchema: { properties: { [hostile]: {} } } }];
      return withFiles({ 'tools.json': tools }, async () => {
        for (const format of line.includes('--sarif') ? [''] : ['--json', '--markdown', '']) {
          const { stdout, stderr } = await run(`${line} ${format}`);
          expect(stdout).toContain('thing');
          expect(unsafe.exec(`${stdout}${stderr}`.replaceAll('\n', ''))).toBeNull();
        }
      });
    },
  );

  it('is the same value as JSON, with escapes for what a terminal obeys', () =>
    withFiles(
      { 'tools.json': [{ name: 'a', description: 'x\u009b\u202e\u2028é\u007f \\u202e\\ \u001b' }] },
      async () => {
        const { stdout } = await run('list tools.json');
        expect(JSON.parse(stdout).tools[0].description).toBe('x\u009b\u202e\u2028é\u007f \\u202e\\ \u001b');
        expect(stdout).toContain('x\\u009b\\u202e\\u2028é\\u007f');
      },
    ));

  const warnings = async (name: string, columns: number): Promise<string> =>
    (await runOn({ 'tools.json': [{ name, description: 'Mail' }] }, `lint tools.json --columns ${columns}`)).stdout;

  it('wraps the wide column at words, and sets numbers to the right', async () => {
    expect(await warnings('mail', 50)).toBe(
      [
        ...['Warnings (1)', '', 'tool  finding', 'mail  The description is "Mail" alone. Say what it'],
        ...['      does, to what, in which service, and when to', '      use it. (thin-description)', ''],
        'tools.json: 0 errors, 1 warning, 0 notes in 1 tool.\n',
      ].join('\n'),
    );
    const { stdout } = await runOn({ 'tools.json': office }, 'tokens tools.json --top 1');
    const [head = '', row = ''] = stdout.split('\n').slice(-3);
    expect(row).toMatch(/^send_email +\d+ +\d+ % +\d+ +\d+$/);
    for (const title of ['tokens', 'description', 'parameters'])
      expect(row.slice(0, head.indexOf(title) + title.length)).toMatch(/ \d+$/);
  });

  it('breaks a long name, and keeps all of it', async () => {
    const text = await warnings('q'.repeat(60), 60);
    expect(widest(text)).toBeLessThanOrEqual(60);
    expect(text.split('\n\n')[1]?.match(/q/g)).toHaveLength(60);
  });

  it('cuts names before the words of a title', async () => {
    const tools = [{ name: 'a_rather_long_name_of_mail', description: 'mail' }];
    const { stdout } = await runOn({ 'tools.json': tools }, 'search tools.json mail --columns 40');
    expect(stdout.split('\n')[0]).toMatch(/^# +tool +score +likely +by$/);
  });

  it('ends no cell of Markdown early and makes no markup', async () => {
    const tools = [{ name: 'a', description: 'a|b <i>*c*</i>\n[d](e) `~#&!\\' }];
    const { stdout } = await runOn({ 'tools.json': tools }, 'list tools.json --markdown');
    const row = '| a |  | a\\|b \\<i\\>\\*c\\*\\</i\\> \\[d\\](e) \\`\\~\\#\\&\\!\\\\ |';
    expect(stdout.split('\n')[2]).toBe(row);
  });
});

describe('completion', () => {
  /** What bash completes behind these words. */
  const completed = async (...words: string[]): Promise<readonly string[]> => {
    const { stdout } = await run('completion bash');
    const script = `${stdout}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mastra_tool_search; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const said = execFileSync('bash', ['-c', script, 'bash', 'mastra-tool-search', ...words], { encoding: 'utf8' });
    return said
      .split('\n')
      .filter((line) => line !== '')
      .sort();
  };

  it.each([
    [[''], [...NAMES, '--help', '--version'].sort()],
    [['se'], ['search']],
    [['search', '--sco'], ['--scorer']],
    [
      ['search', '--scorer', 't'],
      ['tiered', 'tools.json'],
    ],
    [['eval', 'tools.json', 'c'], ['cases.jsonl']],
    [['eval', '--baseline', 'c'], ['cases.jsonl']],
    [['search', '--top', ''], []],
    [
      ['completion', ''],
      ['bash', 'fish', 'zsh'],
    ],
  ])('in bash has behind %j', (words, expected) =>
    withFiles({ 'tools.json': '[]', 'cases.jsonl': '' }, async () => {
      expect(await completed(...words)).toEqual(expected);
    }),
  );

  it.each(['bash', 'zsh', 'fish'])('for %s has every option of every help', async (shell) => {
    const { stdout } = await run(`completion ${shell}`);
    for (const name of NAMES) {
      expect(stdout).toContain(name);
      const [, options = ''] = (await run(`${name} --help`)).stdout.split('Options:');
      for (const [, option] of options.matchAll(/^ {2}(?:-\w, )?--([a-z0-9-]+)/gm))
        expect(stdout).toContain(shell === 'fish' ? `-l ${option} ` : `--${option}`);
    }
  });
});

it('ends the reason of a server with one period', async () => {
  const source = `console.error('No key is set.'); process.exit(1);`;
  const { stderr } = await runOn({ 'server.mjs': source }, 'lint --mcp "node server.mjs"');
  expect(stderr).toMatch(/cannot be asked for its tools: .*[^.]\. It said: No key is set\.\n/);
});
