// One task in one way: a real agent over the endpoint, and what came of it.
import { createHash } from 'node:crypto';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from '../../../src/index.ts';
import { asRecord } from '../../../src/util/record.ts';
import { cut } from '../../../src/util/text.ts';
import type { LabelledSet } from '../retrieval/sets.ts';
import { sum } from '../statistics.ts';
import { toolsOfSet } from '../turns/task.ts';
import { type DrawnTask, shuffle } from './tasks.ts';

export interface Endpoint {
  /** As far as `/v1`. */
  readonly url: string;
  readonly key: string;
}

/** What decides how a run goes, besides its way, its task and the seed. */
export interface Setup {
  readonly model: string;
  readonly maxCalls: number;
  readonly toolChoice: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly firstSearch: boolean;
}

export type WayName = 'core' | 'load' | 'autoLoad' | 'load+preselect' | 'call' | 'call+preselect' | 'oracle';

/** How the tools of a set reach the model: the options of ours, or another way. */
export const WAYS: Readonly<Record<WayName, Partial<ToolSearchProcessorOptions> | 'core' | 'oracle'>> = {
  core: 'core',
  load: {},
  autoLoad: { search: { autoLoad: true } },
  'load+preselect': { preselect: true },
  call: { mode: 'call' },
  'call+preselect': { mode: 'call', preselect: true },
  oracle: 'oracle',
};

/** A way over one set. */
export type Way = (task: DrawnTask) => Promise<Outcome>;

/** A call that the model made, and what came back, in short. */
interface Call {
  /** The model call that it stands in, from 1 on. */
  readonly step: number;
  readonly tool: string;
  readonly input: unknown;
  readonly result: string;
  /** Of no tool there is, or with arguments that do not fit. */
  readonly isInvalid: boolean;
}

/** What the model did first. */
interface FirstMove {
  readonly kind: 'search' | 'load' | 'tool' | 'prose';
  readonly queries: readonly string[];
  readonly maxResults: unknown;
  /** Whether a right tool is among the first five of the first answer. */
  readonly isFound: boolean;
  /** The same for a search with the words of the user. */
  readonly isFoundByMessage: boolean;
  /** Examples of our own texts that a query has, with a word at least that the user did not write. */
  readonly copied: readonly string[];
}

/** What came of one task in one way. */
export interface Outcome {
  /** Whether the first tool of the catalog that ran is a right one. */
  readonly outcome: 'right' | 'wrong' | 'none' | 'error';
  /** The same of the first one that was called, whether it ran or not; absent in files of earlier versions. */
  readonly called?: 'right' | 'wrong' | 'none';
  readonly calls: readonly Call[];
  readonly text?: string;
  readonly error?: string;
  /** Tokens as the endpoint counts them; absent where it does not. */
  readonly usage: { readonly modelCalls: number; readonly promptTokens?: number };
  /** Whether the model would have gone on after the last model call that a run may have. */
  readonly isCut?: boolean;
  /** What the model was told of the search, as a hash. */
  readonly texts?: string;
  readonly first?: FirstMove;
}

/** A step of Mastra, as far as it is read here. */
interface RunStep {
  readonly text: string;
  readonly toolCalls: readonly { readonly payload: { toolCallId: string; toolName: string; args?: unknown } }[];
  readonly content: readonly { type: string; toolCallId?: string; output?: { type: string; value: unknown } }[];
  readonly usage?: { readonly inputTokens?: number };
  readonly request: { readonly body?: unknown };
}

const MAX_TEXT = 600;
/** Results that a model is taken to look at. */
const SEEN = 5;
const META_TOOLS = ['search_tools', 'load_tool', 'call_tool'];
/** Tools besides the right ones that the oracle sends. */
const OTHERS = 4;

export function wayOver(name: WayName, set: LabelledSet, { url, key }: Endpoint, setup: Setup, seed: number): Way {
  const executed: string[] = [];
  const tools = toolsOfSet(set.tools, (id) => executed.push(id));
  const agentWith = (rest: object): Agent => {
    // Whatever the provider of the id: with a url, Mastra asks nothing but that.
    const model = { id: `custom/${setup.model}`, url, apiKey: key };
    const instructions = 'You are a helpful assistant.';
    const agent = new Agent({ id: 'bench', name: 'Bench', instructions, model, ...rest } as never);
    new Mastra({ agents: { bench: agent }, logger: false });
    return agent;
  };
  const oracleFor = ({ id, right }: DrawnTask): Agent => {
    const shuffled = shuffle(Object.entries(tools), ([tool]) => `${seed} ${id} ${tool}`);
    const others = shuffled.filter(([tool]) => !right.has(tool)).slice(0, OTHERS);
    const sent = shuffled.filter((one) => right.has(one[0]) || others.includes(one));
    return agentWith({ tools: Object.fromEntries(sent) });
  };
  const own = WAYS[name];
  if (own === 'oracle') return (task) => runTask(oracleFor(task), task, { name, executed, setup });
  // Options of a group, such as `search`, stand side by side with those of the way.
  const groups = Object.entries(setup.options).map(([group, value]) => {
    const [before, after] = [asRecord(asRecord(own)?.[group]), asRecord(value)];
    return [group, before && after ? { ...before, ...after } : value];
  });
  const ours = own === 'core' ? undefined : new ToolSearchProcessor({ ...own, ...Object.fromEntries(groups), tools });
  const agent = agentWith({ inputProcessors: [ours ?? new CoreProcessor({ tools })] });
  return (task) => runTask(agent, task, { name, executed, setup, ours });
}

interface Running {
  readonly name: WayName;
  /** The tools that ran, in order. */
  readonly executed: string[];
  readonly setup: Setup;
  /** Absent where ours is not. */
  readonly ours?: ToolSearchProcessor | undefined;
}

/** Runs a task until a tool of the set ran, the model stops, or its calls are used up. Failed requests are an outcome. */
async function runTask(agent: Agent, task: DrawnTask, { name, executed, setup, ours }: Running): Promise<Outcome> {
  const { maxCalls, toolChoice, firstSearch } = setup;
  executed.length = 0;
  let steps: readonly RunStep[];
  try {
    const output = await agent.generate(task.message, {
      maxSteps: maxCalls,
      stopWhen: ({ steps: done }: { steps: readonly unknown[] }) => done.length >= maxCalls || executed.length > 0,
      modelSettings: { temperature: 0, maxRetries: 2 },
      toolChoice,
      // A conversation of its own: core has runs without one share what they load.
      requestContext: new RequestContext<unknown>([[MASTRA_THREAD_ID_KEY, task.id]]),
    } as never);
    if (output.error) throw output.error;
    steps = output.steps as unknown as readonly RunStep[];
  } catch (error) {
    const reason = cut(error instanceof Error ? error.message : String(error), MAX_TEXT);
    return { outcome: 'error', error: reason, calls: [], usage: { modelCalls: 0 } };
  }
  const judged = (name: string | undefined): 'right' | 'wrong' | 'none' =>
    name === undefined ? 'none' : task.right.has(name) ? 'right' : 'wrong';
  const [ran] = executed;
  const calls = steps.flatMap(callsOf);
  const last = steps.at(-1);
  const sent = sentTexts(steps[0], name);
  const promptTokens = sum(steps.map(({ usage }) => usage?.inputTokens ?? Number.NaN));
  return {
    outcome: judged(ran),
    called: judged(calls.map(nameIn).find((name) => task.set.tools.some(({ id }) => id === name))),
    calls,
    text: cut(last?.text ?? '', MAX_TEXT),
    usage: { modelCalls: steps.length, ...(Number.isNaN(promptTokens) ? {} : { promptTokens }) },
    isCut: ran === undefined && last?.toolCalls.length !== 0,
    texts: createHash('sha256').update(JSON.stringify(sent)).digest('hex').slice(0, 8),
    ...(firstSearch ? { first: await firstMove(steps[0], task, sent, ours) } : {}),
  };
}

/** The tool that a call means: in call mode the one that it names. */
function nameIn({ tool, input }: Call): string {
  const { toolName } = asRecord(input) ?? {};
  return tool === 'call_tool' && typeof toolName === 'string' ? toolName : tool;
}

function callsOf(step: RunStep, at: number): readonly Call[] {
  return step.toolCalls.map(({ payload: { toolCallId, toolName, args } }) => {
    const { type = '', value } = outputOf(step, toolCallId) ?? {};
    const { error, success } = asRecord(value) ?? {};
    const isInvalid = type.startsWith('error') || error === true || success === false;
    const result = cut(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), MAX_TEXT);
    return { step: at + 1, tool: toolName, input: args, result, isInvalid };
  });
}

function outputOf({ content }: RunStep, id: string): { type: string; value: unknown } | undefined {
  return content.find(({ type, toolCallId }) => type === 'tool-result' && toolCallId === id)?.output;
}

/** What the first request tells of the search: the meta-tools, and system texts, unless those depend on the task. */
function sentTexts(step: RunStep | undefined, name: WayName): readonly unknown[] {
  const { body } = step?.request ?? {};
  const { messages = [], tools = [] } = (typeof body === 'string' ? JSON.parse(body) : {}) as {
    messages?: { role: string; content: unknown }[];
    tools?: { function: { name: string } }[];
  };
  const metaTools = tools.map((tool) => tool.function).filter((tool) => META_TOOLS.includes(tool.name));
  const systems = name.endsWith('preselect') ? [] : messages.filter(({ role }) => role === 'system');
  return [...metaTools, ...systems];
}

async function firstMove(
  step: RunStep | undefined,
  { message, right }: DrawnTask,
  sent: readonly unknown[],
  ours: ToolSearchProcessor | undefined,
): Promise<FirstMove> {
  const calls = step?.toolCalls.map(({ payload }) => payload) ?? [];
  const [first] = calls;
  const { query = [], maxResults } = asRecord(calls.find(({ toolName }) => toolName === 'search_tools')?.args) ?? {};
  const queries = [query].flat().map((text) => (typeof text === 'string' ? text : JSON.stringify(text)));
  // A load answers with results as well, where no tool has the name.
  const { results, loaded = [] } = asRecord(step && first && outputOf(step, first.toolCallId)?.value) ?? {};
  const names = Array.isArray(results) ? results.map((result) => String(asRecord(result)?.['name'])) : [];
  const shown = [...names, ...[loaded].flat().map(String)].slice(0, SEEN);
  const byMessage = (await ours?.search(message, { limit: SEEN })) ?? [];
  const said = words(message);
  const isCopied = (example: string): boolean => {
    const isForeign = (word: string): boolean => !said.includes(` ${word} `);
    return (
      queries.some((text) => words(text).includes(words(example))) && words(example).trim().split(' ').some(isForeign)
    );
  };
  const kinds: Readonly<Record<string, FirstMove['kind']>> = { search_tools: 'search', load_tool: 'load' };
  return {
    kind: first ? (kinds[first.toolName] ?? 'tool') : 'prose',
    ...{ queries, maxResults },
    isFound: shown.some((name) => right.has(name)),
    isFoundByMessage: byMessage.some(({ name }) => right.has(name)),
    copied: examplesIn(sent).filter(isCopied),
  };
}

/** What texts give as examples: what they quote, and what stands behind "e.g." without quotes. */
function examplesIn(sent: unknown): readonly string[] {
  if (typeof sent !== 'string') return [...new Set(Object.values(Object(sent) as object).flatMap(examplesIn))];
  const quoted = [...sent.matchAll(/"([^"]{2,60})"/g)].map(([, text = '']) => text);
  const listed = [...sent.matchAll(/\b(?:e\.g\.|for example|such as),? ([^"().;:]{2,100})/gi)];
  const all = [...quoted, ...listed.flatMap(([, list = '']) => list.split(/,| or /))];
  return all.map((text) => text.trim()).filter((text) => text !== '');
}

/** In lower case, with a space around each word, and nothing else. */
function words(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
}
