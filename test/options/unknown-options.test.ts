import { bm25Scorer, memoryStore, ToolSearchProcessor } from 'mastra-tool-search';
import { redisStore } from 'mastra-tool-search/redis';
import { hybridScorer, semanticScorer, storeVectorCache } from 'mastra-tool-search/semantic';
import { threadStateStore } from 'mastra-tool-search/thread-state';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';
import { refusalOf } from './refusal.ts';

const tools = toolRecord(tool('get_weather'));

const refusal = (make: () => unknown): string => refusalOf(make).message;
const processorWith = (options: object) => new ToolSearchProcessor({ tools, ...options } as never);

describe('the processor refuses an option that there is not', () => {
  it.each<[options: object, unknown: string, remedy: string]>([
    [{ topK: 3 }, 'topK', 'Did you mean "search.topK"?'],
    [{ autoload: true }, 'autoload', 'Did you mean "search.autoLoad"?'],
    [{ execution: 'server' }, 'execution', 'Did you mean "native.execution"?'],
    [{ includeResolvedTool: true }, 'includeResolvedTool', 'Did you mean "includeResolvedTools"?'],
    [{ maxLoad: 20 }, 'maxLoad', 'Did you mean "maxLoaded"?'],
    [{ maxLoaded: { tool: 20 } }, 'maxLoaded.tool', 'Did you mean "maxLoaded.tools"?'],
    [{ timeout: 5_000 }, 'timeout', 'Did you mean "timeouts"?'],
    [{ search: { topk: 3 } }, 'search.topk', 'Did you mean "search.topK"?'],
    [{ search: { synonyms: [] } }, 'search.synonyms', 'There are only topK, minScore, autoLoad'],
    [{ search: { ttl: 3 } }, 'search.ttl', 'Did you mean "ttl"?'],
    [{ search: { filter: () => true } }, 'search.filter', 'Did you mean "filter", "timeouts.filter"?'],
    [{ metaTools: { serach: { name: 'find' } } }, 'metaTools.serach', 'Did you mean "metaTools.search"?'],
    [{ metaTools: { search: { nmae: 'find' } } }, 'metaTools.search.nmae', 'Did you mean "metaTools.search.name"?'],
    [{ metaTools: { search: { parameters: {} } } }, 'metaTools.search.parameters', 'There are only name, description.'],
    [{ learning: { halflife: 5 } }, 'learning.halflife', 'Did you mean "learning.halfLife"?'],
    [{ maxLoadedTools: 20 }, 'maxLoadedTools', 'Did you mean "maxLoaded.tools"?'],
    [{ maxTools: 20 }, 'maxTools', 'Did you mean "maxLoaded.tools"?'],
    [{ filterTimeout: 5_000 }, 'filterTimeout', 'Did you mean "timeouts.filter"?'],
    [{ storeTimout: 5_000 }, 'storeTimout', 'Did you mean "timeouts.store"?'],
    [{ searchTopK: 3 }, 'searchTopK', 'Did you mean "search.topK"?'],
    [{ searchTool: { name: 'find' } }, 'searchTool', 'Did you mean "metaTools.search"?'],
    [{ timeouts: { search: 5_000 } }, 'timeouts.search', 'There are only tools, filter, store, index, preselect.'],
    [{ model: 'gpt' }, 'model', 'Did you mean "mode"? If not, there are only tools, includeResolvedTools'],
    [{ store: {} }, 'store', 'Did you mean "storage"?'],
    [{ store: 'context' }, 'store', 'Did you mean "storage"?'],
    [{ store: 5_000 }, 'store', 'Did you mean "timeouts.store"'],
    [{ maxSteps: 20 }, 'maxSteps', 'It belongs to the agent: new Agent({ defaultOptions: { maxSteps: … } }).'],
    [{ instructions: 'Help.' }, 'instructions', 'It belongs to the agent: new Agent({ instructions: … }).'],
    [{ qqqq: undefined, zzzz: null }, 'zzzz', 'There are only tools, includeResolvedTools, injectCatalog'],
    [{ constructor: 1 }, 'constructor', 'There are only'],
    [JSON.parse('{ "__proto__": 1 }'), '__proto__', 'There are only'],
  ])('%j: $1', (options, unknown, remedy) => {
    const message = refusal(() => new ToolSearchProcessor(Object.assign(Object.create(null), options, { tools })));
    expect(message).toContain(`"${unknown}" is no option of ToolSearchProcessor. ${remedy}`);
  });

  it('and lists those of its level where it is not sure, none where the words are the same, and bounds a long one', () => {
    const [topK, list] = ['Did you mean "search.topK"?', 'tools, filter, store, index, preselect.'];
    expect(refusal(() => processorWith({ topk: 3 }))).toContain(`${topK} If not, there are only tools`);
    expect(refusal(() => processorWith({ timeouts: { tols: 5 } }))).toContain(`If not, there are only ${list}`);
    expect(refusal(() => processorWith({ search: { TOPK: 3 } })).endsWith(topK)).toBe(true);
    expect(refusal(() => processorWith({ filter_timeouts: 5 })).endsWith('"timeouts.filter"?')).toBe(true);
    expect(refusal(() => processorWith({ ['x'.repeat(100_000)]: 1 })).length).toBeLessThan(1_000);
  });

  it('and none that is undefined, inherited, or keyed by a symbol', () => {
    const options = Object.assign(Object.create({ topk: 1 }), { tools, topk: undefined, [Symbol('x')]: 1 });
    expect(() => new ToolSearchProcessor(options)).not.toThrow();
  });
});

const parts = [bm25Scorer(), bm25Scorer()];
it.each<[what: string, make: (options: never) => unknown, options: object, remedy: string]>([
  ['bm25Scorer', bm25Scorer, { boost: {} }, 'Did you mean "boosts"?'],
  ['a group of synonyms', bm25Scorer, { synonyms: [{ words: ['pto'], wieght: 1 }] }, 'Did you mean "weight"?'],
  ['hybridScorer', (of) => hybridScorer(parts, of), { weigths: [1, 2] }, 'Did you mean "weights"?'],
  ['semanticScorer', semanticScorer, { embed: () => [], batchsize: 5 }, 'Did you mean "batchSize"?'],
  ['storeVectorCache', storeVectorCache, { indexname: 'x' }, 'Did you mean "indexName"?'],
  ['memoryStore', memoryStore, { ttl: 5 }, 'There is only maxScopes.'],
  ['redisStore', redisStore, { keyPrefix: 'x' }, 'Did you mean "prefix"?'],
  ['threadStateStore', threadStateStore, { ttl: 5 }, 'There is only mastra.'],
])('%s refuses an option that there is not, and what is no object', (what, make, options, remedy) => {
  expect(refusal(() => make(options as never))).toContain(`is no option of ${what}. ${remedy}`);
  expect(refusal(() => make(null as never))).toMatch(/ must be an? /);
});

describe('the methods refuse', () => {
  const processor = processorWith({});
  const names = `"names" must be a list of tool names, e.g. ['get_weather']`;
  const thread = { threadId: 't' };
  const noThread = '"thread" is no option of unload(). Did you mean "threadId"? If not, there are only';
  const noLimit = '"limt" is no option of search(). Did you mean "limit"? If not, there are only';

  it.each<[run: () => unknown, message: string]>([
    [() => processor.unload('t', 'get_weather' as never), `${names}; got "get_weather".`],
    [() => processor.unload(thread, undefined as never), `${names}; got undefined.`],
    [() => processor.unload(thread, [{}] as never), `${names}; got an array of 1.`],
    [() => processor.unload({ thread: 't' } as never, []), `${noThread} threadId, resourceId, requestContext.`],
    [() => processor.unload(5 as never, []), '"options" must be an object; got 5.'],
    [() => processor.search(42 as never), '"query" must be a text; got 42.'],
    [() => processor.search('x', { limt: 3 } as never), `${noLimit} requestContext, tools, limit, explain.`],
    [() => processor.search('x', null as never), '"options" must be an object; got null.'],
    [() => processor.search('x', { limit: '3' as never }), '"limit" must be a number; got "3".'],
    [() => processor.clearState(5 as never), '"threadId" must be a text; got 5.'],
    [() => processor.clearState('t', {} as never), '"resourceId" must be a text; got an object.'],
  ])('%s', async (run, message) => {
    const error = { name: 'ToolSearchError', code: 'invalid-option', message };
    await expect((async () => run())()).rejects.toMatchObject(error);
  });

  it('a search before the tools of the request are resolved', async () => {
    const resolving = new ToolSearchProcessor({ tools: () => expect.unreachable() });
    await expect(resolving.search(42 as never)).rejects.toMatchObject({ code: 'invalid-option' });
  });
});
