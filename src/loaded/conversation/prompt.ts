import { asRecord } from '../../util/record.ts';

/** A model's prompt, as far as it is read here: the same in all versions of the AI SDK's specification. */
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
  readonly providerOptions?: unknown;
}

/**
 * Replaces the parts of each message. Two kinds of messages are dropped, because no provider takes them: a message that
 * is left without parts, and a message of reasoning alone that no assistant message follows, which Mastra leaves of an
 * unanswered call.
 *
 * @returns the given prompt if nothing changes, even if `map` returns new arrays.
 */
export function mapContent(prompt: Prompt, map: (parts: readonly unknown[]) => readonly unknown[]): Prompt {
  let isSame = true;
  const mapped = prompt.flatMap((message, at) => {
    const { content } = message;
    if (!Array.isArray(content) || content.length === 0) return [message];
    const parts = map(content);
    const isEmpty = parts.length === 0 || (parts.every(isReasoning) && prompt[at + 1]?.role !== 'assistant');
    const isSameContent = parts.length === content.length && parts.every((part, n) => Object.is(part, content[n]));
    if (isSameContent && !isEmpty) return [message];
    isSame = false;
    return isEmpty ? [] : [{ ...message, content: parts }];
  });
  return isSame ? prompt : mapped;
}

/** Replaces each call and result of a prompt. A part that `map` returns `undefined` for is dropped. */
export function mapToolParts(prompt: Prompt, map: (part: ToolPart) => ToolPart | undefined): Prompt {
  return mapContent(prompt, (parts) => parts.flatMap((part) => (isToolPart(part) ? (map(part) ?? []) : [part])));
}

/** Calls and results of a prompt, in order. */
export function toolPartsIn(prompt: Prompt): readonly ToolPart[] {
  return prompt.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isToolPart) : []));
}

export function isReasoning(part: unknown): boolean {
  return asRecord(part)?.['type'] === 'reasoning';
}

function isToolPart(part: unknown): part is ToolPart {
  const { type, toolCallId } = asRecord(part) ?? {};
  return (type === 'tool-call' || type === 'tool-result') && typeof toolCallId === 'string';
}
