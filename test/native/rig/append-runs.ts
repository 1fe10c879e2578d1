import type { AnthropicBody, OpenAIBody } from '../fakes/fake-provider.ts';
import { type Action, nextAction, type Sent } from './goals.ts';
import { catalog, ownTools, pinned } from './package-runs.ts';
import { type Form, goalRig, type Mode, say } from './rig.ts';
import { anthropicService, openaiService } from './services.ts';

/** The packages that send definitions in mid-conversation. */
const PACKAGES = {
  'anthropic 4': '@ai-sdk/anthropic',
  'openai 4': '@ai-sdk/openai',
} as const;
export type AppendPackage = keyof typeof PACKAGES;
export const appendPackages = Object.keys(PACKAGES) as AppendPackage[];

/** How tools come to be loaded: the model searches for them, or they are loaded before it is asked. */
export const ways = ['search', 'preselect'] as const;
export type Way = (typeof ways)[number];

export interface AppendRun {
  readonly bodies: readonly (AnthropicBody | OpenAIBody)[];
  readonly refused: readonly unknown[];
  /** The number of requests after each turn. */
  readonly marks: readonly number[];
}

const dialectOf = (name: AppendPackage): Form['dialect'] => (name.startsWith('anthropic') ? 'anthropic' : 'openai');

/** By a name that the type checker does not follow: the packages differ in their types, and not in what is used here. */
async function modelOf(name: AppendPackage, fetch: typeof globalThis.fetch): Promise<unknown> {
  const { createAnthropic, createOpenAI } = await import(PACKAGES[name]);
  return createAnthropic
    ? createAnthropic({ apiKey: 'x', fetch })('claude-opus-5-5')
    : createOpenAI({ apiKey: 'x', fetch }).responses('gpt-5.6-sol');
}

/** Loads two tools, unloads one of them, loads another, and loses one. */
export async function appendRun(name: AppendPackage, way: Way, mode: Mode): Promise<AppendRun> {
  const dialect = dialectOf(name);
  const service =
    dialect === 'anthropic' ? anthropicService(undefined, unloading) : openaiService(undefined, unloading);
  let denied: string | undefined;
  const { agent, refused } = goalRig(
    { dialect, execution: 'append' },
    {
      service,
      model: await modelOf(name, service.fake.fetch),
      tools: { ...catalog(), read_clock: pinned() },
      processor: {
        alwaysLoaded: ['read_clock'],
        metaTools: { unload: true },
        filter: ({ toolName }) => toolName !== denied,
        ...(way === 'preselect' && { preselect: true, timeouts: { preselect: 10_000 } }),
      },
      agent: { tools: ownTools() },
    },
  );
  const marks: number[] = [];
  for (const said of ['use create_issue get_weather', 'unload create_issue', 'use play_music', 'thanks']) {
    if (said === 'thanks') denied = 'play_music';
    const { text } = await say(agent, mode, said, { maxSteps: 8 });
    if (text !== 'done') throw new Error(`"${said}" was answered "${text}"`);
    marks.push(service.bodies().length);
  }
  return { bodies: service.bodies(), refused: refused(), marks };
}

/** As the model of the other tests, and unloads a tool where it is told so. */
export function unloading(sent: Sent): Action {
  const [goal] = sent.goals;
  if (goal === undefined || !sent.asked.startsWith('unload')) return nextAction(sent);
  if (sent.done.includes('unload_tool')) return { type: 'say', text: 'done' };
  return { type: 'call', name: 'unload_tool', input: { toolNames: [goal] } };
}

/** The first and the last request: every other begins the next. */
export const outermost = ({ bodies }: AppendRun) => [bodies[0], bodies.at(-1)] as (AnthropicBody | OpenAIBody)[];

/** Where the fixture of a run is: one for all packages of a provider, which send the same. */
export const appendFixtureUrl = (name: AppendPackage, way: Way): URL =>
  new URL(`../fixtures/${dialectOf(name)}-append-${way}.json`, import.meta.url);
