import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { READ_TYPESCRIPT } from '../../support/new-process.ts';
import { drawTasks } from './tasks.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const tools = ['get_weather', 'send_email', 'create_issue', 'list_issues', 'delete_file', 'play_song'].map((id) => ({
  id,
  description: `Can ${id.replace('_', ' a ')}.`,
  inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
}));
const queries = [
  { id: 'q1', query: 'weather', task: 'How is it outside in Bern?', relevant: ['get_weather'] },
  { id: 'q2', query: 'create an issue', relevant: ['create_issue'] },
];

/** What an endpoint is asked, as far as a script reads it. */
interface Request {
  readonly temperature: number;
  readonly tool_choice?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}
/** The calls that a model answers with, a text, or a status without a body. */
type Reply = readonly (readonly [tool: string, input: object])[] | string | number;

const fit = { place: 'Bern' };
const namesOf = ({ tools: sent }: Request): string[] => sent.map((tool) => tool.function.name);
const messageOf = ({ messages }: Request): unknown => messages.find(({ role }) => role === 'user')?.content;

let folder: string;
let server: Server;
let script: (request: Request, turn: number) => Reply;
let requests: Request[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'bench-model-'));
  mkdirSync(path.join(folder, 'sets', 'small'), { recursive: true });
  const lines = (list: readonly object[]): string => list.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(path.join(folder, 'sets', 'small', 'tools.jsonl'), lines(tools));
  writeFileSync(path.join(folder, 'sets', 'small', 'queries.jsonl'), lines(queries));
  requests = [];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.method === 'GET') return response.end('{"data":[]}');
    const asked = JSON.parse(body) as Request;
    requests.push(asked);
    const reply = script(asked, asked.messages.filter(({ role }) => role === 'assistant').length);
    const isFailure = typeof reply === 'number';
    response.writeHead(isFailure ? reply : 200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify(isFailure ? { error: { message: 'Out of order.' } } : completion(reply)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function completion(reply: Exclude<Reply, number>): object {
  const isText = typeof reply === 'string';
  const calls = (isText ? [] : reply).map(([name, input], n) => ({
    ...{ id: `call-${requests.length}-${n}`, type: 'function' },
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message = { role: 'assistant', content: isText ? reply : null, ...(isText ? {} : { tool_calls: calls }) };
  return {
    ...{ id: 'completion', object: 'chat.completion', created: 1, model: 'tiny' },
    choices: [{ index: 0, message, finish_reason: isText ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 },
  };
}

const out = (): string => path.join(folder, 'runs.jsonl');

async function command(...args: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [...READ_TYPESCRIPT, MAIN, ...args])).stdout;
}

function run(...args: string[]): Promise<string> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const given = ['--url', url, '--model', 'tiny:1b', '--sets', path.join(folder, 'sets'), '--out', out()];
  return command(...given, ...args);
}

/** The cells of a row of a table, by its first words. */
function cells(printed: string, name: string): string[] {
  const row = printed.split('\n').find((line) => line.trim().startsWith(`${name}  `));
  return row?.trim().split(/ {2,}/).slice(1) ?? [];
}

it('tells what came of each task in each way, goes on where it was ended, and reports a file', async () => {
  script = (request, turn) => {
    const names = namesOf(request);
    const isWeather = messageOf(request) === 'How is it outside in Bern?';
    // The oracle: one right call, and words in place of a call.
    if (!names.some((name) => ['search_tools', 'call_tool'].includes(name)))
      return isWeather ? [['get_weather', fit]] : 'Done.';
    // Call mode: arguments that do not fit, then the wrong tool; and the same search for ever.
    if (names.includes('call_tool')) {
      if (!isWeather) return [['search_tools', { query: 'song' }]];
      return [['call_tool', { toolName: 'send_email', arguments: turn === 0 ? { place: {} } : fit }]];
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
  const ways = ['--ways', 'load,call,oracle'];
  const printed = await run(...ways);
  //                                         runs  right  tune  report wrong none  calls   tokens cut  loops invalid errors
  expect(cells(printed, 'load')).toEqual(['2', '100', '100', '100', '0', '0', '4.00', '400', '0', '0', '2', '0']);
  const call = cells(printed, 'call');
  // From the third on, the search is one of a tool that is not sent, and answered so.
  expect([call[0], call[1], ...call.slice(4)]).toEqual(['2', '0', '50', '50', '4.00', '400', '1', '1', '5', '0']);
  const oracle = cells(printed, 'oracle');
  const oracleFigures = ['2', '50', '0', '50', '1.00', '100', '0', '0', '0', '0'];
  expect([oracle[0], oracle[1], ...oracle.slice(4)]).toEqual(oracleFigures);
  expect(requests[0]).toMatchObject({ temperature: 0, tool_choice: 'auto' });

  const lines = readFileSync(out(), 'utf8').trim().split('\n');
  writeFileSync(out(), `${lines.slice(0, 5).join('\n')}\n${lines[5]?.slice(0, 40)}`);
  requests = [];
  expect(await run(...ways)).toBe(printed);
  expect(requests).toHaveLength(1);
  expect(await command('--report', out())).toBe(printed);
});

it('tells what the model does first', async () => {
  script = (request) =>
    messageOf(request) === 'create an issue'
      ? [['search_tools', { query: 'Github  create issue now', maxResults: 1 }]]
      : 'I cannot.';
  const description = 'Finds tools, e.g. "github create issue" or "database query".';
  const options = { metaTools: { search: { description } } };
  const printed = await run('--first-search', '--options', JSON.stringify(options));
  expect(requests).toHaveLength(2);
  const shares = {
    'a right tool among five': '50',
    'an example copied': '50',
    'asked for one result': '50',
    prose: '50',
  };
  for (const [name, share] of Object.entries(shares)) expect(cells(printed, name)[0], name).toBe(share);
});

it('tries a failed request again, then leaves the run out, and makes it the next time', async () => {
  script = (request) => (messageOf(request) === 'create an issue' ? 500 : 'Done.');
  const row = cells(await run('--ways', 'load'), 'load');
  expect([requests.length, row[0], row.at(-1)]).toEqual([4, '1', '1']);
  script = () => 'Done.';
  const again = cells(await run('--ways', 'load'), 'load');
  expect([again[0], again.at(-1)]).toEqual(['2', '0']);
});

describe('a draw', () => {
  const setOf = (name: string, count: number) => {
    const tasks = Array.from({ length: count }, (_, n) => ({ id: `q${n}`, query: `${n}`, relevant: [`t${n}`] }));
    return { name, tools: [], queries: tasks };
  };
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
  });
});
