import { asRecord } from '../../util/record.ts';

/** The part of Mastra's stored messages that is read. */
export interface ConversationMessage {
  readonly id?: string;
  readonly role?: string;
  readonly content?: unknown;
}

export type Conversation = readonly ConversationMessage[];

/** The conversation as it is now: the message list grows while a step runs, the messages it began with do not. */
export function conversationOf(args: {
  readonly messageList?: unknown;
  readonly messages?: Conversation | undefined;
}): Conversation {
  const list = asRecord(asRecord(asRecord(args.messageList)?.['get'])?.['all']);
  if (typeof list?.['db'] !== 'function') return args.messages ?? [];
  const messages: unknown = (list as { db(): unknown }).db();
  return Array.isArray(messages) ? messages : (args.messages ?? []);
}

/** The parts of a stored message's content; none for content of another shape. */
export function partsOf(content: unknown): readonly unknown[] {
  const parts = asRecord(content)?.['parts'];
  return Array.isArray(parts) ? parts : [];
}

/** The role of a message; undefined for what is no message. */
export function roleOf(message: ConversationMessage | undefined): unknown {
  return asRecord(message)?.['role'];
}
