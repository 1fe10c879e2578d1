// Many conversations at once with one agent, whose tools are found by one processor.
import { setTimeout } from 'node:timers/promises';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from '../../../src/index.ts';
import { type ModelCall, type Script, scriptedModel, userText } from '../../support/scripted-model.ts';
import { Conversation, type Thinking } from './conversation.ts';
import type { Ledger } from './ledger.ts';
import { delayOf, SHARED, SHARED_OWNER, Turn, toolOf } from './turn.ts';

const MOST_LOADED = 6;

export interface SoakOptions {
  readonly conversations: number;
  /** Whether a conversation that has had so many requests goes on with another. */
  readonly goesOn: (requests: number) => boolean;
  readonly thinking: Thinking;
  readonly ledger: Ledger;
  /** To see whether faults are found. */
  readonly options?: Partial<ToolSearchProcessorOptions>;
}

/** Lets all converse, and ends when the last request has. */
export async function soak({ conversations, goesOn, thinking, ledger, options }: SoakOptions): Promise<void> {
  const all = Array.from({ length: conversations }, (_, number) => {
    return new Conversation(number, MOST_LOADED, thinking, ledger);
  });
  const agent = agentOf(processorOf(ledger, options), all);
  await Promise.all(all.map((conversation) => conversation.converse(agent, goesOn)));
  ledger.compare();
}

function processorOf(ledger: Ledger, options?: Partial<ToolSearchProcessorOptions>): ToolSearchProcessor {
  const turnOf = (context: unknown): Turn | undefined => {
    const turn = (context as RequestContext | undefined)?.get('turn');
    if (turn instanceof Turn) return turn;
    ledger.fault('something is asked or called without its request context');
    return undefined;
  };
  const run = async (toolName: string, from: string, context: unknown): Promise<unknown> =>
    turnOf((context as { requestContext?: unknown }).requestContext)?.run(toolName, from, 'shared');
  return new ToolSearchProcessor({
    tools: Object.fromEntries(SHARED.map((described) => [described.name, toolOf(described, SHARED_OWNER, run)])),
    includeResolvedTools: true,
    maxLoaded: { tools: MOST_LOADED },
    metaTools: { unload: true },
    onEvent: ledger.onEvent,
    filter: ({ toolName, tool, requestContext, phase }) => {
      const turn = turnOf(requestContext);
      if (!turn) return false;
      const isAllowed = turn.question(toolName, tool, phase);
      const delay = delayOf(turn.profile.user, toolName);
      return delay === 0 ? isAllowed : setTimeout(delay, isAllowed);
    },
    ...options,
  });
}

function agentOf(processor: ToolSearchProcessor, conversations: readonly Conversation[]): Agent {
  const byId = new Map(conversations.map((conversation) => [conversation.profile.id, conversation]));
  const script: Script = (call) => {
    // It would keep them all.
    (model.calls as ModelCall[]).length = 0;
    const text = userText(call.prompt);
    const conversation = byId.get(/cv\d{3}/.exec(text)?.[0] ?? '');
    if (!conversation) throw new Error(`"${text}" is of no conversation`);
    return conversation.answer(call, text);
  };
  const model = scriptedModel(script);
  const agent = new Agent({
    id: 'soak',
    name: 'Soak',
    instructions: 'You are there for all.',
    model,
    inputProcessors: [processor],
    tools: ({ requestContext }) => (requestContext.get('turn') as Turn).tools as never,
  });
  new Mastra({ agents: { agent }, logger: false });
  return agent;
}
