import type { LoadingCalls } from '../../loaded/conversation/loads.ts';
import type { ToolPart } from '../../loaded/conversation/prompt.ts';
import { foundByProvider } from '../../loaded/conversation/provider-searches.ts';
import { asRecord } from '../../util/record.ts';
import { notesAmong } from '../append/changes.ts';
import type { RewrittenSearch, SearchRewriting } from './rewrite.ts';

/** Searches as every model reads them: calls of the meta-tool like any other, and nothing of a provider's own. */
export function loadModeRewriting(metaTools: LoadingCalls): SearchRewriting {
  const plain = asPlainCalls(metaTools);
  return (search) => (search.origin.endsWith('-server') ? undefined : plain(search));
}

/** Searches as OpenAI reads them without its search tool: those that its models called become calls of the meta-tool. */
export function asPlainCalls(metaTools: LoadingCalls): SearchRewriting {
  return (search) => (search.origin === 'openai-client' ? asPlainCall(search, metaTools) : search);
}

/** A search that OpenAI's model called, as a call of the meta-tool, without what only OpenAI knows. */
export function asPlainCall({ call, result }: RewrittenSearch, metaTools: LoadingCalls): RewrittenSearch {
  return { call: ownCall(call, metaTools), result: result && ownResult(result, metaTools) };
}

function ownCall({ type, toolCallId, input, providerOptions }: ToolPart, { search }: LoadingCalls): ToolPart {
  const notes = notesAmong(providerOptions);
  const kept = Object.keys(notes).length > 0 ? { providerOptions: notes } : {};
  return { type, toolCallId, toolName: search, input: asRecord(asRecord(input)?.['arguments']) ?? {}, ...kept };
}

/** The result without the definitions. */
function ownResult({ type, toolCallId, output }: ToolPart, { search }: LoadingCalls): ToolPart {
  if (output?.type !== 'json') return { type, toolCallId, toolName: search, ...(output ? { output } : {}) };
  const { tools: _, ...value } = asRecord(output.value) ?? {};
  const names = foundByProvider(output.value);
  const results = Array.isArray(value['results']) ? value : { results: names.map((name) => ({ name })), loaded: names };
  return { type, toolCallId, toolName: search, output: { type: 'json', value: results } };
}
