/** One deliberate difference from the ToolSearchProcessor of @mastra/core 1.71. The table of docs/differences.md is made from these. */
export interface Difference {
  readonly what: string;
  readonly core: string;
  readonly ours: string;
  readonly why: string;
}

type DifferenceName =
  | 'anonymous'
  | 'clientTools'
  | 'resources'
  | 'clashes'
  | 'keys'
  | 'keyFirst'
  | 'inherited'
  | 'snapshot'
  | 'names'
  | 'resolved'
  | 'shadowed'
  | 'scores'
  | 'query'
  | 'queries'
  | 'message'
  | 'results'
  | 'copies'
  | 'atHand'
  | 'now'
  | 'circles'
  | 'teaching'
  | 'lenient'
  | 'suggestions'
  | 'residents'
  | 'autoLoad'
  | 'caps'
  | 'receipts'
  | 'asking'
  | 'injection'
  | 'contextSearch'
  | 'contextTrust'
  | 'contextRuns'
  | 'validated'
  | 'forced'
  | 'withdrawn'
  | 'miss'
  | 'handover'
  | 'reading'
  | 'cleaning'
  | 'options'
  | 'warnings'
  | 'ends';

export const differences: Readonly<Record<DifferenceName, Difference>> = {
  anonymous: {
    what: 'Requests without a thread',
    core: 'share one "default" state',
    ours: 'keep their loads to themselves, over all their steps; `clearState()` reaches none of them',
    why: 'one user must not get what another loaded',
  },
  clientTools: {
    what: "Client tools without a thread: the request that brings the tool's result",
    core: 'still has the tool loaded, by the shared "default" state',
    ours: "is another request, and has loaded nothing; with a thread, or with `storage: 'context'`, it has the tool",
    why: 'nothing but a thread or the messages tells whose request it is',
  },
  resources: {
    what: 'The same thread id under two resources',
    core: 'one state',
    ours: 'two; `clearState(threadId)` clears both, `clearState(threadId, resourceId)` one',
    why: 'thread ids may come from clients',
  },
  clashes: {
    what: 'Different tools with equal ids, with the name of a meta-tool, or that are no tools',
    core: 'one hides the other, or a crash later',
    ours: '`ToolSearchError` in the constructor; in the first step where only the agent shows the clash',
    why: 'a silent loss is found in production',
  },
  keys: {
    what: "A tool without `id`, a provider's own tool, and loading by record key",
    core: 'loaded under the key, and a second time under the `id`; not found by search, or as `openai.web_search`; the filter is asked about `undefined`',
    ours: 'the key is its name everywhere; the key of a tool with an `id` loads it under its `id`, once',
    why: 'one tool, one name',
  },
  keyFirst: {
    what: '`load_tool` with a name that is the key of one tool and the `id` of another',
    core: 'loads the one with the key; with a `filter`, the one with the `id`',
    ours: 'loads the one with the `id`',
    why: 'a search shows the `id`: what is described has to be what is loaded',
  },
  inherited: {
    what: '`load_tool` with a name that every object has (`constructor`)',
    core: 'loaded successfully, and the next step holds something that is no tool',
    ours: 'not found',
    why: 'the model writes the name',
  },
  snapshot: {
    what: 'The record of tools, changed after the constructor',
    core: 'a tool that was added is loaded but not found, one that was taken out is found but not loaded',
    ours: 'stays as the constructor read it; give `tools` as a function for tools that change',
    why: 'what is found can be loaded, and the reverse',
  },
  names: {
    what: 'Names over 64 characters, or with characters that providers refuse',
    core: 'sent as they are',
    ours: 'another name that stays the same: `weather.get` is `weather_get`, a long one ends in a hash; the full name loads it too',
    why: 'providers refuse the whole request',
  },
  resolved: {
    what: '`includeResolvedTools`: AI SDK tools, working memory, and a tool whose id is the id or the key of another',
    core: 'called by their ids, `tool-<hash>` and `update-working-memory`; of two with one id, one is found',
    ours: 'called by their keys; the filter is asked about their ids, but not about a hash',
    why: 'a hash says nothing, Mastra knows its memory tools by key, and no tool is lost',
  },
  shadowed: {
    what: 'A searchable tool with the name of one that the agent sends',
    core: 'found, and loading it puts it in the place of the other',
    ours: "left out, with a `tool-problem`; the agent's own is found",
    why: 'what is described has to be what is called',
  },
  scores: {
    what: 'Scores and `minScore`',
    core: 'BM25 plus boosts of 5 and 2, two decimals',
    ours: "the scorer's own scale, four significant digits",
    why: 'scorers can be changed',
  },
  query: {
    what: 'Queries',
    core: 'keywords',
    ours: 'also `+required` words and `select:exact_name,other`, which loads at once; `maxResults` 1 to 20 is read, though no schema tells of it',
    why: 'fewer turns',
  },
  queries: {
    what: 'Several needs',
    core: 'one call each',
    ours: '`query` may be a list; results come in turns, each with the `queries` that found it',
    why: 'fewer turns',
  },
  message: {
    what: 'A query that finds nothing, nothing clear, comes again in a run, or has no word of what the user wrote',
    core: 'is answered alone',
    ours: "also shows what the user's last message finds, marked `fromMessage`, within `topK`; `search.useMessage: false` does not",
    why: 'small models search for data and examples',
  },
  results: {
    what: 'Results of a search',
    core: '`name`, `description`, `score`, as many as `topK` where so many match',
    ours: 'also `confidence` from 0 to 1, for the best a `signature`, and tools whose exact name is in the query; what scores far below the best is left out; where probably nothing fits, the message says so',
    why: 'wrong tools must not be offered with confidence',
  },
  copies: {
    what: 'The same tool on several servers',
    core: 'each is a result',
    ours: 'one result, the best, with the names of the others in `alsoAs`; each can be loaded',
    why: 'copies take the places of other tools',
  },
  atHand: {
    what: 'Tools that the model has already',
    core: 'loaded ones take a place among the results, others are not found',
    ours: "found as well, the agent's own too, marked `available`; they take no place from others",
    why: 'a search for what is there must not end in vain',
  },
  now: {
    what: 'What is said of a loaded tool',
    core: '"available on your next turn"',
    ours: '"Call it now"',
    why: 'models end their turn, and wait',
  },
  circles: {
    what: 'A meta-tool that a run has called twice with the same input, without a call of another tool since',
    core: 'is sent again, and answers the same',
    ours: 'is not sent until the run has called another tool, unless the model would have none; a second load of one tool is answered more firmly',
    why: 'small models go in a circle until the run is cut',
  },
  teaching: {
    what: 'The description of `search_tools`',
    core: 'search by keyword',
    ours: 'also what to write: what the tool must do and with which service, without the data; no example of a query',
    why: 'small models search for data, and copy examples',
  },
  lenient: {
    what: 'Odd input (`toolNames` as a text, no query, broken JSON)',
    core: '"Tool input validation failed"',
    ours: 'read as far as possible, else a result that says what to do next',
    why: 'a refused call costs a turn',
  },
  suggestions: {
    what: '"Did you mean"',
    core: 'substrings of record keys, for a single name',
    ours: 'edit distance and words, for lists too, as far as the filter lets the request see and load; a name that is no misspelling is searched by its words and answered with `results`',
    why: '`getWeather` should lead to `get_weather`, and an invented name to what it is meant for',
  },
  residents: {
    what: '`load_tool` with the name of a tool that is always sent',
    core: 'not found',
    ours: 'needs no loading, and is to be called',
    why: 'it is callable',
  },
  autoLoad: {
    what: '`autoLoad`',
    core: 'asks the search phase only',
    ours: 'asks the load phase as well, and shows nothing that it denies',
    why: 'the filter has to hold',
  },
  caps: {
    what: 'How much is loaded',
    core: 'whatever is asked for',
    ours: '20 tools in one call, which says how many more there are; 64 in a thread (`maxLoaded.tools`)',
    why: 'providers refuse a request with more than 128 tools',
  },
  receipts: {
    what: 'What results say of loads',
    core: 'nothing in a search; `toolName` for a single `load_tool`',
    ours: 'also `loaded`, what made room as `unloaded`, and the receipt `activation` that later versions of core ask for',
    why: 'a conversation can go on with any version',
  },
  asking: {
    what: 'Asking the filter',
    core: 'one tool after the other, in every search and step anew',
    ours: 'in parallel, each tool once in a request (`active`: in a step), all of them at its first search, and in a search for a second at most',
    why: 'a filter may ask a database, and no score may tell of what it hides',
  },
  injection: {
    what: '`injectCatalog`',
    core: 'all tools, made anew in each step',
    ours: '1,000 tools at most, and a note that there are more; made once in a request; names alone of tools that the client sent',
    why: 'the prompt cache, and room in the prompt; client text is no system text',
  },
  contextSearch: {
    what: "`storage: 'context'` without `autoLoad`",
    core: 'a mere search result counts as loaded',
    ours: 'only what was loaded counts',
    why: 'the tools pile up otherwise',
  },
  contextTrust: {
    what: "`storage: 'context'`: loads that earlier messages show",
    core: 'believed',
    ours: 'have to pass the load phase again; ignored in what the caller sent where Memory has the history',
    why: 'a client could have written them, and Memory keeps what clients write',
  },
  contextRuns: {
    what: "`storage: 'context'`: loads that the messages do not show yet",
    core: 'known to all runs of the thread in this process',
    ours: 'known to their own run; a call that is mended on a miss counts in later ones, and `unload_tool` is read too',
    why: 'runs at once, and aborted ones, must not leak into each other',
  },
  miss: {
    what: 'A call of a tool that is not loaded',
    core: 'an error text, each time',
    ours: "loaded for the next step where it means one permitted tool, and the model is told so; `onMiss: 'error'` turns it off. With `onMiss: 'run'` it runs at once; then steps of an agent have a wrapped model, a list of active tools and empty places for such tools",
    why: 'a call that is clear should not cost a search',
  },
  validated: {
    what: 'The input of a loaded tool',
    core: 'validated by two parts of Mastra, one after the other: what a `transform` made of it may not fit the second time',
    ours: 'validated once in every mode, as Mastra casts it for the provider, behind the approval and the hooks of the agent',
    why: 'as for the own tools of an agent, in front of whose model Mastra casts inputs',
  },
  forced: {
    what: '`toolChoice` with the name of a tool that is not loaded',
    core: 'goes out with a request that has no such tool, which providers refuse',
    ours: 'loads the tool for the step at hand; in call mode `call_tool` is asked for, and runs that tool alone; where the filter denies the tool, `toolChoice` is `auto`, with a `load` event',
    why: 'who asks for a tool means to have it called',
  },
  withdrawn: {
    what: 'A tool that the active phase denies by now',
    core: 'not sent, but still runs on the next turn',
    ours: 'not sent and not run; the phase is asked again right before a call',
    why: 'a withdrawn right holds at once',
  },
  handover: {
    what: '`getLoadedToolsForRequestContext({ tools })`, as Mastra calls it',
    core: 'loaded tools',
    ours: 'every tool, without its description and schema; without `tools`, the loaded ones',
    why: 'loaded tools get the hooks and agent id of resident ones; traces and other processors see no more than names, and a schema that cannot be converted ends no run',
  },
  reading: {
    what: '`getStateStats()`',
    core: 'counts every thread that was looked at',
    ours: 'counts threads that loaded something',
    why: 'reading creates no state',
  },
  cleaning: {
    what: 'Names and descriptions in prompts',
    core: 'as they are',
    ours: 'one line, without control characters and what nobody sees (zero-width and bidirectional marks, tag characters); what the model wrote is cut at 64 characters, and never stands in system text',
    why: 'tool text is not to be trusted',
  },
  options: {
    what: 'Unknown options, at any level; values that mean nothing (`topK: 0`, `ttl: -1`, an unknown `storage`)',
    core: 'ignored; a search that finds nothing, loads that never expire, the default storage',
    ours: '`ToolSearchError` in the constructor, with the option that was probably meant, or the values that there are',
    why: 'a slip of the pen must not be an option that does nothing',
  },
  warnings: {
    what: 'What is printed of a fault, such as a filter that throws',
    core: 'nothing; later versions give `console.warn` a text and the error',
    ours: "one line that begins with `[tool-search]`, to `warn` of Mastra's logger or else to `console.warn`; the error itself is in `onEvent`",
    why: 'a log line is a line, and an application has one logger',
  },
  ends: {
    what: 'A catalog with nothing to find; the third search of a run without a load or a call',
    core: '"Try different keywords", each time',
    ours: 'the message says that no other tools are available, and where the list could not be fetched; after three searches, to answer or to ask',
    why: 'a model would search for ever',
  },
};

/** The title of the test that shows a difference. */
export function titleOf({ what, ours }: Difference): string {
  return `${what}: ${ours}`;
}

/** The table of docs/differences.md, line by line. */
export function differencesTable(): string {
  const rows = Object.values(differences).map(
    ({ what, core, ours, why }) => `| ${what} | ${core} | ${ours} | ${why} |`,
  );
  return ['| | @mastra/core 1.71 | here | why |', '|---|---|---|---|', ...rows].join('\n');
}
