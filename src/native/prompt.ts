import { asRecord } from '../record.ts';
import type { MetaToolNames } from '../registry/conversation.ts';
import { type ProviderSearch, providerSearchOf } from '../registry/provider-searches.ts';

/** The part of a model's prompt that is read: the same in all versions of the AI SDK's specification. */
export type Prompt = readonly PromptMessage[];

interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
}

/** A call of a tool, or its result. */
export interface ToolPart {
  readonly type: 'tool-call' | 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input?: unknown;
  readonly output?: { readonly type: string; readonly value?: unknown };
}

/** Whose search a part of a prompt is of. */
export type SearchOrigin = ProviderSearch | 'meta-tool';

/** How searches stand in the prompt for one model; undefined leaves a part out. */
export interface SearchRewriting {
  call(part: ToolPart, origin: SearchOrigin): ToolPart | undefined;
  /** @param called - the tools that were called behind it, and not before. */
  result(part: ToolPart, origin: SearchOrigin, called: readonly string[]): ToolPart | undefined;
}

/**
 * Rewrites the searches in a prompt, and leaves out those of a provider that have no result, or no call: a message list
 * that was cut may hold one without the other.
 *
 * @returns the same prompt where there is nothing to rewrite.
 */
export function rewriteSearches(prompt: Prompt, metaTools: MetaToolNames, rewriting: SearchRewriting): Prompt {
  const parts = toolPartsIn(prompt);
  const calls = new Map<string, SearchOrigin>();
  for (const part of parts) {
    const origin = part.type === 'tool-call' ? originOf(part, metaTools) : undefined;
    if (origin) calls.set(part.toolCallId, origin);
  }
  if (calls.size === 0) return prompt;
  const called = calledBehind(parts, calls);
  const answered = new Set(parts.filter(({ type }) => type === 'tool-result').map(({ toolCallId }) => toolCallId));

  return mapToolParts(prompt, (part, isLast) => {
    const origin = calls.get(part.toolCallId);
    if (!origin) return part;
    if (part.type === 'tool-result') return rewriting.result(part, origin, called.get(part.toolCallId) ?? []);
    // In the last message, a pause of the provider's may end between the two.
    const isAlone = origin.endsWith('-server') && !isLast && !answered.has(part.toolCallId);
    return isAlone ? undefined : rewriting.call(part, origin);
  });
}

/** The tools that were called behind each search and before the next, each by the first. */
function calledBehind(
  parts: readonly ToolPart[],
  searches: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, readonly string[]> {
  const called = new Map<string, string[]>();
  const known = new Set<string>();
  let names: string[] = [];
  for (const { type, toolCallId, toolName } of parts) {
    if (type === 'tool-result') continue;
    if (searches.has(toolCallId)) {
      names = [];
      called.set(toolCallId, names);
    } else if (!known.has(toolName)) {
      known.add(toolName);
      names.push(toolName);
    }
  }
  return called;
}

/**
 * A prompt with other calls and results; undefined leaves one out, and a message with it that has nothing else.
 *
 * @param map - also told whether the part stands in the last message.
 * @returns the same prompt where nothing changes.
 */
export function mapToolParts(prompt: Prompt, map: (part: ToolPart, isLast: boolean) => ToolPart | undefined): Prompt {
  let isSame = true;
  const mapped = prompt.flatMap((message, position) => {
    const { content } = message;
    if (!Array.isArray(content)) return [message];
    const isLast = position === prompt.length - 1;
    const parts = content.flatMap((part) => (isToolPart(part) ? (map(part, isLast) ?? []) : [part]));
    if (parts.length === content.length && parts.every((part, at) => part === content[at])) return [message];
    isSame = false;
    return parts.length === 0 ? [] : [{ ...message, content: parts }];
  });
  return isSame ? prompt : mapped;
}

function originOf({ toolName, input }: ToolPart, metaTools: MetaToolNames): SearchOrigin | undefined {
  const provider = providerSearchOf(toolName, input);
  if (provider) return provider;
  return toolName === metaTools.search || toolName === metaTools.load ? 'meta-tool' : undefined;
}

/** All calls and results, in order. */
export function toolPartsIn(prompt: Prompt): readonly ToolPart[] {
  return prompt.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isToolPart) : []));
}

function isToolPart(part: unknown): part is ToolPart {
  const { type, toolCallId } = asRecord(part) ?? {};
  return (type === 'tool-call' || type === 'tool-result') && typeof toolCallId === 'string';
}
