import { asRecord, foundByProvider, type LoadingCalls, OPENAI_SEARCH, type ToolPart } from '../../../kit.ts';
import type { RewrittenSearch, Search, SentTools } from '../../dialect.ts';
import { asPlainCall } from '../../history/plain-calls.ts';
import { itemIdOf } from '../../history/responses.ts';
import { alike } from './search.ts';

/** The name of the provider. */
export const NAME = 'openai';

/** Whether the result of OpenAI's own search lacks what it found: a DurableAgent forgets it. */
export function isForgotten(result: unknown): boolean {
  return !Array.isArray(asRecord(result)?.['tools']);
}

/**
 * Searches as OpenAI's models read them. Results of OpenAI's own search stay, without tools that are gone: definitions
 * stand in them, so that the model could still call such a tool. An item that OpenAI stores is sent by its id, and can
 * only go as a whole. Calls of the meta-tools stay calls like any other.
 */
export function rewrite(search: Search, sent: SentTools, metaTools: LoadingCalls): RewrittenSearch | undefined {
  const { origin, call, result } = search;
  if (origin === 'meta-tool') return { call: renamed(call), result: result && renamed(result) };
  if (origin.dialect !== NAME) return origin.side === 'server' ? undefined : asPlainCall(search, metaTools);
  if (origin.side === 'client') {
    // It was part of a response that is not whole any more, and OpenAI takes no search without an id.
    if (itemIdOf(call) === undefined) return asPlainCall(search, metaTools);
    return { call, result: result && withTools(result, alike(toolsLeft(result, sent))) };
  }
  if (!sent.isStored) return { call, result: result && withTools(result, toolsLeft(result, sent)) };
  return hasFoundLostTools(search, sent) ? undefined : search;
}

/** The part under a name that OpenAI takes for none of its own: it would refuse the results. */
function renamed(part: ToolPart): ToolPart {
  return part.toolName === OPENAI_SEARCH ? { ...part, toolName: 'search_tools' } : part;
}

function hasFoundLostTools({ result, called }: Search, sent: SentTools): boolean {
  const value = result?.output?.value;
  const found = isForgotten(value) ? called : foundByProvider(value);
  return found.some((name) => !sent.isReadable(name));
}

function withTools(part: ToolPart, tools: readonly unknown[]): ToolPart {
  return { ...part, output: { type: 'json', value: { tools } } };
}

/** Found tools that are still there. A call that was declined, or failed, has a result of another form, which names none. */
function toolsLeft({ output }: ToolPart, sent: SentTools): readonly unknown[] {
  const tools = output?.type === 'json' ? asRecord(output.value)?.['tools'] : undefined;
  return Array.isArray(tools) ? tools.flatMap((tool) => left(tool, sent)) : [];
}

/** A function that is still there, or a namespace with those of its functions that are. */
function left(tool: unknown, sent: SentTools): readonly unknown[] {
  const nested = asRecord(tool)?.['tools'];
  if (!Array.isArray(nested)) return foundByProvider([tool]).every((name) => sent.isReferable(name)) ? [tool] : [];
  const kept = nested.flatMap((inner) => left(inner, sent));
  return kept.length > 0 ? [{ ...asRecord(tool), tools: kept }] : [];
}

/** Tools that OpenAI's definitions in the result of a search are of. */
export function definedIn({ toolName, output }: ToolPart): readonly string[] {
  const isDefining = toolName === OPENAI_SEARCH && output?.type === 'json' && !Array.isArray(output.value);
  return isDefining ? foundByProvider(output.value) : [];
}
