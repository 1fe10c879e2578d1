import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
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

interface Request {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

/** A call, or undefined for an answer in words. */
type Reply = readonly [tool: string, input: object] | undefined;

/** In each way, a model that goes wrong in another. */
function replyTo({ messages, tools: sent }: Request): Reply {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const isWeather = messages.some(({ content }) => content === queries[0]?.task);
  const names = sent.map((tool) => tool.function.name);
  const right = isWeather ? 'get_weather' : 'create_issue';
  const fit = { place: 'Bern' };
  // The oracle: one right call, and words in place of a call.
  if (!names.includes('search_tools') && !names.includes('call_tool')) return isWeather ? [right, fit] : undefined;
  // Call mode: arguments that do not fit, then the wrong tool; and the same search for ever.
  if (names.includes('call_tool')) {
    if (!isWeather) return ['search_tools', { query: 'song' }];
    return ['call_tool', { toolName: 'send_email', arguments: turn === 0 ? { place: {} } : fit }];
  }
  // Load mode: an unknown tool, a search, a load, the right tool.
  return (
    [
      ['no_such_tool', {}],
      ['search_tools', { query: isWeather ? 'weather' : 'create issue' }],
      ['load_tool', { toolName: right }],
      [right, fit],
    ] as const
  )[turn];
}

it('reports what came of each task in each way, and goes on where it was ended', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-model-'));
  const lines = (list: readonly object[]): string => list.map((line) => `${JSON.stringify(line)}\n`).join('');
  mkdirSync(path.join(folder, 'small'));
  writeFileSync(path.join(folder, 'small', 'tools.jsonl'), lines(tools));
  writeFileSync(path.join(folder, 'small', 'queries.jsonl'), lines(queries));
  let requests = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.method === 'GET') return response.end('{}');
    requests++;
    const reply = replyTo(JSON.parse(body) as Request);
    const call = reply && { name: reply[0], arguments: JSON.stringify(reply[1]) };
    const calls = call ? { tool_calls: [{ id: `call-${requests}`, type: 'function', function: call }] } : {};
    const message = { role: 'assistant', content: call ? null : 'Done.', ...calls };
    response.setHeader('content-type', 'application/json');
    return response.end(
      JSON.stringify({
        ...{ id: 'completion', object: 'chat.completion', created: 1, model: 'tiny' },
        choices: [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }],
        usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const out = path.join(folder, 'runs.jsonl');
  const bench = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [...READ_TYPESCRIPT, MAIN, ...args])).stdout;
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const args = ['--url', url, '--model', 'tiny', '--sets', folder, '--out', out, '--ways', 'load,call,oracle'];
    const printed = await bench(...args);
    const rows = printed.split('\n').map((line) => line.replace(/^\| | \|$/g, '').split(/ +\| +/));
    const cells = (way: string): string[] => rows.find(([name]) => name === way)?.slice(1) ?? [];
    //                                     runs  right  tune  report wrong none  calls   tokens cut  loops invalid errors called
    expect(cells('load')).toEqual(['2', '100', '100', '100', '0', '0', '4.00', '400', '0', '0', '2', '0', '100']);
    // From the third on, the search is one of a tool that is not sent, and answered so.
    const call = cells('call');
    expect([call[0], call[1], ...call.slice(4)]).toEqual([
      '2',
      '0',
      '50',
      '50',
      '4.00',
      '400',
      '1',
      '1',
      '5',
      '0',
      '0',
    ]);
    const oracle = cells('oracle');
    expect([oracle[1], ...oracle.slice(4)]).toEqual(['50', '0', '50', '1.00', '100', '0', '0', '0', '0', '50']);

    writeFileSync(out, readFileSync(out, 'utf8').slice(0, -100));
    requests = 0;
    expect(await bench(...args)).toBe(printed);
    expect(requests).toBe(1);
    expect(await bench('--report', out)).toBe(printed);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
});

it('a draw is even over the sets, the same for the same seed, and has halves that stay in a larger one', () => {
  const setOf = (name: string, count: number) => {
    const tasks = Array.from({ length: count }, (_, n) => ({ id: `q${n}`, query: `${n}`, relevant: [`t${n}`] }));
    return { name, tools: [], queries: tasks };
  };
  const sets = [setOf('one', 40), setOf('two', 5), setOf('three', 40)];
  const ids = (count: number, seed: number, half?: string): string[] =>
    drawTasks(sets, count, seed).flatMap((task) => (half === undefined || task.half === half ? [task.id] : []));
  expect(ids(30, 1)).toEqual(ids(30, 1));
  expect(ids(30, 2)).not.toEqual(ids(30, 1));
  const of = (set: string): number => ids(31, 1).filter((id) => id.startsWith(`${set}/`)).length;
  expect([of('one'), of('two'), of('three')]).toEqual([13, 5, 13]);
  const [tune, report] = [ids(30, 1, 'tune'), ids(30, 1, 'report')];
  expect([...tune, ...report].sort()).toEqual(ids(30, 1).sort());
  expect(Math.abs(tune.length - report.length)).toBeLessThanOrEqual(3);
  expect(ids(60, 1, 'tune')).toEqual(expect.arrayContaining(tune));
});
