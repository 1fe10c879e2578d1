import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import { createTool } from '@mastra/core/tools';
import * as anthropic3 from 'anthropic-v3';
import type { MastraTool } from 'mastra-tool-search';
import * as openai3First from 'openai-v3-first';
import { z } from 'zod';
import { email, tool, toolRecord, weather } from '../../support/agent.ts';
import { type AnthropicBody, type FakeProvider, type OpenAIBody, withRouter } from '../fakes/fake-provider.ts';
import { type Form, type GoalRig, goalRig, type Mode } from './rig.ts';
import { serviceOf } from './services.ts';

type Fake = Pick<FakeProvider<never>, 'fetch'>;

/** The provider packages with tool search, and Mastra's router. */
export const anthropicPackages = ['anthropic 3', 'anthropic 4', 'anthropic router'] as const;
export const openaiPackages = ['openai 3.0.46', 'openai 4', 'openai router'] as const;
export type Package = (typeof anthropicPackages)[number] | (typeof openaiPackages)[number];
export const executions = ['client', 'server'] as const;
export type Execution = (typeof executions)[number];
export const dialectOf = (name: string): Form['dialect'] => (name.startsWith('anthropic') ? 'anthropic' : 'openai');

/** The type checker does not follow what the packages have in common. */
type Create = (settings: object) => (id: string) => unknown;
const CREATORS: Readonly<Record<string, unknown>> = {
  'anthropic 3': anthropic3.createAnthropic,
  'anthropic 4': anthropic4.createAnthropic,
  'openai 3.0.46': openai3First.createOpenAI,
  'openai 4': openai4.createOpenAI,
};

/** A model of a package, over a fake; for the router, its name. By default the first one with a tool search. */
export function modelFrom(name: Package, { fetch }: Fake, given?: string, settings: object = {}): unknown {
  const id = given ?? { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5.4' }[dialectOf(name)];
  const create = CREATORS[name] as Create | undefined;
  return create ? create({ apiKey: 'x', fetch, ...settings })(id) : `${dialectOf(name)}/${id}`;
}

/** Has Mastra's router call a fake. */
export const routed = <Result>(fake: Fake, run: () => Promise<Result>, ...hosts: readonly string[]): Promise<Result> =>
  withRouter(Object.fromEntries(['api.anthropic.com', 'api.openai.com', ...hosts].map((host) => [host, fake])), run);

/** A tool of an MCP server, with a JSON schema. */
const githubTool = (id: string, description: string, properties: object, required: readonly string[]): MastraTool =>
  createTool({
    ...{ id, description, inputSchema: { type: 'object', properties, required } as never },
    mcpMetadata: { serverName: 'github' },
    execute: async () => ({ ran: id }),
  } as never) as MastraTool;

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
    githubTool('create_issue', 'Create an issue in a repository.', issue, []),
    githubTool('list_commits', 'List the commits of a branch.', { branch: { type: 'string' } }, []),
  );
}

/** Frozen to the ground, but for what cannot be: functions and schemas of others. */
export function freeze<Value>(value: Value, depth = 0): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || depth > 3) return value;
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) {
    if (key !== 'inputSchema' && key !== 'outputSchema') freeze(Reflect.get(value, key), depth + 1);
  }
  return value;
}

export interface Recording {
  readonly name: Package;
  readonly execution: Form['execution'];
  readonly mode: Mode;
  /** Whether tools are loaded before the model is asked, and not searched. */
  readonly isPreselecting?: boolean;
}

export interface RecordedRun {
  readonly bodies: readonly (AnthropicBody | OpenAIBody)[];
  readonly refused: readonly unknown[];
  /** The number of requests before something was taken away. */
  readonly before: number;
}

/** Loads two tools of a frozen catalog, unloads one of them, loads another, and loses one. */
export async function recordedRun({ name, execution, mode, isPreselecting = false }: Recording): Promise<RecordedRun> {
  const dialect = dialectOf(name);
  const service = serviceOf(dialect);
  const newest = { anthropic: 'claude-opus-5-5', openai: 'gpt-5.6-sol' }[dialect];
  const denied = new Set<string>();
  const isHosted = execution === 'server';
  const rig: GoalRig = goalRig(
    { dialect, execution },
    {
      service,
      model: modelFrom(name, service.fake, execution === 'append' ? newest : undefined),
      tools: freeze({ ...catalog(), read_clock: tool('read_clock', 'Tell the time.') }),
      processor: {
        alwaysLoaded: ['read_clock'],
        // What the recordings hold is the form of requests: words alone find what is named, and nothing like it.
        search: { embedder: false },
        ...(isHosted ? {} : { metaTools: { unload: true } }),
        filter: ({ toolName }) => !denied.has(toolName),
        ...(isPreselecting && { preselect: true, timeouts: { preselect: 10_000 } }),
      },
      agent: { tools: toolRecord(tool('first_own'), tool('second_own')) },
    },
  );
  const first = 'use create_issue get_weather';
  let before = 0;
  await routed(service.fake, async () => {
    await rig.done(mode, ...(isHosted ? [first, 'use play_music'] : [first]));
    before = service.bodies().length;
    await rig.done(mode, ...(isHosted ? [] : ['unload create_issue', 'use play_music']));
    denied.add('play_music');
    await rig.done(mode, 'thanks');
  });
  return { bodies: service.bodies(), refused: rig.refused(), before };
}
