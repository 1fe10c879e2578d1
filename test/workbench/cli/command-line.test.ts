import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { read } from '../../docs/pages.ts';
import { READ_TYPESCRIPT } from '../../support/new-process.ts';
import { command, MAIN, office, run, runOn, widest, withFiles } from './command.ts';

/** The commands of the page. */
const NAMES = [...read('docs/command.md').matchAll(/^\| \[?`([a-z]+)`/gm)].map(([, name = '']) => name);

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
  const CATALOG = 'Which catalog? Give a file of tools or an mcp.json, or a server with --mcp "npx -y …".';
  it.each([
    ['serch x', "unknown command 'serch'", '(Did you mean search?)'],
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
    ['search', CATALOG],
    ['search "" x', CATALOG],
    ['search no\u001b[31m.json y', 'There is no file no [31m.json.'],
    ['search sub y', 'sub is a folder. Give a file in it: tools as JSON, a module, or an mcp.json.'],
    ['search sub/tools.json x --mcp "npx no"', '"sub/tools.json" is one argument too many: --mcp stands in place of'],
    ['search sub/tools.json x --scorer ./sub/none.mjs', 'There is no file ./sub/none.mjs.'],
    ['search sub/tools.json x --scorer sub/broken.mjs', 'sub/broken.mjs cannot be imported: It is broken.'],
    ['lint ./sub/broken.mjs', './sub/broken.mjs cannot be imported: It is broken.'],
    ['lint sub/nothing.mjs', 'sub/nothing.mjs has no tools.'],
    ['eval sub/tools.json sub/empty.json', 'sub/empty.json has no cases.'],
    ['lint sub/tools.json --header nothing', '--header needs a name and a value'],
    ['tokens tools.json --used 4', '--used must be a whole number from 0 to 3; got "4".'],
    ['tokens tools.json --calls 0', '--calls must be a whole number of 1 or more; got "0".'],
    [
      'lint tools.json --rule missing-descriptions',
      'There is no rule "missing-descriptions". Did you mean "missing-description"?',
    ],
    [
      'lint tools.json --rule missing-description=bad',
      '--rule missing-description takes error, warning, info, off; got "bad".',
    ],
    [
      'lint tools.json --only send_mail',
      '--only names the tool "send_mail", which the catalog has not. Did you mean "send_email"?',
    ],
    ['lint tools.json other.json', '"other.json" is one argument too many. Run the command again for another catalog.'],
    ['lint tools.json --mode natif', '--mode must be one of load, call, native; got "natif".'],
    ['lint tools.json --rule crowded-namespace', '--rule crowded-namespace is about native mode. Add --mode native.'],
    ['lint tools.json --sarif --json', '--sarif and --json are two formats. Leave one of them out.'],
    [
      'inspect tools.json --html nodir/x.html',
      '--html nodir/x.html: there is no folder nodir. Make it, or give another file.',
    ],
    ['inspect tools.json --html x.html --port 80', '--html writes a file, which has no --port.'],
    ['inspect tools.json --html x.html --watch', '--html writes a file, which cannot --watch.'],
    ['inspect tools.json --port 70000', '--port must be a whole number from 0 to 65535; got "70000".'],
    ['inspect tools.json --cases nobody.jsonl', '"cases" wants the tool "nobody" in case 1, which "tools" has not.'],
    ['eval tools.json', 'Which cases? Give a file with a line for each'],
    ['eval tools.json cases.jsonl --min-recall 90', '--min-recall must be a number from 0 to 1; got "90".'],
    ['eval tools.json cases.jsonl --max-regression 1', '--max-regression needs --baseline FILE'],
    ['eval tools.json cases.jsonl more.jsonl', '"more.jsonl" is one argument too many.'],
    [
      'eval tools.json cases.jsonl --save-baseline nodir/b.json',
      '--save-baseline nodir/b.json: there is no folder nodir. Make it, or',
    ],
    ['eval tools.json cases.jsonl --baseline tools.json', 'tools.json is no baseline. Write one with --save-baseline.'],
    ['eval tools.json cases.jsonl --baseline none.json', 'There is no file none.json.'],
    [
      'eval tools.json cases.jsonl --embedder none.mjs',
      'none.mjs exports no embedding model. Export one as "embedder"',
    ],
    ['eval tools.json empty.json', 'empty.json has no cases. A case is a line'],
    ['eval tools.json broken.json', '"cases" must be lines such as'],
    [
      'eval tools.json unknown.json',
      '"cases" wants the tool "sendmail" in case 1, which "tools" has not. Did you mean "send_email"?',
    ],
    [
      'eval tools.json cases.jsonl --scorer bm26',
      'There is no scorer "bm26". There are meaning, bm25, tiered, minisearch, synonyms',
    ],
    ['apply', 'Give the changes, and the file to change: apply changes.json tools.json.'],
    ['apply changes.json tools.json x', '"x" is one argument too many.'],
    ['apply changes.json none.json', 'There is no file none.json.'],
    ['apply changes.json text.json', 'What is to be changed is no JSON: '],
    // No server is started, whose command there is not, where a file is missing.
    ['eval mcp.json none.jsonl', 'There is no file none.jsonl.'],
    ['eval --mcp "no-such-program" none.jsonl', 'There is no file none.jsonl.'],
    ['tokens mcp.json --cases none.jsonl', 'There is no file none.jsonl.'],
    ['inspect mcp.json --log none.jsonl', 'There is no file none.jsonl.'],
  ])('%j is refused with 2, and names files as they were given', (line, message, hint = '') => {
    const files = {
      ...{ 'sub/broken.mjs': `throw new Error('It is broken.');`, 'sub/nothing.mjs': 'export default {};' },
      ...{ 'sub/empty.json': '', 'sub/tools.json': office, 'tools.json': office, 'none.mjs': 'export const x = 1;' },
      ...{ 'cases.jsonl': '{ "query": "mail", "relevant": ["send_email"] }', 'empty.json': '\n', 'text.json': '{ no' },
      ...{ 'broken.json': '{ "query": 1 }', 'unknown.json': '{ "query": "mail", "relevant": ["sendmail"] }' },
      'nobody.jsonl': '{ "query": "x", "relevant": ["nobody"] }',
      'changes.json': { changes: { send_email: { keywords: { before: [], after: ['mail'] } } } },
      'mcp.json': { mcpServers: { one: { command: 'no-such-program' } } },
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
    expect([code, stderr]).toEqual([2, expect.stringMatching(/ {4}at .*\[cause\]: TypeError: out of order/s)]);
  });
});

describe('a process', () => {
  it('tells its version, and keeps what a module prints out of the results, whose arguments it has not', () => {
    const source = `
      import { fileURLToPath } from 'node:url';
      if (process.argv[1] === fileURLToPath(import.meta.url)) console.log('a program runs');
      const say = () => console.log(JSON.stringify(process.argv.slice(2)));
      say();
      export const tools = () => { say(); return ${JSON.stringify(office)}; };
      export const scorer = { name: 'own', index: () => { say(); return { search: () => [] }; } };`;
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    return withFiles({ 'tools.mjs': source }, async () => {
      const [told, searched] = await Promise.all([
        command('--version'),
        command('search tools.mjs mail --scorer tools.mjs --debug --json'),
      ]);
      expect(told).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
      expect([searched.code, JSON.parse(searched.stdout).tools, searched.stderr]).toEqual([0, 3, '[]\n[]\n[]\n']);
    });
  });

  it('colours where it is told to, and nowhere else', () =>
    withFiles({ 'tools.json': office }, async () => {
      const coloured = async ([env, options]: readonly [env: Record<string, string>, options?: string]) =>
        (await command(`search tools.json weather ${options ?? ''}`, { env })).stdout.includes('\u001b[');
      const on = { FORCE_COLOR: '1' };
      const asked = [[{ CI: '1' }], [on], [{ FORCE_COLOR: '0' }], [{ ...on, NO_COLOR: '1' }], [on, '--json']] as const;
      expect(await Promise.all(asked.map(coloured))).toEqual([false, true, false, false, false]);
    }));

  it('ends quietly when nobody reads on, with its exit code, and says that its output cannot be written', () => {
    const MTS = `${process.execPath} ${READ_TYPESCRIPT.join(' ')} ${MAIN}`;
    const bash = (line: string): string =>
      execFileSync('bash', ['-c', line], { encoding: 'utf8', env: { ...process.env, MTS } });
    const cases = Array.from({ length: 300 }, (_, at) => ({ query: `weather ${at}`, relevant: ['send_email'] }));
    return withFiles({ 'tools.json': office, 'cases.json': cases }, async () => {
      const gate = '$MTS eval tools.json cases.json --json --min-recall 1 --save-baseline b.json';
      expect(bash(`${gate} | head -c 1 > /dev/null; exit=$PIPESTATUS; echo $exit; ls b.json`)).toBe('1\nb.json\n');
      const queries = Array.from({ length: 800 }, () => '"weather"').join(' ');
      expect(bash(`$MTS search tools.json ${queries} | head -n 1; echo "\${PIPESTATUS[0]}"`)).toBe('weather\n0\n');
      if (!existsSync('/dev/full')) return;
      const said = bash('$MTS lint tools.json 2>&1 > /dev/full; echo $?');
      expect(said).toMatch(/^error: The output cannot be written: ENOSPC: .*\. Make room, or write elsewhere\.\n2\n$/);
    });
  });
});

describe('what is written', () => {
  it('has nothing that a terminal obeys, and is the same value as JSON', () => {
    const unsafe = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
    const hostile = 'thing\u009b31m\u001b[31m\u001b]0;t\u0007\u202egnp\u2066.\u2028\u0085\u007f\n\r';
    const tools = [{ name: hostile, description: `A ${hostile}`, inputSchema: { properties: { [hostile]: {} } } }];
    return withFiles({ 'tools.json': tools }, async () => {
      const formats = ['search tools.json thing', 'lint tools.json', 'tokens tools.json'].flatMap((line) =>
        ['--json', '--markdown', ''].map((format) => `${line} ${format}`),
      );
      for (const line of [...formats, 'lint tools.json --sarif', 'list tools.json']) {
        const { stdout, stderr } = await run(line);
        expect(stdout).toContain('thing');
        expect(unsafe.exec(`${stdout}${stderr}`.replaceAll('\n', '')), line).toBeNull();
      }
      const { stdout } = await run('list tools.json');
      expect(JSON.parse(stdout).tools[0].description).toBe(tools[0]?.description);
      expect(stdout).toContain('\\u009b31m');
    });
  });

  const warnings = async (name: string, columns: number): Promise<string> =>
    (await runOn({ 'tools.json': [{ name, description: 'Mail' }] }, `lint tools.json --columns ${columns}`)).stdout;

  it('wraps the wide column at words, sets numbers to the right, and breaks a long name, of which it keeps all', async () => {
    expect(await warnings('mail', 50)).toBe(
      [
        ...['tools.json: 0 errors, 1 warning, 0 notes in 1 tool', ''],
        ...['rule              errors  warnings  notes', 'thin-description                 1', ''],
        ...['Warnings', '', 'tool  finding', 'mail  The description is "Mail" alone. Say what it'],
        ...['      does, to what, in which service, and when to', '      use it. (thin-description)\n'],
      ].join('\n'),
    );
    const { stdout } = await runOn({ 'tools.json': office }, 'tokens tools.json --top 1');
    const [head = '', row = ''] = stdout.split('\n').slice(-3);
    expect(row).toMatch(/^send_email +\d+ +\d+ % +\d+ +\d+$/);
    for (const title of ['tokens', 'description', 'parameters'])
      expect(row.slice(0, head.indexOf(title) + title.length)).toMatch(/ \d+$/);
    const broken = await warnings('q'.repeat(60), 60);
    expect(widest(broken)).toBeLessThanOrEqual(60);
    expect(broken.split('\n\n')[3]?.match(/q/g)).toHaveLength(60);
    const long = [{ name: 'a_rather_long_name_of_mail', description: 'mail' }];
    const narrow = await runOn({ 'tools.json': long }, 'search tools.json mail --columns 40');
    expect(narrow.stdout.split('\n')[0]).toMatch(/^# +tool +score +likely +by$/);
  });

  it('ends no cell of Markdown early and makes no markup', async () => {
    const tools = [{ name: 'a', description: 'a|b <i>*c*</i>\n[d](e) `~#&!\\' }];
    const { stdout } = await runOn({ 'tools.json': tools }, 'list tools.json --markdown');
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      '| tool | server | description |',
      '| --- | --- | --- |',
      '| a |  | a\\|b \\<i\\>\\*c\\*\\</i\\> \\[d\\](e) \\`\\~\\#\\&\\!\\\\ |',
    ]);
  });
});
