import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { READ_TYPESCRIPT } from '../../support/new-process.ts';
import { freePort } from '../../support/service.ts';
import { modelBench } from './bench.ts';
import { commandOf } from './options.ts';
import type { RunRecord } from './report.ts';
import { drawTasks } from './tasks.ts';

/** A name that ours repairs. */
const LONG = `book_table_${'of_a_restaurant_'.repeat(4)}`;
const tools = [
  ['get_weather', 'Get the current weather of a city.'],
  ['send_email', 'Send an email message to a person.'],
  ['create_issue', 'Create an issue in a repository.'],
  ['list_issues', 'List the open issues of a repository.'],
  ['delete_file', 'Delete a file.'],
  ['play_song', 'Play a song.'],
  [LONG, 'Book a table at a restaurant.'],
].map(([id = '', description = '']) => ({
  id,
  description,
  inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
}));
const queries = [
  { id: 'q1', query: 'weather', task: 'How is it outside in Bern?', relevant: ['get_weather'] },
  { id: 'q2', query: 'create an issue', relevant: ['create_issue'] },
];

/** What an endpoint is asked, as far as a script reads it. */
interface Request {
  readonly model: string;
  readonly temperature: number;
  readonly tool_choice?: unknown;
  readonly max_tokens?: number;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}
/** The calls that a model answers with, a text, or a status without a body. */
type Reply = readonly (readonly [tool: string, input: object])[] | string | number;
type Script = (request: Request, turn: number) => Reply;

const fit = { place: 'Bern' };
const namesOf = ({ tools: sent }: Request): string[] => sent.map((tool) => tool.function.name);
const messageOf = ({ messages }: Request): unknown => messages.find(({ role }) => role === 'user')?.content;

let folder: string;
let server: Server;
let url: string;
let script: Script;
let requests: Request[];
let paths: string[];
let authorizations: unknown[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'bench-model-'));
  writeSet('small', queries);
  [requests, paths, authorizations] = [[], [], []];
  script = () => 'I do not know.';
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      paths.push(`${request.method} ${request.url}`);
      authorizations.push(request.headers.authorization);
      if (request.method === 'GET') return response.end('{"data":[]}');
      const asked = JSON.parse(body) as Request;
      requests.push(asked);
      const reply = script(asked, asked.messages.filter(({ role }) => role === 'assistant').length);
      response.writeHead(typeof reply === 'number' ? reply : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(typeof reply === 'number' ? { error: { message: 'Out of order.' } } : completion(reply)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function completion(reply: string | readonly (readonly [string, object])[]): object {
  const calls = typeof reply === 'string' ? [] : reply;
  const toolCalls = calls.map(([name, input], n) => ({
    ...{ id: `call-${requests.length}-${n}`, type: 'function' },
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message = { role: 'assistant', content: typeof reply === 'string' ? reply : null };
  return {
    ...{ id: 'completion', object: 'chat.completion', created: 1, model: 'tiny' },
    choices: [
      {
        index: 0,
        message: calls.length > 0 ? { ...message, tool_calls: toolCalls } : message,
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 },
  };
}

function writeSet(name: string, wanted: readonly object[]): void {
  mkdirSync(path.join(folder, 'sets', name), { recursive: true });
  const lines = (list: readonly object[]): string => list.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(path.join(folder, 'sets', name, 'tools.jsonl'), lines(tools));
  writeFileSync(path.join(folder, 'sets', name, 'queries.jsonl'), lines(wanted));
}

const out = (): string => path.join(folder, 'runs.jsonl');

async function run(...args: string[]): Promise<{ printed: string; progress: string[]; records: RunRecord[] }> {
  const progress: string[] = [];
  const given = ['--url', url, '--model', 'tiny:1b', '--sets', path.join(folder, 'sets'), '--out', out(), ...args];
  const printed = await modelBench(commandOf(given), (line) => progress.push(line));
  const lines = readFileSync(out(), 'utf8').trim().split('\n');
  return { printed, progress, records: lines.map((line) => JSON.parse(line) as RunRecord) };
}

/** The cells of a row of a table, by its first words. */
function cells(printed: string, name: string): string[] {
  const row = printed.split('\n').find((line) => line.trim().startsWith(`${name}  `));
  return row?.trim().split(/ {2,}/).slice(1) ?? [];
}

describe('bench:model', () => {
  it('tells what came of each task in each way', async () => {
    script = (request, turn) => {
      const names = namesOf(request);
      const isWeather = messageOf(request) === 'How is it outside in Bern?';
      // The oracle: one right call, and words in place of a call.
      if (!names.some((name) => ['search_tools', 'call_tool'].includes(name)))
        return isWeather ? [['get_weather', fit]] : 'Done.';
      // Call mode: arguments that do not fit, then the wrong tool; and the same search for ever.
      if (names.includes('call_tool')) {
        if (!isWeather) return [[turn % 2 ? 'search_tools' : 'search_tools', { query: 'song' }]];
        const call = { toolName: 'send_email', arguments: turn === 0 ? { place: {} } : fit };
        return [['call_tool', call]];
      }
      // Load mode: an unknown tool, a search, a load, the right tool.
      const right = isWeather ? 'get_weather' : 'create_issue';
      const moves: Reply[] = [
        [['no_such_tool', {}]],
        [['search_tools', { query: isWeather ? 'weather' : 'create issue' }]],
        [['load_tool', { toolName: right }]],
        [[right, fit]],
      ];
      return moves[turn] ?? 'Done.';
    };
    const { printed, progress, records } = await run('--ways', 'load,call,oracle', '--max-calls', '4');

    //                                         runs  right  tune  report wrong none  calls   tokens cut  loops invalid errors
    expect(cells(printed, 'load')).toEqual(['2', '100', '100', '100', '0', '0', '4.00', '400', '0', '0', '2', '0']);
    const call = cells(printed, 'call');
    // The third search is one of a tool that is not sent, and answered so.
    expect([call[0], call[1], ...call.slice(4)]).toEqual(['2', '0', '50', '50', '3.00', '300', '1', '1', '3', '0']);
    const oracle = cells(printed, 'oracle');
    expect([oracle[0], oracle[1], ...oracle.slice(4)]).toEqual([
      '2',
      '50',
      '0',
      '50',
      '1.00',
      '100',
      '0',
      '0',
      '0',
      '0',
    ]);
    expect(printed).toContain(
      'Model tiny:1b, seed 1, 2 tasks of small, at most 4 model calls, tool choice auto; @mastra/core',
    );
    expect(printed).not.toContain('127.0.0.1');
    expect(printed).not.toContain('different texts');
    expect(progress.filter((line) => line.includes('small/q1'))).toHaveLength(3);

    const loaded = records.find(({ way, task }) => way === 'load' && task === 'small/q1');
    expect(loaded?.calls.map(({ tool, isInvalid = false }) => [tool, isInvalid])).toEqual([
      ['no_such_tool', true],
      ['search_tools', false],
      ['load_tool', false],
      ['get_weather', false],
    ]);
    expect(loaded?.calls[1]?.result).toContain('"name":"get_weather"');
    expect(loaded).toMatchObject({
      outcome: 'right',
      usage: { modelCalls: 4, promptTokens: 400, completionTokens: 20 },
    });

    const first = requests.find((request) => namesOf(request).includes('load_tool'));
    expect(first).toMatchObject({ model: 'tiny:1b', temperature: 0, tool_choice: 'auto' });
    const sentByOracle = requests
      .filter((request) => !namesOf(request).some((name) => ['search_tools', 'call_tool'].includes(name)))
      .map(namesOf);
    expect(sentByOracle.map((names) => new Set(names).size)).toEqual([5, 5]);
  });

  it('sends what it is told: a key, a choice, a limit, options of the processor', async () => {
    process.env['BENCH_MODEL_TEST_KEY'] = 'secret-1';
    const { printed } = await run(
      ...['--ways', 'core,load', '--tasks', '1', '--key-env', 'BENCH_MODEL_TEST_KEY', '--tool-choice', 'required'],
      ...['--max-tokens', '77', '--options', '{"metaTools":{"search":{"description":"Find a tool."}}}'],
    ).finally(() => delete process.env['BENCH_MODEL_TEST_KEY']);
    expect(new Set(authorizations)).toEqual(new Set(['Bearer secret-1']));
    expect(requests.map((request) => [request.tool_choice, request.max_tokens])).toEqual([
      ['required', 77],
      ['required', 77],
    ]);
    expect(requests.map((request) => JSON.stringify(request).includes('Find a tool.'))).toEqual([false, true]);
    expect(printed).toContain('options {"metaTools"');
    expect(readFileSync(out(), 'utf8')).not.toContain('secret-1');
  });

  it('tells what the model does first', async () => {
    writeSet('small', [
      ...queries,
      { id: 'q3', query: 'song', relevant: ['play_song'] },
      { id: 'q4', query: 'issue list', relevant: ['list_issues'] },
      { id: 'q5', query: 'email somebody', relevant: ['send_email'] },
      { id: 'q6', query: 'database of my songs', task: 'Query my database.', relevant: ['play_song'] },
      { id: 'q7', query: 'book a table', relevant: [LONG] },
    ]);
    const moves: Record<string, Reply> = {
      'How is it outside in Bern?': [['search_tools', { query: ['current state of a city', 'email'], maxResults: 1 }]],
      'create an issue': [['search_tools', { query: 'Github  create issue now' }]],
      song: [['load_tool', { toolName: 'songs' }]],
      'issue list': 'I cannot.',
      'email somebody': [['send_email', fit]],
      'Query my database.': [['search_tools', { query: 'database query' }]],
      'book a table': [['search_tools', { query: 'book a table' }]],
    };
    script = (request) => moves[String(messageOf(request))] ?? 500;
    const options = {
      metaTools: { search: { description: 'Finds tools, e.g. "github create issue" or "database query".' } },
    };
    const { printed, records } = await run('--first-search', '--options', JSON.stringify(options));

    expect(requests).toHaveLength(7);
    const allOf = (name: string): string | undefined => cells(printed, name)[0];
    expect(allOf('tasks')).toBe('7');
    expect(allOf('a right tool among five')).toBe('57');
    expect(allOf("by the user's words")).toBe('71');
    expect(allOf('by either')).toBe('86');
    expect(allOf('searched')).toBe('57');
    expect(allOf('an example copied')).toBe('14');
    expect(allOf('asked for one result')).toBe('14');
    expect(allOf('load_tool first')).toBe('14');
    expect(allOf('another tool first')).toBe('14');
    expect(allOf('prose')).toBe('14');
    expect(records.find(({ task }) => task === 'small/q2')?.first?.copied).toEqual(['github create issue']);
    expect(records.find(({ task }) => task === 'small/q3')?.calls).toMatchObject([
      { tool: 'load_tool', isInvalid: true },
    ]);
  });

  it('goes on where it was ended, and reports a file, without a request', async () => {
    const whole = await run('--ways', 'load,oracle');
    const lines = readFileSync(out(), 'utf8').trim().split('\n');
    writeFileSync(out(), `${lines.slice(0, 3).join('\n')}\n${lines[3]?.slice(0, 40)}`);
    paths.length = 0;
    requests.length = 0;
    const second = await modelBench(
      commandOf([
        '--url',
        url,
        '--model',
        'tiny:1b',
        '--sets',
        path.join(folder, 'sets'),
        '--out',
        out(),
        '--ways',
        'load,oracle',
      ]),
      () => {},
    );
    expect(second).toBe(whole.printed);
    expect(requests).toHaveLength(1);
    expect(await modelBench(commandOf(['--report', out()]), () => {})).toBe(whole.printed);

    paths.length = 0;
    writeFileSync(out(), `${lines.join('\n')}\n`);
    expect((await run('--ways', 'load,oracle')).printed).toBe(whole.printed);
    expect(await modelBench(commandOf(['--report', out()]), () => {})).toBe(whole.printed);
    expect(paths).toEqual([]);
    // Another setup is another experiment.
    await run('--ways', 'load,oracle', '--tool-choice', 'required');
    expect(paths.filter((asked) => asked.startsWith('POST'))).toHaveLength(4);
    expect((await modelBench(commandOf(['--report', out()]), () => {})).split('\n\n')).toHaveLength(4);
  });

  it('runs one half alone, with the tasks that the whole has in it', async () => {
    const { printed } = await run('--ways', 'load', '--half', 'report');
    expect(cells(printed, 'load').slice(0, 4)).toEqual(['1', '0', '–', '0']);
    await run('--ways', 'load');
    expect(requests).toHaveLength(2);
    const half = await modelBench(commandOf(['--report', out(), '--half', 'report']), () => {});
    expect(half).toBe(printed);
  });

  it('tries a failed request again, then leaves the run out, and makes it the next time', async () => {
    script = (request) => (messageOf(request) === 'create an issue' ? 500 : 'Done.');
    const { printed } = await run('--ways', 'load');
    expect(requests).toHaveLength(4);
    const row = cells(printed, 'load');
    expect([row[0], row.at(-1)]).toEqual(['1', '1']);
    expect(printed).toMatch(/Runs that ended in an error, and count nowhere: 1, as .+/);
    requests.length = 0;
    script = () => 'Done.';
    const again = cells((await run('--ways', 'load')).printed, 'load');
    expect([again[0], again.at(-1)]).toEqual(['2', '0']);
    expect(requests).toHaveLength(1);
  });

  it('says that texts were changed between two starts', async () => {
    await run('--ways', 'load');
    const [line = ''] = readFileSync(out(), 'utf8').split('\n');
    const changed = { ...(JSON.parse(line) as RunRecord), task: 'small/q9', texts: '00000000' };
    appendFileSync(out(), `${JSON.stringify(changed)}\n`);
    const printed = await modelBench(commandOf(['--report', out()]), () => {});
    expect(printed).toContain('load was sent 2 different texts about the search: the figures mix them.');
  });
});

describe('a draw', () => {
  const setOf = (name: string, count: number) => ({
    name,
    tools: [],
    queries: Array.from({ length: count }, (_, n) => ({ id: `q${n}`, query: `${n}`, relevant: [`t${n}`] })),
  });
  const sets = [setOf('one', 40), setOf('two', 5), setOf('three', 40)];
  const ids = (count: number, seed: number, half?: string): string[] =>
    drawTasks(sets, count, seed)
      .filter((task) => half === undefined || task.half === half)
      .map(({ id }) => id);

  it('is the same for the same seed, and even over the sets as far as they have tasks', () => {
    expect(ids(30, 1)).toEqual(ids(30, 1));
    expect(ids(30, 2)).not.toEqual(ids(30, 1));
    const of = (set: string): number => ids(31, 1).filter((id) => id.startsWith(`${set}/`)).length;
    expect([of('one'), of('two'), of('three')]).toEqual([13, 5, 13]);
  });

  it('has two halves that share nothing, and stay as they are in a larger draw', () => {
    const [tune, report] = [ids(30, 1, 'tune'), ids(30, 1, 'report')];
    expect([...tune, ...report].sort()).toEqual(ids(30, 1).sort());
    expect(Math.abs(tune.length - report.length)).toBeLessThanOrEqual(3);
    expect(ids(60, 1, 'tune')).toEqual(expect.arrayContaining(tune));
    expect(ids(60, 1, 'report')).toEqual(expect.arrayContaining(report));
  });
});

describe('the command', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const command = (...args: string[]): Promise<{ code: unknown; printed: string; complaint: string }> =>
    new Promise((resolve) => {
      execFile(process.execPath, [...READ_TYPESCRIPT, main, ...args], (error, printed, complaint) =>
        resolve({ code: error?.code ?? 0, printed, complaint }),
      );
    });

  it('ends with 1 where nothing answers', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}/v1`;
    const { code, printed, complaint } = await command('--url', nowhere, '--model', 'tiny', '--out', out());
    expect([code, printed]).toEqual([1, '']);
    expect(complaint).toMatch(/^Nothing answers at http:\S+: .+\n$/);
  });

  it('ends with 2 for what is no option, and prints all with --help', async () => {
    const { code, complaint } = await command('--urls', url);
    expect([code, complaint]).toEqual([2, expect.stringMatching(/^Unknown option '--urls'.* -- --help\n$/)]);
    expect(await command('--help')).toMatchObject({ code: 0, printed: expect.stringContaining('--tool-choice MODE') });
  });

  it.each([
    { args: [], message: '--url is missing.' },
    { args: ['--url', 'localhost:1'], message: '--url is an address with http or https, not "localhost:1".' },
    { args: ['--tasks', '0'], message: '--tasks is a whole number from 1 on, not "0".' },
    { args: ['--half', 'left'], message: '--half has "left"; there is only tune, report.' },
    { args: ['--ways', 'load,eager'], message: '--ways has "eager"; there is only core, load,' },
    { args: ['--first-search', '--ways', 'core'], message: '--ways has "core"; there is only load, autoLoad, call.' },
    { args: ['--options', '[1]'], message: '--options is an object as JSON, not "[1]".' },
    { args: ['--options', '{"serch":{}}'], message: '"serch" is no option' },
    {
      args: ['--key-env', 'NO_SUCH_VARIABLE'],
      message: 'The environment variable "NO_SUCH_VARIABLE" of --key-env is not set.',
    },
    { args: ['--only', 'mcp'], message: '--only has "mcp"; there is only mcp-dev.' },
  ])('refuses $args', ({ args, message }) => {
    const base = args.length === 0 || args.includes('--url') ? [] : ['--url', 'http://localhost/v1'];
    expect(() => commandOf([...base, '--model', 'tiny', ...args])).toThrow(message);
  });
});
