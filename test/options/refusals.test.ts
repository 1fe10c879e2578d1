import {
  bm25Scorer,
  type LearningOptions,
  memoryStore,
  type PreselectClassifier,
  ToolSearchProcessor,
  tieredScorer,
} from 'mastra-tool-search';
import { memoryLearningStore } from 'mastra-tool-search/learning';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';
import { optionsIn } from './page.ts';
import { refusalOf } from './refusal.ts';

const tools = toolRecord(tool('get_weather'), tool('send_email'));

/** Options in which one path has a value, in the mode that takes it. */
function withValue(path: string, value: unknown): object {
  const isOfCalls = path === 'search.schemaTokens' || path.startsWith('metaTools.call');
  const mode = path.startsWith('native') ? 'native' : isOfCalls ? 'call' : 'load';
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
const keywords = '"search.keywords.get_weather" must be an array of words';
const trusted = 'true, false or an array of server names';
const nativeMembers = 'an object with execution, variant, namespace, detect, fallback or append';
const learningStore = `'in-memory' or a LearningStore`;

describe('the checks take no', () => {
  it.each<[path: string, expected: string, ...values: unknown[]]>([
    ['search.topK', 'a whole number of at least 1', 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5'],
    ['search.minScore', 'a number', Number.NaN, '0.5'],
    ['search.minConfidence', 'a number from 0 to 1', -0.01, 1.01, 40, Number.NaN, '0.4'],
    ['search.keywords', 'a record of words by tool name', ['make a ticket'], 'ticket'],
    ['search.scorer', scorer, bm25Scorer, 'bm25', { name: 'x', index: [] }],
    ['search.useMessage', `true, false or 'fallback'`, 'always', 1],
    ['search.schemaTokens', 'a number of at least 0', -1, Number.NaN, '1k'],
    ['search.rerank', 'a function', {}],
    ['search.pending', 'a function', ['github']],
    ['ttl', 'milliseconds, 0 or more (0 keeps loaded tools)', -1, Number.NaN, '1h', 10n],
    ['timeouts.filter', 'milliseconds, 1 or more', 0, 0.5, Number.NaN, '2s'],
    ['timeouts', 'an object with tools, filter, store, index and preselect', 5_000],
    ['maxLoaded', 'an object with tools and tokens', 20],
    ['maxLoaded.tools', 'a whole number of at least 1', 0, -1, 1.5, Number.NaN, '20'],
    ['maxLoaded.tokens', 'a number of at least 1', 0, -5, '4k'],
    ['passthroughBelow', passthrough, -1, 0.5, Number.NaN, '8', true, [8], {}, { tools: undefined }],
    ['passthroughBelow.tools', 'a number of at least 1', 0, 0.5, null],
    ['passthroughBelow.tokens', 'a number of at least 1', 0, '8', Number.NaN],
    ['passthroughBelow.share', 'a number above 0, up to 1', 0, 1.5, '10%'],
    ['passthroughBelow.contextWindow', 'tokens, or a function', 0, '200k'],
    ['groups', 'a function', ['github'], { github: [] }],
    ['mode', `'load', 'call' or 'native'`, 'Native', true, null],
    ['native', nativeMembers, true, null, []],
    ['native.execution', `'client' or 'server'`, 'remote', null],
    ['native.variant', `'bm25' or 'regex'`, 'BM25'],
    ['native.fallback', `'load', 'call' or 'error'`, false],
    ['native.append', `'auto', true or false`, 'never'],
    ['native.namespace', 'a function, or false', true, 'crm'],
    ['native.detect', 'a function', 'openai'],
    ['onMiss', `'run', 'load' or 'error'`, 'ignore', true],
    ['includeResolvedTools', 'true or false', 'yes', 1],
    ['injectCatalog', `true, false or 'names'`, 1, 'all'],
    ['storage', storage, 'redis', {}, memoryStore, { get() {}, add() {} }],
    ['alwaysLoaded', 'an array of tool names', 'get_weather', new Set(['a'])],
    ['trustServerHints', trusted, 'github'],
    ['preselect', 'true, false or an object', 0.5, 'yes', []],
    ['preselect.minConfidence', 'a number from 0 to 1', 50, Number.NaN, null],
    ['preselect.maxTools', 'a whole number of at least 1', 0, 1.5],
    ['preselect.query', 'a function', 'weather'],
    ['learning', 'true, false or an object', 'yes', []],
    ['learning.store', learningStore, 'redis', new Map()],
    ['learning.halfLife', 'milliseconds above 0', 0, '30 days', Number.NaN],
    ['learning.weight', 'above 0, up to 1', 0, 1.5],
    ['learning.scope', `'resource', 'global' or a function`, 'thread'],
    ['metaTools', 'an object with search and load', 'x', []],
    ['metaTools.search', 'an object with name and description', 'find'],
    ['metaTools.search.name', names, '', 'a b', 'a.b', 'find\n', 'suche_für', 'x'.repeat(65), 5, '__proto__'],
    ['metaTools.load.description', 'a text', '', ' \n', 7],
    ['metaTools.systemText', `'firm', or a text`, ' ', 7],
  ])('%s that is not %s', (path, expected, ...values) => {
    for (const value of values) {
      expect(refusal(withValue(path, value)), String(value)).toContain(`"${path}" must be ${expected}`);
    }
  });

  it.each<[path: string, message: string, value: unknown]>([
    ['alwaysLoaded', '"alwaysLoaded[0]" must be the name of a tool; got 1.', [1]],
    ['alwaysLoaded', '"alwaysLoaded[1]" must be the name of a tool; got "".', ['send_email', '']],
    ['trustServerHints', '"trustServerHints[0]" must be the name of a server; got "".', ['']],
    ['search.keywords', `${keywords}, e.g. ['make a ticket']; got "sun".`, { get_weather: 'sun' }],
    ['search.keywords', '"search.keywords.get_weather[1]" must be a text; got 7.', { get_weather: ['sun', 7] }],
    ['search.keywords', keywords, { get_weather: undefined }],
    ['storage', 'Did you mean "in-memory"?', 'memory'],
  ])('%s: %s', (path, message, value) => {
    expect(refusal(withValue(path, value))).toContain(message);
  });
});

describe('the meta-tools have names of their own', () => {
  const other = 'must be another name than';
  it.each<[metaTools: object, message: string]>([
    [{ search: { name: 'x' }, load: { name: 'x' } }, `"metaTools.load.name" ${other} metaTools.search.name; got "x".`],
    [{ search: { name: 'load_tool' } }, `"metaTools.load.name" ${other} metaTools.search.name; got "load_tool".`],
    [{ unload: { name: 'load_tool' } }, `"metaTools.unload.name" ${other} those of the other meta-tools`],
  ])('%j', (metaTools, message) => {
    expect(refusal({ tools, metaTools })).toContain(message);
  });

  it('call_tool as well', () => {
    const message = refusal({ tools, mode: 'call', metaTools: { call: { name: 'search_tools' } } });
    expect(message).toContain(`"metaTools.call.name" ${other} those of the other meta-tools`);
  });
});

describe('what is to be searched is', () => {
  it.each<[options: unknown, message: string]>([
    [{}, '"tools" must be a record of tools, or a function; only with includeResolvedTools may it be left out'],
    [{ tools: [tool('a')] }, '"tools" must be a record of tools'],
    [{ tools: 'all' }, '"tools" must be a record of tools'],
    [{ tools: null, includeResolvedTools: true }, '"tools" must be a record of tools'],
    [null, '"options" must be an object, e.g. { tools }; got null.'],
    [undefined, '"options" must be an object, e.g. { tools }; got undefined.'],
    [[], '"options" must be an object, e.g. { tools }; got an array of 0.'],
  ])('not %j', (options, message) => {
    expect(refusal(options)).toContain(message);
  });
});

const classifier: PreselectClassifier = {
  questions: {
    domain: { type: 'choice', criteria: { mail: 'Mail', none: 'Nothing' } },
    urgent: { type: 'boolean' },
  },
  evaluate: () => Promise.reject(new Error('not asked')),
};
const mapping = { mail: ['send_email'], none: [] };

describe('preselect', () => {
  const unknown = '"preselect.classifier" must be a Classifier, or the id of a registered one';
  const byChoice = '"preselect.tools" must be a record of lists of names';
  const notAsked = { classifier: { ...classifier, questions: undefined } };
  const ofSearch =
    '"preselect.minConfidence" is no option of preselect with a classifier. There are only classifier, question, tools';
  it.each<[what: string, value: object, message: string]>([
    ['no classifier', { classifier: {} }, unknown],
    ['null', { classifier: null }, unknown],
    ['one that is asked anything', notAsked, 'one with configured questions'],
    ['no such question', { question: 'dmain' }, 'must be one of the classifier; this is not configured'],
    ['yes or no', { question: 'urgent' }, '"preselect.question" must be a choice question'],
    ['a choice is missing', { tools: { mail: [] } }, 'a list of names for every choice. Missing: none'],
    ['names that are none', { tools: { mail: [7], none: [] } }, 'a list of names for every choice. Missing: mail'],
    ['no such choice', { tools: { ...mapping, chat: [] } }, 'no choice that the question cannot return: chat'],
    ['no record', { tools: ['send_email'] }, `${byChoice} by choice`],
    ['no tools for an id', { classifier: 'needs', tools: undefined }, byChoice],
    ['percent', { minProbability: 60 }, '"preselect.minProbability" must be a number from 0 to 1; got 60.'],
    ['a text', { onPreselect: 'log' }, '"preselect.onPreselect" must be a function; got "log".'],
    ['no such tool', { tools: { mail: ['send_mail'], none: [] } }, 'Did you mean "send_email"?'],
    ['what belongs to the search', { minConfidence: 0.5 }, ofSearch],
  ])('with a classifier refuses %s', (_, value, message) => {
    const preselect = { classifier, question: 'domain', tools: mapping, ...value };
    expect(refusal({ tools, preselect })).toContain(message);
  });

  it('without one refuses what belongs to it, and what is misspelt', () => {
    expect(refusal({ tools, preselect: { minProbability: 0.5 } })).toContain(
      '"preselect.minProbability" is no option of preselect without a classifier. There are only minConfidence, maxTools, query',
    );
    expect(refusal({ tools, preselect: { minConfidense: 0.5 } })).toContain('Did you mean "preselect.minConfidence"?');
  });

  it.each([
    { option: 'preselect', options: { preselect: true } },
    { option: 'search.minConfidence', options: { search: { minConfidence: 0.5 } } },
  ])('$option is refused with a scorer that gives no confidence', ({ option, options: { search = {}, ...more } }) => {
    expect(refusal({ tools, ...more, search: { ...search, scorer: tieredScorer() } })).toContain(
      `"${option}" must be left out with the scorer "tiered", which gives no confidence; bm25Scorer() does; got`,
    );
  });
});

describe('learning', () => {
  it.each<{ learning: boolean | LearningOptions | undefined }>([
    { learning: true },
    { learning: false },
    { learning: undefined },
    { learning: {} },
    { learning: { store: 'in-memory', halfLife: 1, scope: 'resource', weight: 1 } },
    { learning: { store: memoryLearningStore(), halfLife: Number.POSITIVE_INFINITY, scope: 'global', weight: 0.01 } },
    { learning: { scope: () => undefined } },
  ])('takes $learning', ({ learning }) => {
    expect(() => make({ tools, learning })).not.toThrow();
  });
});

describe('call mode, where nothing is loaded,', () => {
  const call = `left out with mode: 'call', where nothing is loaded`;
  it.each<[options: object, option: string, expected: string]>([
    [{ mode: 'call', search: { autoLoad: true } }, 'search.autoLoad', call],
    [{ mode: 'call', metaTools: { load: {} } }, 'metaTools.load', call],
    [{ mode: 'call', metaTools: { unload: true } }, 'metaTools.unload', call],
    [{ mode: 'call', maxLoaded: { tools: 5 } }, 'maxLoaded', call],
    [{ metaTools: { call: { name: 'x' } } }, 'metaTools.call', `left out, or used with mode: 'call'`],
    [{ search: { schemaTokens: 0 } }, 'search.schemaTokens', `left out, or used with mode: 'call'`],
  ])('and the other modes refuse what has no effect: %j', (options, option, expected) => {
    expect(refusal({ tools, ...options })).toContain(`"${option}" must be ${expected}`);
  });
});

describe('only undefined leaves an option out', () => {
  it.each<[options: object, option: string, expected: string]>([
    [{ alwaysLoaded: null }, 'alwaysLoaded', 'an array of tool names; got null'],
    [{ metaTools: null }, 'metaTools', 'an object with search and load; got null'],
    [{ mode: 'call', metaTools: { load: null } }, 'metaTools.load', 'an object with name and description; got null'],
    [{ mode: 'call', metaTools: { load: false } }, 'metaTools.load', 'an object with name and description; got false'],
    [{ search: { autoLoad: true }, metaTools: { load: null } }, 'metaTools.load', 'an object with name and'],
    [{ search: { autoLoad: true }, metaTools: { load: false } }, 'metaTools.load', 'left out with search.autoLoad'],
    [{ search: { schemaTokens: null } }, 'search.schemaTokens', 'a number of at least 0; got null'],
  ])('%j is refused', (options, option, expected) => {
    expect(refusal({ tools, ...options })).toContain(`"${option}" must be ${expected}`);
  });
});
