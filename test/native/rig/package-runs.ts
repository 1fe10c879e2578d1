import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import type { AgentConfig } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import * as anthropic3 from 'anthropic-v3';
import type { MastraTool, ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import * as openai3First from 'openai-v3-first';
import { z } from 'zod';
import { part } from '../../support/breadth.ts';
import { email, tool, toolRecord, weather } from '../../support/harness.ts';
import {
  type AnthropicBody,
  type AnthropicScript,
  anthropicStep,
  type FakeProvider,
  fakeAnthropic,
  fakeOpenAI,
  functionCall,
  message,
  type OpenAIBody,
  type OpenAIScript,
  type OpenAITool,
  openaiStep,
  serverSearch,
  text,
  toolSearchCall,
  toolSearchOutput,
  toolUse,
  withRouter,
} from '../fakes/fake-provider.ts';
import { goalRig, MODES, type Mode, say } from './rig.ts';

/** The provider packages with tool search, and Mastra's router. */
export const anthropicPackages = ['anthropic 3', 'anthropic 4', 'anthropic router'] as const;
export const openaiPackages = ['openai 3.0.46', 'openai 4', 'openai router'] as const;
export type AnthropicPackage = (typeof anthropicPackages)[number];
export type OpenAIPackage = (typeof openaiPackages)[number];
export type Package = AnthropicPackage | OpenAIPackage;
export const packages: readonly Package[] = [...anthropicPackages, ...openaiPackages];
export const executions = ['client', 'server'] as const;
export type Execution = (typeof executions)[number];

const models: Record<Package, (fetch: typeof globalThis.fetch) => unknown> = {
  'anthropic 3': (fetch) => anthropic3.createAnthropic({ apiKey: 'x', fetch })('claude-sonnet-4-5'),
  'anthropic 4': (fetch) => anthropic4.createAnthropic({ apiKey: 'x', fetch })('claude-sonnet-4-5'),
  'anthropic router': () => 'anthropic/claude-sonnet-4-5',
  'openai 3.0.46': (fetch) => openai3First.createOpenAI({ apiKey: 'x', fetch })('gpt-5.4'),
  'openai 4': (fetch) => openai4.createOpenAI({ apiKey: 'x', fetch })('gpt-5.4'),
  'openai router': () => 'openai/gpt-5.4',
};

export interface Recorded<Body> {
  readonly bodies: readonly Body[];
  readonly headers: readonly Readonly<Record<string, string>>[];
  readonly events: readonly ToolSearchEvent[];
  readonly refused: readonly unknown[];
  readonly text: string;
}

export interface RunSetup {
  readonly mode?: Mode;
  readonly agent?: Partial<AgentConfig>;
  /** The options of each turn, beginning at 0. */
  readonly call?: (turn: number) => object;
  /** What the user says, one turn after the other. */
  readonly turns?: readonly string[];
}

/** Runs an agent with a model of a package; without options, without the processor. */
async function record<Body>(
  fake: FakeProvider<Body>,
  name: Package,
  options: ToolSearchProcessorOptions | undefined,
  { mode = 'generate', agent: more = {}, call = () => ({}), turns = ['hi'] }: RunSetup,
): Promise<Recorded<Body>> {
  const { agent, events } = goalRig(
    { dialect: 'anthropic', execution: 'client' },
    {
      service: { fake: fake as never, views: () => [], bodies: () => [] },
      model: models[name](fake.fetch),
      memory: false,
      isAlone: true,
      processor: { mode: 'load', native: undefined, ...options } as never,
      agent: { tools: {}, ...(options ? {} : { inputProcessors: [] }), ...more },
    },
  );
  let answer = '';
  await withRouter({ anthropic: fake as never, openai: fake as never }, async () => {
    for (const [at, turn] of turns.entries()) {
      answer = (await say(agent, mode, turn, { memory: undefined, ...call(at) })).text;
    }
  });
  const { requests, refused } = fake;
  const bodies = requests.map(({ body }) => body);
  return { bodies, headers: requests.map(({ headers }) => headers), events, refused, text: answer };
}

export const runAnthropic = (
  name: AnthropicPackage,
  script: AnthropicScript,
  options?: ToolSearchProcessorOptions,
  setup: RunSetup = {},
): Promise<Recorded<AnthropicBody>> => record(fakeAnthropic(script, { thinks: true }), name, options, setup);

export const runOpenAI = (
  name: OpenAIPackage,
  script: OpenAIScript,
  options?: ToolSearchProcessorOptions,
  setup: RunSetup = {},
): Promise<Recorded<OpenAIBody>> => record(fakeOpenAI(script, { reasons: true }), name, options, setup);

export const isAnthropic = (name: Package): name is AnthropicPackage => name.startsWith('anthropic');

/** What the models of both providers do. */
export interface Scripts {
  readonly anthropic: AnthropicScript;
  readonly openai: OpenAIScript;
}

export const DONE: Scripts = {
  anthropic: () => ({ content: [text('Done.')] }),
  openai: ({ index }) => ({ content: [message(index, 'Done.')] }),
};

/** A run with a package of either provider. */
export const runPackage = (
  name: Package,
  { anthropic, openai }: Scripts,
  options?: ToolSearchProcessorOptions,
  setup: RunSetup = {},
): Promise<Recorded<AnthropicBody | OpenAIBody>> =>
  isAnthropic(name) ? runAnthropic(name, anthropic, options, setup) : runOpenAI(name, openai, options, setup);

/** Runs of all packages, with every pair of package, execution and mode. */
export const packageRuns: readonly { readonly name: Package; readonly execution: Execution; readonly mode: Mode }[] =
  part(
    packages.flatMap((name) => executions.flatMap((execution) => MODES.map((mode) => ({ name, execution, mode })))),
    'pairs',
  );

/** One package of each provider, for what differs between the providers alone. */
export const PROVIDERS: readonly Package[] = ['anthropic 4', 'openai 4'];

/** A tool of an MCP server, with a JSON schema. */
function githubTool(id: string, description: string, properties: object, required: readonly string[]): MastraTool {
  return createTool({
    id,
    description,
    inputSchema: { type: 'object', properties, required } as never,
    mcpMetadata: { serverName: 'github' },
    execute: async () => ({ ran: id }),
  } as never) as MastraTool;
}

const issue = {
  title: { type: 'string', description: 'Its title.' },
  labels: { type: 'array', items: { type: 'string' } },
  priority: { type: 'string', enum: ['low', 'high'] },
};

/** Six tools, of which two are of an MCP server. */
export function catalog(): Record<string, MastraTool> {
  const inputSchema = z.object({
    start: z.string().describe('A date.'),
    attendees: z.array(z.object({ name: z.string(), isOptional: z.boolean().optional() })).optional(),
    length: z.number().int().min(1).default(30),
  });
  return toolRecord(
    weather(),
    email(),
    tool('book_meeting', 'Book a meeting in the calendar.', { inputSchema }),
    tool('play_music', 'Play a song.', { inputSchema: undefined }),
    githubTool('create_issue', 'Create an issue in a repository.', issue, ['title']),
    githubTool('list_commits', 'List the commits of a branch.', { branch: { type: 'string' } }, []),
  );
}

/** Of the agent itself. */
export const ownTools = (): Record<string, MastraTool> => toolRecord(tool('first_own'), tool('second_own'));

export const pinned = (): MastraTool => tool('read_clock', 'Tell the time.');

/** What the runs of the fixtures search, and then call. */
export const FOUND: readonly string[] = ['create_issue', 'get_weather'];
const QUERY = { query: ['create issue', 'weather'], maxResults: 2 };
const INPUTS: Readonly<Record<string, object>> = { create_issue: { title: 'A' }, get_weather: { text: 'Oslo' } };

/** Searches, calls what was found and answers. */
export function searchAndUse(execution: Execution): Scripts {
  const steps = execution === 'client' ? 2 : 1;
  return {
    anthropic({ body, index }) {
      const step = anthropicStep(body);
      if (step === steps) return { content: [text('Done.')] };
      const uses = FOUND.map((name, position) => toolUse(`${index}${position}`, name, INPUTS[name]));
      if (execution === 'server') return { content: [...serverSearch(index, FOUND, 'issue weather'), ...uses] };
      return { content: step === 0 ? [toolUse(index, 'search_tools', QUERY)] : uses };
    },
    openai({ body, index }) {
      const step = openaiStep(body);
      if (step === steps) return { content: [message(index, 'Done.')] };
      const calls = FOUND.map((name, position) =>
        functionCall(`${index}${position}`, name, INPUTS[name], namespaceIn(body, name)),
      );
      if (execution === 'client') {
        return { content: step === 0 ? [toolSearchCall({ id: index, callId: index, args: QUERY })] : calls };
      }
      const output = toolSearchOutput({ id: index, tools: foundIn(body) });
      return { content: [toolSearchCall({ id: index, args: { paths: FOUND } }), output, ...calls] };
    },
  };
}

function namespaceIn({ tools = [] }: OpenAIBody, name: string): string | undefined {
  return tools.find((entry) => entry.tools?.some((inner) => inner.name === name))?.name;
}

function foundIn({ tools = [] }: OpenAIBody): OpenAITool[] {
  const isFound = (entry: OpenAITool): boolean => FOUND.includes(entry.name ?? '');
  return tools.flatMap((entry) => {
    if (!entry.tools) return isFound(entry) ? [entry] : [];
    const inner = entry.tools.filter(isFound);
    return inner.length > 0 ? [{ ...entry, tools: inner }] : [];
  });
}

/** The run that the fixtures hold. */
export const fixtureRun = (
  name: Package,
  execution: Execution,
  mode: Mode,
): Promise<Recorded<AnthropicBody | OpenAIBody>> =>
  runPackage(
    name,
    searchAndUse(execution),
    {
      ...{ tools: { ...catalog(), read_clock: pinned() }, alwaysLoaded: ['read_clock'] },
      ...{ mode: 'native', native: { execution } },
    },
    { mode, agent: { tools: ownTools() } },
  );

/** Where the fixture of a run is: one for all packages of Anthropic's, which send the same. */
export const fixtureUrl = (name: Package, execution: Execution): URL =>
  new URL(
    `../fixtures/${isAnthropic(name) ? 'anthropic' : name.replaceAll(' ', '-')}-${execution}.json`,
    import.meta.url,
  );
