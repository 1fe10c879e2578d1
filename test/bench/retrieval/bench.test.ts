import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bench } from './bench.ts';
import { CONTESTANTS } from './contestants.ts';
import type { Results } from './results.ts';

const tools = [
  ['get_weather', 'Get the current weather of a city.'],
  ['send_email', 'Send an email message to a person.'],
  ['create_issue', 'Create an issue in a repository.'],
  ['list_issues', 'List the open issues of a repository.'],
].map(([id, description]) => ({
  id,
  description,
  inputSchema: { type: 'object', properties: { place: { type: 'string', description: 'Where.' } } },
}));

const queries = [
  { id: 'q1', query: 'weather of a city', relevant: ['get_weather'], groups: [['get_weather']], style: 'keyword' },
  { id: 'q2', query: 'create issue', relevant: ['create_issue'], style: 'keyword' },
  { id: 'q3', query: 'email, issues', relevant: ['send_email', 'list_issues'], style: 'list' },
  { id: 'q4', query: 'zzz', relevant: ['send_email'], style: 'list' },
];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  writeSet('small');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeSet(name: string, wanted: readonly object[] = queries): void {
  mkdirSync(path.join(folder, name));
  const lines = (list: readonly object[]): string => list.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(path.join(folder, name, 'tools.jsonl'), lines(tools));
  writeFileSync(path.join(folder, name, 'queries.jsonl'), lines(wanted));
}

async function run(...args: string[]): Promise<{ printed: string; results: Results; progress: string[] }> {
  const json = path.join(folder, 'results.json');
  const progress: string[] = [];
  const printed = await bench(['--sets', folder, '--json', json, ...args], (line) => progress.push(line));
  return { printed, progress, results: JSON.parse(readFileSync(json, 'utf8')) as Results };
}

describe('bench', () => {
  it('measures every contestant on the same queries', async () => {
    const { printed, results, progress } = await run();
    const [set] = results.sets;
    expect(set).toMatchObject({ set: 'small', half: 'held-out', tools: 4, queries: 4 });
    expect(set?.contestants.map(({ contestant }) => contestant)).toEqual(CONTESTANTS.map(({ name }) => name));
    for (const entry of set?.contestants ?? []) {
      const { mean, low, high } = entry.figures.ndcg10;
      expect(mean, entry.contestant).toBeGreaterThanOrEqual(0.5);
      // Nothing finds the tool of the last query.
      expect(mean, entry.contestant).toBeLessThanOrEqual(0.75);
      expect(low).toBeLessThanOrEqual(mean);
      expect(high).toBeGreaterThanOrEqual(mean);
      expect(entry.styles).toMatchObject({ keyword: { queries: 2, hit1: 1 }, list: { queries: 2 } });
      expect(entry.buildMilliseconds).toBeGreaterThanOrEqual(0);
      expect(entry.searchMilliseconds.median).toBeGreaterThanOrEqual(0);
      expect(entry.misses).toBeUndefined();
      expect(entry.versusBaseline === undefined).toBe(entry.contestant === results.baseline);
      expect(printed).toContain(entry.contestant);
      expect(progress).toContain(`small: ${entry.contestant}`);
    }
  });

  it('names the queries that were not answered in full', async () => {
    const { printed, results } = await run('--misses', '--scorers', 'bm25');
    const [entry] = results.sets[0]?.contestants ?? [];
    expect(entry?.misses).toEqual([{ id: 'q4', query: 'zzz', style: 'list', relevant: ['send_email'], found: [] }]);
    expect(printed).toContain('small bm25 q4 (list): zzz');
  });

  it('gives tools of known servers their own names when asked to', async () => {
    writeFileSync(path.join(folder, 'small', 'sources.json'), JSON.stringify([{ alias: 'send' }]));
    writeSet('without-servers', queries);
    const { results } = await run('--servers', '--misses', '--scorers', 'bm25');
    expect(results.sets.map(({ set }) => set)).toEqual(['small, own names']);
    expect(results.sets[0]?.contestants[0]?.misses).toMatchObject([{ id: 'q4', relevant: ['email'] }]);
  });

  it('measures the scorers that embed when they are named', async () => {
    const { results } = await run('--scorers', 'bm25,hybrid,semantic');
    const [set] = results.sets;
    expect(set?.contestants.map(({ contestant }) => contestant)).toEqual(['bm25', 'semantic', 'hybrid']);
    for (const { contestant, styles } of set?.contestants ?? []) expect(styles['keyword']?.hit1, contestant).toBe(1);
  });

  it('takes the means of all sets, and of both halves when asked to', async () => {
    writeSet('mcp-large', queries.slice(0, 2));
    const { results, printed } = await run('--split', '--scorers', 'core, bm25');
    expect(results.means.map(({ of, sets }) => [of, sets])).toEqual([
      ['tune', ['mcp-large']],
      ['held-out', ['small']],
      ['all', ['mcp-large', 'small']],
    ]);
    const [tune, heldOut, all] = results.means.map(({ contestants }) => contestants[1]?.figures.hit1.mean ?? 0);
    expect(tune).toBe(1);
    expect(all).toBeCloseTo((1 + (heldOut ?? 0)) / 2);
    expect(printed).toContain('Held out (1 set)');
  });

  it('measures pasted messages, and the tasks behind queries, when asked to', async () => {
    writeSet('tasks', [{ ...queries[1], task: 'Please create an issue' }]);
    const { results } = await run('--pasted', '--scorers', 'bm25');
    expect(results.sets.map(({ set, queries: count }) => [set, count])).toEqual([
      ['small pasted', 4],
      ['tasks pasted', 1],
      ['tasks by task', 1],
    ]);
    expect(results.sets[2]?.contestants[0]?.figures.hit1.mean).toBe(1);
  });

  it('gives one table for docs/performance.md', async () => {
    const { printed } = await run('--markdown', '--scorers', 'core,tiered');
    const lines = printed.split('\n');
    expect(lines.map((line) => line.split(' | ')[0])).toEqual(['| ', '| ---', '| core', '| tiered']);
  });

  it.each([
    { args: ['--scorers', 'bm25,nothing'], message: /no scorer "nothing"/ },
    { args: ['--sets', '/nowhere'], message: /No folder with tools\.jsonl/ },
  ])('refuses $args', async ({ args, message }) => {
    await expect(run(...args)).rejects.toThrow(message);
  });

  it('measures what learning from use changes when asked to', async () => {
    const words = ['ship it', 'ship the thing', 'ship it now', 'ship this', 'ship that', 'ship them all'];
    const slang = words.map((query, n) => ({ id: `s${n}`, query: `${query} repository`, relevant: ['list_issues'] }));
    writeSet('slang', [...slang, { id: 'o', query: 'weather', relevant: ['get_weather'] }]);
    const printed = await bench(['--sets', folder, '--learning'], () => {});
    const [, used, alone, learned] = /slang +held-out +(\d+) +([\d.]+) +([\d.]+) +\+/.exec(printed) ?? [];
    expect(Number(used)).toBeGreaterThanOrEqual(6);
    expect(Number(learned)).toBeGreaterThan(Number(alone));
    expect(printed).toContain('never');
  });

  it('prints everything in one report when asked to', async () => {
    const build = fileURLToPath(new URL('../../../src/index.ts', import.meta.url));
    const { printed, results } = await run(
      '--all',
      '--scorers',
      'core,bm25',
      '--sizes',
      '10',
      '--rounds',
      '1',
      '--build',
      build,
    );
    const names = ['core', 'bm25', 'semantic', 'hybrid'];
    expect(results.sets[0]?.contestants.map(({ contestant }) => contestant)).toEqual(names);
    expect(Object.keys(results)).toEqual(
      expect.arrayContaining(['reliability', 'verdict', 'pasted', 'learning', 'cold']),
    );
    expect(results.means.map(({ of }) => of)).toEqual(['held-out', 'all']);
    for (const part of [
      'nDCG@10',
      'how far its confidences',
      '"Nothing fits"',
      'small pasted',
      'Learning from use',
      'Cold start',
    ]) {
      expect(printed).toContain(part);
    }
    expect(results).toMatchObject({
      learning: [{ set: 'small' }],
      cold: { figures: [{ size: 10, times: { core: {} } }] },
    });
  });

  it('refuses a set whose labels name tools that it does not have', async () => {
    writeSet('wrong', [{ id: 'q1', query: 'a', relevant: ['gone'] }]);
    await expect(run('--scorers', 'bm25')).rejects.toThrow('Query q1 of wrong wants unknown tools: gone.');
  });
});

describe('a model behind an endpoint', () => {
  /** Vectors of letters, and their products as relevance. */
  const vectorOf = (text: string): number[] =>
    [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => text.toLowerCase().split(letter).length - 1);
  const bodies: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text) as { input: string[]; query: string; documents: string[] };
    bodies.push({ path: request.url, ...body });
    const asked = vectorOf(body.query ?? '');
    const answer = request.url?.endsWith('/embeddings')
      ? { data: body.input.map((input, index) => ({ index, embedding: vectorOf(input) })).reverse() }
      : {
          results: body.documents
            .map((document, index) => ({
              index,
              relevance_score: vectorOf(document).reduce((sum, count, at) => sum + count * (asked[at] ?? 0), 0),
            }))
            .reverse(),
        };
    response.end(JSON.stringify(answer));
  });

  beforeEach(async () => {
    bodies.length = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const runWith = (...args: string[]) => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1`;
    return run('--embeddings', url, '--model', 'letters', '--vectors', path.join(folder, 'kept'), ...args);
  };

  it('is measured alone, in hybrids and as a reranker, with its time', async () => {
    const { printed, results } = await runWith('--shares', '0.2', '--rerank', '0.5');
    const names = ['bm25', 'letters', 'bm25 + 0.2 letters', 'bm25, reranked by 0.5 letters'];
    expect(results.sets[0]?.contestants.map(({ contestant }) => contestant)).toEqual(names);
    for (const { figures } of results.sets[0]?.contestants ?? []) expect(figures.ndcg10.mean).toBeGreaterThan(0.3);
    expect(printed).toMatch(/letters: [\d.]+ ms a query, \d+ s for 1,500 tools \(of small\)$/);
  });

  it('embeds each text once, also over several runs, and says what it is for', async () => {
    await runWith();
    const textsOf = (purpose: string) =>
      bodies.flatMap((body) => (body['input_type'] === purpose ? (body['input'] as string[]) : []));
    // Those whose time is taken are embedded anew, after the others.
    expect(textsOf('document').slice(0, -4).sort()).toEqual([...new Set(textsOf('document'))].sort());
    expect(textsOf('query')).toHaveLength(2 * queries.length);
    bodies.length = 0;
    await runWith();
    expect(textsOf('document')).toHaveLength(4);
    expect(textsOf('query')).toHaveLength(queries.length);
  });

  it('is refused without a name, and with shares that are none', async () => {
    await expect(run('--embeddings', 'http://127.0.0.1:1/v1')).rejects.toThrow('--embeddings needs a --model.');
    await expect(runWith('--shares', '2')).rejects.toThrow('"2" is no list of shares.');
  });
});
