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
 * A prompt whose messages have other parts. Two kinds of messages go, as no provider takes them: one that is left with
 * no part, and one of reasoning alone that nothing of the model's follows, as Mastra leaves it of an unanswered call.
 *
 * @returns the same prompt where nothing changes, be it in other arrays.
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

/** The prompt with each call and result replaced; one for which there is `undefined` is left out. */
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
