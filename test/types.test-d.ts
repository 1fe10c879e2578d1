// Checked by `tsc -p .` alone: what the public types accept, and what they refuse (@ts-expect-error).
import { Agent } from '@mastra/core/agent';
import {
  ToolSearchProcessor as CoreProcessor,
  type ErrorProcessor,
  type InputProcessor,
  type Processor,
} from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import { createTool, type Tool } from '@mastra/core/tools';
import type { MCPClient } from '@mastra/mcp';
import { tool as aiTool } from 'ai';
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
  type PassthroughLimits,
  type ScopeRequest,
  type SearchToolsResult,
  type ToolDocument,
  type ToolProblem,
  type ToolRecord,
  type ToolScorer,
  ToolSearchError,
  type ToolSearchErrorCode,
  type ToolSearchEvent,
  type ToolSearchFilter,
  type ToolSearchFilterArgs,
  type ToolSearchFilterPhase,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
  type ToolsFunction,
  tieredScorer,
} from 'mastra-tool-search';
import { z } from 'zod';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles for true statements only. */
function holds<_Statements extends readonly true[]>(): void {}
/** Compiles for what the constructor takes. */
function options(_options: ToolSearchProcessorOptions): void {}

// Tools: any mixture in one record.
const weather = createTool({
  id: 'get_weather',
  description: 'Weather.',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ degrees: z.number() }),
  execute: async ({ city }) => ({ degrees: city.length }),
});
const email = createTool({
  id: 'send_email',
  description: 'Email.',
  inputSchema: z.object({ to: z.array(z.string()), urgent: z.boolean().optional() }),
  requireApproval: true,
  execute: async ({ to }) => to.length,
});
const clock = createTool({ id: 'clock', description: 'Time.', execute: async () => Date.now() });
declare const fromMcp: Awaited<ReturnType<MCPClient['listTools']>>;
declare const anyTools: Record<string, Tool>;
const tools = { weather, email, clock };
options({ tools: {} });
options({ tools });
options({ tools: { ...fromMcp, weather } });
options({ tools: anyTools });
options({ includeResolvedTools: true });
weather satisfies MastraTool;
// Also written inline, where TypeScript reads the types of a tool off what is expected.
options({
  tools: {
    weather: createTool({
      id: 'get_weather',
      description: 'Weather.',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => city.length,
    }),
    office: { clock: createTool({ id: 'clock', description: 'Time.', execute: async () => Date.now() }) },
    email: aiTool({ description: 'Email.', inputSchema: z.object({ to: z.string() }), execute: async ({ to }) => to }),
  },
});
// @ts-expect-error a list
options({ tools: [weather] });
// @ts-expect-error a list that was not awaited
options({ tools: Promise.resolve(fromMcp) });
// @ts-expect-error no tool
options({ tools: { weather: 'get_weather' } });

// Tools by server, and tools of a run.
declare const byServer: Awaited<ReturnType<MCPClient['listToolsets']>>;
declare const client: MCPClient;
options({ tools: byServer });
options({ tools: { office: { weather, email }, more: {} } });
options({ tools: () => tools });
options({ tools: async () => ({ ...fromMcp, weather }), timeouts: { tools: 5_000 } });
options({ tools: () => client.listTools() });
options({ tools: () => client.listToolsets() });
options({
  tools: ({ requestContext }) => {
    holds<[Equal<typeof requestContext, RequestContext | undefined>]>();
    return requestContext?.get('isAdmin') ? tools : { clock };
  },
});
((args) => (args.requestContext ? tools : {})) satisfies ToolsFunction;
fromMcp satisfies ToolRecord;
byServer satisfies ToolRecord;
// @ts-expect-error a list
options({ tools: () => [weather] });
// @ts-expect-error nothing
options({ tools: () => {} });
// @ts-expect-error no such argument
options({ tools: ({ user }) => ({ [user]: weather }) });
// @ts-expect-error milliseconds
options({ tools: () => tools, timeouts: { tools: '5s' } });
// @ts-expect-error too deep
options({ tools: { a: { b: { weather } } } });

// A small catalog.
options({ tools, passthroughBelow: 8 });
options({ tools, passthroughBelow: { tools: 8, tokens: 500 } });
const limits: PassthroughLimits = { tokens: 500 };
options({ tools, passthroughBelow: limits });
// @ts-expect-error a text
options({ tools, passthroughBelow: '8' });
// @ts-expect-error a flag
options({ tools, passthroughBelow: true });
// @ts-expect-error no such limit
options({ tools, passthroughBelow: { tool: 8 } });
options({ tools, onEvent: (event) => void (event.type === 'passthrough' && event.isSentWhole && event.below) });
options({ tools, onEvent: (event) => void (event.type === 'tools-failed' && event.error) });

const paused = createTool({
  id: 'paused',
  description: 'Waits.',
  suspendSchema: z.object({ why: z.string() }),
  resumeSchema: z.object({ go: z.boolean() }),
  execute: async () => 'ran',
});
const personal = createTool({
  id: 'personal',
  description: 'Knows the user.',
  requestContextSchema: z.object({ user: z.string() }),
  execute: async () => 'ran',
});
const aiSdk = aiTool({ description: 'AI SDK.', inputSchema: z.object({ a: z.string() }), execute: async ({ a }) => a });
const webSearch = { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} } as const;
options({ tools: { paused } });
options({ tools: { personal } });
options({ tools: { aiSdk } });
options({ tools: { webSearch } });

// A drop-in: what was written for the class of @mastra/core compiles.
declare const coreOptions: ConstructorParameters<typeof CoreProcessor>[0];
options(coreOptions);
export const agent: Agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Help.',
  model: 'openai/gpt-5',
  inputProcessors: [new ToolSearchProcessor({ tools }), new CoreProcessor({ tools })],
});
declare const processor: ToolSearchProcessor;
processor satisfies InputProcessor & Processor<'tool-search'>;
processor satisfies ErrorProcessor;
new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Help.',
  model: 'anthropic/claude-sonnet-4-5',
  inputProcessors: [processor],
  errorProcessors: [processor],
});
holds<[Equal<typeof processor.id, 'tool-search'>, Equal<typeof processor.name, 'Tool Search Processor'>]>();
// @ts-expect-error the options are required
new ToolSearchProcessor();
// @ts-expect-error no such option
options({ tools, toolz: {} });

// Plain values.
options({
  tools,
  search: { topK: 3, minScore: -1, autoLoad: true },
  ttl: 0,
  injectCatalog: true,
  alwaysLoaded: ['clock'],
});
options({
  tools,
  alwaysLoaded: ['clock'] as const,
  metaTools: { search: { name: 'find' }, load: { description: 'Take.' } },
});
// @ts-expect-error a text
options({ tools, search: { topK: '5' } });
// @ts-expect-error one name
options({ tools, alwaysLoaded: 'clock' });
// @ts-expect-error the parameters have fixed names
options({ tools, metaTools: { search: { parameters: {} } } });
options({ tools, injectCatalog: 'names' });
// @ts-expect-error no such list
options({ tools, injectCatalog: 'all' });
// @ts-expect-error no such storage
options({ tools, storage: 'redis' });
// @ts-expect-error the factory
options({ tools, storage: memoryStore });

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
holds<[Equal<keyof ToolDocument, 'name' | 'description' | 'title' | 'server' | 'keywords' | 'parameters'>]>();
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
options({ tools, mode: 'native', native: { execution: 'server', variant: 'regex', fallback: 'error' } });
options({ tools, mode: 'native', native: { namespace: false } });
options({ tools, mode: 'native', native: { namespace: ({ id }) => id.split('_')[0] } });
options({ tools, mode: 'native', native: { namespace: () => ({ name: 'crm', description: 'Customers.' }) } });
options({ tools, mode: 'native', native: { detect: ({ provider }) => provider === 'azure.responses' && 'openai' } });
// @ts-expect-error no such mode
options({ tools, mode: 'hosted' });
// @ts-expect-error no such dialect
options({ tools, mode: 'native', native: { detect: () => 'google' } });
// @ts-expect-error no such variant
options({ tools, mode: 'native', native: { variant: 'bm26' } });
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
      | ('search-failed' | 'storage-unavailable' | 'native-unsupported')
    >,
    Equal<
      ToolSearchEvent['type'],
      | ('search' | 'load' | 'load-on-miss' | 'unload' | 'evict' | 'call-denied' | 'tool-problem')
      | ('filter-failed' | 'filter-budget' | 'store-failed' | 'scope-failed' | 'scorer-failed' | 'tools-failed')
      | ('passthrough' | 'native-off' | 'option-doubt' | 'run-cut')
    >,
    Equal<NativeOffReason, 'unsupported-model' | 'model-changed' | 'refused' | 'not-rewritten' | 'failed'>,
    Equal<NativeDialect, 'anthropic' | 'openai'>,
    Equal<keyof NativeOptions, 'execution' | 'variant' | 'namespace' | 'detect' | 'fallback'>,
    Equal<
      ToolProblem,
      'missing-description' | 'renamed' | 'left-out' | 'unreadable-schema' | 'sent-anyway' | 'unsendable'
    >,
    Equal<keyof SearchToolsResult, 'results' | 'message' | 'loaded' | 'activation' | 'unloaded'>,
    Equal<
      keyof SearchToolsResult['results'][number],
      'name' | 'description' | 'score' | 'confidence' | 'group' | 'queries' | 'explanation'
    >,
    Equal<
      keyof LoadToolResult,
      'success' | 'message' | 'loadedCount' | 'toolName' | 'loaded' | 'notFound' | 'alreadyLoaded' | 'unloaded'
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
