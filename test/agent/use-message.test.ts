import fc from 'fast-check';
import type { ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, rig, tool, toolRecord } from '../support/harness.ts';
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
  readonly results: readonly { readonly name: string; readonly fromMessage?: true; readonly queries?: string[] }[];
  readonly message: string;
  readonly loaded?: readonly string[];
}
type SearchEvent = Extract<ToolSearchEvent, { type: 'search' }>;
type Options = Partial<ToolSearchProcessorOptions>;

/** What the searches of a run answered, and their events. */
async function searched(queries: readonly unknown[], message: unknown, options: Options = {}) {
  const events: SearchEvent[] = [];
  const onEvent = (event: ToolSearchEvent): void => {
    if (event.type === 'search') events.push(event);
  };
  const script = calls(...queries.map((query) => call('search_tools', { query })));
  const agent = { defaultOptions: { maxSteps: queries.length + 2 } };
  const { agent: asked, model } = rig({ tools: TOOLS, onEvent, ...options }, { script, agent });
  await asked.generate(message as never);
  const results = toolResults(model.calls.at(-1)?.prompt ?? []).map(({ value }) => value as Result);
  return { results, events, last: results.at(-1) as Result, event: events.at(-1) as SearchEvent };
}

const names = ({ results }: Result): string[] => results.map(({ name }) => name);
const byMessage = ({ results }: Result): string[] => results.filter((one) => one.fromMessage).map(({ name }) => name);

describe("the user's message is searched as well", () => {
  const weak = 'Phoenix person lookup registry archive';
  it.each<[why: string, queries: unknown[], found: string[], reason: string, verdict: string, says: RegExp]>([
    ['a query finds nothing', ['AZ 85001'], ['get_forecast'], 'nothing', 'nothing', / Nothing matches "AZ 85001"\.$/],
    [
      'nothing clearly fits',
      [weak],
      ['get_forecast', 'send_email'],
      'weak',
      'weak',
      /No tool clearly matches "Phoenix/,
    ],
    ['the model asks for nothing', [''], ['get_forecast'], 'nothing', 'nothing', /own message\.$/],
    [
      'a query has no word in common with it',
      ['translate text language'],
      ['translate_text', 'get_forecast'],
      'unrelated',
      'fits',
      /^Found 2/,
    ],
    [
      'one of several queries asks for it',
      [['translate text', 'AZ 85001']],
      ['translate_text', 'get_forecast'],
      'nothing',
      'fits',
      /^Found 2/,
    ],
    [
      'one stands beside a selection',
      [['select:send_email', 'AZ 85001']],
      ['send_email', 'get_forecast'],
      'nothing',
      'fits',
      /^Loaded 1/,
    ],
  ])('where %s', async (_, queries, found, reason, verdict, says) => {
    const { last, event } = await searched(queries, ASKS);
    expect(names(last)).toEqual(found);
    expect(byMessage(last)).toEqual(['get_forecast']);
    expect(last.message).toMatch(says);
    expect(last.message).toContain("Those with fromMessage were found by the user's own message.");
    expect(last.message).not.toContain('search with other words');
    expect(event).toMatchObject({ verdict, byMessage: { reason, results: ['get_forecast'] } });
  });

  it('where a query comes again in a run', async () => {
    const { results, events } = await searched(
      ['weather email', 'Weather, email!'],
      'Send me an email with the weather forecast and play music',
    );
    expect(events.map((event) => event.byMessage?.reason)).toEqual([undefined, 'repeated']);
    expect(byMessage(results[0] as Result)).toEqual([]);
    expect(byMessage(results[1] as Result)).toContain('play_music');
  });

  it('in every search with true, behind what the query finds', async () => {
    const message = 'Create an invoice for the customer and send it by email';
    const query = 'send an email message';
    const { last, event } = await searched([query], message, { search: { useMessage: true } });
    expect(names(last)[0]).toBe('send_email');
    expect(byMessage(last)).toContain('create_invoice');
    expect(event.byMessage?.reason).toBe('always');
  });

  it('within the number of results', async () => {
    const { last } = await searched(['translate text language'], ASKS, { search: { topK: 1 } });
    expect(names(last)).toEqual(['translate_text']);
    expect(last.message).not.toContain('fromMessage');
  });
});

describe("the user's message is not searched", () => {
  it('where a query fits that has a word of it', async () => {
    const { last, event } = await searched(['forecast of the weather'], ASKS);
    expect(names(last)).toEqual(['get_forecast']);
    expect(event).not.toHaveProperty('byMessage');
  });

  it.each([['AZ 85001'], ['translate text language'], ['']])('with false: %j', async (query) => {
    const { last, event } = await searched([query], ASKS, { search: { useMessage: false } });
    expect(byMessage(last)).toEqual([]);
    expect(names(last)).not.toContain('get_forecast');
    expect(event).not.toHaveProperty('byMessage');
  });

  it.each([
    ['Hello, thanks!'],
    [[{ role: 'user', content: [{ type: 'file', data: 'aGk=', mediaType: 'image/png' }] }]],
  ])('where it says nothing: %j', async (message) => {
    const { last, event } = await searched(['AZ 85001'], message, { search: { useMessage: true } });
    expect(last).toEqual({ results: [], message: 'No tools found matching "AZ 85001". Try different keywords.' });
    expect(event).not.toHaveProperty('byMessage');
  });

  it('for a selection', async () => {
    const { last, event } = await searched(['select:send_email'], ASKS, { search: { useMessage: true } });
    expect(names(last)).toEqual(['send_email']);
    expect(event).not.toHaveProperty('byMessage');
  });
});

it('adds nothing where nothing clearly matches the message', async () => {
  const { last, event } = await searched(
    ['AZ 85001'],
    'Which person wrote the oldest saga about seafaring in Iceland?',
  );
  expect(last.results).toEqual([]);
  expect(last.message).toBe('No tools found matching "AZ 85001". Try different keywords.');
  expect(event.byMessage).toEqual({ reason: 'nothing', results: [] });
});

it('finds what the last message asks for, and not what an earlier one did', async () => {
  const { last } = await searched(
    ['AZ 85001'],
    [
      { role: 'user', content: 'play music' },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: ASKS },
    ],
  );
  expect(names(last)).toEqual(['get_forecast']);
});

describe('a tool that the filter denies', () => {
  it.each(['search', 'load'] as const)('leaves no trace, denied in the phase %s', async (denied) => {
    const { last, event } = await searched(['AZ 85001'], ASKS, {
      search: { autoLoad: true },
      filter: ({ toolName, phase }) => toolName !== 'get_forecast' || phase !== denied,
    });
    expect(JSON.stringify([last, event])).not.toContain('forecast');
    expect(last.message).toContain('No tools found matching "AZ 85001"');
  });
});

it('loads what the message found, with autoLoad', async () => {
  const { last, event } = await searched(['AZ 85001'], ASKS, { search: { autoLoad: true } });
  expect(last.loaded).toEqual(['get_forecast']);
  expect(last.message).toContain('Found and loaded 1 tool(s): get_forecast.');
  expect(event.loaded).toEqual(['get_forecast']);
});

it('has definitions in call mode', async () => {
  const { last } = await searched(['AZ 85001'], ASKS, { mode: 'call' });
  expect(last.results).toMatchObject([{ name: 'get_forecast', fromMessage: true, parameters: expect.anything() }]);
});

it.each([
  ['a message', ASKS],
  ['a long message', `${ASKS} ${'Then look at it from every side, and take your time. '.repeat(6)}`],
])('asks a source once for %s, and not again in the same run', async (_, message) => {
  const source = await memorySource();
  await source.fill(TOOLS);
  const { results } = await searched(['AZ 85001', 'AZ 85002'], message, { tools: source });
  expect(results.map(names)).toEqual([['get_forecast'], ['get_forecast']]);
  const texts = source.asked.filter(({ operation }) => operation === 'search').map(({ what }) => what);
  expect(texts.filter((text) => text.startsWith('AZ'))).toEqual(['AZ 85001', 'AZ 85002']);
  expect(texts.filter((text) => !text.startsWith('AZ'))).toHaveLength(1);
});

it('finds a long message by its clauses', async () => {
  const long = `${'There is a lot to tell about my colleagues and our holidays by the sea. '.repeat(5)} Send an email message.`;
  const { last } = await searched(['AZ 85001'], long);
  expect(names(last)[0]).toBe('send_email');
});

it('learns nothing of the message', async () => {
  const events: string[] = [];
  const script = calls(call('search_tools', { query: 'AZ 85001' }), call('get_forecast', {}));
  const { agent, processor } = rig(
    { tools: TOOLS, learning: { scope: 'global' }, onMiss: 'run', onEvent: ({ type }) => events.push(type) },
    { script },
  );
  await agent.generate(ASKS, { memory: { thread: 't', resource: 'r' } });
  expect(events).toContain('run-on-miss');
  expect(events).not.toContain('learn');
  const lifts = await processor.search('forecast AZ 85001', { explain: true });
  expect(lifts.map(({ byUse }) => byUse)).toEqual(lifts.map(() => undefined));
});

it("with 'fallback', answers a clear query that has a word of the message as with false", async () => {
  const subjects = ['weather forecast city', 'send email message', 'play music playlist', 'translate text language'];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...subjects), fc.array(fc.constantFrom(...subjects)), async (query, others) => {
      const message = [...others, query].join(' and ');
      const [fallback, off] = await Promise.all(
        (['fallback', false] as const).map((useMessage) => searched([query], message, { search: { useMessage } })),
      );
      expect(fallback?.last).toEqual(off?.last);
    }),
    { numRuns: 20 },
  );
});

it('refuses another value', () => {
  const options = { tools: TOOLS, search: { useMessage: 'always' } } as never;
  expect(() => rig(options)).toThrow(/search\.useMessage.*true, false or 'fallback'/);
});
