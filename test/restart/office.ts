import type { Agent, AgentConfig } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import type { InputProcessor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { call, fillerTools, load, rig } from '../support/agent.ts';
import { lastToolResult, type ScriptedModel, scriptedModel } from '../support/scripted-model.ts';
import type { Kind } from './cases.ts';

export interface OfficeOptions {
  readonly kind?: Kind;
  /** Tools besides. Above 500, a resumed call after a restart finds a lightweight proxy. */
  readonly fillers?: number;
  readonly input?: object;
  /** Whether the first step loads the tool. @default true */
  readonly loads?: boolean;
  /** The calls of the second step, instead of one. */
  readonly together?: readonly { readonly toolName: string; readonly input: unknown }[];
  readonly provider?: string;
  readonly processor?: Partial<ToolSearchProcessorOptions>;
  readonly agent?: Partial<AgentConfig>;
  /** Agents besides, with the same processor. */
  readonly others?: readonly string[];
  /** What agents are given instead of the processor. */
  readonly within?: (processor: InputProcessor) => InputProcessor;
}

export interface Office {
  readonly agent: Agent;
  readonly model: ScriptedModel;
}

/** The thread of every turn. */
export const turn = { memory: { thread: 't', resource: 'ann' } };

/**
 * Opens an application over a storage, with an agent that loads the tool `subject` and calls it. Opened again over
 * the same storage it knows nothing of the first time, as after a restart.
 */
export function officeOver(
  storage: InMemoryStore = new InMemoryStore(),
): (subject: unknown, options?: OfficeOptions) => Office {
  return (subject, options = {}) => {
    const { kind = 'Agent', fillers = 501, input = {}, provider = 'scripted', others = [], loads = true } = options;
    const { together = [call('subject', input)], within = (processor) => processor } = options;
    const model = scriptedModel(
      ({ step }) => {
        const steps = loads ? [[load('subject')], together] : [together];
        const toolCalls = steps[step];
        return toolCalls ? { toolCalls } : { text: 'done' };
      },
      { provider },
    );
    const { processor } = rig({
      tools: { subject, ...fillerTools(fillers) } as never,
      storage: 'context',
      ...options.processor,
    });
    const agents = ['office', ...others].map((id): Agent => {
      const own: object = { id, name: id, model, memory: new Memory({ storage }), ...(options.agent as object) };
      const { agent } = rig({ tools: {} }, { agent: { ...own, inputProcessors: [within(processor)] } });
      return kind === 'Agent' ? agent : (createDurableAgent({ agent, cleanupTimeoutMs: 0 }) as unknown as Agent);
    });
    new Mastra({ agents: Object.fromEntries(agents.map((agent) => [agent.id, agent])), storage, logger: false });
    return { agent: agents[0] as Agent, model };
  };
}

/** What the model read last as the result of a call. */
export const answerOf = ({ model }: Pick<Office, 'model'>, tool?: string): unknown =>
  lastToolResult(model.calls.at(-1)?.prompt ?? [], tool)?.value;
