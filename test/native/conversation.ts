import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent, type AgentConfig } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import {
  type MastraTool,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { onTestFinished } from 'vitest';
import { fillerTools, tool, toolRecord } from '../support/harness.ts';
import { type ScriptedModel, scriptedModel } from '../support/scripted-model.ts';
import {
  type AnthropicScript,
  type FakeAnthropic,
  type FakeOpenAI,
  fakeAnthropic,
  fakeOpenAI,
  isChat,
  type OpenAIScript,
} from './fake-provider.ts';
import { anthropicAnswer, openaiAnswer, scriptedAnswer } from './goal-answers.ts';
import { type Action, nextAction, type Sent } from './goals.ts';
import { anthropicView, chatView, openaiView, scriptedView } from './views.ts';

/** The kinds of models: two with a tool search of their own, and two without. */
export type Kind = 'anthropic' | 'openai' | 'chat' | 'scripted';

export type Execution = 'client' | 'server';

/** What each tool of the catalog is for; a search for its words finds it. */
export const CATALOG: Readonly<Record<string, string>> = {
  get_weather: 'Get the current weather of a city.',
  send_email: 'Send an email message.',
  book_flight: 'Book a flight ticket.',
};

export interface WorldOptions {
  readonly execution?: Execution;
  /** Besides `tools`, `mode` and `native`. */
  readonly options?: Partial<ToolSearchProcessorOptions>;
  readonly agent?: Partial<AgentConfig>;
  /** In place of this processor alone. */
  readonly inputProcessors?: (processor: ToolSearchProcessor) => readonly unknown[];
  /** Calls in place of the model's own decision; undefined leaves it to that. */
  readonly script?: (sent: Sent) => Action | undefined;
  readonly anthropic?: (settings: never) => unknown;
  readonly openai?: (settings: never) => unknown;
  /** Errors of the services: a status to fail with, by kind, as long as the function says so. */
  readonly fail?: (kind: Kind) => number | undefined;
  readonly memory?: Memory | false;
  readonly catalog?: Readonly<Record<string, string>>;
}

/** An agent over all kinds of models, which really decide by what they are sent, and a record of all that was sent. */
export interface World {
  readonly agent: Agent;
  readonly processor: ToolSearchProcessor;
  readonly models: Readonly<Record<Kind, unknown>>;
  readonly anthropic: FakeAnthropic;
  readonly openai: FakeOpenAI;
  readonly scripted: ScriptedModel;
  readonly events: ToolSearchEvent[];
  /** The names of tools that really ran, in order. */
  readonly ran: string[];
  readonly sent: Sent[];
  /** What was refused by either service. */
  readonly refused: () => readonly { readonly rule: string; readonly message: string }[];
  /** One turn: the model uses the tools that the text names, and searches for those that it cannot call. */
  say(text: string, kind?: Kind, options?: object): Promise<string>;
  stream(text: string, kind?: Kind, options?: object): Promise<string>;
}

let files = 0;

/** A memory in a file of its own, for one test. */
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
  const { execution = 'client', fail, script, catalog = CATALOG } = options;
  const events: ToolSearchEvent[] = [];
  const ran: string[] = [];
  const sent: Sent[] = [];
  const record = (view: Sent): Action => {
    sent.push(view);
    return script?.(view) ?? nextAction(view, sent);
  };
  const failure = (kind: Kind) => {
    const status = fail?.(kind);
    return status === undefined ? undefined : { status, error: { message: 'The service says no.' } };
  };
  const answerAnthropic: AnthropicScript = (request) => {
    const view = anthropicView(request.body);
    return failure('anthropic') ?? { content: anthropicAnswer(record(view), view, request.index) };
  };
  const anthropic = fakeAnthropic(answerAnthropic, { thinks: true });
  const given = new Map<string, object>();
  const answerOpenAI: OpenAIScript = (request) => {
    const view = isChat(request) ? chatView(request.body) : openaiView(request.body, given);
    const failed = failure(view.kind);
    if (failed) return failed;
    const content = openaiAnswer(record(view), view, request.body, request.index);
    for (const item of content) given.set(item.id ?? '', item);
    return { content };
  };
  const openai = fakeOpenAI(answerOpenAI, { reasons: true });
  const scripted = scriptedModel((call) => scriptedAnswer(record(scriptedView(call))));
  const anthropicModels = (options.anthropic ?? createAnthropic)({ apiKey: 'x', fetch: anthropic.fetch } as never);
  const openaiModels = (options.openai ?? createOpenAI)({ apiKey: 'x', fetch: openai.fetch } as never) as {
    responses(id: string): unknown;
    chat(id: string): unknown;
  };
  const models: Record<Kind, unknown> = {
    anthropic: (anthropicModels as (id: string) => unknown)('claude-sonnet-4-5'),
    openai: openaiModels.responses('gpt-5.4'),
    chat: openaiModels.chat('gpt-5.4'),
    scripted,
  };
  const tools = {
    ...toolRecord(...Object.entries(catalog).map(([id, description]) => recordingTool(ran, id, description))),
    ...fillerTools(3),
  };
  const processor = new ToolSearchProcessor({
    tools,
    mode: 'native',
    native: { execution },
    onEvent: (event) => events.push(event),
    ...options.options,
  });
  const memory = options.memory ?? fileMemory();
  const agent = new Agent({
    id: 'native-agent',
    name: 'Native Agent',
    instructions: 'Help.',
    model: (({ requestContext }: { requestContext: RequestContext }) =>
      models[(requestContext.get('kind') as Kind | undefined) ?? 'anthropic']) as never,
    tools: { own_tool: recordingTool(ran, 'own_tool') },
    inputProcessors: (options.inputProcessors?.(processor) ?? [processor]) as never,
    ...(memory ? { memory } : {}),
    ...options.agent,
  } as AgentConfig);
  const settings = (kind: Kind, more: object): never => {
    const requestContext = new RequestContext();
    requestContext.set('kind', kind);
    return { requestContext, memory: { thread: 'thread', resource: 'user' }, maxSteps: 12, ...more } as never;
  };
  return {
    agent,
    processor,
    models,
    anthropic,
    openai,
    scripted,
    events,
    ran,
    sent,
    refused: () => [...anthropic.refused, ...openai.refused],
    async say(text, kind = 'anthropic', more = {}) {
      return (await agent.generate(text, settings(kind, more))).text;
    },
    async stream(text, kind = 'anthropic', more = {}) {
      const output = await agent.stream(text, settings(kind, more));
      await output.consumeStream();
      return output.text;
    },
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
