import type { LoadingCalls } from '../../loaded/conversation/loads.ts';
import type { ToolPart } from '../../loaded/conversation/prompt.ts';
import { foundByProvider, OPENAI_SEARCH } from '../../loaded/conversation/provider-searches.ts';
import { asRecord } from '../../util/record.ts';
import { alike } from '../openai-search.ts';
import { isForgottenSearch } from '../readable.ts';
import type { SentStep } from '../sent-step.ts';
import { asPlainCall } from './plain-calls.ts';
import { itemIdOf } from './responses.ts';
import type { Search, SearchRewriting } from './rewrite.ts';

/**
 * Searches as OpenAI's models read them. Results of OpenAI's own search stay, without tools that are gone: definitions
 * stand in them, so that the model could still call such a tool. An item that OpenAI stores is sent by its id, and can
 * only go as a whole. Calls of the meta-tools stay calls like any other.
 */
export function openaiRewriting(sent: SentStep, metaTools: LoadingCalls): SearchRewriting {
  return (search) => {
    const { origin, call, result } = search;
    switch (origin) {
      case 'meta-tool':
        return { call: renamed(call), result: result && renamed(result) };
      case 'anthropic-server':
        return undefined;
      case 'openai-client':
        // It was part of a response that is not whole any more, and OpenAI takes no search without an id.
        if (itemIdOf(call) === undefined) return asPlainCall(search, metaTools);
        return { call, result: result && withTools(result, alike(toolsLeft(result, sent))) };
      case 'openai-server':
        if (!sent.isStored) return { call, result: result && withTools(result, toolsLeft(result, sent)) };
        return hasFoundLostTools(search, sent) ? undefined : search;
    }
  };
}

/** The part under a name that OpenAI takes for none of its own: it would refuse the results. */
function renamed(part: ToolPart): ToolPart {
  return part.toolName === OPENAI_SEARCH ? { ...part, toolName: 'search_tools' } : part;
}

function hasFoundLostTools({ call, result, called }: Search, sent: SentStep): boolean {
  const value = result?.output?.value;
  const found = isForgottenSearch(call.toolName, call.input, value) ? called : foundByProvider(value);
  return found.some((name) => !sent.isReadable(name));
}

function withTools(part: ToolPart, tools: readonly unknown[]): ToolPart {
  return { ...part, output: { type: 'json', value: { tools } } };
}

/** Found tools that are still there. A call that was declined, or failed, has a result of another form, which names none. */
function toolsLeft({ output }: ToolPart, sent: SentStep): readonly unknown[] {
  const tools = output?.type === 'json' ? asRecord(output.value)?.['tools'] : undefined;
  return Array.isArray(tools) ? tools.flatMap((tool) => left(tool, sent)) : [];
}

/** A function that is still there, or a namespace with those of its functions that are. */
function left(tool: unknown, sent: SentStep): readonly unknown[] {
  const nested = asRecord(tool)?.['tools'];
  if (!Array.isArray(nested)) return foundByProvider([tool]).every((name) => sent.isReferable(name)) ? [tool] : [];
  const kept = nested.flatMap((inner) => left(inner, sent));
  return kept.length > 0 ? [{ ...asRecord(tool), tools: kept }] : [];
}
