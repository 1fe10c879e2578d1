import { type LoadingCalls, loadedBy, type Prompt, providerSearchOf, type ToolCall, toolPartsIn } from '../kit.ts';
import type { Dialect, NativePlan } from './dialect.ts';
import { dialects, isForgottenSearch } from './dialects/index.ts';

/** A tool call of a history, and its result. */
interface PastCall {
  readonly toolName: unknown;
  /** Tools whose definitions the model reads by way of the result. */
  readonly names: readonly string[];
  /** Whether the result is a provider's, and forgotten. */
  readonly isForgotten: boolean;
}

/**
 * The tools whose definitions a model reads in a history, by way of searches there. What is loaded besides, with another
 * model or in a part that was cut off, has to be sent eager.
 *
 * Where a provider remembers a search whose result is forgotten here, nothing tells what it found, and all that was called
 * counts: a call of another tool would have failed.
 */
function readableNames(calls: Iterable<PastCall>, dialect: Dialect, providerOptions: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const called = new Set<string>();
  let hasForgotten = false;
  for (const call of calls) {
    if (typeof call.toolName === 'string') called.add(call.toolName);
    for (const name of call.names) names.add(name);
    hasForgotten ||= call.isForgotten;
  }
  return hasForgotten && dialect.isStored(providerOptions) ? new Set([...names, ...called]) : names;
}

/** What a model of this plan will read in the stored conversation, once it is rewritten for it. */
export function readableInCalls(
  calls: readonly ToolCall[],
  plan: Pick<NativePlan, 'dialect' | 'execution'>,
  metaTools: LoadingCalls,
  providerOptions: unknown,
): ReadonlySet<string> {
  const past = calls.map((call): PastCall => {
    const { toolName, args, state, result } = call;
    const origin = providerSearchOf(toolName, args);
    if (!plan.dialect.reads(origin, plan.execution)) return { toolName, names: [], isForgotten: false };
    const isForgotten = state === 'result' && isForgottenSearch(origin, result);
    return { toolName, names: loadedBy(call, metaTools), isForgotten };
  });
  return readableNames(past, plan.dialect, providerOptions);
}

/** What the model reads in a prompt that was rewritten for it. */
export function readableInPrompt(prompt: Prompt, dialect: Dialect, providerOptions: unknown): ReadonlySet<string> {
  const inputs = new Map<string, unknown>();
  const calls = toolPartsIn(prompt).map((part): PastCall => {
    const { type, toolName, toolCallId, input, output } = part;
    if (type === 'tool-call') {
      inputs.set(toolCallId, input);
      return { toolName, names: [], isForgotten: false };
    }
    const isForgotten = isForgottenSearch(providerSearchOf(toolName, inputs.get(toolCallId)), output?.value);
    return {
      toolName: undefined,
      names: [...dialects.values()].flatMap((each) => each.namesRead(part)),
      isForgotten,
    };
  });
  return readableNames(calls, dialect, providerOptions);
}
