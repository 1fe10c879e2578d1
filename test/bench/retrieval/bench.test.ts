import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { READ_TYPESCRIPT } from '../../support/new-process.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const MODEL = `letters-${process.pid}`;
const VECTORS = fileURLToPath(new URL(`../../../node_modules/.cache/mastra-tool-search/${MODEL}.txt`, import.meta.url));

/** Vectors of letters, and their products as relevance. */
const vectorOf = (text: string): number[] =>
  [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => text.toLowerCase().split(letter).length - 1);
const embedded: string[] = [];
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const { input = [], query = '', documents = [] } = JSON.parse(text) as Record<string, never>;
  embedded.push(...(input as string[]));
  const asked = vectorOf(query);
  const answer = request.url?.endsWith('/embeddings')
    ? { data: (input as string[]).map((each, index) => ({ index, embedding: vectorOf(each) })).reverse() }
    : {
        results: (documents as string[])
          .map((document, index) => {
            const relevance = vectorOf(document).reduce((sum, count, at) => sum + count * (asked[at] ?? 0), 0);
            return { index, relevance_score: relevance };
          })
          .reverse(),
      };
  response.end(JSON.stringify(answer));
});
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  mkdirSync(path.join(folder, 'small'));
  const lines = (list: readonly object[]): string => list.map((line) => `${JSON.stringify(line)}\n`).join('');
  const tools = [
    { id: 'get_weather', description: 'Get the current weather of a city.', inputSchema: {} },
    { id: 'create_issue', description: 'Create an issue in a repository.', inputSchema: {} },
  ];
  writeFileSync(path.join(folder, 'small', 'tools.jsonl'), lines(tools));
  const queries = [{ id: 'q1', query: 'weather of a city', relevant: ['get_weather'] }];
  writeFileSync(path.join(folder, 'small', 'queries.jsonl'), lines(queries));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(VECTORS, { force: true });
  await new Promise((resolve) => server.close(resolve));
});

async function run(...args: string[]): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const endpoint = ['--embeddings', `http://127.0.0.1:${port}/v1`, '--model', MODEL];
  const command = [...READ_TYPESCRIPT, MAIN, '--sets', folder, ...endpoint, ...args];
  return (await promisify(execFile)(process.execPath, command)).stdout;
}

it('measures a model behind an endpoint alone, in hybrids and as a reranker, and embeds each text once', async () => {
  const printed = await run('--shares', '0.2', '--rerank', '0.5');
  const names = ['bm25', MODEL, `bm25 + 0.2 ${MODEL}`, `bm25, reranked by 0.5 ${MODEL}`];
  for (const name of names) expect(printed).toContain(`\n  ${name}  `);
  expect(printed).toMatch(/letters-\d+: [\d.]+ ms a query, \d+ s for 1,500 tools \(of small\)\n$/);
  // Each is kept; those whose time is taken are embedded anew.
  expect(embedded).toHaveLength(2 * 3);
  await run('--shares', '0.2', '--fit');
  expect(embedded).toHaveLength(2 * 3);
});

it('refuses shares that are none', async () => {
  await expect(run('--shares', '2')).rejects.toThrow('"2" is no list of shares.');
});
