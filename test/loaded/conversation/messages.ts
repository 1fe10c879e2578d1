import type { ConversationMessage } from '../../../src/loaded/conversation/conversation.ts';

/** A message as Mastra stores it. */
export interface StoredMessage extends ConversationMessage {
  readonly id: string;
  readonly role: string;
  readonly createdAt: Date;
  readonly content: { readonly format: 2; readonly parts: readonly object[] };
}

let count = 0;

export function message(role: string, parts: readonly object[], id: string = `message-${count++}`): StoredMessage {
  return { id, role, createdAt: new Date(), content: { format: 2, parts } };
}

export const userSays = (text: string): StoredMessage => message('user', [{ type: 'text', text }]);

/** A part with a completed call. */
export function result(toolName: string, value: unknown, state = 'result'): object {
  const toolInvocation = { state, toolCallId: `call-${count++}`, toolName, args: {}, result: value };
  return { type: 'tool-invocation', toolInvocation };
}

/** An assistant message with the completed loads of these tools. */
export function loaded(...names: string[]): StoredMessage {
  const parts = names.map((toolName) => result('load_tool', { success: true, message: 'Loaded.', toolName }));
  return message('assistant', parts);
}
