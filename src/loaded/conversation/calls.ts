import { asRecord } from '../../util/record.ts';
import { type Conversation, type ConversationMessage, partsOf, roleOf } from './messages.ts';

/** A tool call of the conversation, as Mastra stores it. Nobody vouches for the types of its fields. */
export interface ToolCall {
  /** The id of the call; undefined where the stored one is no text. */
  readonly id: string | undefined;
  /** The name as Mastra keeps it; undefined where it is no text. */
  readonly toolName: string | undefined;
  /** `call`, `result`, `output-error` and others. */
  readonly state: unknown;
  readonly args: unknown;
  readonly result: unknown;
  readonly errorText: unknown;
  /** The assistant message that holds it. */
  readonly message: ConversationMessage;
  /** Whether it belongs to the run under way: it stands behind the last message of the user. */
  readonly isOfRun: boolean;
}

/** The tool calls of a conversation, oldest first. Only what assistant messages hold counts. */
export function callsIn(messages: Conversation): readonly ToolCall[] {
  const lastOfUser = messages.findLastIndex((message) => roleOf(message) === 'user');
  const calls: ToolCall[] = [];
  for (const [position, message] of messages.entries()) {
    if (roleOf(message) !== 'assistant') continue;
    const isOfRun = position > lastOfUser;
    for (const part of partsOf(message.content)) {
      const invocation = asRecord(asRecord(part)?.['toolInvocation']);
      if (invocation) calls.push(toolCall(invocation, message, isOfRun));
    }
  }
  return calls;
}

function toolCall(invocation: Record<string, unknown>, message: ConversationMessage, isOfRun: boolean): ToolCall {
  const { toolCallId, toolName, state, args, result, errorText } = invocation;
  const id = typeof toolCallId === 'string' ? toolCallId : undefined;
  const name = typeof toolName === 'string' ? toolName : undefined;
  return { id, toolName: name, state, args, result, errorText, message, isOfRun };
}

/** The calls of the run under way. */
export function callsOfRun(calls: readonly ToolCall[]): readonly ToolCall[] {
  return calls.filter(({ isOfRun }) => isOfRun);
}

/** A tool call that ended in an error. */
export interface FailedCall {
  readonly id: string;
  /** The name of a tool that the step did not have, as the model wrote it; absent for a fault of the tool itself. */
  readonly missing?: string;
  /** The name as Mastra keeps it. */
  readonly toolName: string;
}

/** The calls that ended in an error. */
export function failedCalls(calls: readonly ToolCall[]): readonly FailedCall[] {
  return calls.flatMap((call) => {
    const { id, toolName } = call;
    if (call.state !== 'output-error' || id === undefined || toolName === undefined) return [];
    const missing = missedName(call);
    return [missing === undefined ? { id, toolName } : { id, toolName, missing }];
  });
}

/**
 * The beginning of the error text of a call that missed its tool: `Tool "x" not found. Available tools: …`. The text
 * has the name even where the message does not, because providers would refuse it.
 */
const NOT_FOUND = /^(?:Error: )?Tool "([\s\S]{1,256}?)" not found\b/;

/** The name of the tool that a call missed, as the model wrote it; undefined for any other call. */
export function missedName({ state, errorText }: ToolCall): string | undefined {
  return state === 'output-error' && typeof errorText === 'string' ? NOT_FOUND.exec(errorText)?.[1] : undefined;
}

const ENDED: ReadonlySet<unknown> = new Set(['result', 'output-error', 'output-available', 'output-denied']);

/** The tools whose calls have no result yet: they wait for an approval, a resumption or their end. */
export function pendingCalls(calls: readonly ToolCall[]): ReadonlySet<string> {
  return namesOf(calls.filter(({ state }) => !ENDED.has(state)));
}

/** The tools that were called with success. */
export function succeededCalls(calls: readonly ToolCall[]): ReadonlySet<string> {
  return namesOf(calls.filter(({ state }) => state === 'result'));
}

function namesOf(calls: readonly ToolCall[]): ReadonlySet<string> {
  return new Set(calls.flatMap(({ toolName }) => toolName ?? []));
}
