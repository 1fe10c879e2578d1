import { readFileSync, writeFileSync } from 'node:fs';

import path from 'node:path';
import { expect, it } from 'vitest';
import { useInspectPage } from '../../../support/inspect-page.ts';
import { json, office, officeModule, type Ran, refuses, run, withFiles } from '../command.ts';

useInspectPage();

const cases = '{ "query": "write mail to people", "relevant": ["send_email"] }';
const files = { 'tools.json': office, 'cases.jsonl': cases };

it('writes the page as one file, with the catalog, the cases, and what a log of events tells', () =>
  withFiles(files, async () => {
    const { code, stdout } = await run('inspect tools.json --cases cases.jsonl --html report.html');
    expect([code, stdout]).toEqual([0, 'Wrote report.html\n']);
    const report = readFileSync('report.html', 'utf8');
    for (const text of ['send_email', 'post_message', 'write mail to people', 'tools.json'])
      expect(report).toContain(text);
    const event = { type: 'search', time: 1, queries: ['sing a song'], results: [], loaded: [] };
    writeFileSync('events.jsonl', `${JSON.stringify(event)}\nrubbish\n`);
    const line = 'inspect tools.json --html report.html --log events.jsonl';
    const warning = expect.stringContaining('events.jsonl has 1 line that is no event.');
    expect(await run(line)).toMatchObject({ code: 0, stderr: warning });
    expect(readFileSync('report.html', 'utf8')).toContain('sing a song');
    writeFileSync('events.jsonl', 'rubbish\n');
    const error = expect.stringContaining('events.jsonl has no events.');
    expect(await run(line)).toMatchObject({ code: 2, stderr: error });
    expect(await json('inspect tools.json --html report.html')).toEqual({ file: 'report.html' });
  }));

/** Serves a page while the work goes on, and returns what the command said. */
async function whileServed(args: string, work: (url: string) => Promise<void>): Promise<Ran> {
  let url = '';
  const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => process.listenerCount(signal));
  const before = listeners();
  const running = run(`inspect ${args} --no-open`, { printed: (line) => (url ||= line) });
  await expect.poll(() => url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
  await work(url);
  // The command that listens last. The signal itself would end the servers of other tests in this process, and it with them.
  process.rawListeners('SIGINT').at(-1)?.('SIGINT');
  const ran = await running;
  await expect(fetch(url)).rejects.toThrow();
  expect([ran.code, ran.stdout, listeners()]).toEqual([0, `${url}\n`, before]);
  return ran;
}
const page = async (url: string): Promise<string> => (await fetch(url)).text();

it('serves the page until it is interrupted, and as one file to whoever asks', () =>
  withFiles(files, async () => {
    const { stderr } = await whileServed('tools.json --scorer minisearch', async (url) => {
      const answer = await fetch(url);
      expect([answer.status, (await answer.text()).includes('minisearch')]).toEqual([200, true]);
      const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
      const headers = { cookie, 'content-type': 'application/json' };
      const asked = await fetch(new URL(url).origin, { method: 'POST', headers, body: '{"ask":"file"}' });
      expect(await asked.json()).toContain('id="inspect-vectors"');
      const taken = `Port ${new URL(url).port} is taken. Give another --port, or none for one that is free.`;
      await refuses(files, `inspect tools.json --no-open --port ${new URL(url).port}`, taken);
    });
    expect(stderr).toBe('Ctrl-C ends it.\n');
  }));

it('begins with the scorer that is asked for first, and refuses one that a file cannot have', () =>
  withFiles(files, async () => {
    for (const [asked, name] of [
      ['tiered', 'tiered'],
      ['minisearch', 'minisearch'],
      ['bm25', 'bm25'],
      ['meaning', 'words and meaning'],
    ])
      await whileServed(`tools.json --scorer ${asked}`, async (url) => {
        expect(/"scorers":\[\{"name":"([^"]*)"/.exec(await page(url))?.[1]).toBe(name);
      });
    const refused = '--html writes a file, which ranks by meaning and bm25 alone; got --scorer "tiered".';
    await refuses(files, 'inspect tools.json --html report.html --scorer bm25 --scorer tiered', refused);
  }));

it('compares the scorers with a model, and with an evaluation that was saved', () => {
  const embedder = `export const embedder = (texts) =>
    texts.map((text) => (/mail|people/.test(text) ? [1, 0] : [0, 1]));`;
  return withFiles({ ...files, 'embedder.mjs': embedder }, async () => {
    const saved = await run('eval tools.json cases.jsonl --save-baseline baseline.json');
    expect(saved.code).toBe(0);
    const args = 'tools.json --cases cases.jsonl --baseline baseline.json --embedder embedder.mjs';
    await whileServed(args, async (url) => {
      const answer = await fetch(url);
      expect(await answer.text()).toMatch(/"baseline":\[\{"scorer":"words and meaning"/);
      const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
      const headers = { cookie, 'content-type': 'application/json' };
      const body = JSON.stringify({ ask: 'evaluation', scorer: 'words and embedder' });
      const asked = await fetch(new URL(url).origin, { method: 'POST', headers, body });
      expect(await asked.json()).toMatchObject({ scorer: 'words and embedder', cases: [{ rank: 1 }] });
    });
    await refuses(files, 'inspect tools.json --no-open --baseline tools.json', 'tools.json is no baseline.');
  });
});

it("shows a module's own scorer of the name of the page's, and its groups", () => {
  const source = officeModule(`export const groups = () => 'The office';
    export const scorer = { name: 'bm25', index: () => ({ search: () => [] }) };`);
  return withFiles({ 'tools.mjs': source }, async () => {
    for (const [options, isShown] of [
      ['', true],
      ['--scorer bm25', false],
    ] as const)
      await whileServed(`tools.mjs ${options}`, async (url) => {
        const text = await page(url);
        expect([text.includes('bm25 2'), text.includes('The office')]).toEqual([isShown, true]);
      });
  });
});

it.each([
  ['tools.json', (name: string) => JSON.stringify([{ name, description: 'Do it.', inputSchema: {} }]), '{ broken'],
  ['tools.mjs', (name: string) => `export default [{ name: '${name}', description: 'Do it.' }];`, 'export {'],
])('follows %s with --watch, and shows what was there where it cannot be read', (file, write, broken) =>
  withFiles({ [file]: write('first_one') }, async (folder) => {
    const { stderr } = await whileServed(`${file} --watch`, async (url) => {
      const has = async (name: string): Promise<boolean> => (await page(url)).includes(name);
      expect(await has('first_one')).toBe(true);
      const at = path.join(folder, file);
      writeFileSync(at, write('second_one'));
      await expect.poll(() => has('second_one')).toBe(true);
      const html = await page(url);
      expect([html.includes('"revision":1'), html.includes('first_one')]).toEqual([true, false]);
      writeFileSync(at, broken);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(await has('second_one')).toBe(true);
      writeFileSync(at, write('third_one'));
      await expect.poll(() => has('third_one')).toBe(true);
    });
    expect(stderr).toContain('The catalog cannot be loaded again:');
  }),
);

it('refuses to watch what is no file', async () => {
  const { code, stderr } = await run('inspect - --no-open --watch', { stdin: JSON.stringify(office) });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--watch follows a file')]);
});
