import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import type { MastraTool, ToolSearchEvent, ToolSearchProcessor, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { onTestFinished } from 'vitest';
import type { Kind as AgentKind } from '../../restart/cases.ts';
import { fillerTools, tool, toolRecord } from '../../support/agent.ts';
import { type ScriptedModel, scriptedModel } from '../../support/scripted-model.ts';
import type { FakeAnthropic, FakeOpenAI } from '../fakes/fake-provider.ts';
import { scriptedAnswer } from './goal-answers.ts';
import { type Action, nextAction, type Sent } from './goals.ts';
import { type Execution, type GoalRig, goalRig, modelIds, type RigOptions, say } from './rig.ts';
import { anthropicService, type Kind, openaiService, type Service } from './services.ts';
import { scriptedView } from './views.ts';

/** What each tool of the catalog is for; a search for its words finds it. */
export const CATALOG: Readonly<Record<string, string>> = {
  get_weather: 'Get the current weather of a city.',
  send_email: 'Send an email message.',
  book_flight: 'Book a flight ticket.',
};

export interface WorldOptions extends Pick<RigOptions, 'mode' | 'native' | 'agent' | 'storage'> {
  readonly execution?: Execution;
  /** Registers the agent with a Mastra. */
  readonly registered?: AgentKind;
  /** Besides `tools`, `mode` and `native`. */
  readonly options?: Partial<ToolSearchProcessorOptions>;
  /** In place of this processor alone. */
  readonly inputProcessors?: (processor: ToolSearchProcessor) => readonly unknown[];
  /** Calls in place of the model's own decision; undefined leaves it to that. */
  readonly script?: (sent: Sent) => Action | undefined;
  readonly anthropic?: (settings: never) => unknown;
  readonly openai?: (settings: never) => unknown;
  /** Errors of the services: a status to fail with, by kind, as long as the function says so. */
  readonly fail?: (kind: Kind) => number | undefined;
  readonly memory?: Memory;
  readonly catalog?: Readonly<Record<string, string>>;
  /** Tools besides. @default 3 */
  readonly fillers?: number;
}

/** An agent over all kinds of models, which really decide by what they are sent, and a record of all that was sent. */
export interface World extends Pick<GoalRig, 'agent' | 'processor' | 'events' | 'refused'> {
  readonly models: Readonly<Record<Kind, unknown>>;
  readonly anthropic: FakeAnthropic;
  readonly openai: FakeOpenAI;
  readonly scripted: ScriptedModel;
  /** The names of tools that really ran, in order. */
  readonly ran: string[];
  readonly sent: Sent[];
  /** One turn: the model uses the tools that the text names, and searches for those that it cannot call. */
  say(text: string, kind?: Kind, options?: object): Promise<string>;
  stream(text: string, kind?: Kind, options?: object): Promise<string>;
}

let files = 0;

/** A memory of its own, for one test. */
export const memoryOf = (options: object = {}): Memory => new Memory({ storage: new InMemoryStore(), options });

/** The same in a database file. */
export function fileMemory(options: object = {}): Memory {
  const name = `memory-${process.pid}-${files++}`;
  const folder = mkdtempSync(join(tmpdir(), 'tool-search-native-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return new Memory({ storage: new LibSQLStore({ id: name, url: `file:${join(folder, `${name}.db`)}` }), options });
}

export function recordingTool(
  ran: string[],
  id: string,
  description: string = CATALOG[id] ?? `Does ${id}.`,
): MastraTool {
  return tool(id, description, {
    execute: async (input: { text?: string }) => {
      ran.push(id);
      return { ran: id, input };
    },
  });
}

export function world(options: WorldOptions = {}): World {
  const { execution = 'client', mode = 'native', registered, fail, script, catalog = CATALOG, fillers = 3 } = options;
  const ran: string[] = [];
  const sent: Sent[] = [];
  const decide = (view: Sent): Action => {
    sent.push(view);
    const own = script?.(view);
    if (!own) view.action = nextAction(view);
    return own ?? (view.action as Action);
  };
  const interrupt = ({ kind }: Sent) => {
    const status = fail?.(kind);
    return status === undefined ? undefined : { status, error: { message: 'The service says no.' } };
  };
  const anthropic = anthropicService(interrupt, decide);
  const openai = openaiService(interrupt, decide);
  const scripted = scriptedModel((call) => scriptedAnswer(decide(scriptedView(call))));
  /** The type checker does not follow what the packages have in common. */
  type Models = ((id: string) => unknown) & { chat(id: string): unknown };
  const modelsOf = (create: unknown, { fake }: Service) =>
    (create as (settings: object) => Models)({ apiKey: 'x', fetch: fake.fetch });
  const openaiModels = modelsOf(options.openai ?? createOpenAI, openai);
  const models: Record<Kind, unknown> = {
    anthropic: modelsOf(options.anthropic ?? createAnthropic, anthropic)(modelIds(execution).anthropic),
    openai: openaiModels(modelIds(execution).openai),
    chat: openaiModels.chat('gpt-5.4'),
    scripted,
  };
  const searched = Object.entries(catalog).map(([id, description]) => recordingTool(ran, id, description));
  const { agent, processor, events } = goalRig(
    { dialect: 'anthropic', execution },
    {
      service: anthropic,
      tools: { ...toolRecord(...searched), ...fillerTools(fillers) },
      model: ({ requestContext }: { requestContext: RequestContext }) =>
        models[(requestContext.get('kind') as Kind | undefined) ?? 'anthropic'],
      memory: options.memory ?? memoryOf(),
      mode,
      isAlone: registered === undefined,
      ...(registered && { kind: registered }),
      ...(options.storage && { storage: options.storage }),
      ...(options.options && { processor: options.options }),
      ...(options.native && { native: options.native }),
      ...(options.inputProcessors && { around: options.inputProcessors }),
      agent: { tools: { own_tool: recordingTool(ran, 'own_tool') }, ...options.agent },
    },
  );
  const settings = (kind: Kind, more: object): object => ({
    requestContext: new RequestContext([['kind', kind]]),
    ...{ memory: { thread: 'thread', resource: 'user' }, maxSteps: 12, ...more },
  });
  return {
    ...{ agent, processor, models, scripted, events, ran, sent },
    ...{ anthropic: anthropic.fake, openai: openai.fake },
    refused: () => [...anthropic.fake.refused, ...openai.fake.refused],
    say: async (text, kind = 'anthropic', more = {}) => (await say(agent, 'generate', text, settings(kind, more))).text,
    stream: async (text, kind = 'anthropic', more = {}) =>
      (await say(agent, 'stream', text, settings(kind, more))).text,
  };
}

/** What the processor has loaded so far, by what it reported. */
export function loadedByEvents(events: readonly ToolSearchEvent[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const event of events) {
    if (event.type === 'search' || event.type === 'load') for (const name of event.loaded) names.add(name);
    if (event.type === 'load-on-miss') names.add(event.loaded);
  }
  return names;
}
