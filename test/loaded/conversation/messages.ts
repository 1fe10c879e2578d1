/** A message as Mastra stores it. */
export interface StoredMessage {
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

/** A part with a call, as Mastra stores it. */
export function invocation(fields: object): object {
  return { type: 'tool-invocation', toolInvocation: { toolCallId: `call-${count++}`, args: {}, ...fields } };
}

/** A part with a completed call. */
export function result(toolName: string, value: unknown, state = 'result'): object {
  return invocation({ state, toolName, result: value });
}

/** An assistant message with the completed loads of these tools. */
export function loaded(...names: string[]): StoredMessage {
  const parts = names.map((toolName) => result('load_tool', { success: true, message: 'Loaded.', toolName }));
  return message('assistant', parts);
}

/** A message list that is not Mastra's own: it does not tell where a message comes from. One for each request. */
export const bareList = (): object => ({ addSystem: () => {} });
