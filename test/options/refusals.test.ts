import { bm25Scorer, memoryStore, ToolSearchProcessor, tieredScorer } from 'mastra-tool-search';
import { memoryLearningStore } from 'mastra-tool-search/learning';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';
import { optionsIn } from './page.ts';
import { refusalOf } from './refusal.ts';

const tools = toolRecord(tool('get_weather'), tool('send_email'));

/** Options in which one path has a value, in the mode that takes it. */
function withValue(path: string, value: unknown): object {
  const isOfCalls = path === 'search.schemaTokens' || path.startsWith('metaTools.call');
  const isOfCode = path.startsWith('code');
  const mode = path.startsWith('native') ? 'native' : isOfCode ? 'code' : isOfCalls ? 'call' : 'load';
  // A share wants the window that it is of.
  const others = path.startsWith('passthroughBelow.') ? { passthroughBelow: { tools: 8, contextWindow: 1_000 } } : {};
  const option = path.split('.').reduceRight<unknown>((inner, name, at) => {
    return { ...(at === 1 ? others.passthroughBelow : {}), [name]: inner };
  }, value);
  return { tools, ...(path === 'mode' ? {} : { mode }), ...(option as object) };
}

const make = (options: unknown) => new ToolSearchProcessor(options as never);
const refusal = (options: unknown): string => refusalOf(() => make(options)).message;

const ODD = [...[null, true, 7.5, -1, 0, Number.NaN, 10n, 'no such value', ''], ...[[], [7], {}, () => '', new Map()]];
const checked = optionsIn().filter(({ option }) => option.check);

describe('every option that is checked', () => {
  it.each(checked)('$path refuses what its check does, and says what it takes', ({ path, option: { check } }) => {
    const refused = ODD.filter((value) => !check?.holds(value));
    expect(refused).toContain(null);
    for (const value of refused) {
      expect(refusal(withValue(path, value)), String(value)).toContain(`"${path}" must be ${check?.expected}; got `);
    }
  });

  it('is nearly every one', () => {
    const others = optionsIn().filter(({ option }) => !option.check);
    expect(others.map(({ path }) => path)).toEqual(['tools']);
  });
});

const names = '1 to 64 letters, digits, "_" and "-"';
const passthrough = 'a number of tools (0 is off), or { tools, tokens, share, contextWindow }';
const storage = "'in-memory', 'context' or a store with get, add and clear, e.g. redisStore";
const scorer = 'a ToolScorer, e.g. bm25Scorer() or tieredScorer()';
const trusted = 'true, false or an array of server names';
const nativeMembers = 'an object with execution, detect, fallback or append';
const whole = 'a whole number of at least 1';
const atLeast1 = 'a number of at least 1';
const share = 'a number from 0 to 1';
const forever = Number.POSITIVE_INFINITY;
const nan = Number.NaN;
const text64 = 'x'.repeat(64);

describe('the checks', () => {
  it.each<[path: string, expected: string, no: readonly unknown[], yes: readonly unknown[]]>([
    ['search.topK', whole, [0, 1.5, nan, forever, '5'], [1, 1000]],
    ['search.minScore', 'a number', [nan, '0.5'], [-1, -forever]],
    ['search.minConfidence', share, [-0.01, 1.01, nan, '0.4'], [0, 1]],
    ['search.keywords', 'a record of words by tool name', [['make a ticket'], 'ticket'], [{}, { get_weather: [] }]],
    ['search.scorer', scorer, [bm25Scorer, 'bm25', { name: 'x', index: [] }], [bm25Scorer(), tieredScorer()]],
    ['search.useMessage', `true, false or 'fallback'`, ['always', 1], [true, 'fallback']],
    ['search.schemaTokens', 'a number of at least 0', [-1, nan, '1k'], [0]],
    ['search.rerank', 'a function', [{}], []],
    ['search.pending', 'a function', [['github']], [() => []]],
    ['ttl', 'milliseconds, 0 or more (0 keeps loaded tools)', [-1, nan, '1h', 10n], [0, 0.5, forever]],
    ['timeouts.filter', 'milliseconds, 1 or more', [0, 0.5, nan, '2s'], [1, forever]],
    ['timeouts', 'an object with tools, filter, store, index and preselect', [5_000], [{}]],
    ['maxLoaded', 'an object with tools and tokens', [20], [{}]],
    ['maxLoaded.tools', whole, [0, 1.5, nan, '20'], [1, forever]],
    ['maxLoaded.tokens', atLeast1, [0, '4k'], [1, forever]],
    ['passthroughBelow', passthrough, [-1, 0.5, nan, '8', true, [8], {}, { tools: undefined }], [0, 1, forever]],
    ['passthroughBelow.tools', atLeast1, [0, 0.5, null], [1]],
    ['passthroughBelow.tokens', atLeast1, [0, '8', nan], [1]],
    ['passthroughBelow.share', 'a number above 0, up to 1', [0, 1.5, '10%'], [0.01, 1]],
    ['passthroughBelow.contextWindow', 'tokens, or a function', [0, '200k'], [1, () => undefined]],
    ['groups', 'a function', [['github'], { github: [] }], [() => undefined]],
    ['mode', `'load', 'call', 'native' or 'code'`, ['Native', true, null], ['load', 'call', 'native']],
    ['native', nativeMembers, [true, null, []], [{}]],
    ['native.execution', `'client' or 'server'`, ['remote', null], ['client', undefined]],
    ['native.fallback', `'load', 'call' or 'error'`, [false], ['error', 'call']],
    ['native.append', `'auto', true or false`, ['never'], ['auto', false]],
    ['native.detect', 'a function', ['openai'], [() => undefined]],
    ['onMiss', `'load' or 'error'`, ['ignore', true], ['error']],
    ['includeResolvedTools', 'true or false', ['yes', 1], [true]],
    ['injectCatalog', `true, false or 'names'`, [1, 'all'], ['names']],
    ['storage', storage, ['redis', {}, memoryStore, { get() {}, add() {} }], ['context', memoryStore()]],
    ['alwaysLoaded', 'an array of tool names', ['get_weather', new Set(['a'])], [[], ['send_email', 'send_email']]],
    ['trustServerHints', trusted, ['github'], [false, true, ['github']]],
    ['preselect', 'true, false or an object', [0.5, 'yes', []], [false, {}]],
    ['preselect.minConfidence', share, [50, nan, null], [1]],
    ['preselect.maxTools', whole, [0, 1.5], [1]],
    ['preselect.query', 'a function', ['weather'], [() => '']],
    ['learning', 'true, false or an object', ['yes', []], [true, false, undefined, {}]],
    ['learning.store', `'in-memory' or a LearningStore`, ['redis', new Map()], ['in-memory', memoryLearningStore()]],
    ['learning.halfLife', 'milliseconds above 0', [0, '30 days', nan], [1, forever]],
    ['learning.weight', 'above 0, up to 1', [0, 1.5], [0.01, 1]],
    ['learning.scope', `'resource', 'global' or a function`, ['thread'], ['resource', 'global', () => undefined]],
    ['metaTools', 'an object with search and load', ['x', []], [undefined]],
    ['metaTools.search', 'an object with name and description', ['find'], [{}]],
    ['metaTools.search.name', names, ['', 'a b', 'a.b', 'find\n', 'für', `${text64}x`, 5, '__proto__'], [text64]],
    ['metaTools.load.description', 'a text', ['', ' \n', 7], ['Loads.']],
    ['metaTools.systemText', `'firm', or a text`, [' ', 7], ['firm']],
  ])('of %s take %s', (path, expected, no, yes) => {
    for (const value of no)
      expect(refusal(withValue(path, value)), String(value)).toContain(`"${path}" must be ${expected}`);
    for (const value of yes) expect(() => make(withValue(path, value)), String(value)).not.toThrow();
  });

  const keywords = '"search.keywords.get_weather" must be an array of words';
  const unknownPin = '"alwaysLoaded" has "get_wether", which is none of "tools". Did you mean "get_weather"?';
  it.each<[path: string, message: string, value: unknown]>([
    ['alwaysLoaded', '"alwaysLoaded[0]" must be the name of a tool; got 1.', [1]],
    ['alwaysLoaded', '"alwaysLoaded[1]" must be the name of a tool; got "".', ['send_email', '']],
    // biome-ignore lint/suspicious/noSparseArray: such a list is what is tested.
    ['alwaysLoaded', '"alwaysLoaded[1]" must be the name of a tool; got undefined.', ['send_email', , 'get_weather']],
    ['alwaysLoaded', unknownPin, ['send_email', 'get_wether']],
    ['alwaysLoaded', 'Did you mean "get_weather"?', ['getWeather']],
    ['alwaysLoaded', '"qqqq", which is none of "tools". The', ['qqqq']],
    ['alwaysLoaded', '"constructor", which is none of "tools"', ['constructor']],
    ['alwaysLoaded', '"search_tools", which is none of "tools"', ['search_tools']],
    ['trustServerHints', '"trustServerHints[0]" must be the name of a server; got "".', ['']],
    ['search.keywords', `${keywords}, e.g. ['make a ticket']; got "sun".`, { get_weather: 'sun' }],
    ['search.keywords', '"search.keywords.get_weather[1]" must be a text; got 7.', { get_weather: ['sun', 7] }],
    ['search.keywords', keywords, { get_weather: undefined }],
    ['storage', 'Did you mean "in-memory"?', 'memory'],
  ])('of %s say: %s', (path, message, value) => {
    expect(refusal(withValue(path, value))).toContain(message);
  });

  it('tell no secret, bound what they repeat, and leave the options as they are', () => {
    expect(refusal(withValue('search', () => 'sk-secret'))).not.toContain('sk-secret');
    expect(refusal(withValue('storage', 'redis://user:hunter2@example.com'))).not.toContain('hunter2');
    expect(refusal(withValue('storage', 'x'.repeat(100_000))).length).toBeLessThan(500);
    const frozen = Object.freeze({ tools: Object.freeze({ ...tools }), search: Object.freeze({ topK: 2 }) });
    expect(make(frozen).id).toBe('tool-search');
    expect(refusal({ tools: { wx: tool('city') }, alwaysLoaded: ['wx'] })).toContain('"city"');
  });
});

describe('what is to be searched', () => {
  it.each<[options: unknown, message: string]>([
    [{}, '"tools" must be a record of tools, or a function; only with includeResolvedTools may it be left out'],
    [{ tools: [tool('a')] }, '"tools" must be a record of tools by name'],
    [{ tools: 'all' }, '"tools" must be a record of tools'],
    [{ tools: null, includeResolvedTools: true }, '"tools" must be a record of tools'],
    [{ tools: Promise.resolve(tools) }, 'by name; await what is still a promise; got a promise.'],
    [{ tools: { github: Promise.resolve(tools) } }, 'tools["github"] is not a tool (a promise)'],
    [{ tools: { search: () => [] } }, 'is not a tool (function; a ToolSource has both search() and get())'],
    [null, '"options" must be an object, e.g. { tools }; got null.'],
    [undefined, '"options" must be an object, e.g. { tools }; got undefined.'],
    [[], '"options" must be an object, e.g. { tools }; got an array of 0.'],
  ])('is not %j', (options, message) => {
    expect(() => make(options)).toThrow(message);
  });

  it.each<[what: string, options: object]>([
    ['a function, which is not called yet', { tools: () => expect.unreachable() }],
    ['what only a run has', { tools: () => ({}), alwaysLoaded: ['later'], search: { keywords: { a: ['b'] } } }],
    ['what the agent brings', { includeResolvedTools: true, alwaysLoaded: ['later'] }],
    ['nothing yet', { tools: {} }],
    ['by server', { tools: { mail: tools, files: {} } }],
    ['a record without prototype', { tools: Object.assign(Object.create(null), tools) }],
  ])('may be %s', (_, options) => {
    expect(make(options)).toBeInstanceOf(ToolSearchProcessor);
  });
});

describe('preselect', () => {
  const choose = (): string[] => [];
  it.each<[what: string, preselect: object, message: string]>([
    ['a classifier', { classifier: {} }, 'one with `choose`, a function that may ask a classifier'],
    ['no function', { choose: ['send_email'] }, '"preselect.choose" must be a function'],
    ['what belongs to the search', { choose, minConfidence: 0.5 }, 'There is only choose.'],
    ['what is misspelt', { minConfidense: 0.5 }, 'Did you mean "preselect.minConfidence"?'],
    ['percent', { minConfidence: 60 }, '"preselect.minConfidence" must be a number from 0 to 1; got 60.'],
  ])('refuses %s', (_, preselect, message) => {
    expect(refusal({ tools, preselect })).toContain(message);
  });
});
