import { memoryStore, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';
import { refusalOf } from './refusal.ts';

const tools = () => toolRecord(tool('get_weather'), tool('send_email'));
const also = (value: object): object => ({ tools: tools(), ...value });
const search = (value: object): object => also({ search: value });
const metaTools = (value: unknown): object => also({ metaTools: value });
const below = (value: unknown): object => also({ passthroughBelow: value });
const preselect = (value: unknown): object => also({ preselect: value });

const make = (options: unknown) => new ToolSearchProcessor(options as never);

const refusal = (options: unknown): string => refusalOf(() => make(options)).message;

describe('the constructor', () => {
  it('does not print the code of a function where a record is wanted', () => {
    const apiKey = () => 'sk-secret';
    expect(refusal(also({ search: apiKey }))).not.toContain('sk-secret');
  });

  it('does not repeat the password of a connection string that was meant for a store', () => {
    expect(refusal(also({ storage: 'redis://user:hunter2@example.com' }))).not.toContain('hunter2');
  });

  it('bounds what it repeats', () => {
    expect(refusal(also({ storage: 'x'.repeat(100_000) })).length).toBeLessThan(500);
  });

  it.each([
    { unknown: 'getWeather', hint: 'Did you mean "get_weather"?' },
    { unknown: 'get_wether', hint: 'Did you mean "get_weather"?' },
    { unknown: 'qqqq', hint: 'which is none of "tools". The' },
    { unknown: 'constructor', hint: 'which is none of "tools"' },
    { unknown: 'search_tools', hint: 'which is none of "tools"' },
  ])('refuses alwaysLoaded "$unknown"', ({ unknown, hint }) => {
    const message = refusal(also({ alwaysLoaded: ['send_email', unknown] }));
    expect(message).toContain('"alwaysLoaded"');
    expect(message).toContain(`"${unknown}"`);
    expect(message).toContain(hint);
  });

  it('refuses keywords of a tool that there is not', () => {
    expect(refusal(search({ keywords: { get_wether: ['sun'] } }))).toBe(
      '"search.keywords" has "get_wether", which is none of "tools". Did you mean "get_weather"?',
    );
  });

  it('tells the id where alwaysLoaded has a record key', () => {
    const options = { tools: { wx: tool('forecast_of_city') }, alwaysLoaded: ['wx'] };
    expect(refusal(options)).toContain('"forecast_of_city"');
  });

  const forever = Number.POSITIVE_INFINITY;
  const fromRun = { tools: () => ({}) };
  const load = { name: 'search_tools' };
  it.each<[what: string, ...options: object[]]>([
    ['loads that are kept for ever', also({ ttl: 0 }), also({ ttl: forever })],
    ['fractions of milliseconds', also({ ttl: 0.5 })],
    ['no limits', also({ timeouts: { store: forever, filter: forever }, maxLoaded: { tools: forever } })],
    ['the smallest time', also({ timeouts: { filter: 1 }, injectCatalog: 'names' })],
    ['the smallest limits', also({ timeouts: { store: 1 }, maxLoaded: { tools: 1, tokens: 1 } })],
    ['a function of its own', also({ groups: () => undefined, onMiss: 'run' })],
    ['a function for tools, which is not called yet', { tools: () => expect.unreachable() }],
    ['all the time it wants', { ...fromRun, timeouts: { tools: forever } }],
    ['names that only a run may have', { ...fromRun, alwaysLoaded: ['later'], search: { keywords: { a: ['b'] } } }],
    ['tools by server', { tools: { mail: tools() } }, { tools: { mail: {}, files: {} } }],
    ['off', below(0), preselect(false)],
    ['every default', preselect({})],
    ['the ends of the range', preselect({ minConfidence: 1, maxTools: 1, query: () => '' })],
    ['the smallest and every catalog', below(1), below(forever)],
    ['several limits, or one that is absent', below({ tools: 8, tokens: 500 }), below({ tools: undefined, tokens: 5 })],
    ['the smallest, and more than a model may ask for', search({ topK: 1 }), search({ topK: 1000 })],
    ['negative scores, as a scale may have them', search({ minScore: -1 }), search({ minScore: -forever })],
    ['tools that the agent brings', { includeResolvedTools: true, alwaysLoaded: ['later'] }],
    ['no tools yet', { tools: {} }],
    ['a record without prototype', { tools: Object.assign(Object.create(null), tools()) }],
    ['a storage by name, or a store', also({ storage: 'context' }), also({ storage: memoryStore() })],
    ['hints of no server, and of some', also({ trustServerHints: false }), also({ trustServerHints: ['github'] })],
    ['hints of all servers', also({ trustServerHints: true })],
    ['nothing pinned, or twice', also({ alwaysLoaded: [] }), also({ alwaysLoaded: ['send_email', 'send_email'] })],
    ['swapped names', metaTools({ search: { name: 'load_tool' }, load })],
    ['64 characters', metaTools({ search: { name: 'x'.repeat(64) } })],
    ['undefined as absent', also({ search: undefined, ttl: undefined, filter: undefined, metaTools: undefined })],
  ])('accepts %s', (_, ...options) => {
    for (const each of options) expect(make(each)).toBeInstanceOf(ToolSearchProcessor);
  });

  it('leaves the options as they are, also when they are frozen', () => {
    const options = Object.freeze({ tools: Object.freeze(tools()), search: Object.freeze({ topK: 2 }) });
    expect(make(options).id).toBe('tool-search');
  });
});
