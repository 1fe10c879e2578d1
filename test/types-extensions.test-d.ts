import type { RequestContext } from '@mastra/core/request-context';
import {
  bm25Scorer,
  type LoadedToolStore,
  type LoadToolResult,
  type MastraTool,
  type MemoryStore,
  memoryStore,
  type NativeDialect,
  type NativeOffReason,
  type NativeOptions,
  type ScopeRequest,
  type SearchToolsResult,
  type ToolDocument,
  type ToolProblem,
  type ToolScorer,
  ToolSearchError,
  type ToolSearchErrorCode,
  type ToolSearchEvent,
  type ToolSearchFilter,
  type ToolSearchFilterArgs,
  type ToolSearchFilterPhase,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
  tieredScorer,
} from 'mastra-tool-search';
import { memoryLearningStore } from 'mastra-tool-search/learning';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles for true statements only. */
function holds<_Statements extends readonly true[]>(): void {}
/** Compiles for what the constructor takes. */
function options(_options: ToolSearchProcessorOptions): void {}

const tools = {};
const processor = new ToolSearchProcessor({ tools });

// Scorers, sync and async.
const sync: ToolScorer = {
  name: 'sync',
  index: (documents) => ({
    search: ({ keywords, required, text, select }) => {
      holds<[Equal<typeof keywords, readonly string[]>, Equal<typeof required, readonly string[]>]>();
      holds<[Equal<typeof text, string>, Equal<typeof select, readonly string[] | undefined>]>();
      return documents.map(({ name, parameters }) => ({ name, score: parameters.length }));
    },
  }),
};
class AsyncScorer implements ToolScorer {
  readonly name = 'async';
  async index() {
    return { search: async () => [{ name: 'clock', score: 1, why: 'more fields do no harm' }] };
  }
}
for (const scorer of [sync, new AsyncScorer(), bm25Scorer(), tieredScorer(), bm25Scorer({ boosts: { name: 3 } })]) {
  options({ tools, search: { scorer } });
}
// @ts-expect-error a scorer has a name
options({ tools, search: { scorer: { index: () => ({ search: () => [] }) } } });
// @ts-expect-error matches have a score
options({ tools, search: { scorer: { name: 'x', index: () => ({ search: () => [{ name: 'clock' }] }) } } });
// @ts-expect-error the list belongs to the processor
((documents) => void documents.pop()) satisfies (documents: Parameters<ToolScorer['index']>[0]) => void;
// Data only: a scorer cannot run a tool.
holds<
  [
    Equal<
      keyof ToolDocument,
      'name' | 'description' | 'title' | 'server' | 'keywords' | 'hints' | 'instructions' | 'parameters'
    >,
  ]
>();
// @ts-expect-error no such field
bm25Scorer({ boosts: { names: 3 } });

// Stores, sync and async.
const syncStore: LoadedToolStore = { get: () => [], add: () => {}, clear: () => {} };
const asyncStore: LoadedToolStore = {
  get: async (scope, fromConversation) => [scope, ...(fromConversation ?? [])],
  add: async (scope, names, { ttl, max }) => {
    holds<[Equal<typeof scope, string>, Equal<typeof names, readonly string[]>]>();
    holds<[Equal<typeof ttl, number>, Equal<typeof max, number | undefined>]>();
  },
  clear: async () => {},
};
for (const storage of [syncStore, asyncStore, memoryStore({ maxScopes: 5 })]) {
  options({ tools, storage });
}
memoryStore() satisfies MemoryStore;
// @ts-expect-error nothing can be cleared
({ get: () => [], add: () => {} }) satisfies LoadedToolStore;
// @ts-expect-error names, in order
({ get: () => new Set<string>(), add: () => {}, clear: () => {} }) satisfies LoadedToolStore;

// Filter, scope and events.
const filter: ToolSearchFilter = ({ toolName, tool, requestContext, phase }) => {
  holds<[Equal<typeof toolName, string>, Equal<typeof tool, MastraTool>]>();
  holds<[Equal<typeof requestContext, RequestContext | undefined>, Equal<typeof phase, ToolSearchFilterPhase>]>();
  return tool.description !== '';
};
options({ tools, filter });
options({ tools, filter: async ({ phase }) => phase === 'search' });
options({ tools, filter: () => true, timeouts: { filter: 50 } });
// @ts-expect-error milliseconds
options({ tools, timeouts: { filter: '50ms' } });
// @ts-expect-error yes or no
options({ tools, filter: () => 'yes' });
// @ts-expect-error no such phase
options({ tools, filter: ({ phase }) => phase === 'call' });
// @ts-expect-error no such argument
options({ tools, filter: ({ user }) => user === 'root' });

// Native mode.
options({ tools, mode: 'native' });
options({ tools, mode: 'native', native: { execution: 'server', append: true, fallback: 'error' } });
options({ tools, mode: 'native', native: { detect: ({ provider }) => provider === 'azure.responses' && 'openai' } });
// @ts-expect-error no such mode
options({ tools, mode: 'hosted' });
// @ts-expect-error no such dialect
options({ tools, mode: 'native', native: { detect: () => 'google' } });
options({ tools, search: { useMessage: 'fallback' } });
// @ts-expect-error no such use
options({ tools, search: { useMessage: 'always' } });
options({ tools, learning: true });
options({ tools, learning: { store: 'in-memory', halfLife: 1_000, scope: 'global', weight: 0.3 } });
options({ tools, learning: { store: memoryLearningStore(), scope: ({ resourceId }) => resourceId } });
// @ts-expect-error no such scope
options({ tools, learning: { scope: 'thread' } });
// @ts-expect-error a store for loaded tools keeps no uses
options({ tools, learning: { store: memoryStore() } });
options({ tools, scope: ({ threadId, resourceId }) => threadId && `${resourceId}:${threadId}` });
// @ts-expect-error a scope is known at once
options({ tools, scope: async () => 'x' });
options({ tools, onEvent: (event) => void (event.type === 'search' && event.results.length) });
// @ts-expect-error only a search has results
options({ tools, onEvent: (event) => void event.results });

// What programs switch over: a new member is a change for them.
holds<
  [
    Equal<ToolSearchFilterPhase, 'search' | 'load' | 'active'>,
    Equal<keyof ToolSearchFilterArgs, 'toolName' | 'callableName' | 'tool' | 'requestContext' | 'phase'>,
    Equal<keyof ScopeRequest, 'threadId' | 'resourceId' | 'requestContext'>,
    Equal<
      ToolSearchErrorCode,
      | ('invalid-option' | 'invalid-tool' | 'duplicate-tool' | 'reserved-name' | 'meta-tool-clash')
      | ('search-failed' | 'storage-unavailable' | 'native-unsupported' | 'inspector-unavailable')
    >,
    Equal<
      ToolSearchEvent['type'],
      | ('search' | 'load' | 'load-on-miss' | 'call-through' | 'unload' | 'evict' | 'call-denied' | 'tool-problem')
      | ('filter-failed' | 'filter-budget' | 'store-failed' | 'scope-failed' | 'scorer-failed' | 'tools-failed')
      | ('learn' | 'passthrough' | 'stub-failed' | 'native-off' | 'option-doubt' | 'run-cut' | 'preselect')
      | ('step' | 'call' | 'miss' | 'source-failed' | 'embedding')
      | ('definition-changed' | 'definition-suspicious' | 'pins-failed' | 'skills-failed')
    >,
    Equal<
      NativeOffReason,
      'unsupported-model' | 'model-changed' | 'refused' | 'append-refused' | 'not-rewritten' | 'failed'
    >,
    Equal<NativeDialect, 'anthropic' | 'openai'>,
    Equal<keyof NativeOptions, 'execution' | 'detect' | 'fallback' | 'append'>,
    Equal<
      ToolProblem,
      | 'missing-description'
      | 'renamed'
      | 'left-out'
      | 'unreadable-schema'
      | 'sent-anyway'
      | 'not-pinned'
      | 'crowded-namespace'
      | 'unsendable'
      | 'refused-schema'
    >,
    Equal<keyof SearchToolsResult, 'results' | 'message' | 'loaded' | 'activation' | 'unloaded' | 'pending' | 'skills'>,
    Equal<
      keyof SearchToolsResult['results'][number],
      | 'name'
      | 'description'
      | 'score'
      | 'confidence'
      | 'group'
      | 'signature'
      | 'alsoAs'
      | 'readOnlyHint'
      | 'destructiveHint'
      | 'available'
      | 'queries'
      | 'fromMessage'
      | 'byUse'
      | 'explanation'
    >,
    Equal<
      keyof LoadToolResult,
      | 'success'
      | 'message'
      | 'loadedCount'
      | 'toolName'
      | 'loaded'
      | 'notFound'
      | 'alreadyLoaded'
      | 'unloaded'
      | 'results'
    >,
    Equal<ReturnType<typeof processor.clearState>, void | Promise<void>>,
    Equal<Awaited<ReturnType<typeof processor.getLoadedToolsForRequestContext>>, Record<string, MastraTool>>,
    Equal<
      keyof NonNullable<Parameters<typeof processor.getLoadedToolsForRequestContext>[0]>,
      'requestContext' | 'stepArgs' | 'messages' | 'tools'
    >,
  ]
>();
new ToolSearchError('invalid-option', 'what', { cause: 'why' }) satisfies Error;
// @ts-expect-error no such code
new ToolSearchError('oops', 'what');
