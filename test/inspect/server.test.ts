import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ToolSearchError, ToolSearchProcessor, tieredScorer } from 'mastra-tool-search';
import { afterEach, describe, expect, it } from 'vitest';
import type { Inspector } from '../../src/inspect/start-inspector.ts';
import { type StartInspectorOptions, startInspector } from '../../src/inspect/start-inspector.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { useSmallPage } from '../support/small-page.ts';

const tools = toolRecord(
  tool('send_email', 'Send an email message to a person.'),
  tool('read_email', 'Read the messages of an inbox.'),
  tool('get_weather', 'Get the current weather of a city.'),
);

let started: Inspector | undefined;
afterEach(async () => {
  await started?.close();
  started = undefined;
});

async function start(options: Partial<StartInspectorOptions> = {}): Promise<URL> {
  started = await startInspector({ tools, ...options });
  return new URL(started.url);
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
const get = (url: URL, headers: readonly string[], path = '/'): Promise<string> =>
  raw(url.port, [`GET ${path} HTTP/1.1`, ...headers, 'Connection: close']);

/** Asks as the page does, with the cookie that it was given. */
async function pageOf(
  url: URL,
): Promise<{ ask(question: unknown, headers?: Record<string, string>): Promise<Response> }> {
  const cookie = ((await fetch(url)).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return {
    ask: (question, headers = {}) =>
      fetch(url.origin, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', ...headers },
        body: typeof question === 'string' ? question : JSON.stringify(question),
      }),
  };
}

describe('the server of an inspector', () => {
  useSmallPage();

  it('serves the page at its address, and keeps nothing of it anywhere', async () => {
    const url = await start({ title: 'Office' });
    const response = await fetch(url);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).toContain('<title>Office</title>');
    expect(html).toContain('send_email');
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
      'img-src data:',
      `connect-src 'self'`,
      'worker-src blob:',
      `base-uri 'none'`,
      `form-action 'none'`,
      `frame-ancestors 'none'`,
    ]);
    expect(headers['set-cookie']).toMatch(/^tool-search-[0-9a-f]{8}=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict$/);
  });

  it('answers nobody without the token', async () => {
    const url = await start();
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
  });

  it('gives each inspector a token of its own, for browsers keep cookies for all ports', async () => {
    const first = await start();
    const second = await startInspector({ tools });
    try {
      const cookieOf = async (url: string | URL): Promise<string> => (await fetch(url)).headers.get('set-cookie') ?? '';
      const [one = '', other = ''] = [await cookieOf(first), await cookieOf(second.url)].map(
        (text) => text.split('=')[0],
      );
      expect(one).not.toBe(other);
      const foreign = (await cookieOf(second.url)).split(';')[0] ?? '';
      expect((await fetch(first.origin, { headers: { cookie: foreign } })).status).toBe(401);
    } finally {
      await second.close();
    }
  });

  it('opens the page again without the token in the address', async () => {
    const url = await start();
    const cookie = ((await fetch(url)).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const again = await fetch(url.origin, { headers: { cookie } });
    expect([again.status, again.headers.get('set-cookie')]).toEqual([200, null]);
  });

  it('answers only to its names on the loopback', async () => {
    const url = await start();
    const { port, search } = url;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`])
      expect(statusOf(await get(url, [`Host: ${host}`], `/${search}`))).toBe(200);
    const others = [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost:${port}.evil.example`,
    ];
    const odd = [
      '127.0.0.1',
      'localhost',
      '127.0.0.1:1',
      `localhost@evil.example:${port}`,
      `0.0.0.0:${port}`,
      '',
      `[::1]:${port}`,
    ];
    for (const host of [...others, ...odd])
      expect(statusOf(await get(url, [`Host: ${host}`], `/${search}`)), host).toBe(403);
    expect(statusOf(await get(url, [], `/${search}`))).toBe(400);
    expect(statusOf(await raw(port, [`GET /${search} HTTP/1.0`]))).toBe(403);
  });

  it('listens on no other interface', async () => {
    const { port } = await start();
    const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const addresses = [...others.filter(({ internal }) => !internal).map(({ address }) => address), '127.0.0.2', '::1'];
    for (const address of addresses) {
      const answer = raw(port, ['GET / HTTP/1.1', 'Host: localhost', 'Connection: close'], address);
      await expect(answer, address).rejects.toThrow(/ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH|EINVAL|EHOSTUNREACH/);
    }
  });

  it('has one address', async () => {
    const url = await start();
    for (const path of ['/x', '//evil.example/', '/../', '/%2e%2e/', '/favicon.ico', 'http://evil.example/', '*'])
      expect(statusOf(await get(url, [`Host: ${url.host}`], `${path}${url.search}`)), path).toBe(404);
  });

  it('answers no other page, with whatever rights the browser asks', async () => {
    const url = await start();
    const { ask } = await pageOf(url);
    const question = { ask: 'permitted', requestContext: {} };
    const statusWith = async (headers: Record<string, string>): Promise<number> =>
      (await ask(question, headers)).status;
    expect(await statusWith({})).toBe(200);
    expect(await statusWith({ origin: url.origin })).toBe(200);
    expect(await statusWith({ origin: url.origin, 'sec-fetch-site': 'same-origin' })).toBe(200);
    for (const origin of [
      'null',
      'https://evil.example',
      `http://127.0.0.1:${Number(url.port) + 1}`,
      `http://x@${url.host}.evil`,
    ])
      expect(await statusWith({ origin }), origin).toBe(403);
    for (const site of ['cross-site', 'same-site', 'x']) {
      expect(await statusWith({ 'sec-fetch-site': site }), site).toBe(403);
      expect((await fetch(url, { headers: { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' } })).status).toBe(403);
    }
    expect(await statusWith({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(403);
    // A link in a chat or a mail.
    const opened = [`Host: ${url.host}`, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'];
    expect(statusOf(await get(url, opened, `/${url.search}`))).toBe(200);
  });

  it('refuses what is no question, and says what is wrong', async () => {
    const { ask } = await pageOf(await start({ scorers: [tieredScorer()] }));
    const answers: [status: number, error: string, question: unknown, headers?: Record<string, string>][] = [
      [415, 'content-type: application/json', '{}', { 'content-type': 'text/plain' }],
      [415, 'content-type: application/json', '{}', { 'content-type': 'application/x-www-form-urlencoded' }],
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
      [400, '"scorer" must be one of tiered 2; got "bm25"', { ask: 'search', query: 'x', scorer: 'bm25' }],
      [400, '"requestContext" must be', { ask: 'search', query: 'x', scorer: 'tiered 2', requestContext: [] }],
      [400, '"requestContext" must be', { ask: 'permitted' }],
      [400, '"ask" must be a question that this inspector answers', { ask: 'stats' }],
    ];
    for (const [status, error, question, headers] of answers) {
      const response = await ask(question, headers);
      expect([response.status, await response.json()]).toEqual([status, { error: expect.stringContaining(error) }]);
    }
  });

  it('takes GET, HEAD and POST', async () => {
    const url = await start();
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const response = await fetch(url, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    }
    expect(
      statusOf(await raw(url.port, [`TRACE /${url.search} HTTP/1.1`, `Host: ${url.host}`, 'Connection: close'])),
    ).toBe(400);
  });

  it('ends a request that does not come, and all that is open when it is closed', async () => {
    const url = await start();
    const open = raw(url.port, ['POST / HTTP/1.1', `Host: ${url.host}`, 'Content-Length: 5']).catch(() => '');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await started?.close();
    started = undefined;
    expect(await open).not.toContain('200');
    await expect(fetch(url)).rejects.toThrow();
  });

  it('searches with scorers that are not in the page, under a name of their own', async () => {
    const url = await start({ scorers: [tieredScorer()] });
    expect(await (await fetch(url)).text()).toContain('"scorers":[{"name":"tiered 2","isLocal":false},{"name":"bm25"');
    const { ask } = await pageOf(url);
    const answer = await (await ask({ ask: 'search', query: 'email', scorer: 'tiered 2' })).json();
    expect(answer).toEqual({
      matches: [
        { name: 'read_email', score: 10 },
        { name: 'send_email', score: 10 },
      ],
    });
  });

  it('tells what a filter lets a user through, and searches in that name', async () => {
    const url = await start({
      scorers: [tieredScorer()],
      filter: ({ toolName, requestContext, phase }) =>
        toolName !== 'send_email' || (requestContext?.get('role') === 'admin' && phase !== 'active'),
    });
    const { ask } = await pageOf(url);
    const permitted = async (requestContext: object): Promise<unknown> =>
      (await ask({ ask: 'permitted', requestContext })).json();
    const [all, some] = [
      ['send_email', 'read_email', 'get_weather'],
      ['read_email', 'get_weather'],
    ];
    expect(await permitted({ role: 'admin' })).toEqual({ search: all, load: all, active: some });
    expect(await permitted(JSON.parse('{ "__proto__": { "role": "admin" } }'))).toEqual({
      search: some,
      load: some,
      active: some,
    });
    const search = async (requestContext?: object): Promise<unknown> =>
      (await ask({ ask: 'search', query: 'email', scorer: 'tiered 2', requestContext })).json();
    expect(await search({ role: 'guest' })).toEqual({ matches: [{ name: 'read_email', score: 10 }] });
    expect(await search()).toEqual({
      matches: [
        { name: 'read_email', score: 10 },
        { name: 'send_email', score: 10 },
      ],
    });
  });

  it('waits for a scorer no longer than ten seconds, and than its request lasts', async () => {
    const silent = { name: 'silent', index: () => ({ search: () => new Promise<never>(() => {}) }) };
    const question = { ask: 'search', query: 'email', scorer: 'silent' };
    const { ask } = await pageOf(await start({ scorers: [silent] }));
    const late = ask(question);
    const processor = new ToolSearchProcessor({ tools, search: { scorer: silent } });
    const handler = await processor.inspector({ authorize: () => true });
    const signal = AbortSignal.timeout(200);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ ...question, scorer: 'agent: silent' });
    const request = new Request('http://localhost/', { method: 'POST', headers, body, signal });
    const aborted = await handler(request);
    expect([aborted.status, await aborted.json()]).toEqual([500, { error: expect.stringContaining('is aborted') }]);
    const error = 'The scorer "silent" did not answer within 10 s.';
    expect([(await late).status, await (await late).json()]).toEqual([500, { error }]);
  });

  it('says that a scorer failed', async () => {
    const failing = { name: 'failing', index: () => ({ search: () => Promise.reject(new Error('no network')) }) };
    const { ask } = await pageOf(await start({ scorers: [failing] }));
    const response = await ask({ ask: 'search', query: 'email', scorer: 'failing' });
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: expect.stringContaining('"failing" failed') },
    ]);
  });

  it('refuses wrong options before it listens', async () => {
    const refused = async (options: object): Promise<string> =>
      startInspector({ tools, ...options }).then(
        () => 'it started',
        (error: unknown) => (error instanceof ToolSearchError ? `${error.code}: ${error.message}` : 'another error'),
      );
    expect(await refused({ prot: 1 })).toContain(
      'invalid-option: "prot" is no option of startInspector. Did you mean "port"?',
    );
    expect(await refused({ port: 70_000 })).toContain('"port" must be a whole number from 0 to 65535; got 70000');
    expect(await refused({ filter: true })).toContain('"filter" must be a function');
    expect(await refused({ topK: 0 })).toContain('"topK" must be');
    expect(await refused({ title: 1 })).toContain('"title" must be a text');
    expect(await refused({ funnel: 1 })).toContain('"funnel" must be');
    expect(await refused({ scorers: tieredScorer() })).toContain('"scorers" must be a list');
    expect(await refused({ cases: [{ query: 'fly', relevant: ['book'] }] })).toContain('"cases" wants the tool "book"');
  });

  it('rejects where the port is taken', async () => {
    const { port } = await start();
    await expect(startInspector({ tools, port: Number(port) })).rejects.toThrow('EADDRINUSE');
  });
});
