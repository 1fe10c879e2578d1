/** One deliberate difference from the ToolSearchProcessor of @mastra/core 1.71. The table of docs/differences.md is made from these. */
export interface Difference {
  readonly what: string;
  readonly core: string;
  readonly ours: string;
  /** For those who change it; the page says what differs. */
  readonly why: string;
}

export const differences = {
  anonymous: {
    what: 'Requests without a thread',
    core: 'share one "default" state',
    ours: 'keep their loads to themselves; `clearState()` does not reach them',
    why: 'one user must not get what another loaded',
  },
  clientTools: {
    what: "The request that brings a client tool's result, without a thread",
    core: 'has the tool loaded',
    ours: "is another request: give it a thread, or `storage: 'context'`",
    why: 'nothing but a thread or the messages tells whose request it is',
  },
  resources: {
    what: 'One thread id under two resources',
    core: 'one state',
    ours: 'two; `clearState(threadId, resourceId)` clears one',
    why: 'thread ids may come from clients',
  },
  clashes: {
    what: "Tools with equal ids, or a meta-tool's name; what is no tool",
    core: 'one hides the other, or a later crash',
    ours: '`ToolSearchError`, in the constructor or first step',
    why: 'a silent loss is found in production',
  },
  keys: {
    what: 'A tool without `id`; loading by record key',
    core: 'loaded twice; not found; the filter gets `undefined`',
    ours: 'the key is its name; a key loads the tool under its `id`',
    why: 'one tool, one name',
  },
  keyFirst: {
    what: 'A name that is the key of one tool and the `id` of another',
    core: 'loads by key',
    ours: 'loads by `id`',
    why: 'a search shows the `id`: what is described has to be what is loaded',
  },
  inherited: {
    what: '`load_tool` with `constructor` and the like',
    core: 'loads something that is no tool',
    ours: 'not found',
    why: 'the model writes the name',
  },
  snapshot: {
    what: 'The record changes after the constructor',
    core: 'search and load disagree',
    ours: 'stays as it was read; use `tools` as a function',
    why: 'what is found can be loaded, and the reverse',
  },
  names: {
    what: 'Names that providers refuse, or over 64 characters',
    core: 'sent as they are',
    ours: '`weather.get` is `weather_get`, a long one ends in a hash; the full name loads it too',
    why: 'providers refuse the whole request',
  },
  resolved: {
    what: '`includeResolvedTools`: AI SDK tools, working memory, equal ids',
    core: 'called by id, `tool-<hash>`; of two with one id, one is found',
    ours: 'called by key; the filter is asked about ids',
    why: 'a hash says nothing, Mastra knows its memory tools by key, and no tool is lost',
  },
  shadowed: {
    what: "A searchable tool with the name of one of the agent's",
    core: "loading it replaces the agent's",
    ours: "left out, with `tool-problem`; the agent's is found",
    why: 'what is described has to be what is called',
  },
  scores: {
    what: 'Scores, `minScore`',
    core: 'BM25 plus boosts, two decimals',
    ours: "the scorer's scale, four digits",
    why: 'scorers can be changed',
  },
  query: {
    what: 'Queries',
    core: 'keywords',
    ours: 'also `+required`, `select:exact_name,other`, `maxResults` of 1 to 20',
    why: 'fewer turns',
  },
  queries: {
    what: 'Several needs',
    core: 'one call each',
    ours: '`query` may be a list; results have `queries`',
    why: 'fewer turns',
  },
  message: {
    what: 'A query that finds nothing clear, repeats, or shares no word with the user',
    core: 'is answered alone',
    ours: "also shows what the user's message finds (`search.useMessage`)",
    why: 'small models search for data and examples',
  },
  results: {
    what: 'Results',
    core: '`name`, `description`, `score`, up to `topK`',
    ours: 'also `confidence` and `signature`; poor ones are left out; the message says where nothing fits',
    why: 'wrong tools must not be offered with confidence',
  },
  copies: {
    what: 'One tool on several servers',
    core: 'several results',
    ours: 'one result, the others in `alsoAs`',
    why: 'copies take the places of other tools',
  },
  atHand: {
    what: 'Tools that the model has',
    core: 'take places, or are not found',
    ours: 'found as well, marked `available`, in no place of others',
    why: 'a search for what is there must not end in vain',
  },
  now: {
    what: 'A loaded tool',
    core: '"available on your next turn"',
    ours: '"Call it now"',
    why: 'models end their turn, and wait',
  },
  circles: {
    what: 'A meta-tool called twice with one input, and no other tool since',
    core: 'is sent again',
    ours: 'is not sent until another tool is called',
    why: 'small models go in a circle until the run is cut',
  },
  teaching: {
    what: 'The description of `search_tools`',
    core: 'search by keyword',
    ours: 'also what to write, without an example',
    why: 'small models search for data, and copy examples',
  },
  lenient: {
    what: 'Odd input (broken JSON, no query)',
    core: '"Tool input validation failed"',
    ours: 'read as far as possible, else told what to do next',
    why: 'a refused call costs a turn',
  },
  suggestions: {
    what: '"Did you mean"',
    core: 'substrings of keys',
    ours: 'edit distance and words, for lists too; an invented name is searched',
    why: '`getWeather` should lead to `get_weather`, and an invented name to what it is meant for',
  },
  residents: {
    what: '`load_tool` of a tool that is always sent',
    core: 'not found',
    ours: 'the model is told to call it',
    why: 'it is callable',
  },
  autoLoad: {
    what: '`autoLoad`',
    core: 'asks the phase search',
    ours: 'asks search and load',
    why: 'the filter has to hold',
  },
  caps: {
    what: 'How much is loaded',
    core: 'whatever is asked for',
    ours: '20 tools in a call, 64 in a thread (`maxLoaded.tools`)',
    why: 'providers refuse a request with more than 128 tools',
  },
  receipts: {
    what: 'What results say of loads',
    core: '`toolName` for a single load',
    ours: 'also `loaded`, `unloaded`, and `activation` as in later versions of core',
    why: 'a conversation can go on with any version',
  },
  asking: {
    what: 'Asking the filter',
    core: 'one by one, anew in each search and step',
    ours: 'in parallel, once in a request (`active`: in a step); a search waits a second',
    why: 'a filter may ask a database, and no score may tell of what it hides',
  },
  injection: {
    what: '`injectCatalog`',
    core: 'all tools, in each step',
    ours: '1,000, made once in a request; names alone of client tools',
    why: 'the prompt cache, and room in the prompt; client text is no system text',
  },
  contextSearch: {
    what: "`storage: 'context'`: a search result",
    core: 'counts as loaded',
    ours: 'does not, without `autoLoad`',
    why: 'the tools pile up otherwise',
  },
  contextTrust: {
    what: "`storage: 'context'`: loads in earlier messages",
    core: 'believed',
    ours: "pass the load phase; ignored in the caller's messages where Memory has the history",
    why: 'a client could have written them, and Memory keeps what clients write',
  },
  contextRuns: {
    what: "`storage: 'context'`: loads not yet in the messages",
    core: 'known to all runs of the thread',
    ours: 'known to their own run',
    why: 'runs at once, and aborted ones, must not leak into each other',
  },
  miss: {
    what: 'A call of a tool that is not loaded',
    core: 'an error text',
    ours: "loaded for the next step; `onMiss: 'error'` turns it off, `'run'` runs it at once",
    why: 'a call that is clear should not cost a search',
  },
  validated: {
    what: 'Input of a loaded tool',
    core: 'validated twice, so a `transform` may fail',
    ours: 'once, behind approval and hooks',
    why: 'as for the own tools of an agent, in front of whose model Mastra casts inputs',
  },
  forced: {
    what: '`toolChoice` names a tool that is not loaded',
    core: 'a request that providers refuse',
    ours: 'loads it for the step; where denied, `auto`',
    why: 'who asks for a tool means to have it called',
  },
  withdrawn: {
    what: 'A tool that `active` denies by now',
    core: 'not sent, but runs',
    ours: 'not sent, not run',
    why: 'a withdrawn right holds at once',
  },
  handover: {
    what: '`getLoadedToolsForRequestContext({ tools })`',
    core: 'loaded tools',
    ours: 'every tool, without description and schema',
    why: 'loaded tools get the hooks and agent id of resident ones; traces and other processors see no more than names, and a schema that cannot be converted ends no run',
  },
  reading: {
    what: '`getStateStats()`',
    core: 'counts threads looked at',
    ours: 'counts threads that loaded something',
    why: 'reading creates no state',
  },
  cleaning: {
    what: 'Names and descriptions in prompts',
    core: 'as they are',
    ours: "one line, without invisible characters; the model's words cut at 64",
    why: 'tool text is not to be trusted',
  },
  options: {
    what: 'Unknown options, meaningless values (`topK: 0`)',
    core: 'ignored',
    ours: '`ToolSearchError` in the constructor, with what was probably meant',
    why: 'a slip of the pen must not be an option that does nothing',
  },
  warnings: {
    what: 'Faults, such as a filter that throws',
    core: 'nothing printed',
    ours: "a `[tool-search]` line to Mastra's logger, else `console.warn`; the error in `onEvent`",
    why: 'a log line is a line, and an application has one logger',
  },
  ends: {
    what: 'Nothing to find; the third search in vain',
    core: '"Try different keywords"',
    ours: 'told that there are no other tools, or to answer or ask',
    why: 'a model would search for ever',
  },
};

/** The title of the test that shows a difference. */
export function titleOf({ what, ours }: Difference): string {
  return `${what}: ${ours}`;
}

/** The table of docs/differences.md, line by line. */
export function differencesTable(): string {
  const all: readonly Difference[] = Object.values(differences);
  const rows = all.map(({ what, core, ours }) => `| ${what} | ${core} | ${ours} |`);
  return ['| | @mastra/core 1.71 | here |', '|---|---|---|', ...rows].join('\n');
}
