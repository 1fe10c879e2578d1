import { RequestContext } from '@mastra/core/request-context';
import {
  type MastraTool,
  type ToolScorer,
  ToolSearchError,
  type ToolSearchEvent,
  type ToolSearchFilter,
  ToolSearchProcessor,
  type ToolSource,
} from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { email, tool, toolRecord, weather } from '../support/agent.ts';
import { memorySource } from '../support/memory-source.ts';
import { type Line, scripted } from '../support/scripted-scorer.ts';

const LETTERS = [...'abcdefgh'];
const tools = () => toolRecord(...LETTERS.map((letter) => tool(letter)));
const all: readonly Line[] = LETTERS.map((letter, at) => [letter, 10 - at, 0.5 - at / 100]);

function make(options: object): { processor: ToolSearchProcessor; events: ToolSearchEvent[] } {
  const events: ToolSearchEvent[] = [];
  const onEvent = (event: ToolSearchEvent) => events.push(event);
  return { processor: new ToolSearchProcessor({ ...options, onEvent }), events };
}
/** A processor whose scorer finds these lines for the query x. */
const over = (lines: readonly Line[] | Error, search: object = {}, more: object = {}) =>
  make({ tools: tools(), search: { scorer: scripted({ x: lines }), ...search }, ...more });
const names = (found: readonly { name: string }[]): string => found.map(({ name }) => name).join('');

describe('processor.search()', () => {
  it('returns names, full descriptions, scores and confidence, unrounded, best first', async () => {
    const description = 'Does it. '.repeat(100).trim();
    const lines: Line[] = [
      ['long', 3.987654321, 0.98765],
      ['get_weather', 2],
    ];
    const { processor } = over(lines, {}, { tools: toolRecord(weather(), tool('long', description)) });
    expect(await processor.search('x')).toEqual([
      { name: 'long', description, score: 3.987654321, confidence: 0.98765 },
      { name: 'get_weather', description: 'Get the current weather of a city.', score: 2 },
    ]);
  });

  const noLoad: ToolSearchFilter = ({ phase, toolName }) => phase !== 'load' || toolName !== 'a';
  it.each<[why: string, query: string, limit: number | undefined, found: string, search?: object, more?: object]>([
    ['topK without a limit', 'x', undefined, 'abcde'],
    ['as many as the limit', 'x', 2, 'ab'],
    ['all below a high limit', 'x', Number.POSITIVE_INFINITY, 'abcdefgh'],
    ['none for the limit 0', 'x', 0, ''],
    ['none for a limit below', 'x', -1, ''],
    ['none for a query without words', '...', undefined, ''],
    ['none for an empty selection', 'select:', undefined, ''],
    ['none where nothing matches', 'y', undefined, ''],
    ['none below minConfidence', 'x', undefined, 'abc', { minScore: 6, minConfidence: 0.475 }],
    ['none below minScore', 'x', undefined, 'ab', { minScore: 8, minConfidence: 0.1 }],
    ['what a search of the model would load, with autoLoad', 'x', 3, 'bcd', { autoLoad: true }, { filter: noLoad }],
    ['what may not be loaded, without', 'x', 3, 'abc', {}, { filter: noLoad }],
    ['names of a selection in the order asked, each once', 'select:c,a,c,qqqq', undefined, 'ca'],
  ])('returns %s', async (_, query, limit, found, search, more) => {
    const { processor } = over(all, search, more);
    expect(names(await processor.search(query, limit === undefined ? {} : { limit }))).toBe(found);
  });

  it('returns what the model gets, loads nothing and sends no event, also with autoLoad', async () => {
    const catalog = toolRecord(weather(), email(), tool('get_forecast', 'Weather to come.'));
    const { results } = await new Session({ tools: catalog }).search({ query: 'weather forecast' });
    const session = new Session({ tools: catalog, search: { autoLoad: true } });
    const { processor, requestContext } = session;
    const found = await processor.search('weather forecast', { requestContext });
    expect(found).toMatchObject(
      results.map(({ name, description, score, confidence = 0 }) => ({
        ...{ name, description, score: expect.closeTo(score, 2), confidence: expect.closeTo(confidence, 2) },
      })),
    );
    expect(await processor.search('select:send_email', { requestContext })).toMatchObject([{ score: 1 }]);
    expect([session.events, processor.getStateStats().threadCount]).toEqual([[], 0]);
    expect(await session.sent()).toEqual([]);
  });

  it('asks the search phase of the filter with the request context', async () => {
    const asked = new Set<string>();
    const filter: ToolSearchFilter = ({ toolName, phase, requestContext }) => {
      asked.add(phase);
      return requestContext?.get('plan') === 'pro' || toolName > 'c';
    };
    const { processor } = over(all, {}, { filter });
    const request = { requestContext: new RequestContext([['plan', 'pro']] as never) };
    const found = [];
    for (const query of ['x', 'select:a,d'])
      found.push(names(await processor.search(query, request)), names(await processor.search(query)));
    expect(found).toEqual(['abcde', 'defgh', 'ad', 'd']);
    expect([...asked]).toEqual(['search']);
  });

  it("searches the request's own tools with includeResolvedTools, and no other request does", async () => {
    const { processor } = make({ tools: toolRecord(email()), includeResolvedTools: true });
    const request: { tools: Record<string, MastraTool> } = { tools: { weather_of_city: weather() } };
    for (const query of ['weather', 'select:weather_of_city']) {
      expect(names(await processor.search(query, request))).toBe('get_weather');
      expect(await processor.search(query)).toEqual([]);
    }
    expect(names(await processor.search('email', request))).toBe('send_email');
    // Also where the request object is used again.
    request.tools = toolRecord(tool('get_forecast', 'Weather to come.'));
    expect(names(await processor.search('weather', request))).toBe('get_forecast');
    expect(await make({ tools: toolRecord(email()) }).processor.search('weather', request)).toEqual([]);
  });
});

const sourceWith = async (fault: unknown): Promise<ToolSource> =>
  Object.assign(await memorySource({}, { name: 'registry' }), { fault });
const down = await sourceWith(new Error('no luck'));
const hanging = await sourceWith(new Promise(() => {}));

describe('processor.search() where something fails', () => {
  const fails = (): never => {
    throw new Error('no luck');
  };
  const rejects = async (): Promise<never> => fails();
  const hangs = (): Promise<never> => new Promise(() => {});
  const timeouts = { tools: 30, filter: 30 };
  const catalog = toolRecord(weather(), email());
  const LATE = expect.stringContaining('took longer than 30 ms');

  const FUNCTION = 'The function "tools" failed';
  const FILTER = 'The filter failed for "get_weather" in phase';
  const SCORER = 'The scorer "scripted" failed';
  const SEARCH = 'The source "registry" failed at search()';
  const scorer = { name: 'scripted', index: rejects };
  const loads: ToolSearchFilter = ({ phase }) => phase !== 'load' || fails();
  const select = 'select:get_weather';

  it.each<[what: string, options: object, told: string, query?: string, why?: unknown]>([
    ['tools() throws', { tools: fails }, FUNCTION],
    ['tools() is late', { tools: hangs, timeouts }, FUNCTION, 'weather', LATE],
    ['tools() returns no tools', { tools: () => 7 }, FUNCTION, 'weather', expect.any(String)],
    ['tools() throws, and nothing is asked for', { tools: fails }, FUNCTION, ''],
    ['search() of a source rejects', { tools: down }, SEARCH],
    ['search() of a source is late', { tools: hanging, timeouts }, SEARCH, 'weather', LATE],
    ['get() of a source rejects', { tools: down }, 'The source "registry" failed at get()', select],
    ['the filter throws', { tools: catalog, filter: fails }, `${FILTER} search`],
    ['the filter is late', { tools: catalog, filter: hangs, timeouts }, `${FILTER} search`, 'weather', LATE],
    ['the filter throws for a select:', { tools: catalog, filter: fails }, `${FILTER} search`, select],
    ['the filter throws for a load', { tools: catalog, search: { autoLoad: true }, filter: loads }, `${FILTER} load`],
    ['no search', { tools: catalog, search: { scorer: scripted({ weather: new Error('no luck') }) } }, SCORER],
    ['no index', { tools: catalog, search: { scorer } }, SCORER],
  ])('rejects with its cause, reports it and logs it at once: %s', async (...[, options, told, query, why]) => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { processor, events } = make(options);
    const error = (await processor.search(query ?? 'weather').catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(ToolSearchError);
    const { message } = error.cause as Error;
    expect(message).toEqual(why ?? 'no luck');
    expect(error).toMatchObject({ code: 'search-failed', message: expect.stringContaining(told) });
    expect(error.message).toContain(message);
    const event = `${/^The (?:function ")?(\w+)/.exec(told)?.[1]}-failed`;
    expect(events.map(({ type }) => type)).toContain(event);
    await expect.poll(() => log.mock.calls.flat()).toContainEqual(expect.stringContaining('[tool-search] The '));
    log.mockRestore();
  });

  it('returns what is left, and logs the fault at once', async () => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const filter: ToolSearchFilter = ({ toolName }) => toolName !== 'get_weather' || fails();
    const { processor } = make({ tools: toolRecord(weather(), tool('get_forecast', 'Weather to come.')), filter });
    expect(names(await processor.search('weather'))).toBe('get_forecast');
    await expect.poll(() => log.mock.calls.flat()).toContainEqual(expect.stringContaining('The filter failed for'));
    log.mockRestore();
  });

  const description = 'Get the current weather of a city.';
  it.each<[what: string, options: object, query: string, found: string]>([
    [
      'resolves no stub',
      { tools: { stub: { id: 'get_weather', description, resolve: rejects } } },
      'weather',
      'get_weather',
    ],
    [
      'reads no store',
      { tools: catalog, storage: { get: rejects, add: rejects, clear: rejects } },
      'email',
      'send_email',
    ],
    ['finds nothing where all is forbidden', { tools: () => catalog, filter: () => false }, 'weather', ''],
    ['needs no scorer for names', { tools: tools(), search: { scorer } }, 'select:a', 'a'],
    ['needs no scorer for nothing', { tools: tools(), search: { scorer } }, '', ''],
  ])('is at no fault where it %s', async (_, options, query, found) => {
    const { processor, events } = make(options);
    expect(names(await processor.search(query))).toBe(found);
    expect(events).toEqual([]);
  });

  it('leaves out the explanation when explain() fails, which is reported', async () => {
    const explaining: ToolScorer = {
      name: 'scripted',
      index: () => ({ search: () => [{ name: 'a', score: 1 }], explain: fails }),
    };
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { processor, events } = make({ tools: tools(), search: { scorer: explaining } });
    const found = await processor.search('x', { explain: true });
    expect(found).toEqual([{ name: 'a', description: 'Does a.', score: 1 }]);
    expect(events).toMatchObject([{ type: 'scorer-failed', survived: true }]);
    log.mockRestore();
  });
});
