import type { Agent } from '@mastra/core/agent';
import { MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context';
import { estimateTokens } from '../../../src/util/tokens.ts';
import { commonLength } from '../../support/common-length.ts';
import type { ModelCall, ScriptedModel } from '../../support/scripted-model.ts';
import { scriptedModel, shownTools } from '../../support/scripted-model.ts';
import { needsOf, type Task, taskModel } from './task-model.ts';

/** What a task cost; counts are those of one run, or means. */
export interface Cost {
  /** 1 where every need was met. */
  readonly isDone: number;
  readonly modelCalls: number;
  /** Definitions that the model read, over its calls. */
  readonly definitions: number;
  readonly tokens: number;
  /** The part of `tokens` that equals the request before, from its beginning. */
  readonly cached: number;
  /** Time in the hooks of the processor and in its meta-tools. */
  readonly milliseconds: number;
}

/** An agent for a model, and the time that its processor took. */
export type AgentOf = (model: ScriptedModel<'v3'>) => { readonly agent: Agent; readonly spent: () => number };

const MAX_STEPS = 30;

export async function costOf(
  task: Task,
  agentOf: AgentOf,
  executed: readonly string[],
  inputOf: (name: string) => unknown,
): Promise<Cost> {
  const model = scriptedModel<'v3'>(taskModel(task, executed, inputOf), {
    provider: 'anthropic.messages',
    modelId: 'claude-sonnet-4-5',
  });
  const { agent, spent } = agentOf(model);
  const before = spent();
  // A conversation of its own: without a thread, @mastra/core has it share what all others loaded.
  const requestContext = new RequestContext<unknown>([[MASTRA_THREAD_ID_KEY, task.query]]);
  await agent.generate(task.task ?? task.query, { maxSteps: MAX_STEPS, requestContext });
  const requests = model.calls.map(requestParts);
  return {
    isDone: needsOf(task).every((group) => group.some((name) => executed.includes(name))) ? 1 : 0,
    modelCalls: model.calls.length,
    definitions: total(model.calls.map((call) => shownTools(call).length)),
    tokens: total(requests.map((parts) => total(parts.map(tokensOf)))),
    cached: total(requests.map((parts, n) => cachedTokens(requests[n - 1] ?? [], parts))),
    milliseconds: spent() - before,
  };
}

export function mean(costs: readonly Cost[]): Cost {
  const of = (pick: (cost: Cost) => number): number => total(costs.map(pick)) / costs.length;
  return {
    isDone: of(({ isDone }) => isDone),
    modelCalls: of(({ modelCalls }) => modelCalls),
    definitions: of(({ definitions }) => definitions),
    tokens: of(({ tokens }) => tokens),
    cached: of(({ cached }) => cached),
    milliseconds: of(({ milliseconds }) => milliseconds),
  };
}

/** What the model reads, in the order in which providers keep it: tools, then messages. */
function requestParts(call: ModelCall): readonly string[] {
  return [...shownTools(call), ...call.prompt].map((part) => JSON.stringify(part));
}

/** The tokens of a request that equal those of the one before, from its beginning. */
function cachedTokens(before: readonly string[], parts: readonly string[]): number {
  const firstNew = parts.findIndex((part, n) => part !== before[n]);
  if (firstNew < 0) return total(parts.map(tokensOf));
  const part = parts[firstNew] ?? '';
  const alike = part.slice(0, commonLength(before[firstNew] ?? '', part));
  return total(parts.slice(0, firstNew).map(tokensOf)) + tokensOf(alike);
}

/** Cache: a definition is part of thousands of requests. */
const estimates = new Map<string, number>();

function tokensOf(text: string): number {
  const tokens = estimates.get(text) ?? estimateTokens(text);
  estimates.set(text, tokens);
  return tokens;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
