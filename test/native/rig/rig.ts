import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import type { Agent, AgentConfig } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore, type MastraCompositeStore as MastraStorage } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { quickJsTransport } from '../../../src/entries/quickjs.ts';
import type {
  MastraTool,
  NativeOptions,
  ToolSearchEvent,
  ToolSearchProcessor,
  ToolSearchProcessorOptions,
} from '../../../src/index.ts';
import type { Kind } from '../../restart/cases.ts';
import { rig, tool, toolRecord } from '../../support/agent.ts';
import {
  type AnthropicBody,
  additionsIn,
  changesIn,
  type FakeProvider,
  type OpenAIBody,
} from '../fakes/fake-provider.ts';
import type { Sent } from './goals.ts';
import { type Decision, type Interruption, type Service, serviceOf } from './services.ts';

/** Who searches; with `'append'` the client, and the model takes definitions in mid-conversation. */
export type Execution = 'client' | 'server' | 'append';
export const EXECUTIONS: readonly Execution[] = ['client', 'server', 'append'];

export const DIALECTS = ['anthropic', 'openai'] as const;
export interface Form {
  readonly dialect: (typeof DIALECTS)[number];
  readonly execution: Execution;
}
export const FORMS: readonly Form[] = DIALECTS.flatMap((dialect) =>
  EXECUTIONS.map((execution) => ({ dialect, execution })),
);
export const KINDS: readonly Kind[] = ['Agent', 'DurableAgent'];
export const MODES = ['generate', 'stream'] as const;
export type Mode = (typeof MODES)[number];

/** Every form, with each kind of agent in turn, and each mode. */
export const CASES: readonly (Form & { readonly kind: Kind; readonly mode: Mode })[] = FORMS.map((form, at) => ({
  ...{ ...form, kind: KINDS[at % 2]!, mode: MODES[Math.floor(at / 2) % 2]! },
}));
/** The same with plain agents alone. */
export const PLAIN_CASES: typeof CASES = CASES.map((one) => ({ ...one, kind: 'Agent' }));

/** The first models of each provider's that have a tool search, and those that take definitions in mid-conversation. */
export function modelIds(execution: Execution): Readonly<Record<Form['dialect'], string>> {
  return execution === 'append'
    ? { anthropic: 'claude-opus-5', openai: 'gpt-6' }
    : { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5.4' };
}

/** A model with a tool search, over a fake. */
export function modelOf(
  dialect: Form['dialect'],
  { fetch }: Pick<FakeProvider<never>, 'fetch'>,
  execution: Execution = 'client',
): unknown {
  const create = dialect === 'anthropic' ? anthropic4.createAnthropic : openai4.createOpenAI;
  return create({ apiKey: 'x', fetch })(modelIds(execution)[dialect]);
}

export interface RigOptions {
  /** @default 'native' */
  readonly mode?: 'load' | 'call' | 'native' | 'code';
  readonly tools?: Record<string, MastraTool>;
  readonly processor?: Partial<ToolSearchProcessorOptions>;
  readonly native?: NativeOptions;
  readonly agent?: Partial<AgentConfig>;
  readonly kind?: Kind;
  readonly interrupt?: Interruption;
  readonly decide?: Decision;
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
  /** Why native mode was switched off, and what was refused. */
  faults(): readonly unknown[];
  /** What the models read since this request. */
  since(at: number): readonly Sent[];
  /** Turns that the model has to answer with "done". */
  done(mode: Mode, ...said: readonly string[]): Promise<void>;
}

/** An agent with memory, whose model does what the user says. */
export function goalRig({ dialect, execution }: Form, options: RigOptions = {}): GoalRig {
  const { kind = 'Agent', interrupt, decide, storage = new InMemoryStore(), hearsErrors = false } = options;
  const { isAlone = false, mode = 'native' } = options;
  const { memory = new Memory({ storage, options: { lastMessages: 100 } }) } = options;
  const service = options.service ?? serviceOf(dialect, interrupt, decide);
  const native: NativeOptions = { execution: execution === 'server' ? 'server' : 'client', ...options.native };
  const {
    agent: plain,
    processor,
    events,
  } = rig(
    {
      tools: options.tools ?? toolRecord(tool('get_weather'), tool('send_email'), tool('filler_1', 'Padding.')),
      mode,
      ...(mode === 'native' ? { native } : {}),
      ...(mode === 'code' ? { code: { transport: quickJsTransport() } } : {}),
      ...options.processor,
    },
    {
      agent: {
        ...{ id: 'goal-agent', name: 'Goal Agent' },
        model: options.model ?? modelOf(dialect, service.fake, execution),
        ...(memory ? { memory } : {}),
        tools: toolRecord(tool('own_tool')),
        ...options.agent,
      },
      ...(options.around ? { around: options.around } : {}),
      ...(hearsErrors ? { also: ['errorProcessors'] } : {}),
    },
  );
  const agent =
    kind === 'Agent' ? plain : (createDurableAgent({ agent: plain, cleanupTimeoutMs: 0 }) as unknown as Agent);
  if (!isAlone) new Mastra({ agents: { agent }, storage, logger: false });
  const refused = () => service.fake.refused;
  const offs = () => events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : []));
  return {
    ...{ agent, processor, service, events, refused, offs },
    faults: () => [...offs(), ...refused()],
    since: (at) => service.views().slice(at),
    async done(run, ...said) {
      for (const one of said) {
        const { text } = await say(agent, run, one);
        if (text !== 'done') throw new Error(`"${one}" was answered "${text}"`);
      }
    },
  };
}

/** How many events of a type a rig has seen. */
export const count = ({ events }: GoalRig, type: string): number =>
  events.filter((event) => event.type === type).length;

/** What a request adds and removes in mid-conversation, as `+name` and `-name`. */
export const changesOf = (body: AnthropicBody | OpenAIBody): readonly string[] =>
  'input' in body ? additionsIn(body).map((name) => `+${name}`) : changesIn(body);

/** @throws where a request does not begin as the one before it. */
export function checkGrowth(bodies: readonly (AnthropicBody | OpenAIBody)[]): void {
  const texts = bodies.map((body) => {
    const rest: readonly unknown[] = 'input' in body ? body.input : [body.system, ...body.messages];
    return [body.tools, ...rest].map((item) => JSON.stringify(item));
  });
  for (const [at, text] of texts.slice(1).entries()) {
    const other = texts[at]!.find((item, place) => item !== text[place]);
    if (other) throw new Error(`Request ${at + 1} lacks, or has in another place: ${other}`);
  }
}

/** One thread for all turns. */
export const turn = { memory: { thread: 't', resource: 'ann' } };

export interface Ended {
  readonly text: string;
  readonly finishReason: string | undefined;
  /** Where it waits. */
  readonly waiting: { readonly runId: string; readonly toolCallId: string } | undefined;
  /** The tool that is to run, through `call_tool` or by itself. */
  readonly waitingTool: string | undefined;
}

/** What both kinds of agent answer, in either mode. */
interface Output {
  readonly runId?: string;
  readonly text: string;
  readonly finishReason?: string;
  readonly suspendPayload?: {
    readonly toolCallId?: string;
    readonly toolName?: string;
    readonly args?: { readonly toolName?: string };
  };
  readonly output?: Output;
  getFullOutput(): Promise<Output>;
}

/** Calls a method of an agent, and goes on until the run ends or waits. */
async function drive(agent: Agent, mode: Mode, method: string, ...given: readonly unknown[]): Promise<Ended> {
  const methods = agent as unknown as Record<string, (...given: readonly unknown[]) => Promise<Output>>;
  const output = await methods[method]!(...given);
  const whole = mode === 'generate' ? output : await (output.output ?? output).getFullOutput();
  const { text, finishReason, suspendPayload: { toolCallId, toolName, args } = {} } = whole;
  const waiting = toolCallId === undefined ? undefined : { runId: output.runId ?? '', toolCallId };
  return { text, finishReason, waiting, waitingTool: toolName === 'call_tool' ? args?.toolName : toolName };
}

/** Sends a message. */
export function say(agent: Agent, mode: Mode, said: string, options: object = {}): Promise<Ended> {
  const closing = mode === 'generate' ? {} : { closeOnSuspend: true };
  return drive(agent, mode, mode, said, { ...turn, ...options, ...closing });
}

export const approve = (agent: Agent, mode: Mode, { waiting }: Ended, options: object = {}): Promise<Ended> =>
  drive(agent, mode, mode === 'generate' ? 'approveToolCallGenerate' : 'approveToolCall', { ...waiting, ...options });

export const decline = (agent: Agent, mode: Mode, { waiting }: Ended): Promise<Ended> =>
  drive(agent, mode, mode === 'generate' ? 'declineToolCallGenerate' : 'declineToolCall', {
    ...waiting,
    reason: 'Too much.',
  });

export function resume(agent: Agent, mode: Mode, { waiting }: Ended, data: object, kind: Kind): Promise<Ended> {
  if (mode === 'stream') return drive(agent, mode, 'resumeStream', data, { ...waiting });
  const { runId, ...call } = waiting!;
  const args = kind === 'Agent' ? [data, { ...waiting }] : [runId, data, call];
  return drive(agent, mode, 'resumeGenerate', ...args);
}
