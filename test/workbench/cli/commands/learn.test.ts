import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { json, refuses, run, runOn, withFiles } from '../command.ts';

const events = (thread: number, query: string, toolName: string) => [
  { type: 'search', queries: [query], results: ['other', toolName], threadId: `${thread}`, resourceId: 'ann' },
  { type: 'call', toolName, ok: true, threadId: `${thread}`, resourceId: 'ann', time: Date.now() },
];
const log = [1, 2, 3, 4, 5, 6].flatMap((thread) => events(thread, 'tell bob the news', 'send_email'));
const lines = [...log.map((event) => JSON.stringify(event)), '{"type":'].join('\n');

it('fills a folder, prints keywords, and says what it read', async () => {
  await withFiles({ 'events.jsonl': lines }, async () => {
    expect(await json('learn events.jsonl')).toEqual({ uses: 6, tools: 1, broken: 1 });
    expect(existsSync('learned')).toBe(false);
    const filled = await json('learn events.jsonl --store learned');
    expect(filled).toMatchObject({ filled: { scopes: 1, uses: 6 } });
    expect(existsSync('learned')).toBe(true);
    const { stdout } = await run('learn events.jsonl --keywords 3');
    expect(JSON.parse(stdout)).toEqual({ send_email: ['tell bob the news'] });
  });
});

it('says in a line what it did, and ends with 1 where a log has no use', async () => {
  const files = { 'events.jsonl': lines, 'empty.jsonl': '' };
  const { code, stdout, stderr } = await runOn(files, 'learn events.jsonl --store learned --scope global');
  expect([code, stdout]).toEqual([0, '6 uses of 1 tool. Added 6 to 1 scope.\n']);
  expect(stderr).toContain('1 line could not be read');
  expect((await runOn(files, 'learn empty.jsonl')).code).toBe(1);
});

it('measures with eval what the log would bring, on what it holds out of it', async () => {
  const tools = ['other', 'send_email', 'get_time'].map((name) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: {},
  }));
  const files = { 'tools.json': tools, 'events.jsonl': lines };
  const { evaluation } = await withFiles(files, () => json('eval tools.json --learning events.jsonl --scorer bm25'));
  const hits = evaluation.scorers.map((one: { scorer: string; figures: { hit1: { mean: number } } }) => [
    one.scorer,
    one.figures.hit1.mean,
  ]);
  expect(hits).toEqual([
    ['bm25', 0],
    ['bm25, learned', 1],
  ]);
  await refuses({ ...files, 'few.jsonl': '' }, 'eval tools.json --learning few.jsonl', 'few.jsonl has too few uses');
});
