import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import { Agent, type AgentConfig } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore, type MastraCompositeStore as MastraStorage } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import {
  type MastraTool,
  type NativeOptions,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from '../../../src/index.ts';
import type { Kind } from '../../restart/cases.ts';
import { part } from '../../support/breadth.ts';
import { tool, toolRecord } from '../../support/simple-tools.ts';
import type { FakeProvider } from '../fakes/fake-provider.ts';
import { type Interruption, type Service, serviceOf } from './services.ts';

/** Who searches; with `'append'` the client, and the model takes definitions in mid-conversation. */
export type Execution = 'client' | 'server' | 'append';
export const EXECUTIONS: readonly Execution[] = ['client', 'server', 'append'];

export interface Form {
  readonly dialect: 'anthropic' | 'openai';
  readonly execution: Execution;
}

export const FORMS: readonly Form[] = (['anthropic', 'openai'] as const).flatMap((dialect) =>
  EXECUTIONS.map((execution) => ({ dialect, execution })),
);
export const CLIENT_FORMS: readonly Form[] = FORMS.filter(({ execution }) => execution !== 'server');
/** Forms with one behaviour for every kind of agent: a DurableAgent's model cannot be wrapped, and so nothing appended. */
export const KINDLESS_FORMS: readonly Form[] = FORMS.filter(({ execution }) => execution !== 'append');
/** Every form, as the kind of its models. */
export const KINDS_AND_EXECUTIONS: readonly { readonly kind: Form['dialect']; readonly execution: Execution }[] =
  FORMS.map(({ dialect, execution }) => ({ kind: dialect, execution }));
export const KINDS: readonly Kind[] = ['Agent', 'DurableAgent'];
export const MODES = ['generate', 'stream'] as const;
export type Mode = (typeof MODES)[number];

/** Every form in both modes, or a part of that. */
export const FORMS_AND_MODES: readonly (Form & { readonly mode: Mode })[] = part(
  FORMS.flatMap((form) => MODES.map((mode) => ({ ...form, mode }))),
  'pairs',
);

/** The first models of each provider's that have a tool search, and those that take definitions in mid-conversation. */
export function modelIds(execution: Execution): Readonly<Record<Form['dialect'], string>> {
  return execution === 'append'
    ? { anthropic: 'claude-opus-5', openai: 'gpt-6' }
    : { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5.4' };
}

/** A model with a tool search, over a fake. */
export function modelOf(
  dialect: Form['dialect'],
  fake: Pick<FakeProvider<never>, 'fetch'>,
  execution: Execution = 'client',
): unknown {
  const given = { apiKey: 'x', fetch: fake.fetch };
  const id = modelIds(execution)[dialect];
  return dialect === 'anthropic'
    ? anthropic4.createAnthropic(given)(id)
    : openai4.createOpenAI(given).responses(id as never);
}

export interface RigOptions {
  /** @default 'native' */
  readonly mode?: 'load' | 'call' | 'native';
  readonly tools?: Record<string, MastraTool>;
  readonly processor?: Partial<ToolSearchProcessorOptions>;
  readonly native?: NativeOptions;
  readonly agent?: Partial<AgentConfig>;
  readonly kind?: Kind;
  readonly interrupt?: Interruption;
  /** Instead of a new one of the form's dialect. */
  readonly service?: Service;
  /** Instead of a current one of the service. */
  readonly model?: unknown;
  /** Puts the processor into `errorProcessors` as well. */
  readonly hearsErrors?: boolean;
  readonly storage?: MastraStorage;
  readonly memory?: Memory | false;
  /** Registers the agent with no Mastra. */
  readonly isAlone?: boolean;
  /** The agent's input processors; by default this one alone. */
  readonly around?: (processor: ToolSearchProcessor) => readonly unknown[];
}

export interface GoalRig {
  readonly agent: Agent;
  readonly processor: ToolSearchProcessor;
  readonly service: Service;
  readonly events: ToolSearchEvent[];
  /** Requests that the service refused by its rules. */
  refused(): readonly { readonly rule: string; readonly message: string }[];
  /** Why native mode was switched off. */
  offs(): readonly string[];
  /** Turns that the model has to answer with "done". */
  done(mode: Mode, ...said: readonly string[]): Promise<void>;
}

/** An agent with memory, whose model does what the user says. */
export function goalRig({ dialect, execution }: Form, options: RigOptions = {}): GoalRig {
  const { kind = 'Agent', interrupt, storage = new InMemoryStore(), hearsErrors = false } = options;
  const { around = (one) => [one], isAlone = false, mode = 'native' } = options;
  const { memory = new Memory({ storage, options: { lastMessages: 100 } }) } = options;
  const service = options.service ?? serviceOf(dialect, interrupt);
  const events: ToolSearchEvent[] = [];
  const processor = new ToolSearchProcessor({
    tools: options.tools ?? toolRecord(tool('get_weather'), tool('send_email'), tool('filler_1', 'Padding.')),
    mode,
    ...(mode === 'native'
      ? { native: { execution: execution === 'server' ? 'server' : 'client', ...options.native } }
      : {}),
    onEvent: (event) => void events.push(event),
    ...options.processor,
  } as ToolSearchProcessorOptions);
  const plain = new Agent({
    id: 'goal-agent',
    name: 'Goal Agent',
    instructions: 'Help.',
    model: (options.model ?? modelOf(dialect, service.fake, execution)) as never,
    ...(memory ? { memory } : {}),
    tools: toolRecord(tool('own_tool')),
    inputProcessors: around(processor),
    ...(hearsErrors ? { errorProcessors: [processor] } : {}),
    ...options.agent,
  } as AgentConfig);
  const agent =
    kind === 'Agent' ? plain : (createDurableAgent({ agent: plain, cleanupTimeoutMs: 0 }) as unknown as Agent);
  if (!isAlone) new Mastra({ agents: { agent }, storage, logger: false });
  return {
    ...{ agent, processor, service, events, refused: () => service.fake.refused },
    offs: () => events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : [])),
    async done(mode, ...said) {
      for (const one of said) {
        const { text } = await say(agent, mode, one);
        if (text !== 'done') throw new Error(`"${one}" was answered "${text}"`);
      }
    },
  };
}

/** One thread for all turns. */
export const turn = { memory: { thread: 't', resource: 'ann' } };

export interface Waiting {
  readonly runId: string;
  readonly toolCallId: string;
}

export interface Ended {
  readonly text: string;
  readonly finishReason: string | undefined;
  /** Where it waits. */
  readonly waiting: Waiting | undefined;
  readonly waitingTool: string | undefined;
}

interface FullOutput {
  readonly runId?: string;
  readonly text: string;
  readonly finishReason?: string;
  readonly suspendPayload?: unknown;
  readonly error?: unknown;
}

interface Output {
  readonly runId: string;
  getFullOutput(): Promise<FullOutput>;
}

/** What both kinds of agent have, as it is called here. */
interface Drivable {
  generate(said: string, options: object): Promise<FullOutput>;
  stream(said: string, options: object): Promise<Output & { readonly output?: Output }>;
  approveToolCall(target: object): Promise<Output & { readonly output?: Output }>;
  approveToolCallGenerate(target: object): Promise<FullOutput>;
  declineToolCall(target: object): Promise<Output & { readonly output?: Output }>;
  declineToolCallGenerate(target: object): Promise<FullOutput>;
  resumeStream(data: object, target: object): Promise<Output & { readonly output?: Output }>;
  resumeGenerate(...args: readonly unknown[]): Promise<FullOutput>;
}

const ended = ({ runId = '', text, finishReason, suspendPayload }: FullOutput): Ended => {
  const payload = suspendPayload as { toolCallId?: string; toolName?: string } | undefined;
  const { toolCallId, toolName } = payload ?? {};
  return {
    text,
    finishReason,
    waiting: toolCallId === undefined ? undefined : { runId, toolCallId },
    waitingTool: toolName,
  };
};

const whole = async (stream: Output & { readonly output?: Output }): Promise<Ended> =>
  ended({ ...(await (stream.output ?? stream).getFullOutput()), runId: stream.runId });

/** Sends a message, and goes on until the run ends or waits. */
export async function say(agent: Agent, mode: Mode, said: string, options: object = {}): Promise<Ended> {
  const all = { ...turn, ...options };
  if (mode === 'generate') return ended(await (agent as unknown as Drivable).generate(said, all));
  return whole(await (agent as unknown as Drivable).stream(said, { ...all, closeOnSuspend: true }));
}

export async function approve(agent: Agent, mode: Mode, { waiting }: Ended, options: object = {}): Promise<Ended> {
  const drivable = agent as unknown as Drivable;
  const target = { ...waiting, ...options };
  return mode === 'generate'
    ? ended(await drivable.approveToolCallGenerate(target))
    : whole(await drivable.approveToolCall(target));
}

export async function decline(agent: Agent, mode: Mode, { waiting }: Ended): Promise<Ended> {
  const drivable = agent as unknown as Drivable;
  const target = { ...waiting, reason: 'Too much.' };
  return mode === 'generate'
    ? ended(await drivable.declineToolCallGenerate(target))
    : whole(await drivable.declineToolCall(target));
}

export async function resume(agent: Agent, mode: Mode, { waiting }: Ended, data: object, kind: Kind): Promise<Ended> {
  const drivable = agent as unknown as Drivable;
  if (mode === 'stream') return whole(await drivable.resumeStream(data, { ...waiting }));
  const { runId, toolCallId } = waiting as Waiting;
  const args = kind === 'Agent' ? [data, { ...waiting }] : [runId, data, { toolCallId }];
  return ended(await drivable.resumeGenerate(...args));
}
