import { RequestContext } from '@mastra/core/request-context';
import {
  type MastraTool,
  type ToolScorer,
  ToolSearchError,
  type ToolSearchEvent,
  type ToolSearchFilter,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
  type ToolSource,
} from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { email, tool, toolRecord, weather } from '../support/harness.ts';
import { memorySource } from '../support/memory-source.ts';
import { type Line, scripted } from '../support/scripted-scorer.ts';

const LETTERS = [...'abcdefgh'];
const tools = () => toolRecord(...LETTERS.map((letter) => tool(letter)));
const all: readonly Line[] = LETTERS.map((letter, at) => [letter, 10 - at, 0.5 - at / 100]);

function make(options: ToolSearchProcessorOptions): { processor: ToolSearchProcessor; events: ToolSearchEvent[] } {
  const events: ToolSearchEvent[] = [];
  return { processor: new ToolSearchProcessor({ ...options, onEvent: (event) => events.push(event) }), events };
}
const processorWith = (lines: readonly Line[] | Error, search: object = {}, more: object = {}) =>
  make({ tools: tools(), search: { scorer: scripted({ x: lines }), ...search }, ...more });
const names = (found: readonly { name: string }[]): string => found.map(({ name }) => name).join('');

describe('processor.search()', () => {
  it('returns names, full descriptions, scores and confidence, unrounded, best first', async () => {
    const description = 'Does it. '.repeat(100).trim();
    const scorer = scripted({
      x: [
        ['long', 3.987654321, 0.98765],
        ['get_weather', 2],
      ],
    });
    const { processor } = make({ tools: toolRecord(weather(), tool('long', description)), search: { scorer } });
    expect(await processor.search('x')).toEqual([
      { name: 'long', description, score: 3.987654321, confidence: 0.98765 },
      { name: 'get_weather', description: 'Get the current weather of a city.', score: 2 },
    ]);
  });

  it.each([
    { limit: undefined, names: 'abcde' },
    { limit: 2, names: 'ab' },
    { limit: 1_000, names: 'abcdefgh' },
    { limit: Number.POSITIVE_INFINITY, names: 'abcdefgh' },
    { limit: 0, names: '' },
    { limit: -1, names: '' },
  ])('returns "$names" for a limit of $limit', async ({ limit, names: expected }) => {
    const { processor } = processorWith(all);
    expect(names(await processor.search('x', limit === undefined ? {} : { limit }))).toBe(expected);
  });

  it.each(['', '  ', '...', '+', 'select:', 'y'])('returns nothing for the query "%s"', async (query) => {
    expect(await processorWith(all).processor.search(query)).toEqual([]);
  });

  it('returns nothing that is below minScore or minConfidence', async () => {
    const { processor } = processorWith(all, { minScore: 6, minConfidence: 0.475 });
    expect(names(await processor.search('x'))).toBe('abc');
    const other = processorWith(all, { minScore: 8, minConfidence: 0.1 });
    expect(names(await other.processor.search('x'))).toBe('ab');
  });

  it('returns tools by exact name for select:, in the order asked, each once, and loads nothing', async () => {
    const session = new Session({ tools: tools() });
    expect(await session.processor.search('select:c,a,c,qqqq')).toEqual([
      { name: 'c', description: 'Does c.', score: 1 },
      { name: 'a', description: 'Does a.', score: 1 },
    ]);
    expect(await session.sent()).toEqual([]);
  });

  it('sends no event of what it finds and loads nothing, also with autoLoad', async () => {
    const options = { tools: toolRecord(weather(), email()), search: { autoLoad: true } };
    const session = new Session(options);
    expect(names(await session.processor.search('weather', { requestContext: session.requestContext }))).toBe(
      'get_weather',
    );
    expect(session.events).toEqual([]);
    expect(await session.sent()).toEqual([]);
    expect(session.processor.getStateStats().threadCount).toBe(0);
  });

  it('returns what a search of the model would load, with autoLoad', async () => {
    const filter: ToolSearchFilter = ({ phase, toolName }) => phase !== 'load' || toolName !== 'a';
    expect(names(await processorWith(all, { autoLoad: true }, { filter }).processor.search('x', { limit: 3 }))).toBe(
      'bcd',
    );
    expect(names(await processorWith(all, {}, { filter }).processor.search('x', { limit: 3 }))).toBe('abc');
  });

  it('returns what the model gets for the same query', async () => {
    const session = new Session({ tools: toolRecord(weather(), email(), tool('get_forecast', 'Weather to come.')) });
    const { results } = await session.search({ query: 'weather forecast' });
    const found = await session.processor.search('weather forecast');
    expect(found.map(({ name, description }) => ({ name, description }))).toEqual(
      results.map(({ name, description }) => ({ name, description })),
    );
    for (const [at, { score, confidence }] of found.entries()) {
      expect(score).toBeCloseTo(results[at]?.score ?? 0, 2);
      expect(confidence).toBeCloseTo(results[at]?.confidence ?? 0, 2);
    }
  });
});

describe('processor.search() for a request', () => {
  it('asks the search phase of the filter with the request context', async () => {
    const asked: string[] = [];
    const filter: ToolSearchFilter = ({ toolName, phase, requestContext }) => {
      asked.push(phase);
      return requestContext?.get('plan') === 'pro' || toolName > 'c';
    };
    const { processor } = processorWith(all, {}, { filter });
    const requestContext = new RequestContext([['plan', 'pro']] as never);
    expect(names(await processor.search('x', { requestContext }))).toBe('abcde');
    expect(names(await processor.search('x'))).toBe('defgh');
    expect(names(await processor.search('select:a,d'))).toBe('d');
    expect(names(await processor.search('select:a,d', { requestContext }))).toBe('ad');
    expect([...new Set(asked)]).toEqual(['search']);
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
    const others = make({ tools: toolRecord(email()) });
    expect(await others.processor.search('weather', request)).toEqual([]);
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
  const late = expect.stringContaining('took longer than 30 ms');
  const timeouts = { tools: 30, filter: 30 };
  const catalog = toolRecord(weather(), email());

  const function_ = 'The function "tools" failed';
  const filtered = 'The filter failed for "get_weather" in phase';
  const scorer = { name: 'scripted', index: rejects };
  const loads: ToolSearchFilter = ({ phase }) => phase !== 'load' || fails();
  const select = 'select:get_weather';

  type Fault = [
    what: string,
    options: ToolSearchProcessorOptions,
    told: string,
    query?: string | undefined,
    why?: unknown,
  ];
  it.each<Fault>([
    ['tools() throws', { tools: fails }, function_],
    ['tools() rejects', { tools: rejects }, function_],
    ['tools() is late', { tools: hangs, timeouts }, function_, undefined, late],
    ['tools() returns no tools', { tools: (() => 7) as never }, function_, undefined, expect.any(String)],
    ['tools() throws, and nothing is asked for', { tools: fails }, function_, ''],
    ['search() of a source rejects', { tools: down }, 'The source "registry" failed at search()'],
    ['search() of a source is late', { tools: hanging, timeouts }, 'The source "registry" failed at', undefined, late],
    ['get() of a source rejects', { tools: down }, 'The source "registry" failed at get()', select],
    ['the filter throws', { tools: catalog, filter: fails }, `${filtered} search`],
    ['the filter is late', { tools: catalog, filter: hangs, timeouts }, `${filtered} search`, undefined, late],
    ['the filter throws for a select:', { tools: catalog, filter: fails }, `${filtered} search`, select],
    [
      'the filter throws in phase load',
      { tools: catalog, search: { autoLoad: true }, filter: loads },
      `${filtered} load`,
    ],
    [
      'the scorer cannot search',
      { tools: catalog, search: { scorer: scripted({ weather: new Error('no luck') }) } },
      'The scorer "scripted" failed',
    ],
    ['the scorer cannot index', { tools: catalog, search: { scorer } }, 'The scorer "scripted" failed'],
  ])(
    'rejects with its cause, reports it and logs it at once: %s',
    async (_, options, told, query = 'weather', why = 'no luck') => {
      const event = `${/^The (?:function ")?(\w+)/.exec(told)?.[1]}-failed`;
      const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
      try {
        const { processor, events } = make(options);
        const error = await processor.search(query).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(ToolSearchError);
        expect(error).toMatchObject({ code: 'search-failed', message: expect.stringContaining(told) });
        expect((error as Error).message).toContain(String(((error as Error).cause as Error).message));
        expect((error as Error).cause).toMatchObject({ message: why });
        expect(events.map(({ type }) => type)).toContain(event);
        await expect.poll(() => log.mock.calls.flat()).toContainEqual(expect.stringContaining('[tool-search] The '));
      } finally {
        log.mockRestore();
      }
    },
  );

  it('returns what is left, and logs the fault at once', async () => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { processor } = make({
      tools: toolRecord(weather(), tool('get_forecast', 'Weather to come.')),
      filter: ({ toolName }) => toolName !== 'get_weather' || fails(),
    });
    expect(names(await processor.search('weather'))).toBe('get_forecast');
    await expect.poll(() => log.mock.calls.flat()).toContainEqual(expect.stringContaining('The filter failed for'));
    log.mockRestore();
  });

  it('resolves no stub, and reads no store of loaded tools', async () => {
    const stub = { id: 'get_weather', description: 'Get the current weather of a city.', resolve: rejects };
    const storage = { get: rejects, add: rejects, clear: rejects };
    const { processor, events } = make({ tools: { stub }, storage });
    expect(names(await processor.search('weather'))).toBe('get_weather');
    expect(events).toEqual([]);
  });

  it('returns nothing where nothing failed and nothing fits', async () => {
    const { processor } = make({ tools: () => catalog, filter: () => false });
    expect(await processor.search('weather')).toEqual([]);
  });

  it('rejects with an error that has a code, or leaves out the explanation, when explain() fails', async () => {
    const explain = (): never => {
      throw new Error('no luck');
    };
    const scorer: ToolScorer = {
      name: 'scripted',
      index: () => ({ search: () => [{ name: 'a', score: 1 }], explain }),
    };
    const { processor } = make({ tools: tools(), search: { scorer } });
    const outcome = await processor.search('x', { explain: true }).catch((reason: unknown) => reason);
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'search-failed' });
    else expect(outcome).toEqual([{ name: 'a', description: 'Does a.', score: 1 }]);
  });

  it('answers a query that needs no scorer', async () => {
    const { processor, events } = processorWith(new Error('no luck'));
    expect(names(await processor.search('select:a'))).toBe('a');
    expect(await processor.search('')).toEqual([]);
    expect(events).toEqual([]);
  });
});
