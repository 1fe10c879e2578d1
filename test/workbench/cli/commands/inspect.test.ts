import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPage } from '../../../../page.config.ts';
import { readPage, readPageWith } from '../../../../src/inspect/page-files.ts';
import { inProcess, office, withFiles } from '../command.ts';

beforeAll(() => readPageWith(buildPage));
afterAll(() => readPageWith(readPage));

const cases = '{ "query": "write mail to people", "relevant": ["send_email"] }';
const files = { 'tools.json': office, 'cases.jsonl': cases, 'none.jsonl': '{ "query": "x", "relevant": ["nobody"] }' };

it('writes the page as one file, with the catalog and the cases', () =>
  withFiles(files, async (folder) => {
    const [tools, asked, html] = ['tools.json', 'cases.jsonl', 'report.html'].map((name) =>
      path.join(folder, name),
    ) as [string, string, string];
    const { code, stdout } = await inProcess(['inspect', tools, '--cases', asked, '--html', html]);
    expect([code, stdout]).toEqual([0, `Wrote ${html}\n`]);
    const page = readFileSync(html, 'utf8');
    for (const text of ['send_email', 'post_message', 'write mail to people', 'tools.json'])
      expect(page).toContain(text);
    const given = path.relative('', html);
    const json = await inProcess(['inspect', tools, '--html', given, '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ file: given });
  }));

it('shows what a log of events tells, and says which of its lines are none', () =>
  withFiles(files, async (folder) => {
    const [log, html] = ['events.jsonl', 'report.html'].map((name) => path.join(folder, name)) as [string, string];
    const event = { type: 'search', time: 1, queries: ['sing a song'], results: [], loaded: [] };
    writeFileSync(log, `${JSON.stringify(event)}\nrubbish\n`);
    const args = ['inspect', path.join(folder, 'tools.json'), '--html', html, '--log'];
    expect(await inProcess([...args, log])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('events.jsonl has 1 line that is no event.'),
    });
    expect(readFileSync(html, 'utf8')).toContain('sing a song');
    writeFileSync(log, 'rubbish\n');
    expect(await inProcess([...args, log])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('events.jsonl has no events.'),
    });
  }));

/** Interrupts the command that listens last. The signal itself would end the servers of other tests in this process, and it with them. */
function interrupt(): void {
  process.rawListeners('SIGINT').at(-1)?.('SIGINT');
}

it('serves the page until it is interrupted', () =>
  withFiles(files, async (folder) => {
    let url = '';
    const running = inProcess(
      ['inspect', path.join(folder, 'tools.json'), '--no-open', '--scorer', 'minisearch'],
      '',
      (line) => {
        url ||= line;
      },
    );
    await expect.poll(() => url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
    const answer = await fetch(url);
    expect([answer.status, (await answer.text()).includes('minisearch')]).toEqual([200, true]);
    interrupt();
    expect(await running).toMatchObject({ code: 0, stdout: `${url}\n`, stderr: 'Ctrl-C ends it.\n' });
    await expect(fetch(url)).rejects.toThrow();
  }));

it("shows a module's own scorer of the name of the page's, and its groups", () => {
  const source = `export const tools = { send_email: { id: 'send_email', description: 'Send an email.', inputSchema: {} } };
    export const groups = () => 'The office';
    export const scorer = { name: 'bm25', index: () => ({ search: () => [] }) };`;
  return withFiles({ 'tools.mjs': source }, async (folder) => {
    for (const [asked, isShown] of [
      [[], true],
      [['--scorer', 'bm25'], false],
    ] as const) {
      let url = '';
      const running = inProcess(['inspect', path.join(folder, 'tools.mjs'), '--no-open', ...asked], '', (line) => {
        url ||= line;
      });
      await expect.poll(() => url).toMatch(/^http:/);
      const page = await (await fetch(url)).text();
      expect([page.includes('bm25 2'), page.includes('The office')]).toEqual([isShown, true]);
      interrupt();
      await running;
    }
  });
});

it.each([
  ['tools.json', (name: string) => JSON.stringify([{ name, description: 'Do it.', inputSchema: {} }]), '{ broken'],
  [
    'tools.mjs',
    (name: string) => `export default { ${name}: { id: '${name}', description: 'Do it.', inputSchema: {} } };`,
    'export {',
  ],
])('follows %s with --watch, and shows what was there where it cannot be read', async (file, write, broken) =>
  withFiles({ [file]: write('first_one') }, async (folder) => {
    let url = '';
    const at = path.join(folder, file);
    const running = inProcess(['inspect', at, '--no-open', '--watch'], '', (line) => {
      url ||= line;
    });
    await expect.poll(() => url).toMatch(/^http:/);
    const page = async (): Promise<string> => (await fetch(url)).text();
    const has = async (name: string): Promise<boolean> => (await page()).includes(name);
    expect(await has('first_one')).toBe(true);
    writeFileSync(at, write('second_one'));
    await expect.poll(() => has('second_one')).toBe(true);
    const html = await page();
    expect([html.includes('"revision":1'), html.includes('first_one')]).toEqual([true, false]);
    writeFileSync(at, broken);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await has('second_one')).toBe(true);
    writeFileSync(at, write('third_one'));
    await expect.poll(() => has('third_one')).toBe(true);
    interrupt();
    expect((await running).stderr).toContain('The catalog cannot be loaded again:');
  }),
);

it('gives a page the text of the file for a patch, and refuses to watch what is no file', async () => {
  await withFiles(files, async (folder) => {
    let url = '';
    const running = inProcess(['inspect', path.join(folder, 'tools.json'), '--no-open'], '', (line) => {
      url ||= line;
    });
    await expect.poll(() => url).toMatch(/^http:/);
    const cookie = (await fetch(url)).headers.get('set-cookie')?.split(';')[0] ?? '';
    const asked = { method: 'POST', headers: { cookie, 'content-type': 'application/json' }, body: '{"ask":"source"}' };
    expect(await (await fetch(new URL(url).origin, asked)).json()).toBe(
      readFileSync(path.join(folder, 'tools.json'), 'utf8'),
    );
    interrupt();
    await running;
  });
  expect(await inProcess(['inspect', '-', '--no-open', '--watch'], JSON.stringify(office))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--watch follows a file'),
  });
});

it('says that a port is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await withFiles(files, async (folder) => {
    const args = ['inspect', path.join(folder, 'tools.json'), '--no-open', '--port', `${port}`];
    const { code, stderr } = await inProcess(args);
    expect([code, stderr.split('\n')[0]]).toEqual([
      2,
      `error: Port ${port} is taken. Give another --port, or none for one that is free.`,
    ]);
  });
  server.close();
});

it.each([
  [['--html', 'nodir/x.html'], '--html nodir/x.html: there is no folder nodir. Make it, or give another file.'],
  [['--html', 'x.html', '--port', '80'], '--html writes a file, which has no --port.'],
  [['--html', 'x.html', '--watch'], '--html writes a file, which cannot --watch.'],
  [['--port', '70000'], '--port must be a whole number from 0 to 65535; got "70000".'],
  [['--cases', 'none.jsonl'], '"cases" wants the tool "nobody" in case 1, which "tools" has not.'],
])('refuses %j with 2', async (args, message) => {
  await withFiles(files, async (folder) => {
    const given = args.map((arg) => (existsSync(path.join(folder, arg)) ? path.join(folder, arg) : arg));
    const { code, stderr } = await inProcess(['inspect', path.join(folder, 'tools.json'), ...given]);
    expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${message}`]);
  });
});
