import { memoryStore, ToolSearchError, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';

const tools = () => toolRecord(tool('get_weather'), tool('send_email'));
const also = (value: object): object => ({ tools: tools(), ...value });
const search = (value: object): object => also({ search: value });
const metaTools = (value: unknown): object => also({ metaTools: value });
const below = (value: unknown): object => also({ passthroughBelow: value });
const preselect = (value: unknown): object => also({ preselect: value });

const make = (options: unknown) => new ToolSearchProcessor(options as never);

function refusal(options: unknown): ToolSearchError {
  try {
    make(options);
  } catch (error) {
    expect(error).toBeInstanceOf(ToolSearchError);
    return error as ToolSearchError;
  }
  throw new Error('the constructor accepted the options');
}

describe('the constructor', () => {
  it('does not print the code of a function where a record is wanted', () => {
    const apiKey = () => 'sk-secret';
    expect(refusal(also({ search: apiKey })).message).not.toContain('sk-secret');
  });

  it('does not repeat the password of a connection string that was meant for a store', () => {
    expect(refusal(also({ storage: 'redis://user:hunter2@example.com' })).message).not.toContain('hunter2');
  });

  it('bounds what it repeats', () => {
    expect(refusal(also({ storage: 'x'.repeat(100_000) })).message.length).toBeLessThan(500);
  });

  it.each([
    { unknown: 'getWeather', hint: 'Did you mean "get_weather"?' },
    { unknown: 'get_wether', hint: 'Did you mean "get_weather"?' },
    { unknown: 'qqqq', hint: 'which is none of "tools". The' },
    { unknown: 'constructor', hint: 'which is none of "tools"' },
    { unknown: 'search_tools', hint: 'which is none of "tools"' },
  ])('refuses alwaysLoaded "$unknown"', ({ unknown, hint }) => {
    const { code, message } = refusal(also({ alwaysLoaded: ['send_email', unknown] }));
    expect(code).toBe('invalid-option');
    expect(message).toContain('"alwaysLoaded"');
    expect(message).toContain(`"${unknown}"`);
    expect(message).toContain(hint);
  });

  it('refuses keywords of a tool that there is not', () => {
    expect(refusal(search({ keywords: { get_wether: ['sun'] } })).message).toBe(
      '"search.keywords" has "get_wether", which is none of "tools". Did you mean "get_weather"?',
    );
  });

  it('tells the id where alwaysLoaded has a record key', () => {
    const options = { tools: { wx: tool('forecast_of_city') }, alwaysLoaded: ['wx'] };
    expect(refusal(options).message).toContain('"forecast_of_city"');
  });

  it.each([
    { why: 'keeps loads for ever', options: also({ ttl: 0 }) },
    { why: 'keeps loads for ever too', options: also({ ttl: Number.POSITIVE_INFINITY }) },
    { why: 'fractions of milliseconds do no harm', options: also({ ttl: 0.5 }) },
    {
      why: 'no limits',
      options: also({ timeouts: { store: Number.POSITIVE_INFINITY }, maxLoaded: { tools: Number.POSITIVE_INFINITY } }),
    },
    { why: 'no hurry', options: also({ timeouts: { filter: Number.POSITIVE_INFINITY } }) },
    { why: 'the smallest time', options: also({ timeouts: { filter: 1 }, injectCatalog: 'names' }) },
    { why: 'the smallest limits', options: also({ timeouts: { store: 1 }, maxLoaded: { tools: 1, tokens: 1 } }) },
    { why: 'a function of its own', options: also({ groups: () => undefined, onMiss: 'run' }) },
    { why: 'a function, which is not called yet', options: { tools: () => expect.unreachable() } },
    {
      why: 'a function, and all the time it wants',
      options: { tools: async () => ({}), timeouts: { tools: Number.POSITIVE_INFINITY } },
    },
    { why: 'names that only a run may have', options: { tools: () => ({}), alwaysLoaded: ['later'] } },
    { why: 'keywords of what only a run may have', options: { tools: () => ({}), search: { keywords: { a: ['b'] } } } },
    { why: 'tools by server', options: { tools: { mail: tools() } } },
    { why: 'servers without tools', options: { tools: { mail: {}, files: {} } } },
    { why: 'off', options: below(0) },
    { why: 'off', options: preselect(false) },
    { why: 'every default', options: preselect({}) },
    { why: 'the ends of the range', options: preselect({ minConfidence: 1, maxTools: 1, query: () => '' }) },
    { why: 'the smallest catalog', options: below(1) },
    { why: 'every catalog', options: below(Number.POSITIVE_INFINITY) },
    { why: 'several limits', options: below({ tools: 8, tokens: 500 }) },
    { why: 'a limit that is absent', options: below({ tools: undefined, tokens: 500 }) },
    { why: 'the smallest', options: search({ topK: 1 }) },
    { why: 'larger than what a model may ask for', options: search({ topK: 1000 }) },
    { why: 'scores may be negative on a scale of their own', options: search({ minScore: -1 }) },
    { why: 'everything', options: search({ minScore: Number.NEGATIVE_INFINITY }) },
    { why: 'the agent brings the tools', options: { includeResolvedTools: true } },
    { why: 'no tools yet', options: { tools: {} } },
    { why: 'a record without prototype', options: { tools: Object.assign(Object.create(null), tools()) } },
    { why: 'both storages by name', options: also({ storage: 'context' }) },
    { why: 'a store', options: also({ storage: memoryStore() }) },
    { why: 'hints of no server', options: also({ trustServerHints: false }) },
    { why: 'hints of some servers', options: also({ trustServerHints: ['github'] }) },
    { why: 'hints of all servers', options: also({ trustServerHints: true }) },
    { why: 'nothing pinned', options: also({ alwaysLoaded: [] }) },
    { why: 'a name twice', options: also({ alwaysLoaded: ['send_email', 'send_email'] }) },
    { why: 'a tool that may come with a request', options: { includeResolvedTools: true, alwaysLoaded: ['later'] } },
    { why: 'swapped names', options: metaTools({ search: { name: 'load_tool' }, load: { name: 'search_tools' } }) },
    { why: '64 characters', options: metaTools({ search: { name: 'x'.repeat(64) } }) },
    {
      why: 'undefined is absent',
      options: also({ search: undefined, ttl: undefined, filter: undefined, metaTools: undefined }),
    },
  ])('accepts $options: $why', ({ options }) => {
    expect(make(options)).toBeInstanceOf(ToolSearchProcessor);
  });

  it('leaves the options as they are, also when they are frozen', () => {
    const options = Object.freeze({ tools: Object.freeze(tools()), search: Object.freeze({ topK: 2 }) });
    expect(make(options).id).toBe('tool-search');
  });
});
