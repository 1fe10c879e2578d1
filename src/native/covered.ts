import type { ToolCall } from '../conversation/calls.ts';
import { type LoadingCalls, loadedBy } from '../conversation/loads.ts';
import { providerSearchOf } from '../conversation/provider-searches.ts';
import { asRecord } from '../util/record.ts';
import type { NativePlan } from './plan.ts';

/**
 * The tools that a model of this form reads the definitions of in the conversation, by way of searches there. What is
 * loaded besides, with another model or in a part that was cut off, has to be sent at once.
 */
export function namesInConversation(
  calls: readonly ToolCall[],
  form: Pick<NativePlan, 'dialect' | 'execution'>,
  metaTools: LoadingCalls,
  providerOptions: unknown,
): ReadonlySet<string> {
  const names = new Set<string>();
  const called = new Set<string>();
  let isForgotten = false;
  for (const call of calls) {
    const { toolName, args, state, result } = call;
    if (typeof toolName === 'string') called.add(toolName);
    if (!isReadBy(form, toolName, args)) continue;
    for (const name of loadedBy(call, metaTools)) names.add(name);
    isForgotten ||= state === 'result' && isForgottenSearch(toolName, args, result);
  }
  return isForgotten && isStored(providerOptions) ? new Set([...names, ...called]) : names;
}

/**
 * A DurableAgent forgets what a provider found. OpenAI does not, where it is only sent the ids of its own items, and
 * Anthropic is told again: what was called has been found.
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

function isReadBy(
  { dialect, execution }: Pick<NativePlan, 'dialect' | 'execution'>,
  toolName: unknown,
  input: unknown,
): boolean {
  const origin = providerSearchOf(toolName, input);
  if (dialect === 'openai') return origin === 'openai-client' || origin === 'openai-server';
  return origin === 'anthropic-server' ? execution === 'server' : origin !== 'openai-server';
}
