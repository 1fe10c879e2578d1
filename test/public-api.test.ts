import { readFileSync } from 'node:fs';
import * as api from 'mastra-tool-search';
import * as editor from 'mastra-tool-search/editor';
import * as evals from 'mastra-tool-search/evals';
import * as evaluation from 'mastra-tool-search/evaluate';
import * as inspect from 'mastra-tool-search/inspect';
import * as learning from 'mastra-tool-search/learning';
import * as minisearch from 'mastra-tool-search/minisearch';
import * as postgres from 'mastra-tool-search/postgres';
import * as redis from 'mastra-tool-search/redis';
import * as semantic from 'mastra-tool-search/semantic';
import * as source from 'mastra-tool-search/source';
import * as synonyms from 'mastra-tool-search/synonyms';
import * as threadState from 'mastra-tool-search/thread-state';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from './support/harness.ts';

/** Everything that code written against this package may lean on at run time. A change here is a change for users. */
describe('the package', () => {
  it.each([
    {
      entry: 'mastra-tool-search',
      exported: api,
      names: ['ToolSearchError', 'ToolSearchProcessor', 'bm25Scorer', 'memoryStore', 'tieredScorer'],
    },
    { entry: 'mastra-tool-search/editor', exported: editor, names: ['toolSearchProvider'] },
    { entry: 'mastra-tool-search/evals', exported: evals, names: ['searchGrader'] },
    {
      entry: 'mastra-tool-search/evaluate',
      exported: evaluation,
      names: [
        'compareEvaluations',
        'evaluate',
        'failedGates',
        'fromDatasetItems',
        'funnel',
        'lint',
        'lintRules',
        'parseCases',
        'parseEvents',
        'suggestKeywords',
        'toDatasetItems',
      ],
    },
    {
      entry: 'mastra-tool-search/inspect',
      exported: inspect,
      names: ['inspectorHtml', 'startInspector'],
    },
    {
      entry: 'mastra-tool-search/learning',
      exported: learning,
      names: ['fileLearningStore', 'memoryLearningStore'],
    },
    { entry: 'mastra-tool-search/minisearch', exported: minisearch, names: ['miniSearchScorer'] },
    { entry: 'mastra-tool-search/postgres', exported: postgres, names: ['postgresSource'] },
    { entry: 'mastra-tool-search/redis', exported: redis, names: ['redisLearningStore', 'redisStore'] },
    {
      entry: 'mastra-tool-search/semantic',
      exported: semantic,
      names: [
        'fileVectorCache',
        'hybridScorer',
        'rerankingScorer',
        'semanticScorer',
        'storeVectorCache',
        'vectorScorer',
      ],
    },
    { entry: 'mastra-tool-search/source', exported: source, names: ['rankCandidates'] },
    { entry: 'mastra-tool-search/synonyms', exported: synonyms, names: ['toolSynonyms'] },
    { entry: 'mastra-tool-search/thread-state', exported: threadState, names: ['threadStateStore'] },
  ])('exports these names from $entry and no others: $names', ({ exported, names }) => {
    expect(Object.keys(exported).sort()).toEqual(names);
  });

  it('has no other entries', () => {
    const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(Object.keys(exports).sort()).toEqual([
      '.',
      './editor',
      './evals',
      './evaluate',
      './inspect',
      './learning',
      './minisearch',
      './package.json',
      './postgres',
      './redis',
      './semantic',
      './source',
      './synonyms',
      './thread-state',
    ]);
  });

  it('has scorers that name themselves', () => {
    expect([api.bm25Scorer().name, api.tieredScorer().name]).toEqual(['bm25', 'tiered']);
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
        'clearAllState',
        'clearState',
        'cleanupNow',
        'clearLearning',
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
