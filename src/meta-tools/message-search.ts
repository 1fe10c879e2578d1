import type { Catalog } from '../catalog/catalog.ts';
import type { MessageReason } from '../events/reasons.ts';
import type { RunMemory } from '../filter/questions.ts';
import { callsOfRun, type ToolCall } from '../loaded/conversation/calls.ts';
import { providerSearchOf } from '../loaded/conversation/provider-searches.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import { words } from '../scorers/words/words.ts';
import { type FoundByMessage, findByMessage, haveWordInCommon, messageQueries } from '../search/by-message.ts';
import type { FoundEntry } from '../search/extras.ts';
import type { Found, SearchScope } from '../search/find.ts';
import { asRecord } from '../util/record.ts';
import { asObject } from './meta-tool.ts';
import { readSearchInput } from './search-shapes.ts';
import type { Services, Step } from './step.ts';

/** What the user's message finds for one call of a search, and why it was searched. */
export interface MessageOutcome {
  readonly reason: MessageReason;
  /** Best first; none where nothing clearly matches the message. */
  readonly shown: readonly FoundEntry[];
}

/** The likelihood of its best result below which a query is weak. Below an even chance, the message is worth a search. */
const LIKELY = 0.5;

/** A query of a call, with what it found; undefined when the scorer failed. */
interface Asked {
  readonly query: ToolQuery;
  readonly found: Found | undefined;
}

/** The searches of messages in each run, by message and what else decides what they find. */
const searches = new WeakMap<RunMemory, Map<string, MessageSearch>>();

interface MessageSearch {
  readonly catalog: Catalog;
  readonly found: Promise<FoundByMessage | undefined>;
}

/**
 * Searches the user's last message for a call whose queries ask for it. Undefined where none does, where the message says
 * nothing that a tool could be found by, and where the scorer failed.
 *
 * @param asked - none for a call without words.
 */
export async function searchMessage(
  asked: readonly Asked[],
  limit: number,
  scope: SearchScope,
  step: Step,
  services: Services,
): Promise<MessageOutcome | undefined> {
  const { useMessage } = services.options;
  const isOutOfOrder = asked.length > 0 && asked.every(({ found }) => !found);
  const queries = useMessage === false || isOutOfOrder ? [] : messageQueries(step.readUserText());
  const [whole] = queries;
  if (!whole) return undefined;
  const reason = reasonOf(asked, whole.text, step, services) ?? (useMessage === true ? 'always' : undefined);
  if (!reason) return undefined;

  const { run } = step.state;
  const { catalog, autoLoad, besides = [] } = scope;
  const ofRun = searches.get(run) ?? new Map<string, MessageSearch>();
  searches.set(run, ofRun);
  const key = JSON.stringify([whole.text, limit, autoLoad, ...besides]);
  const known = ofRun.get(key);
  const found = known?.catalog === catalog ? known.found : findByMessage(queries, limit, scope, services);
  ofRun.set(key, { catalog, found });
  const answer = await found;
  // The next search may find more.
  if (!answer || answer.isCut) ofRun.delete(key);
  return answer && { reason, shown: answer.shown };
}

/** Why the queries of a call do not say what the user wants; undefined where they do. The first reason tells most. */
function reasonOf(asked: readonly Asked[], message: string, step: Step, services: Services): MessageReason | undefined {
  const answers = asked.flatMap(({ found }) => found ?? []);
  if (step.isForNames) return 'unknown-name';
  if (asked.length === 0 || answers.some(({ shown, dropped }) => shown.length + dropped.length === 0)) return 'nothing';
  if (answers.some(({ shown: [best] }) => !best || (best.confidence ?? 1) < LIKELY)) return 'weak';
  const earlier = earlierQueries(step.calls, services);
  if (asked.some(({ query }) => earlier.has(normalised(query.text)))) return 'repeated';
  return asked.some(({ query }) => !haveWordInCommon(query.text, message)) ? 'unrelated' : undefined;
}

/** The queries of this run that were answered. */
function earlierQueries(calls: readonly ToolCall[], { options }: Services): ReadonlySet<string> {
  const { search } = options.loadingTools;
  const inputs = callsOfRun(calls).flatMap(({ toolName, args, state }) => {
    if (state !== 'result') return [];
    if (providerSearchOf(toolName, args)) return [asRecord(args)?.['arguments']];
    return toolName === search ? [args] : [];
  });
  return new Set(inputs.flatMap((input) => readSearchInput(asObject(input)).query.map(normalised)));
}

function normalised(query: string): string {
  return words(query).join(' ') || query;
}
