import type { ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, inThread, load, rig, tool, toolRecord } from '../support/agent.ts';
import { memorySource } from '../support/memory-source.ts';
import { toolResults } from '../support/scripted-model.ts';

const TOOLS = toolRecord(
  tool('get_forecast', 'Weather forecast of a city for the next days.'),
  tool('send_email', 'Send an email message to a person.'),
  tool('create_invoice', 'Create an invoice for a customer.'),
  tool('list_invoices', 'List the invoices of a customer.'),
  tool('play_music', 'Play music from a playlist.'),
  tool('translate_text', 'Translate text into another language.'),
);
const ASKS = 'What will the weather forecast be in Phoenix?';

interface Result {
  readonly results: readonly { readonly name: string; readonly fromMessage?: true }[];
  readonly message: string;
  readonly loaded?: readonly string[];
}
type SearchEvent = Extract<ToolSearchEvent, { type: 'search' }>;

/** What the searches of a run answered, and their events. */
async function searched(
  queries: readonly unknown[],
  message: unknown = ASKS,
  options: Partial<ToolSearchProcessorOptions> = {},
) {
  const events: SearchEvent[] = [];
  const onEvent = (event: ToolSearchEvent) => void (event.type === 'search' && events.push(event));
  const script = calls(...queries.map((query) => call('search_tools', { query })));
  // By words alone, one tool fits: by meaning, others are a little like it.
  const search = { embedder: false as const, ...options.search };
  const { agent, model } = rig({ tools: TOOLS, onEvent, ...options, search }, { script });
  await agent.generate(message as never, { maxSteps: queries.length + 2 });
  const results = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => value as Result);
  return { results, events, last: results.at(-1)!, event: events.at(-1)! };
}

const names = ({ results }: Result): string[] => results.map(({ name }) => name);
const byMessage = ({ results }: Result): string[] => results.filter((one) => one.fromMessage).map(({ name }) => name);
const ALWAYS = { search: { useMessage: true } };
const NEVER = { search: { useMessage: false } };
const WEAK = 'Phoenix person lookup registry archive';
const TRANSLATE = 'translate text language';

describe("the user's message is searched as well", () => {
  it.each<[why: string, query: unknown, found: string[], reason: string, verdict: string, says: RegExp]>([
    ['a query finds nothing', '85001', ['get_forecast'], 'nothing', 'nothing', / Nothing matches "85001"\.$/],
    ['nothing clearly fits', WEAK, ['get_forecast', 'send_email'], 'weak', 'weak', /No tool clearly matches "Phoenix/],
    ['the model asks for nothing', '', ['get_forecast'], 'nothing', 'nothing', /own message\.$/],
    ['a query has no word of it', TRANSLATE, ['translate_text', 'get_forecast'], 'unrelated', 'fits', /^Found 2/],
    [
      'one of several queries asks for it',
      ['translate text', '85001'],
      ['translate_text', 'get_forecast'],
      ...(['nothing', 'fits', /^Found 2/] as const),
    ],
    [
      'one stands beside a selection',
      ['select:send_email', '85001'],
      ['send_email', 'get_forecast'],
      ...(['nothing', 'fits', /^Loaded 1/] as const),
    ],
  ])('where %s', async (_, query, found, reason, verdict, says) => {
    const { last, event } = await searched([query]);
    expect(names(last)).toEqual(found);
    expect(byMessage(last)).toEqual(['get_forecast']);
    expect(last.message).toMatch(says);
    expect(last.message).toContain("Those with fromMessage were found by the user's own message.");
    expect(last.message).not.toContain('search with other words');
    expect(event).toMatchObject({ verdict, byMessage: { reason, results: ['get_forecast'] } });
  });

  it('where a query comes again in a run', async () => {
    const message = 'Send me an email with the weather forecast and play music';
    const { results, events } = await searched(['weather email', 'Weather, email!'], message);
    expect(events.map((event) => event.byMessage?.reason)).toEqual([undefined, 'repeated']);
    expect(byMessage(results[0]!)).toEqual([]);
    expect(byMessage(results[1]!)).toContain('play_music');
  });

  it('in every search with true, behind what the query finds', async () => {
    const message = 'Create an invoice for the customer and send it by email';
    const { last, event } = await searched(['send an email message'], message, ALWAYS);
    expect(names(last)[0]).toBe('send_email');
    expect(byMessage(last)).toContain('create_invoice');
    expect(event.byMessage?.reason).toBe('always');
  });

  const long = 'There is a lot to tell about my colleagues and our holidays by the sea. '.repeat(5);
  const earlier = [
    { role: 'user', content: 'play music' },
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: ASKS },
  ];
  it.each<[what: string, query: string, message: unknown, best: string, options?: object]>([
    ['within the number of results', TRANSLATE, ASKS, 'translate_text', { search: { topK: 1 } }],
    ['clause by clause where it is long', '85001', `${long} Send an email message.`, 'send_email'],
    ['and no earlier one', '85001', earlier, 'get_forecast'],
  ])('%s', async (_, query, message, best, options) => {
    const { last } = await searched([query], message, options);
    expect(names(last)[0]).toBe(best);
    expect(names(last)).not.toContain('play_music');
    if (options) expect([names(last).length, last.message]).toEqual([1, expect.not.stringMatching(/fromMessage/)]);
  });
});

describe("the user's message is not searched", () => {
  const image = [{ role: 'user', content: [{ type: 'file', data: 'aGk=', mediaType: 'image/png' }] }];
  it.each<[why: string, query: string, message: unknown, found: string[], options?: object]>([
    ['where a query fits that has a word of it', 'forecast of the weather', ASKS, ['get_forecast']],
    ['where it is one of several words of it', 'email', `${ASKS} Send an email.`, ['send_email']],
    ['for a selection', 'select:send_email', ASKS, ['send_email'], ALWAYS],
    ['with false, for a query that finds nothing', '85001', ASKS, [], NEVER],
    ['with false, for a query that has no word of it', TRANSLATE, ASKS, ['translate_text'], NEVER],
    ['with false, for an empty query', '', ASKS, [], NEVER],
    ['where it is small talk', '85001', 'Hello, thanks!', [], ALWAYS],
    ['where it has no text', '85001', image, [], ALWAYS],
  ])('%s', async (_, query, message, found, options) => {
    const { last, event } = await searched([query], message, options);
    expect([names(last), byMessage(last)]).toEqual([found, []]);
    expect(event).not.toHaveProperty('byMessage');
  });
});

it('what nothing clearly matches is shown, too, where the query found nothing, and marked', async () => {
  const vague = 'Which person wrote the oldest saga about seafaring in Iceland?';
  const { last, event } = await searched(['85001'], vague);
  const [found, ...others] = last.results;
  expect([found?.fromMessage, others]).toEqual([true, []]);
  expect(last.message).toMatch(
    /^Those with fromMessage .* none clearly matches it: read the descriptions .* Nothing matches "85001"\.$/,
  );
  expect(event).toMatchObject({ verdict: 'nothing', byMessage: { reason: 'nothing', results: [found?.name] } });
  const loading = await searched(['85001'], vague, { search: { autoLoad: true } });
  expect(loading.last.message).toContain(`No tool clearly matches "85001"; the closest were loaded: ${found?.name}.`);
});

it('nothing is added where nothing matches the message', async () => {
  const { last, event } = await searched(['85001'], 'xyzzy plugh qwertz');
  expect(last).toEqual({ results: [], message: 'No tools found matching "85001". Try different keywords.' });
  expect(event.byMessage).toEqual({ reason: 'nothing', results: [] });
});

it('a query that is only the name of an app is weak: its first four results are nearly alike', async () => {
  const of = (app: string) =>
    ['forecast', 'alerts', 'radar', 'tides', 'stations'].map((what) =>
      tool(`${app}_${what}`, `The ${what} of ${app}.`),
    );
  const tools = toolRecord(...of('skyview'), tool('clock_time', 'The time.'), tool('list_files', 'Lists files.'));
  const { event } = await searched(['skyview'], 'Are there tides tonight at Saint-Malo, says skyview?', { tools });
  expect(event.byMessage?.reason).toBe('weak');
  const clear = await searched(['skyview tides'], 'Are there tides tonight at Saint-Malo, says skyview?', { tools });
  expect(clear.event.byMessage).toBeUndefined();
});

it.each(['search', 'load'])('a tool that the filter denies in phase %s leaves no trace', async (denied) => {
  const { last, event } = await searched(['85001'], ASKS, {
    search: { autoLoad: true },
    filter: ({ toolName, phase }: { toolName: string; phase: string }) =>
      toolName !== 'get_forecast' || phase !== denied,
  });
  expect(JSON.stringify([last, event])).not.toContain('forecast');
  expect(last.message).toContain('No tools found matching "85001"');
});

it('what the message found is loaded with autoLoad, and has its definition in call mode', async () => {
  const { last, event } = await searched(['85001'], ASKS, { search: { autoLoad: true } });
  expect([last.loaded, event.loaded]).toEqual([['get_forecast'], ['get_forecast']]);
  expect(last.message).toContain('Found and loaded 1 tool(s): get_forecast.');
  const inCallMode = await searched(['85001'], ASKS, { mode: 'call' });
  const found = { name: 'get_forecast', fromMessage: true, parameters: expect.anything() };
  expect(inCallMode.last.results).toMatchObject([found]);
});

it.each([0, 6])('a source is asked once for a message, also with %d clauses more, and not again', async (more) => {
  const source = await memorySource(TOOLS);
  const message = `${ASKS} ${'Then look at it from every side, and take your time. '.repeat(more)}`;
  const { results } = await searched(['85001', '85002'], message, { tools: source });
  expect(results.map(names)).toEqual([['get_forecast'], ['get_forecast']]);
  const texts = source.asked.filter(({ operation }) => operation === 'search').map(({ what }) => what);
  expect(texts.filter((text) => text.startsWith('850'))).toEqual(['85001', '85002']);
  expect(texts).toHaveLength(3);
});

it('nothing is learned of the message', async () => {
  const events: string[] = [];
  const script = calls(call('search_tools', { query: '85001' }), load('get_forecast'), call('get_forecast', {}));
  const onEvent = ({ type }: ToolSearchEvent) => events.push(type);
  const { agent, processor } = rig({ tools: TOOLS, learning: { scope: 'global' }, onEvent }, { script });
  await agent.generate(ASKS, inThread);
  expect(events).toContain('call');
  expect(events).not.toContain('learn');
  const lifts = await processor.search('forecast 85001', { explain: true });
  expect(lifts.map(({ byUse }) => byUse)).toEqual(lifts.map(() => undefined));
});
