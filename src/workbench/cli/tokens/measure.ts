import { ToolSearchProcessor, type ToolSearchProcessorOptions } from '../../../index.ts';
import { asRecord, estimateTokens, inputJsonSchema } from '../../../kit.ts';

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
    const residents = sent.filter(({ name }) => name in META);
    const others = sent.filter(({ name }) => !(name in META)).map(({ name }) => name);
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
  const mean = (key: keyof Measured): number => all.reduce((sum, one) => sum + one[key], 0) / Math.max(1, all.length);
  return {
    ...{
      definitions: mean('definitions'),
      system: mean('system'),
      preselected: mean('preselected'),
      hits: mean('hits'),
    },
    ...{ search: mean('search'), load: mean('load'), loaded: mean('loaded') },
  };
}

const META: Readonly<Record<string, true>> = { search_tools: true, load_tool: true, call_tool: true };

interface StepSent {
  readonly tools: Readonly<Record<string, unknown>>;
  readonly sent: readonly SentTool[];
  readonly texts: readonly string[];
}

/** A processor that writes no log. */
function quiet(options: ToolSearchProcessorOptions): ToolSearchProcessor {
  const processor = new ToolSearchProcessor(options);
  const logger = { warn: () => {} };
  processor.__registerMastra({ getLogger: () => logger } as never);
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
  let parameters: unknown;
  try {
    parameters = inputJsonSchema(tool);
  } catch {
    // A schema that cannot be read is none.
  }
  return { name, description, parameters };
}

async function call(tools: StepSent['tools'], name: string, input: object): Promise<unknown> {
  const { execute } = (tools[name] ?? {}) as { execute?: (input: object, context: object) => Promise<unknown> };
  return execute?.(input, {});
}

function names(results: unknown): readonly string[] {
  return Array.isArray(results) ? results.flatMap((result) => asRecord(result)?.['name'] ?? []).map(String) : [];
}
