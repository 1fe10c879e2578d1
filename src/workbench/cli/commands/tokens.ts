import { ToolSearchProcessor, type ToolSearchProcessorOptions } from '../../../index.ts';
import { type CatalogEntry, definitionTokens, Groups, inputJsonSchema, listedTools, serverOf } from '../../../kit.ts';
import { asRecord, given } from '../../../util/record.ts';
import { estimateTokens } from '../../../util/tokens.ts';
import { catalogOf } from '../../evaluate/cases.ts';
import { meanOf } from '../../evaluate/metrics.ts';
import { firstSentence } from '../../first-sentence.ts';
import { grouped } from '../../grouped.ts';
import { catalogOptions, type LoadedCatalog, loadCatalog } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { readCasesFile, scorerOption, scorersOf } from '../inputs.ts';
import { counted, formatOf, numbers, type Page, percent, printResult, several } from '../output.ts';
import { OK, type Terminal } from '../terminal.ts';

export const tokensCommand: Command = {
  name: 'tokens',
  summary: 'Say what the definitions cost, sent all at once or searched.',
  usage: 'CATALOG',
  about: [
    'What a mode sends is read off the processor itself, for each query: its meta-tools, its system text, its results. The queries are the first sentences of some tools, or those of --cases. Tokens are estimated.',
    'A conversation is so many model calls over a prompt of so many tokens, in which so many tools are used. The cache of a provider is not taken into account.',
  ],
  options: {
    cases: { hint: 'FILE', text: 'Queries of users, as for eval' },
    calls: { hint: 'N', text: 'Model calls of a conversation without searching (3)' },
    used: { hint: 'N', text: 'Tools that it uses (1)' },
    prompt: { hint: 'TOKENS', text: 'System text and history, the mean over its calls (1000)' },
    samples: { hint: 'N', text: 'Queries that are tried, at most (20)' },
    top: { short: 'n', hint: 'N', text: 'Tools that are listed, the heaviest first (10)' },
    scorer: scorerOption,
    ...catalogOptions,
  },
  examples: [
    ['tokens tools.json', 'all modes, servers and the heaviest tools'],
    ['tokens mcp.json --calls 10 --used 3 --prompt 10000', 'a longer conversation'],
    ['tokens tools.json --cases cases.jsonl', 'with the words of your users'],
  ],
  run,
};

/** A way to send tools. */
interface Mode {
  readonly name: string;
  readonly options: Omit<ToolSearchProcessorOptions, 'tools'>;
  /** The additional calls that the use of a tool takes. */
  readonly adds: readonly ('search' | 'load')[];
  /** The model of the step, if the mode depends on it. */
  readonly model?: object;
}

/** The newest model of Anthropic that cannot get definitions in mid-conversation; most users of tool search have it. */
const ANTHROPIC = { specificationVersion: 'v3', provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
const MODES: readonly Mode[] = [
  { name: 'load', options: {}, adds: ['search', 'load'] },
  { name: 'load, autoLoad', options: { search: { autoLoad: true } }, adds: ['search'] },
  { name: 'load, preselect', options: { preselect: true }, adds: ['search', 'load'] },
  { name: 'call', options: { mode: 'call' }, adds: ['search'] },
  { name: 'call, preselect', options: { mode: 'call', preselect: true }, adds: ['search'] },
  { name: 'native, Anthropic', options: { mode: 'native' }, adds: ['search'], model: ANTHROPIC },
];

/** A conversation: its model calls without searches, the tools that it uses, and the tokens of system text and history. */
type Conversation = Readonly<Record<'calls' | 'used' | 'prompt', number>>;

/** The input of a conversation: its model calls, the tokens of the first call, and of all calls. */
type Cost = Readonly<Record<'calls' | 'first' | 'tokens', number>>;

interface ModeCost extends Cost {
  readonly mode: string;
  /** The share of tokens saved, compared with sending all tools. */
  readonly saved: number;
}

/** The cost of a catalog, which is the JSON output. */
interface Result {
  readonly catalog: string;
  readonly tools: number;
  /** Tokens of all definitions. */
  readonly tokens: number;
  readonly conversation: Conversation;
  readonly queries: number;
  /** The origin of the queries: users, or the tools' own words, which find tools more easily. */
  readonly queriesOf: 'cases' | 'tools';
  readonly modes: readonly ModeCost[];
  readonly servers: readonly { readonly server: string; readonly tools: number; readonly tokens: number }[];
  /** The heaviest tools, with the tokens of the definition, and of two of its parts. */
  readonly heaviest: readonly Readonly<{ tool: string; tokens: number; description: number; parameters: number }>[];
}

async function run(call: Call): Promise<number> {
  const { terminal, values } = call;
  formatOf(call);
  const calls = values.whole('calls', 1) ?? 3;
  const used = values.whole('used', 0, calls) ?? Math.min(1, calls);
  const conversation = { calls, used, prompt: values.whole('prompt', 0) ?? 1_000 };
  const samples = values.whole('samples', 1) ?? 20;
  const top = values.whole('top', 0) ?? 10;
  const { catalog } = await loadCatalog(call);
  const { tools, keywords, groups } = catalog;
  const [scorer] = await scorersOf(call, catalog);
  const options = { tools, search: given({ keywords, scorer }), ...given({ groups }) } as ToolSearchProcessorOptions;
  terminal.progress('Reading definitions…');
  const entries = [...catalogOf(tools, keywords).entries];
  const sizes = new Map(entries.map((entry) => [entry.name, definitionTokens(entry)]));
  const sizeOf = (names: readonly string[]): number => names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  const tokens = sizeOf([...sizes.keys()]);
  const { queriesOf, all: queries } = await askedOf(call, catalog, entries);
  const asked = evenly(queries, samples);
  const all = costOf({ ...NOTHING, definitions: tokens }, [], conversation);
  const modes: ModeCost[] = [{ mode: 'all sent', ...all, saved: 0 }];
  for (const mode of MODES) {
    const ofMode = { ...options, ...mode.options, search: { ...options.search, ...mode.options.search } };
    const processor = quiet(ofMode);
    // Builds the index first, because a first step does not wait for an index.
    await processor.search(asked[0]?.query ?? '');
    const costs: Cost[] = [];
    for (const one of asked) {
      terminal.progress(`Measuring ${mode.name} (${modes.length}/${MODES.length})…`);
      costs.push(costOf(await measure(processor, mode, one, sizeOf), mode.adds, conversation));
    }
    const mean = (key: keyof Cost): number => meanOf(costs.map((cost) => cost[key]));
    const cost = { calls: mean('calls'), first: mean('first'), tokens: mean('tokens') };
    modes.push({ mode: mode.name, ...cost, saved: 1 - cost.tokens / all.tokens });
  }
  const heaviest = entries.map(({ name, description, tool }) => ({
    ...{ tool: name, tokens: sizeOf([name]), description: estimateTokens(description) },
    parameters: estimateTokens(JSON.stringify(schemaOf(tool) ?? {})),
  }));
  const result: Result = {
    ...{ catalog: catalog.title, tools: entries.length, tokens, conversation, queries: asked.length, queriesOf },
    modes,
    servers: serversOf(entries, catalog, sizeOf),
    heaviest: heaviest.toSorted((one, other) => other.tokens - one.tokens),
  };
  printResult(call, result, (page) => write(result, top, page, terminal));
  return OK;
}

/** A query of a user, and the tools that serve it. */
interface AskedTool {
  readonly query: string;
  readonly relevant: readonly string[];
}

/** The queries of the cases, else the first sentences of the tools' descriptions. */
async function askedOf(
  { values, terminal }: Call,
  catalog: LoadedCatalog,
  entries: readonly CatalogEntry[],
): Promise<{ readonly queriesOf: Result['queriesOf']; readonly all: readonly AskedTool[] }> {
  const file = values.text('cases');
  const cases = file === undefined ? catalog.cases : await readCasesFile(file, terminal);
  const fitting = cases?.filter(({ relevant }) => relevant.length > 0) ?? [];
  if (fitting.length > 0) return { queriesOf: 'cases', all: fitting };
  const all = entries.map((entry): AskedTool => {
    return { query: firstSentence(entry).slice(0, 200) || entry.name, relevant: [entry.name] };
  });
  return { queriesOf: 'tools', all };
}

function evenly<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)] as Item);
}

/** The tokens that a mode takes for one query, measured on what a real processor sends and answers. */
interface Measured {
  /** Definitions in the first step that are the same for every user. */
  readonly definitions: number;
  /** The text for the system prompt. */
  readonly system: number;
  /** Definitions that preselection adds to the first step. */
  readonly preselected: number;
  /** Whether preselection found a wanted tool. */
  readonly isHit: boolean;
  /** A search and its result, in the history. */
  readonly search: number;
  /** A load and its result, in the history. */
  readonly load: number;
  /** Definitions that a loaded tool adds to the list of tools. */
  readonly loaded: number;
}

const NOTHING: Measured = {
  ...{ definitions: 0, system: 0, preselected: 0, isHit: false },
  ...{ search: 0, load: 0, loaded: 0 },
};
const META = ['search_tools', 'load_tool', 'call_tool'];

async function measure(
  processor: ToolSearchProcessor,
  { options, adds, model }: Mode,
  { query, relevant }: AskedTool,
  sizeOf: (names: readonly string[]) => number,
): Promise<Measured> {
  const { sent, texts, tools } = await step(processor, query, model);
  const residents = sent.filter(({ name }) => META.includes(name));
  const others = sent.flatMap(({ name }) => (META.includes(name) ? [] : [name]));
  const isSuggestion = (text: string): boolean => text.includes('<suggested-tools>');
  const suggested = texts.filter(isSuggestion).join('\n');
  const result = asRecord(await execute(tools, 'search_tools', { query: [query] })) ?? {};
  const results: readonly unknown[] = Array.isArray(result['results']) ? result['results'] : [];
  const found = results.flatMap((one) => asRecord(one)?.['name'] ?? []).map(String);
  const toolName = relevant.find((name) => found.includes(name)) ?? found[0];
  const isLoaded = adds.includes('load') && toolName !== undefined;
  const answer = isLoaded ? await execute(tools, 'load_tool', { toolName }) : undefined;
  // A provider with tool references replaces the result by the definitions.
  const isNative = model !== undefined;
  const preselected = isNative ? 0 : sizeOf(others) + estimateTokens(suggested);
  const isHit = relevant.some((name) => others.includes(name) || suggested.includes(JSON.stringify(name)));
  return {
    definitions: residents.reduce((total, tool) => total + estimateTokens(JSON.stringify(tool)), 0),
    system: estimateTokens(texts.filter((text) => !isSuggestion(text)).join('\n')),
    ...{ preselected, isHit: isHit && preselected > 0 },
    search:
      estimateTokens(JSON.stringify({ query })) + (isNative ? sizeOf(found) : estimateTokens(JSON.stringify(result))),
    load: isLoaded ? estimateTokens(JSON.stringify([{ toolName }, answer])) : 0,
    loaded: options.search?.autoLoad ? sizeOf(found) : isLoaded ? sizeOf([toolName]) : 0,
  };
}

/** A processor that writes no log. */
function quiet(options: ToolSearchProcessorOptions): ToolSearchProcessor {
  const processor = new ToolSearchProcessor(options);
  processor.__registerMastra({ getLogger: () => ({ warn: () => {} }) } as never);
  return processor;
}

/** A tool's definition in the form that is sent. */
interface SentTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

type Tools = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Runs the processor's hooks for the first step of a run, as Mastra does. */
async function step(
  processor: ToolSearchProcessor,
  query: string,
  model?: object,
): Promise<{ readonly tools: Tools; readonly sent: readonly SentTool[]; readonly texts: readonly string[] }> {
  const texts: string[] = [];
  const messages = [
    { id: '1', role: 'user', content: { format: 2, parts: [{ type: 'text', text: query }] }, createdAt: new Date() },
  ];
  const messageList = {
    addSystem: (text: unknown) => texts.push(typeof text === 'string' ? text : JSON.stringify(text)),
    clearSystemMessages: () => {},
  };
  const args = { tools: {}, messages, messageList, state: {}, stepNumber: 0, ...given({ model }) };
  const tools = ((await processor.processInputStep(args as never)).tools ?? {}) as Tools;
  const sent = Object.entries(tools).flatMap(([name, tool]): SentTool[] => {
    const { description, providerOptions } = tool;
    const isDeferred = asRecord(asRecord(providerOptions)?.['anthropic'])?.['deferLoading'] === true;
    return isDeferred ? [] : [{ name, description: String(description ?? ''), parameters: schemaOf(tool) }];
  });
  return { tools, sent, texts };
}

function schemaOf(tool: object): unknown {
  try {
    return inputJsonSchema(tool);
  } catch {
    return undefined;
  }
}

async function execute(tools: Tools, name: string, input: object): Promise<unknown> {
  const call = tools[name]?.['execute'] as ((input: object, context: object) => Promise<unknown>) | undefined;
  return call?.(input, {});
}

/** The cost of a conversation: each tool's first use follows the calls that search and load the tool. */
function costOf(
  { definitions, system, preselected, isHit, search, load, loaded }: Measured,
  adds: Mode['adds'],
  { calls, used, prompt }: Conversation,
): Cost {
  let request = definitions + preselected + prompt + system;
  const cost = { calls: 0, first: request, tokens: 0 };
  const ask = (): void => {
    cost.calls++;
    cost.tokens += request;
  };
  for (let at = 0; at < calls; at++) {
    if (at < used && !(isHit && at === 0)) {
      for (const added of adds) {
        ask();
        request += added === 'search' ? search : load;
      }
      request += loaded;
    }
    ask();
  }
  return cost;
}

function serversOf(
  entries: readonly CatalogEntry[],
  { tools, groups = serverOf }: LoadedCatalog,
  sum: (names: readonly string[]) => number,
): Result['servers'] {
  const toolGroups = new Groups(groups);
  const toolsets = new Map(listedTools(tools).map(({ key, toolset = '' }) => [key, toolset]));
  const byServer = grouped(entries, (entry) => toolGroups.of(entry) || (toolsets.get(entry.key) ?? ''));
  return [...byServer]
    .map(([server, own]) => ({ server, tools: own.length, tokens: sum(own.map(({ name }) => name)) }))
    .toSorted((one, other) => other.tokens - one.tokens);
}

function write(result: Result, top: number, page: Page, { colors }: Terminal): void {
  const { conversation, servers, heaviest, modes, tools, tokens } = result;
  const perTool = `${counted(Math.round(tokens / tools))} a tool`;
  page.heading(`${result.catalog}: ${several(tools, 'tool')}, ${counted(tokens)} tokens, ${perTool}`);
  const columns = (name: string, ...others: readonly string[]) => [
    { title: name, paint: colors.bold },
    ...others.map(numbers),
  ];
  page.table(
    columns('mode', 'calls', 'first call', 'conversation', 'saved'),
    modes.map((one, at) => [
      ...[one.mode, one.calls.toFixed(1), Math.round(one.first), Math.round(one.tokens)],
      at === 0 ? '' : percent(one.saved),
    ]),
  );
  const { calls, used, prompt } = conversation;
  page.text(
    `Estimated tokens. A conversation: ${calls} model calls (--calls) over ${counted(prompt)} tokens of prompt and history (--prompt), ${used} of the tools used (--used), looked for with ${result.queries} queries in turn.`,
    colors.dim,
  );
  if (result.queriesOf === 'tools')
    page.text(
      'The queries are first sentences of the tools themselves, taken for what users say: real users are understood less often, above all by preselect. Give their words with --cases.',
      colors.yellow,
    );
  const share = (part: number): string => percent(part / tokens);
  if (servers.length > 1)
    page.table(
      columns('server', 'tools', 'tokens', 'share'),
      servers.map((one) => [one.server || 'none', one.tools, one.tokens, share(one.tokens)]),
    );
  page.table(
    columns('tool', 'tokens', 'share', 'description', 'parameters'),
    heaviest.slice(0, top).map((one) => [one.tool, one.tokens, share(one.tokens), one.description, one.parameters]),
  );
}
