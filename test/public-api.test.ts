import { readFileSync } from 'node:fs';
import * as api from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from './support/agent.ts';

/** Everything that code written against this package may lean on at run time. A change here is a change for users. */
describe('the package', () => {
  const ENTRIES: readonly [entry: string, names: string][] = [
    [
      '.',
      'ToolSearchError ToolSearchProcessor bm25Scorer memoryStore tieredScorer toolSearchTools wordsAndMeaningScorer',
    ],
    ['./editor', 'toolSearchProvider'],
    ['./evals', 'searchGrader'],
    [
      './evaluate',
      'compareEvaluations evaluate failedGates fromDatasetItems funnel lint lintRules parseCases parseEvents suggestKeywords toDatasetItems',
    ],
    ['./inspect', 'inspectorHtml startInspector'],
    ['./learning', 'fileLearningStore fillLearningStore keywordsOfUses memoryLearningStore scorerWithUses usesInLog'],
    ['./minisearch', 'miniSearchScorer'],
    ['./pins', 'filePinStore'],
    ['./postgres', 'postgresSource'],
    ['./quickjs', 'quickJsTransport'],
    ['./redis', 'redisLearningStore redisPinStore redisStore'],
    ['./semantic', 'fileVectorCache hybridScorer semanticScorer storeVectorCache wordsAndModelScorer'],
    ['./source', 'rankCandidates'],
    ['./synonyms', 'toolSynonyms'],
    ['./thread-state', 'threadStatePinStore threadStateStore'],
  ];
  it.each(ENTRIES)('exports from %s these names and no others: %s', async (entry, names) => {
    const exported = await import(entry.replace('.', 'mastra-tool-search'));
    expect(Object.keys(exported).sort()).toEqual(names.split(' '));
  });

  it('has no other entries', () => {
    const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(Object.keys(exports).sort()).toEqual([...ENTRIES.map(([entry]) => entry), './package.json'].sort());
  });

  it('has scorers that name themselves', () => {
    const scorers = [api.wordsAndMeaningScorer(), api.bm25Scorer(), api.tieredScorer()];
    expect(scorers.map(({ name }) => name)).toEqual(['words and meaning', 'bm25', 'tiered']);
  });

  it('has a memoryStore with what an app needs besides get, add and clear', () => {
    expect(Object.keys(api.memoryStore()).sort()).toEqual([
      'add',
      'cleanup',
      'clear',
      'clearAll',
      'get',
      'remove',
      'scopes',
      'stats',
    ]);
  });
});

describe('ToolSearchProcessor', () => {
  const make = (options: Partial<api.ToolSearchProcessorOptions> = {}) =>
    new api.ToolSearchProcessor({ tools: toolRecord(tool('get_weather')), ...options });

  it('has these methods and no others', () => {
    expect(Object.getOwnPropertyNames(api.ToolSearchProcessor.prototype).sort()).toEqual(
      [
        '__registerMastra',
        'asTools',
        'clearAllState',
        'clearState',
        'cleanupNow',
        'clearLearning',
        'acceptDefinition',
        'constructor',
        'dispose',
        'getLoadedToolsForRequestContext',
        'getStateStats',
        'inspector',
        'processAPIError',
        'processInputStep',
        'processOutputResult',
        'search',
        'stats',
        'unload',
      ].sort(),
    );
  });

  it('has these properties and no others, so that a log of it shows no tools', () => {
    const processor = make();
    expect(Object.getOwnPropertyNames(processor).sort()).toEqual(['description', 'id', 'name', 'processLLMRequest']);
    expect(JSON.parse(JSON.stringify(processor))).toEqual({
      id: 'tool-search',
      name: 'Tool Search Processor',
      description: 'Enables dynamic tool discovery and loading via search',
    });
  });

  it('takes one argument', () => {
    expect(api.ToolSearchProcessor).toHaveLength(1);
    expect(api.ToolSearchProcessor.name).toBe('ToolSearchProcessor');
  });

  it('counts nothing and clears nothing while nothing is loaded', async () => {
    const processor = make();
    expect(processor.getStateStats()).toEqual({ threadCount: 0, oldestAccessTime: null });
    expect(processor.cleanupNow()).toBe(0);
    expect(processor.clearAllState()).toBeUndefined();
    expect(await processor.clearState()).toBeUndefined();
    expect(await processor.clearState('thread', 'resource')).toBeUndefined();
    expect(processor.dispose()).toBeUndefined();
    expect(await processor.getLoadedToolsForRequestContext()).toEqual({});
  });
});

describe('ToolSearchError', () => {
  it('is an Error with a code, a name and its cause', () => {
    const cause = new Error('why');
    const error = new api.ToolSearchError('invalid-option', 'what', { cause });
    expect(error).toBeInstanceOf(Error);
    expect({ ...error, name: error.name, message: error.message, cause: error.cause }).toEqual({
      code: 'invalid-option',
      name: 'ToolSearchError',
      message: 'what',
      cause,
    });
    expect(String(error)).toBe('ToolSearchError: what');
  });
});
