import { Mastra } from '@mastra/core';
import { RequestContext } from '@mastra/core/request-context';
import { registerApiRoute } from '@mastra/core/server';
import { Hono } from 'hono';
import {
  type InspectorOptions,
  ToolSearchError,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { InspectData } from '../../src/inspect/data.ts';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { useSmallPage } from '../support/small-page.ts';

const tools = toolRecord(
  tool('send_email', 'Send an email message to a person.'),
  tool('read_email', 'Read the messages of an inbox.'),
  tool('get_weather', 'Get the current weather of a city.'),
);
const fails = (): never => {
  throw new Error('no luck');
};
const anybody: InspectorOptions = { authorize: () => true };

/** The data that a page was given. */
async function dataOf(response: Response): Promise<InspectData> {
  const [, json = ''] = (await response.text()).split(
    /<script type="application\/json" id="inspect-data">(.*)<\/script>/,
  );
  return JSON.parse(json) as InspectData;
}

const asking = (question: object, headers: Record<string, string> = {}): Request =>
  new Request('http://localhost:4111/tools', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(question),
  });

/** A live processor's inspector, and what it answers. */
async function inspect(options: ToolSearchProcessorOptions, inspector: InspectorOptions = anybody) {
  const handler = await new ToolSearchProcessor(options).inspector(inspector);
  return {
    handler,
    data: async () => dataOf(await handler(new Request('http://localhost:4111/tools'))),
    ask: async (question: object): Promise<unknown> => (await handler(asking(question))).json(),
  };
}

afterEach(() => vi.restoreAllMocks());

describe('processor.inspector()', () => {
  useSmallPage();

  it('is mounted as one route of a Mastra server', async () => {
    const processor = new ToolSearchProcessor({ tools });
    const route = registerApiRoute('/tools', { method: 'ALL', createHandler: () => processor.inspector(anybody) });
    if (!('createHandler' in route)) throw new Error('The route has no handler.');
    const app = new Hono().all(route.path, await route.createHandler({ mastra: new Mastra({ logger: false }) }));
    const page = await app.request('/tools');
    expect([page.status, page.headers.get('x-frame-options')]).toEqual([200, 'DENY']);
    expect((await dataOf(page)).tools.map(({ name }) => name)).toEqual(['send_email', 'read_email', 'get_weather']);
    const found = await app.request(asking({ ask: 'search', query: 'weather', scorer: 'agent: bm25' }));
    expect(await found.json()).toMatchObject({ matches: [{ name: 'get_weather' }], isWeak: false });
  });

  it('shows the catalog of the request that the server made a context for', async () => {
    const ofUser: ToolSearchProcessorOptions['tools'] = ({ requestContext }) =>
      requestContext?.get('user') === 'ada' ? tools : { get_weather: tools['get_weather']! };
    const handler = await new ToolSearchProcessor({ tools: ofUser }).inspector(anybody);
    const app = new Hono<{ Variables: { requestContext: RequestContext } }>();
    app.use(async (c, next) => {
      c.set('requestContext', new RequestContext([['user', c.req.query('user')]]));
      await next();
    });
    app.all('/tools', handler);
    const namesFor = async (user: string): Promise<readonly string[]> =>
      (await dataOf(await app.request(`/tools?user=${user}`))).tools.map(({ name }) => name);
    expect(await namesFor('ada')).toEqual(['send_email', 'read_email', 'get_weather']);
    expect(await namesFor('bob')).toEqual(['get_weather']);
  });

  it('has the settings of the processor, and its own scorer before those of the page', async () => {
    const { data } = await inspect(
      { tools, search: { topK: 3, minConfidence: 0.2, keywords: { send_email: ['post'] } }, filter: () => true },
      { ...anybody, title: 'Office', cases: [{ query: 'post', relevant: ['send_email'] }] },
    );
    expect(await data()).toMatchObject({
      title: 'Office',
      topK: 3,
      minConfidence: 0.2,
      scorers: [{ name: 'agent: bm25', isLocal: false }, { name: 'bm25' }, { name: 'tiered' }],
      cases: [{ id: '1', query: 'post', relevant: ['send_email'] }],
      server: { canSearch: true, canFilter: true },
    });
  });

  it('says of a search what the model would be shown, why, and what comes behind it', async () => {
    const processor = new ToolSearchProcessor({ tools, search: { topK: 1 } });
    const handler = await processor.inspector(anybody);
    const response = await handler(asking({ ask: 'search', query: 'email messages', scorer: 'agent: bm25' }));
    const { matches } = (await response.json()) as { matches: { name: string }[] };
    const shown = await processor.search('email messages', { limit: 5, explain: true });
    expect(matches.map(({ name }) => name)).toEqual(shown.map(({ name }) => name));
    const { description: _, ...first } = shown[0]!;
    expect(matches[0]).toEqual(JSON.parse(JSON.stringify(first)));
  });

  it('searches for the developer whatever the filter says, and for a user as the filter says', async () => {
    const { ask } = await inspect({
      tools,
      filter: ({ toolName, requestContext }) => requestContext?.get('isAdmin') === true || toolName !== 'send_email',
    });
    const namesFor = async (requestContext?: object): Promise<readonly string[]> => {
      const found = await ask({ ask: 'search', query: 'email', scorer: 'agent: bm25', requestContext });
      return (found as { matches: { name: string }[] }).matches.map(({ name }) => name).sort();
    };
    expect(await namesFor()).toEqual(['read_email', 'send_email']);
    expect(await namesFor({ isAdmin: true })).toEqual(['read_email', 'send_email']);
    expect(await namesFor({})).toEqual(['read_email']);
    const some = ['read_email', 'get_weather'];
    expect(await ask({ ask: 'permitted', requestContext: {} })).toEqual({ search: some, load: some, active: some });
  });

  it('tells the whole catalog of a user, where each has one of their own', async () => {
    const { ask, data } = await inspect({
      tools: ({ requestContext }) => (requestContext?.get('isAdmin') ? tools : {}),
    });
    expect(await data()).toMatchObject({ tools: [], server: { canFilter: true } });
    const all = ['send_email', 'read_email', 'get_weather'];
    expect(await ask({ ask: 'permitted', requestContext: { isAdmin: true } })).toMatchObject({
      ...{ search: all, load: all, active: all },
      tools: all.map((name) => ({ name })),
    });
  });

  it('finds tools by a select:, and nothing by no words', async () => {
    const { ask } = await inspect({ tools, filter: ({ toolName }) => toolName !== 'send_email' });
    const search = (query: string, requestContext?: object): Promise<unknown> =>
      ask({ ask: 'search', query, scorer: 'agent: bm25', requestContext });
    expect(await search('select:send_email,read_email,gone')).toMatchObject({
      matches: [{ name: 'send_email' }, { name: 'read_email' }],
    });
    expect(await search('select:send_email,read_email', {})).toMatchObject({ matches: [{ name: 'read_email' }] });
    expect(await search(' … ')).toEqual({ matches: [] });
  });

  it('tells how far searches came since it was made', async () => {
    const session = new Session({ tools });
    const handler = await session.processor.inspector(anybody);
    await session.search({ query: 'weather' });
    await session.search({ query: 'zzz' });
    const answer = await handler(asking({ ask: 'stats' }));
    expect(await answer.json()).toMatchObject({ searches: { total: 2, unmatched: 1 }, unmatched: [{ query: 'zzz' }] });
    expect((await dataOf(await handler(new Request('http://localhost:4111/tools')))).server?.hasStats).toBe(true);
  });

  it('is answered to nobody whom authorize does not permit', async () => {
    const seen: string[] = [];
    const answers: readonly (() => never)[] = [() => false, () => 'yes', () => 1, () => undefined] as never;
    for (const authorize of answers) {
      const { handler } = await inspect({ tools }, { authorize });
      expect((await handler(new Request('http://localhost/tools'))).status).toBe(403);
      expect((await handler(asking({ ask: 'permitted', requestContext: {} }))).status).toBe(403);
    }
    const throwing = await inspect({ tools }, { authorize: () => Promise.reject(new Error('no database')) });
    expect((await throwing.handler(new Request('http://localhost/tools'))).status).toBe(403);
    const own = await inspect(
      { tools },
      {
        authorize: async (request) => {
          seen.push(request.url);
          return request.headers.get('x-role') === 'developer';
        },
      },
    );
    const headers = { 'x-role': 'developer' };
    expect((await own.handler(new Request('https://office.example/tools', { headers }))).status).toBe(200);
    expect(seen).toEqual(['https://office.example/tools']);
  });

  it('is no use to another page, however much the browser may', async () => {
    const { handler } = await inspect({ tools });
    const statusWith = async (headers: Record<string, string>): Promise<number> =>
      (await handler(asking({ ask: 'permitted', requestContext: {} }, { host: 'office.example', ...headers }))).status;
    expect(await statusWith({ origin: 'https://office.example', 'sec-fetch-site': 'same-origin' })).toBe(200);
    // A proxy may call the server by another name.
    expect(await statusWith({ origin: 'https://public.example', 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await statusWith({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusWith({ origin: 'https://evil.example' })).toBe(403);
    expect(await statusWith({ 'content-type': 'text/plain' })).toBe(415);
  });

  it('asks for a token on the loopback without authorize, and tells it to the console alone', async () => {
    const told = vi.spyOn(console, 'info').mockImplementation(() => {});
    const { handler } = await inspect({ tools }, {});
    const get = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
      handler(new Request(url, { headers }));
    expect((await get('https://office.example/tools')).status).toBe(403);
    expect(told).not.toHaveBeenCalled();
    const refused = await get('http://localhost:4111/tools?x=1');
    expect([refused.status, await refused.text()]).toEqual([
      401,
      'The console of this server tells the address with the token.',
    ]);
    expect((await get('http://localhost:4111/tools')).status).toBe(401);
    expect(told).toHaveBeenCalledTimes(1);
    const [, address = ''] = /^\[tool-search\] The inspector: (.*)$/.exec(String(told.mock.calls[0]?.[0])) ?? [];
    expect(address).toMatch(/^http:\/\/localhost:4111\/tools\?token=[\w-]{32}$/);
    const opened = await get(address);
    expect([opened.status, opened.headers.get('set-cookie')]).toEqual([
      200,
      expect.stringContaining('; Path=/tools; HttpOnly'),
    ]);
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await get('http://localhost:4111/tools', { cookie })).status).toBe(200);
    expect((await get(address.replace('localhost', 'office.example'))).status).toBe(403);
  });

  it('says what is wrong, and ends nothing', async () => {
    const cases = [{ query: 'fly', relevant: ['book_flight'] }];
    const { handler } = await inspect({ tools }, { ...anybody, cases });
    const response = await handler(new Request('http://localhost/tools'));
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: '"cases" wants the tool "book_flight" in case 1, which "tools" has not.' },
    ]);
  });

  it.each([
    { what: 'tools() throws', options: { tools: fails }, told: 'The function "tools" failed: no luck' },
    {
      what: 'tools() is late',
      options: { tools: () => new Promise<never>(() => {}), timeouts: { tools: 30 } },
      told: 'The function "tools" failed: it took longer than 30 ms',
    },
    {
      what: 'the filter throws',
      options: { tools, filter: fails },
      told: 'The filter failed for "send_email" in phase search: no luck',
    },
    {
      what: 'the scorer fails',
      options: { tools, search: { scorer: { name: 'bm25', index: fails } } },
      told: 'The scorer "bm25" failed: no luck',
    },
  ])('says what failed in place of an empty answer: $what', async ({ what, options, told }) => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { ask, data } = await inspect(options as ToolSearchProcessorOptions);
    const asked = { query: 'email', scorer: 'agent: bm25', requestContext: {} };
    expect(await ask({ ask: 'search', ...asked })).toEqual({ error: told });
    if (!what.includes('scorer')) expect(await ask({ ask: 'permitted', requestContext: {} })).toEqual({ error: told });
    // The page is there, where a user can be chosen whose tools are.
    expect((await data()).server?.fault).toBe(what.includes('tools()') ? told : undefined);
    await expect.poll(() => log.mock.calls.flat()).toContainEqual(expect.stringContaining('[tool-search] The '));
  });

  it('opens the page without the tools that fail for nobody in particular, also with cases', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const ofUser = ({ requestContext }: { requestContext?: RequestContext }) => {
      if (requestContext?.get('user') === undefined) return fails();
      return tools;
    };
    const cases = [{ query: 'post', relevant: ['send_email'] }];
    const { ask, data } = await inspect({ tools: ofUser }, { ...anybody, cases });
    expect((await data()).server).toMatchObject({ fault: 'The function "tools" failed: no luck', canFilter: true });
    const permitted = await ask({ ask: 'permitted', requestContext: { user: 'ada' } });
    expect(permitted).toMatchObject({ active: ['send_email', 'read_email', 'get_weather'] });
  });

  it('refuses options that it does not know', async () => {
    const processor = new ToolSearchProcessor({ tools });
    for (const options of [{ authorise: () => true }, { authorize: true }, { title: 1 }, { cases: 'x' }])
      await expect(processor.inspector(options as never)).rejects.toThrow(ToolSearchError);
  });
});
