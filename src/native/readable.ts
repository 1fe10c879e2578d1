import type { ToolCall } from '../loaded/conversation/calls.ts';
import { type LoadingCalls, loadedBy } from '../loaded/conversation/loads.ts';
import { type Prompt, type ToolPart, toolPartsIn } from '../loaded/conversation/prompt.ts';
import {
  foundByProvider,
  isAnthropicSearch,
  OPENAI_SEARCH,
  providerSearchOf,
} from '../loaded/conversation/provider-searches.ts';
import { asRecord } from '../util/record.ts';
import type { NativePlan } from './plan.ts';

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
 * Where OpenAI remembers a search whose result is forgotten here, nothing tells what it found, and all that was called
 * counts: a call of another tool would have failed.
 */
function readableNames(calls: Iterable<PastCall>, providerOptions: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const called = new Set<string>();
  let hasForgotten = false;
  for (const call of calls) {
    if (typeof call.toolName === 'string') called.add(call.toolName);
    for (const name of call.names) names.add(name);
    hasForgotten ||= call.isForgotten;
  }
  return hasForgotten && isStored(providerOptions) ? new Set([...names, ...called]) : names;
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
    if (!isReadBy(plan, toolName, args)) return { toolName, names: [], isForgotten: false };
    const isForgotten = state === 'result' && isForgottenSearch(toolName, args, result);
    return { toolName, names: loadedBy(call, metaTools), isForgotten };
  });
  return readableNames(past, providerOptions);
}

/** What the model reads in a prompt that was rewritten for it. */
export function readableInPrompt(prompt: Prompt, providerOptions: unknown): ReadonlySet<string> {
  const inputs = new Map<string, unknown>();
  const calls = toolPartsIn(prompt).map((part): PastCall => {
    const { type, toolName, toolCallId, input, output } = part;
    if (type === 'tool-call') {
      inputs.set(toolCallId, input);
      return { toolName, names: [], isForgotten: false };
    }
    const isForgotten = isForgottenSearch(toolName, inputs.get(toolCallId), output?.value);
    return {
      toolName: undefined,
      names: [...referencesIn(part).map(({ name }) => name), ...definedIn(part)],
      isForgotten,
    };
  });
  return readableNames(calls, providerOptions);
}

/**
 * Whether the result of a provider's search lacks what it found. A DurableAgent forgets it. OpenAI does not, where it is
 * only sent the ids of its own items, and Anthropic is told again: what was called has been found.
 */
export function isForgottenSearch(toolName: unknown, input: unknown, result: unknown): boolean {
  const origin = providerSearchOf(toolName, input);
  if (origin === 'anthropic-server') return typeof result !== 'object' || result === null;
  return origin === 'openai-server' && !Array.isArray(asRecord(result)?.['tools']);
}

/** Whether OpenAI is sent ids of items that it stores, rather than the items. */
export function isStored(providerOptions: unknown): boolean {
  const options = asRecord(providerOptions);
  return (asRecord(options?.['azure']) ?? asRecord(options?.['openai']))?.['store'] !== false;
}

/** Whether a model of this plan reads what a search has found, once the conversation is rewritten for it. */
function isReadBy(
  { dialect, execution }: Pick<NativePlan, 'dialect' | 'execution'>,
  toolName: unknown,
  input: unknown,
): boolean {
  const origin = providerSearchOf(toolName, input);
  if (dialect === 'openai') return origin === 'openai-client' || origin === 'openai-server';
  return origin === 'anthropic-server' ? execution === 'server' : origin !== 'openai-server';
}

/** References to deferred tools in a result: this processor's, and those of Anthropic's own search. */
export function referencesIn(part: ToolPart): readonly { readonly name: string; readonly item: unknown }[] {
  const { output } = part;
  if (!Array.isArray(output?.value)) return [];
  return output.value.flatMap((item) => {
    const { toolName, providerOptions } = asRecord(item) ?? {};
    const own = asRecord(asRecord(providerOptions)?.['anthropic']);
    const name = isAnthropicSearch(part.toolName) ? toolName : own?.['type'] === 'tool-reference' && own['toolName'];
    return typeof name === 'string' ? [{ name, item }] : [];
  });
}

/** Tools that OpenAI's definitions in the result of a search are of. */
function definedIn({ toolName, output }: ToolPart): readonly string[] {
  const isDefining = toolName === OPENAI_SEARCH && output?.type === 'json' && !Array.isArray(output.value);
  return isDefining ? foundByProvider(output.value) : [];
}
