import type { RequestContext } from '@mastra/core/request-context';
import type { Permissions } from '../filter/permissions.ts';
import type { PolicySubject } from '../filter/questions.ts';
import { readContext } from '../util/request-context.ts';
import { type ConversationMessage, loadsInConversation, type MessageSource } from './messages.ts';

export interface ConversationArgs {
  readonly messages?: readonly ConversationMessage[] | undefined;
  readonly messageList?: unknown;
  readonly requestContext?: RequestContext | undefined;
}

/**
 * The names that the conversation shows as loaded, as far as it can be believed.
 *
 * Only what this request loaded itself is believed at once. Every other result may have been written by a client, even
 * one that Memory brings, which stores what clients send: its names have to pass the load phase of the filter again.
 * What the caller of this turn sent is ignored where Memory has the history.
 */
export async function believableLoads(
  args: ConversationArgs,
  metaTools: { readonly search: string; readonly load: string },
  subjectOf: (name: string) => PolicySubject | undefined,
  permissions: Permissions,
  own: ReadonlySet<string>,
): Promise<readonly string[]> {
  const loads = loadsInConversation(args.messages ?? [], metaTools, sourceReader(args.messageList));
  const hasMemory = Boolean(readContext(args.requestContext, 'MastraMemory', true));
  const verdicts = await Promise.all(
    loads.map(({ name, source }) => {
      if (own.has(name)) return true;
      if (source === 'caller' && hasMemory) return false;
      const subject = subjectOf(name);
      return subject !== undefined && permissions.allows(subject, 'load');
    }),
  );
  return loads.filter((_, position) => verdicts[position]).map(({ name }) => name);
}

/** A list that is not Mastra's own does not tell; then there is no client behind it either. */
function sourceReader(messageList: unknown): (message: ConversationMessage) => MessageSource {
  const list = messageList as { makeMessageSourceChecker?(): { getSource?(message: unknown): unknown } } | undefined;
  const checker = list?.makeMessageSourceChecker?.();
  return (message) => {
    const source = checker?.getSource ? checker.getSource(message) : 'memory';
    return source === 'memory' || source === 'response' ? 'own' : 'caller';
  };
}
