import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ToolSearchError, tieredScorer } from 'mastra-tool-search';
import { type Inspector, type StartInspectorOptions, startInspector } from 'mastra-tool-search/inspect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHA256 } from '../../src/scorers/meaning/word-vectors.js';
import { useSmallPage } from '../support/small-page.ts';
import { dataIn, tools } from './asking.ts';

useSmallPage();

const started: Inspector[] = [];
afterAll(async () => {
  for (const inspector of started) await inspector.close();
});
async function start(options: Partial<StartInspectorOptions> = {}): Promise<URL> {
  const inspector = await startInspector({ tools, ...options });
  started.push(inspector);
  return new URL(inspector.url);
}

/** What the server writes to a connection on which `lines` were sent. */
function raw(port: string, lines: readonly string[], address = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), address);
    socket.setTimeout(60_000, () => socket.destroy(new Error('No answer.')));
    socket.once('error', reject);
    socket.on('data', (data) => {
      answer += data.toString();
    });
    socket.once('close', () => resolve(answer));
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });
}
const statusOf = (answer: string): number => Number(answer.split(' ')[1]);
const get = async (url: URL, headers: readonly string[], path = `/${url.search}`): Promise<number> =>
  statusOf(await raw(url.port, [`GET ${path} HTTP/1.1`, ...headers, 'Connection: close']));

const cookieOf = async (url: URL): Promise<string> => (await fetch(url)).headers.get('set-cookie') ?? '';
/** Asks as the page does, with the cookie that it was given. */
async function asker(url: URL): Promise<(question: unknown, headers?: Record<string, string>) => Promise<Response>> {
  const [cookie = ''] = (await cookieOf(url)).split(';');
  return (question, headers = {}) =>
    fetch(url.origin, {
      ...{ method: 'POST', headers: { cookie, 'content-type': 'application/json', ...headers } },
      body: typeof question === 'string' ? question : JSON.stringify(question),
    });
}

let url: URL;
let ask: Awaited<ReturnType<typeof asker>>;
beforeAll(async () => {
  url = await start({
    ...{ title: 'Office', scorers: [tieredScorer()] },
    filter: ({ toolName, requestContext, phase }) =>
      toolName !== 'send_email' || (requestContext?.get('role') === 'admin' && phase !== 'active'),
  });
  ask = await asker(url);
});

describe('the server of an inspector', () => {
  it('serves the page at its address, and keeps nothing of it anywhere', async () => {
    const response = await fetch(url);
    const html = await response.text();
    expect([response.status, html.includes('<title>Office</title>'), html.includes('send_email')]).toEqual([
      ...[200, true, true],
    ]);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(headers['content-security-policy']?.split('; ')).toEqual([
      `default-src 'none'`,
      expect.stringMatching(/^script-src 'sha256-[\w+/]+=' 'sha256-[\w+/]+='$/),
      expect.stringMatching(/^style-src 'sha256-[\w+/]+='$/),
      ...['img-src data:', `connect-src 'self'`, 'worker-src blob:'],
      ...[`base-uri 'none'`, `form-action 'none'`, `frame-ancestors 'none'`],
    ]);
    expect(headers['set-cookie']).toMatch(/^tool-search-[0-9a-f]{8}=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict$/);
  });

  it('answers nobody without the token, or the cookie of its own that the token is given', async () => {
    const token = url.searchParams.get('token') ?? '';
    const without = await fetch(url.origin);
    expect([without.status, without.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await without.text()).toContain('Open the address that was printed');
    for (const wrong of ['', 'x', token.slice(1), `${token}x`, token.toUpperCase(), '%00', 'é']) {
      expect((await fetch(`${url.origin}/?token=${wrong}`)).status).toBe(401);
      const cookie = `tool-search-00000000=${token}; tool-search=${token}`;
      expect((await fetch(`${url.origin}/?token=${wrong}`, { headers: { cookie } })).status).toBe(401);
    }
    const post = await fetch(url.origin, { method: 'POST', body: '{"ask":"stats"}' });
    expect([post.status, await post.json()]).toEqual([401, { error: expect.stringContaining('Open the address') }]);
    // Browsers keep cookies for all ports.
    const [own = '', foreign = ''] = [await cookieOf(url), await cookieOf(await start())];
    const [name, foreignName] = [own, foreign].map((text) => text.split('=')[0]);
    expect(foreignName).not.toBe(name);
    expect((await fetch(url.origin, { headers: { cookie: foreign } })).status).toBe(401);
    const again = await fetch(url.origin, { headers: { cookie: own } });
    expect([again.status, again.headers.get('set-cookie')]).toEqual([200, null]);
  });

  it('brings the table of word vectors beside the page, to whoever is let in', async () => {
    expect(await (await fetch(url)).text()).not.toContain('inspect-vectors');
    const address = `${url.origin}/?vectors=`;
    expect((await fetch(address)).status).toBe(401);
    const headers = { cookie: await cookieOf(url) };
    expect((await fetch(address, { headers: { ...headers, 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    const table = await fetch(address, { headers });
    const type = 'text/plain; charset=utf-8';
    expect([table.status, table.headers.get('content-type'), table.headers.get('cache-control')]).toEqual([
      ...[200, type, 'no-store'],
    ]);
    expect(hash('sha256', Buffer.from(await table.text(), 'base64'))).toBe(SHA256);
    expect(await (await fetch(address, { method: 'HEAD', headers })).text()).toBe('');
  });

  it('answers only to its names on the loopback, at one address', async () => {
    const { port, host, search } = url;
    for (const name of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`])
      expect(await get(url, [`Host: ${name}`])).toBe(200);
    for (const name of [
      ...['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, `localhost:${port}.evil.example`],
      ...['127.0.0.1', 'localhost', '127.0.0.1:1', `localhost@evil.example:${port}`, `0.0.0.0:${port}`, ''],
      `[::1]:${port}`,
    ])
      expect(await get(url, [`Host: ${name}`]), name).toBe(403);
    expect(await get(url, [])).toBe(400);
    expect(statusOf(await raw(port, [`GET /${search} HTTP/1.0`]))).toBe(403);
    for (const path of ['/x', '//evil.example/', '/../', '/%2e%2e/', '/favicon.ico', 'http://evil.example/', '*'])
      expect(await get(url, [`Host: ${host}`], `${path}${search}`), path).toBe(404);
  });

  it('listens on no other interface', async () => {
    const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const addresses = [...others.filter(({ internal }) => !internal).map(({ address }) => address), '127.0.0.2', '::1'];
    for (const address of addresses) {
      const answer = raw(url.port, ['GET / HTTP/1.1', 'Host: localhost', 'Connection: close'], address);
      await expect(answer, address).rejects.toThrow(/ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH|EINVAL|EHOSTUNREACH/);
    }
  });

  it.each([
    [{}, 200],
    [{ origin: 'own' }, 200],
    // A proxy may call the server by another name.
    [{ origin: 'https://public.example', 'sec-fetch-site': 'same-origin' }, 200],
    [{ origin: 'null' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'http://127.0.0.1:1' }, 403],
    [{ origin: 'http://x@own.evil' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'x' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 403],
  ])('answers no other page, with whatever rights the browser asks: %j', async (headers, status) => {
    const sent = Object.entries(headers).map(([name, value]) => {
      return [name, value === 'own' ? url.origin : value.replace('own', url.host)];
    });
    const question = { ask: 'permitted', requestContext: {} };
    expect((await ask(question, Object.fromEntries(sent))).status).toBe(status);
    if (!('origin' in headers) && status === 403) {
      const noCors = { headers: { ...headers, 'sec-fetch-mode': 'no-cors' } };
      expect((await fetch(url, noCors)).status).toBe(403);
      // A link in a chat or a mail.
      expect(await get(url, [`Host: ${url.host}`, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'])).toBe(200);
    }
  });

  it.each<[status: number, error: string, question: unknown, headers?: Record<string, string>]>([
    [415, 'content-type: application/json', '{}', { 'content-type': 'text/plain' }],
    [413, '65536 bytes', `"${'x'.repeat(70_000)}"`],
    [400, 'is no JSON', '{'],
    [400, 'is no JSON', ''],
    [400, 'is an object', '[]'],
    [400, 'is an object', 'null'],
    [400, '"ask" must be', { ask: '__proto__' }],
    [400, '"ask" must be', '{ "__proto__": { "ask": "stats" } }'],
    [400, '"query" must be', { ask: 'search', query: 1, scorer: 'bm25' }],
    [400, '"query" must be', { ask: 'search', query: 'x'.repeat(10_001), scorer: 'bm25' }],
    [400, '"scorer" must be', { ask: 'search', query: 'x' }],
    [400, '"scorer" must be one of tiered; got "bm25"', { ask: 'search', query: 'x', scorer: 'bm25' }],
    [400, '"requestContext" must be', { ask: 'search', query: 'x', scorer: 'tiered', requestContext: [] }],
    [400, '"requestContext" must be', { ask: 'permitted' }],
    [400, '"ask" must be a question that this inspector answers', { ask: 'stats' }],
    [400, '"scorer" must be the name', { ask: 'evaluation' }],
    [400, '"scorer" must be one of tiered; got "bm25"', { ask: 'evaluation', scorer: 'bm25' }],
  ])('refuses what is no question with %i, and says what is wrong: %s', async (status, error, question, headers) => {
    const response = await ask(question, headers);
    expect([response.status, await response.json()]).toEqual([status, { error: expect.stringContaining(error) }]);
  });

  it('takes GET, HEAD and POST', async () => {
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(url, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    }
    const trace = [`TRACE /${url.search} HTTP/1.1`, `Host: ${url.host}`, 'Connection: close'];
    expect(statusOf(await raw(url.port, trace))).toBe(400);
  });

  it('ends a request that does not come, and all that is open when it is closed', async () => {
    const inspector = await startInspector({ tools });
    const { port, host } = new URL(inspector.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const [refused] = await once(socket, 'data');
    expect(statusOf(String(refused))).toBe(401);
    socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\n\r\n`);
    const ended = new Promise((resolve) => socket.once('error', () => {}).once('close', resolve));
    await inspector.close();
    await ended;
    await expect(fetch(inspector.url)).rejects.toThrow();
  });

  it('searches with scorers that are not in the page, and says which failed', async () => {
    expect(dataIn(await (await fetch(url)).text()).scorers.map(({ name, isLocal }) => [name, isLocal])).toEqual([
      ['tiered', false],
      ['words and meaning', true],
      ['bm25', true],
    ]);
    const failing = { name: 'failing', index: () => ({ search: () => Promise.reject(new Error('no network')) }) };
    const response = await (await asker(await start({ scorers: [failing] })))({
      ...{ ask: 'search', query: 'email', scorer: 'failing' },
    });
    const error = expect.stringContaining('"failing" failed');
    expect([response.status, await response.json()]).toEqual([500, { error }]);
  });

  it('tells what a filter lets a user through, and searches in that name', async () => {
    const permitted = async (requestContext: object): Promise<unknown> =>
      (await ask({ ask: 'permitted', requestContext })).json();
    const [all, some] = [Object.keys(tools), ['read_email', 'get_weather']];
    expect(await permitted({ role: 'admin' })).toEqual({ search: all, load: all, active: some });
    const inherited = JSON.parse('{ "__proto__": { "role": "admin" } }');
    expect(await permitted(inherited)).toEqual({ search: some, load: some, active: some });
    const search = async (requestContext?: object): Promise<unknown> =>
      (await ask({ ask: 'search', query: 'email', scorer: 'tiered', requestContext })).json();
    const [read, send] = ['read_email', 'send_email'].map((name) => ({ name, score: 10 }));
    expect([await search(), await search({ role: 'guest' })]).toEqual([{ matches: [read, send] }, { matches: [read] }]);
  });

  it.each([
    [{ prot: 1 }, '"prot" is no option of startInspector. Did you mean "port"?'],
    [{ port: 70_000 }, '"port" must be a whole number from 0 to 65535; got 70000'],
    [{ filter: true }, '"filter" must be a function'],
    [{ topK: 0 }, '"topK" must be'],
    [{ title: 1 }, '"title" must be a text'],
    [{ funnel: 1 }, '"funnel" must be'],
    [{ scorers: tieredScorer() }, '"scorers" must be a list'],
    [{ mode: 'other' }, '"mode" must be'],
    [{ baseline: { scorers: 1 } }, '"baseline" must be'],
    [{ cases: [{ query: 'fly', relevant: ['book'] }] }, '"cases" wants the tool "book"'],
  ])('refuses the options %j before it listens', async (options, message) => {
    const error: unknown = await startInspector({ tools, ...options } as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolSearchError);
    expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringContaining(message) });
  });
});
