import { ToolSearchProcessor, type ToolSearchProcessorOptions } from '../../index.ts';
import { asRecord, estimateTokens, inputJsonSchema } from '../../kit.ts';

/** A query of a user, and the tools that serve it. */
export interface AskedTool {
  readonly query: string;
  readonly relevant: readonly string[];
}

/** A way to send tools. */
export interface MeasuredMode {
  readonly name: string;
  readonly options: Omit<ToolSearchProcessorOptions, 'tools'>;
  /** The calls that using a tool adds. */
  readonly adds: readonly ('search' | 'load')[];
  /** The model of the step, where the mode depends on it. */
  readonly model?: object;
}

/** Tokens that a mode takes, the mean over the queries; all of them read off what a real processor sends and answers. */
export interface Measured {
  /** Definitions of a first step that are the same for every user. */
  readonly definitions: number;
  /** The text for the system prompt. */
  readonly system: number;
  /** Definitions that the words of the user add to the first step. */
  readonly preselected: number;
  /** The share of the queries whose tool is among these. */
  readonly hits: number;
  /** A search and its result, in the history. */
  readonly search: number;
  /** A load and its result, in the history. */
  readonly load: number;
  /** Definitions that the list of tools gets by a use. */
  readonly loaded: number;
}

/** The definition of a tool as it is sent. */
export interface SentTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

/** Anthropic's newest model without definitions in mid-conversation: the one that most users of tool search have. */
const ANTHROPIC = { specificationVersion: 'v3', provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };

export const MEASURED_MODES: readonly MeasuredMode[] = [
  { name: 'load', options: {}, adds: ['search', 'load'] },
  { name: 'load, autoLoad', options: { search: { autoLoad: true } }, adds: ['search'] },
  { name: 'load, preselect', options: { preselect: true }, adds: ['search', 'load'] },
  { name: 'call', options: { mode: 'call' }, adds: ['search'] },
  { name: 'call, preselect', options: { mode: 'call', preselect: true }, adds: ['search'] },
  { name: 'native, Anthropic', options: { mode: 'native' }, adds: ['search'], model: ANTHROPIC },
];

/** The definitions of a whole catalog, as they are sent where nothing is searched. */
export async function definitionsOf(options: ToolSearchProcessorOptions): Promise<readonly SentTool[]> {
  const { sent } = await step(quiet({ ...options, passthroughBelow: Number.MAX_SAFE_INTEGER }), '');
  return sent;
}

/** Measures what a mode sends for each query. */
export async function measure(
  mode: MeasuredMode,
  options: ToolSearchProcessorOptions,
  asked: readonly AskedTool[],
  tokensOf: (name: string) => number,
  progress: () => void,
): Promise<Measured> {
  const given = { ...options, ...mode.options, search: { ...options.search, ...mode.options.search } };
  const processor = quiet(given);
  const isNative = mode.model !== undefined;
  // A first step does not wait for an index.
  await processor.search(asked[0]?.query ?? '');
  const all: Measured[] = [];
  for (const { query, relevant } of asked) {
    progress();
    const { sent, texts, tools } = await step(processor, query, mode.model);
    const residents = sent.filter(({ name }) => META.includes(name));
    const others = sent.filter(({ name }) => !META.includes(name)).map(({ name }) => name);
    const system = estimateTokens(texts.filter((text) => !text.includes('<suggested-tools>')).join('\n'));
    const suggested = texts.filter((text) => text.includes('<suggested-tools>')).join('\n');
    const result = asRecord(await call(tools, 'search_tools', { query: [query] })) ?? {};
    const found = names(result['results']);
    const wanted = relevant.find((name) => found.includes(name)) ?? found[0];
    const load = mode.adds.includes('load') && wanted !== undefined;
    const answer = load ? await call(tools, 'load_tool', { toolName: wanted }) : undefined;
    const sum = (list: readonly string[]): number => list.reduce((total, name) => total + tokensOf(name), 0);
    const preselected = isNative ? 0 : sum(others) + estimateTokens(suggested);
    const isHit = relevant.some((name) => others.includes(name) || suggested.includes(JSON.stringify(name)));
    all.push({
      definitions: residents.reduce((total, tool) => total + estimateTokens(JSON.stringify(tool)), 0),
      ...{ system, preselected, hits: isHit && preselected > 0 ? 1 : 0 },
      // Where the provider refers to tools, it puts their definitions in place of the result.
      search:
        estimateTokens(JSON.stringify({ query })) + (isNative ? sum(found) : estimateTokens(JSON.stringify(result))),
      load: load ? estimateTokens(JSON.stringify([{ toolName: wanted }, answer])) : 0,
      loaded: mode.options.search?.autoLoad ? sum(found) : load ? tokensOf(wanted) : 0,
    });
  }
  return meanOf(all);
}

/** The mean of each figure. */
function meanOf(all: readonly Measured[]): Measured {
  const mean = (key: keyof Measured): number => all.reduce((sum, one) => sum + one[key], 0) / Math.max(1, all.length);
  return {
    ...{ definitions: mean('definitions'), system: mean('system'), preselected: mean('preselected') },
    ...{ hits: mean('hits'), search: mean('search'), load: mean('load'), loaded: mean('loaded') },
  };
}

const META = ['search_tools', 'load_tool', 'call_tool'];

interface StepSent {
  readonly tools: Readonly<Record<string, unknown>>;
  readonly sent: readonly SentTool[];
  readonly texts: readonly string[];
}

/** A processor that writes no log. */
function quiet(options: ToolSearchProcessorOptions): ToolSearchProcessor {
  const processor = new ToolSearchProcessor(options);
  processor.__registerMastra({ getLogger: () => ({ warn: () => {} }) } as never);
  return processor;
}

/** The first step of a run, as Mastra has it done. */
async function step(processor: ToolSearchProcessor, query: string, model?: object): Promise<StepSent> {
  const texts: string[] = [];
  const messages = [
    { id: '1', role: 'user', content: { format: 2, parts: [{ type: 'text', text: query }] }, createdAt: new Date() },
  ];
  const messageList = {
    addSystem: (text: unknown) => texts.push(typeof text === 'string' ? text : JSON.stringify(text)),
    clearSystemMessages: () => {},
  };
  const args = { tools: {}, messages, messageList, state: {}, stepNumber: 0, ...(model ? { model } : {}) };
  const { tools = {} } = await processor.processInputStep(args as never);
  const sent = Object.entries(tools as Record<string, object>)
    .filter(([, tool]) => !isDeferred(tool))
    .map(([name, tool]) => definitionOf(name, tool));
  return { tools, sent, texts };
}

function isDeferred(tool: object): boolean {
  const { providerOptions } = tool as { providerOptions?: { anthropic?: { deferLoading?: unknown } } };
  return providerOptions?.anthropic?.deferLoading === true;
}

function definitionOf(name: string, tool: object): SentTool {
  const { description = '' } = tool as { description?: string };
  try {
    return { name, description, parameters: inputJsonSchema(tool) };
  } catch {
    return { name, description, parameters: undefined };
  }
}

async function call(tools: StepSent['tools'], name: string, input: object): Promise<unknown> {
  const { execute } = (tools[name] ?? {}) as { execute?: (input: object, context: object) => Promise<unknown> };
  return execute?.(input, {});
}

function names(results: unknown): readonly string[] {
  return Array.isArray(results) ? results.flatMap((result) => asRecord(result)?.['name'] ?? []).map(String) : [];
}

/** A conversation. */
export interface AssumedConversation {
  /** Model calls without searching. */
  readonly calls: number;
  /** Tools that it uses. */
  readonly used: number;
  /** Tokens of system text and history. */
  readonly prompt: number;
}

/** What a token of the prompt costs where the provider's cache has it, and where the cache is written, against 1. */
export interface CachePrices {
  readonly read: number;
  readonly write: number;
}

/** What a conversation reads. */
export interface Cost {
  readonly calls: number;
  /** Tokens of the first request. */
  readonly first: number;
  /** Tokens of all requests. */
  readonly tokens: number;
  /** Tokens of all requests, at the prices of a cache. */
  readonly cached: number;
}

/** The cost of sending all definitions. */
export function costOfAll(definitions: number, conversation: AssumedConversation, prices: CachePrices): Cost {
  const nothing = { system: 0, preselected: 0, hits: 0, search: 0, load: 0, loaded: 0 };
  return costIf(false, [], { ...nothing, definitions }, conversation, prices);
}

/** The cost of a mode: with what is preselected or searched, in the share in which each happens. */
export function costOfMode(
  { adds }: MeasuredMode,
  measured: Measured,
  conversation: AssumedConversation,
  prices: CachePrices,
): Cost {
  const { hits } = measured;
  const searched = costIf(false, adds, measured, conversation, prices);
  if (hits === 0) return searched;
  const hit = costIf(true, adds, measured, conversation, prices);
  const mean = (key: keyof Cost): number => hits * hit[key] + (1 - hits) * searched[key];
  return { calls: mean('calls'), first: mean('first'), tokens: mean('tokens'), cached: mean('cached') };
}

/**
 * The cost of a conversation: before each of the first uses stand the requests that look for the tool. The cache has what
 * an earlier conversation began with, and then the request before.
 *
 * @param isHit - whether the first tool was preselected.
 */
function costIf(
  isHit: boolean,
  adds: MeasuredMode['adds'],
  { definitions, system, preselected, search, load, loaded }: Measured,
  { calls, used, prompt }: AssumedConversation,
  { read, write }: CachePrices,
): Cost {
  // A request, in the order in which providers keep it.
  let list = definitions + preselected;
  let rest = prompt + system;
  let before = { list: definitions, rest };
  const cost = { calls: 0, first: list + rest, tokens: 0, cached: 0 };
  const ask = (): void => {
    // What stands behind a list that changed is written anew.
    const known = list === before.list ? list + Math.min(rest, before.rest) : before.list;
    cost.calls++;
    cost.tokens += list + rest;
    cost.cached += read * known + write * (list + rest - known);
    before = { list, rest };
  };
  for (let at = 0; at < calls; at++) {
    const isFound = preselected > 0 && isHit && at === 0;
    if (at < used && !isFound) {
      for (const added of adds) {
        ask();
        rest += added === 'search' ? search : load;
      }
      list += loaded;
    }
    ask();
  }
  return cost;
}

/** From how many tools of this size on a mode reads less than all definitions do. */
export function paysFrom(cost: number, tokens: number, { calls, prompt }: AssumedConversation, price = 1): number {
  return Math.max(1, Math.ceil((cost / price - calls * prompt) / (calls * tokens)));
}
