import { type MetaToolNames, models } from '../kit.ts';
import { asRecord } from '../util/record.ts';
import { type Appending, append, type ToolChanges } from './append.ts';
import type { Definition, ModelCall } from './dialect.ts';
import { readableInPrompt } from './finds.ts';
import type { SentStep } from './send.ts';
import { eagerCopy } from './tools.ts';

/**
 * Sets the finish reason of an answer with a search that is answered here to that of other calls, `tool-calls`. A provider
 * package gives `stop`, at which a DurableAgent would end the run.
 */
export function withSearchesAsCalls(answer: models.ModelAnswer, search: string): Promise<models.ModelAnswer> {
  let isSearching = false;
  return models.mapParts(answer, (part) => {
    const { type, toolName, providerExecuted, finishReason } = asRecord(part) ?? {};
    if (type === 'tool-call' && toolName === search && providerExecuted !== true) isSearching = true;
    if (type !== 'finish' || !isSearching) return part;
    // A string in version 2 of the specification; later an object with the provider's own reason.
    const reason = asRecord(finishReason);
    if ((reason?.['unified'] ?? finishReason) !== 'stop') return part;
    return { ...asRecord(part), finishReason: reason ? { ...reason, unified: 'tool-calls' } : 'tool-calls' };
  });
}

/**
 * Makes the tools and the prompt of a request fit each other, whatever has been taken away since the step was prepared.
 *
 * - Without the search tool, deferred tools that are not loaded are removed, and loaded ones are sent eager.
 * - A tool that the model is forced to call is sent eager.
 * - References to tools that are not sent, or not deferred, are removed.
 * - A loaded tool that the prompt does not name could not be called, so it is sent eager, and so is one whose calls
 *   would lose their namespace.
 * - Tools whose definitions the model reads in the results of searches that are answered here are not sent again.
 * - If definitions are appended, loaded tools that would be sent eager are appended.
 *
 * `carry` receives loaded tools that are sent eager from now on.
 *
 * @returns `changes`: the changes of tools at the end of the prompt, for the answer to note.
 */
export function reconcile(
  call: ModelCall,
  sent: SentStep,
  metaTools: MetaToolNames,
  appending: Pick<Appending, 'definitions' | 'conversation'>,
  carry: (name: string) => void,
): { readonly call: ModelCall; readonly changes?: ToolChanges | undefined } {
  const { plan, deferred, loaded, replacedSearch } = sent;
  const { dialect } = plan;
  const { providerOptions } = call;
  const hasSearch = call.tools?.some(({ name }) => name === plan.searchName) === true;
  const forced = asRecord(call.toolChoice)?.['toolName'];
  const isSent = ({ name }: Definition): boolean =>
    name !== replacedSearch && (hasSearch || !deferred.has(name) || loaded.has(name));
  const tools = call.tools?.filter(isSent) ?? [];
  const names = new Set(tools.map(({ name }) => name));

  const mustBeEager = (name: string): boolean => deferred.has(name) && (!hasSearch || name === forced);
  const fitting = dialect.fit(call.prompt, { names, hasSearch, mustBeEager, providerOptions, metaTools });
  const named = readableInPrompt(fitting, dialect, providerOptions);
  const unmarked = sent.leftOut.has('namespace') ? dialect.namespaces?.called(fitting, sent) : undefined;
  const isUncallable = (name: string): boolean =>
    loaded.has(name) && (!named.has(name) || unmarked?.has(name) === true);
  if (hasSearch) for (const name of names) if (isUncallable(name)) carry(name);

  const eager = new Set([...names].filter((name) => mustBeEager(name) || isUncallable(name)));
  const inNamespaces = (prompt: ModelCall['prompt'], names: Iterable<string>): ModelCall['prompt'] =>
    dialect.namespaces?.named(prompt, sent, names) ?? prompt;
  if (!call.tools) return { call: { ...call, prompt: inNamespaces(fitting, eager) } };
  const isRead = ({ name }: Definition): boolean => plan.answersSearch && deferred.has(name) && !eager.has(name);
  const unread = tools.filter((tool) => !isRead(tool));
  const final = {
    ...call,
    prompt: fitting,
    tools: unread.map((tool) => (eager.has(tool.name) ? eagerCopy(tool) : tool)),
  };
  // A package refuses to force a tool that is defined only in the conversation.
  const appends = plan.appends && !sent.leftOut.has('appending');
  if (!appends || typeof forced === 'string') return { call: { ...final, prompt: inNamespaces(fitting, eager) } };
  const {
    there,
    call: whole,
    changes,
  } = append(final, {
    ...{ ...appending, dialect, earlier: sent.earlier, isUnsendable: sent.isUnsendable },
    isAppendable: (name) => sent.appendable.has(name) || (loaded.has(name) && eager.has(name)),
    isReadable: (name) => named.has(name) && !eager.has(name),
  });
  sent.appended = there;
  // Before it was appended, another model may have called a tool that is in a namespace now.
  return { call: { ...whole, prompt: inNamespaces(whole.prompt, [...eager, ...there]) }, changes };
}
