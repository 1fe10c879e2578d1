import { Mastra } from '@mastra/core';
import { RequestContext } from '@mastra/core/request-context';
import { registerApiRoute } from '@mastra/core/server';
import { Hono } from 'hono';
import { type InspectorOptions, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { useSmallPage } from '../support/small-page.ts';
import { asking, dataIn, tools } from './asking.ts';

useSmallPage();

const names = Object.keys(tools);
const fails = (): never => {
  throw new Error('no luck');
};
const anybody: InspectorOptions = { authorize: () => true };
const opening = (headers: Record<string, string> = {}, url = 'http://localhost:4111/tools'): Request =>
  new Request(url, { headers });

/** A live processor's inspector, and what it answers. */
async function inspect(options: ToolSearchProcessorOptions, inspector: InspectorOptions = anybody) {
  const handler = await new ToolSearchProcessor(options).inspector(inspector);
  const ask = async (question: object): Promise<unknown> => (await handler(asking(question))).json();
  /** The names that a search finds. */
  const search = async (query: string, requestContext?: object): Promise<unknown> => {
    const found = await ask({ ask: 'search', query, scorer: 'agent: words and meaning', requestContext });
    return (found as { matches: { name: string }[] }).matches.map(({ name }) => name);
  };
  return { handler, ask, search, data: async () => dataIn(await (await handler(opening())).text()) };
}

afterEach(() => vi.restoreAllMocks());

describe('processor.inspector()', () => {
  it('is mounted as one route of a Mastra server', async () => {
    const processor = new ToolSearchProcessor({ tools });
    const route = registerApiRoute('/tools', { method: 'ALL', createHandler: () => processor.inspector(anybody) });
    if (!('createHandler' in route)) throw new Error('The route has no handler.');
    const app = new Hono().all(route.path, await route.createHandler({ mastra: new Mastra({ logger: false }) }));
    const page = await app.request('/tools');
    expect([page.status, page.headers.get('x-frame-options')]).toEqual([200, 'DENY']);
    expect(dataIn(await page.text()).tools.map(({ name }) => name)).toEqual(names);
    const found = await app.request(asking({ ask: 'search', query: 'weather', scorer: 'agent: words and meaning' }));
    expect(await found.json()).toMatchObject({ matches: [{ name: 'get_weather' }], isWeak: false });
  });

  it('shows the catalog of the request that the server made a context for', async () => {
    const ofUser: ToolSearchProcessorOptions['tools'] = ({ requestContext }) =>
      requestContext?.get('user') === 'ada' ? tools : { get_weather: tools['get_weather']! };
    const app = new Hono<{ Variables: { requestContext: RequestContext } }>();
    app.use(async (c, next) => {
      c.set('requestContext', new RequestContext([['user', c.req.query('user')]]));
      await next();
    });
    app.all('/tools', await new ToolSearchProcessor({ tools: ofUser }).inspector(anybody));
    const namesFor = async (user: string): Promise<readonly string[]> =>
      dataIn(await (await app.request(`/tools?user=${user}`)).text()).tools.map(({ name }) => name);
    expect([await namesFor('ada'), await namesFor('bob')]).toEqual([names, ['get_weather']]);
  });

  it('has the settings of the processor, and its own scorer before those of the page', async () => {
    const { data } = await inspect(
      { tools, search: { topK: 3, minConfidence: 0.2, keywords: { send_email: ['post'] } }, filter: () => true },
      { ...anybody, title: 'Office', cases: [{ query: 'post', relevant: ['send_email'] }] },
    );
    expect(await data()).toMatchObject({
      ...{ title: 'Office', topK: 3, minConfidence: 0.2 },
      scorers: [
        { name: 'agent: words and meaning', isLocal: false },
        ...[{ name: 'words and meaning' }, { name: 'bm25' }],
      ],
      cases: [{ id: '1', query: 'post', relevant: ['send_email'] }],
      server: { canSearch: true, canFilter: true, hasStats: true },
    });
  });

  it('says of a search what the model would be shown, why, and what comes behind it', async () => {
    const processor = new ToolSearchProcessor({ tools, search: { topK: 1 } });
    const handler = await processor.inspector(anybody);
    const answer = await handler(
      asking({ ask: 'search', query: 'email messages', scorer: 'agent: words and meaning' }),
    );
    const shown = await processor.search('email messages', { limit: 5, explain: true });
    const [first, ...rest] = shown.map(({ description: _, ...one }) => JSON.parse(JSON.stringify(one)));
    const { matches } = (await answer.json()) as { matches: { name: string }[] };
    expect(matches[0]).toEqual(first);
    expect(matches.slice(1).map(({ name }) => name)).toEqual(rest.map(({ name }) => name));
  });

  it('searches for the developer whatever the filter says, and for a user as the filter says', async () => {
    const { ask, search } = await inspect({
      tools,
      filter: ({ toolName, requestContext }) => requestContext?.get('isAdmin') === true || toolName !== 'send_email',
    });
    for (const context of [undefined, { isAdmin: true }])
      expect(await search('email', context)).toEqual(['send_email', 'read_email']);
    expect(await search('email', {})).toEqual(['read_email']);
    const some = ['read_email', 'get_weather'];
    expect(await ask({ ask: 'permitted', requestContext: {} })).toEqual({ search: some, load: some, active: some });
    expect(await search('select:send_email,read_email,gone')).toEqual(['send_email', 'read_email']);
    expect(await search('select:send_email,read_email', {})).toEqual(['read_email']);
    expect(await search(' … ')).toEqual([]);
  });

  it('tells how far searches came since it was made', async () => {
    const session = new Session({ tools });
    const handler = await session.processor.inspector(anybody);
    await session.search({ query: 'weather' });
    await session.search({ query: 'zzz' });
    const answer = await handler(asking({ ask: 'stats' }));
    expect(await answer.json()).toMatchObject({ searches: { total: 2, unmatched: 1 }, unmatched: [{ query: 'zzz' }] });
  });

  it('is answered to nobody whom authorize does not permit', async () => {
    const refusing = [
      () => false,
      () => 'yes',
      () => 1,
      () => undefined,
      () => Promise.reject(new Error('no database')),
    ];
    for (const authorize of refusing as never[]) {
      const { handler } = await inspect({ tools }, { authorize });
      expect((await handler(opening())).status).toBe(403);
      expect((await handler(asking({ ask: 'permitted', requestContext: {} }))).status).toBe(403);
    }
    const authorize = async ({ url, headers }: Request) =>
      url === 'https://office.example/tools' && headers.get('x-role') === 'developer';
    const { handler } = await inspect({ tools }, { authorize });
    const permitted = await handler(opening({ 'x-role': 'developer' }, 'https://office.example/tools'));
    expect(permitted.status).toBe(200);
  });

  it('asks for a token on the loopback without authorize, and tells it to the console alone', async () => {
    const told = vi.spyOn(console, 'info').mockImplementation(() => {});
    const { handler } = await inspect({ tools }, {});
    const get = (url: string, headers: Record<string, string> = {}) => handler(opening(headers, url));
    expect((await get('https://office.example/tools')).status).toBe(403);
    expect(told).not.toHaveBeenCalled();
    const refused = await get('http://localhost:4111/tools?x=1');
    const error = 'The console of this server tells the address with the token.';
    expect([refused.status, await refused.text()]).toEqual([401, error]);
    expect((await get('http://localhost:4111/tools')).status).toBe(401);
    expect(told).toHaveBeenCalledTimes(1);
    const [, address = ''] = /^\[tool-search\] The inspector: (.*)$/.exec(String(told.mock.calls[0]?.[0])) ?? [];
    expect(address).toMatch(/^http:\/\/localhost:4111\/tools\?token=[\w-]{32}$/);
    const opened = await get(address);
    const given = opened.headers.get('set-cookie') ?? '';
    expect([opened.status, given]).toEqual([200, expect.stringContaining('; Path=/tools; HttpOnly')]);
    expect((await get('http://localhost:4111/tools', { cookie: given.split(';')[0] ?? '' })).status).toBe(200);
    expect((await get(address.replace('localhost', 'office.example'))).status).toBe(403);
  });

  it('waits for a scorer no longer than ten seconds, and than its request lasts', async () => {
    const silent = { name: 'silent', index: () => ({ search: () => new Promise<never>(() => {}) }) };
    const { handler } = await inspect({ tools, search: { scorer: silent } });
    const question = { ask: 'search', query: 'email', scorer: 'agent: silent' };
    const statusAndError = async (asked: Promise<Response>) => [(await asked).status, await (await asked).json()];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const late = handler(asking(question));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await Promise.race([late, 'nothing'])).toBe('nothing');
    await vi.advanceTimersByTimeAsync(1);
    const error = 'The scorer "agent: silent" did not answer within 10 s.';
    expect(await statusAndError(late)).toEqual([500, { error }]);
    const controller = new AbortController();
    const aborted = handler(asking(question, {}, controller.signal));
    await vi.advanceTimersByTimeAsync(1);
    controller.abort();
    expect(await statusAndError(aborted)).toEqual([500, { error: expect.stringContaining('is aborted') }]);
  });

  const tookLong = 'The function "tools" failed: it took longer than 30 ms';
  it.each<[what: string, options: object, told: string]>([
    ['tools() throws', { tools: fails }, 'The function "tools" failed: no luck'],
    ['tools() is late', { tools: () => new Promise<never>(() => {}), timeouts: { tools: 30 } }, tookLong],
    ['the filter throws', { tools, filter: fails }, 'The filter failed for "send_email" in phase search: no luck'],
    [
      'the scorer fails',
      { tools, search: { scorer: { name: 'words and meaning', index: fails } } },
      'The scorer "words and meaning" failed: no luck',
    ],
  ])('says what failed in place of an empty answer: %s', async (what, options, told) => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { ask, data } = await inspect(options as ToolSearchProcessorOptions);
    const asked = { query: 'email', scorer: 'agent: words and meaning', requestContext: {} };
    expect(await ask({ ask: 'search', ...asked })).toEqual({ error: told });
    if (!what.includes('scorer')) expect(await ask({ ask: 'permitted', requestContext: {} })).toEqual({ error: told });
    // The page is there, where a user can be chosen whose tools are.
    expect((await data()).server?.fault).toBe(what.includes('tools()') ? told : undefined);
    await expect.poll(() => log.mock.calls.flat()).toContainEqual(expect.stringContaining('[tool-search] The '));
  });

  it('opens the page without the tools that fail for nobody in particular, and tells those of a user', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const ofUser: ToolSearchProcessorOptions['tools'] = ({ requestContext }) =>
      requestContext?.get('user') === undefined ? fails() : tools;
    const cases = [{ query: 'post', relevant: ['send_email'] }];
    const { ask, data } = await inspect({ tools: ofUser }, { ...anybody, cases });
    expect((await data()).server).toMatchObject({ fault: 'The function "tools" failed: no luck', canFilter: true });
    const permitted = await ask({ ask: 'permitted', requestContext: { user: 'ada' } });
    expect(permitted).toMatchObject({
      ...{ search: names, load: names, active: names },
      tools: names.map((name) => ({ name })),
    });
  });

  it('answers with 400 what the developer did wrong, and refuses options that it does not know', async () => {
    const { handler } = await inspect({ tools }, { ...anybody, cases: [{ query: 'fly', relevant: ['book_flight'] }] });
    const response = await handler(opening());
    const error = '"cases" wants the tool "book_flight" in case 1, which "tools" has not.';
    expect([response.status, await response.json()]).toEqual([400, { error }]);
    const processor = new ToolSearchProcessor({ tools });
    for (const options of [{ authorise: () => true }, { authorize: true }, { title: 1 }, { cases: 'x' }])
      await expect(processor.inspector(options as never)).rejects.toMatchObject({ code: 'invalid-option' });
  });
});
