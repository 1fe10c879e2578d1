import { asRecord } from '../record.ts';
import type { MetaToolNames } from '../registry/conversation.ts';
import { foundByProvider } from '../registry/provider-searches.ts';
import type { SearchOrigin, SearchRewriting, ToolPart } from './prompt.ts';

/** Searches as any model reads them: calls of the meta-tool like any other, and nothing of a provider's own. */
export function portableRewriting(metaTools: MetaToolNames): SearchRewriting {
  const plain = asPlainCalls(metaTools);
  const isForeign = (origin: SearchOrigin): boolean => origin.endsWith('-server');
  return {
    call: (part, origin) => (isForeign(origin) ? undefined : plain.call(part, origin)),
    result: (part, origin, called) => (isForeign(origin) ? undefined : plain.result(part, origin, called)),
  };
}

/** The searches that OpenAI's models called, as calls of the meta-tool; all others as they are. */
export function asPlainCalls(metaTools: MetaToolNames): SearchRewriting {
  return {
    call: (part, origin) => (origin === 'openai-client' ? ownCall(part, metaTools) : part),
    result: (part, origin) => (origin === 'openai-client' ? ownResult(part, metaTools) : part),
  };
}

/** A search that OpenAI's model called, as a call of the meta-tool: without what only OpenAI knows. */
export function ownCall({ type, toolCallId, input }: ToolPart, { search }: MetaToolNames): ToolPart {
  return { type, toolCallId, toolName: search, input: asRecord(asRecord(input)?.['arguments']) ?? {} };
}

/** Its result, as the meta-tool's: without the definitions. */
export function ownResult({ type, toolCallId, output }: ToolPart, { search }: MetaToolNames): ToolPart {
  if (output?.type !== 'json') return { type, toolCallId, toolName: search, ...(output ? { output } : {}) };
  const { tools: _, ...value } = asRecord(output.value) ?? {};
  const names = foundByProvider(output.value);
  const results = Array.isArray(value['results']) ? value : { results: names.map((name) => ({ name })), loaded: names };
  return { type, toolCallId, toolName: search, output: { type: 'json', value: results } };
}
