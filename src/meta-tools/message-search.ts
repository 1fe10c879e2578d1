import type { Catalog } from '../catalog/catalog.ts';
import type { MessageReason } from '../events/reasons.ts';
import type { RunMemory } from '../filter/permissions.ts';
import { callsOfRun, type ToolCall } from '../loaded/conversation/conversation.ts';
import type { Step } from '../processor/step.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import { words } from '../scorers/words/words.ts';
import {
  type Found,
  type FoundByMessage,
  type FoundEntry,
  findByMessage,
  haveWordInCommon,
  messageQueries,
  type SearchScope,
  type SearchServices,
} from '../search/find.ts';
import { asRecord } from '../util/record.ts';
import { asObject, queriesIn } from './meta-tool.ts';

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

/** What decides what a message finds. */
interface KnownSearch {
  readonly catalog: Catalog;
  readonly found: Promise<FoundByMessage | undefined>;
}

/** Searches the user's last message, where the queries of a call ask for it: the option `search.useMessage`. */
export class MessageSearch {
  readonly #finder: SearchServices;
  readonly #use: boolean | 'fallback';
  /** The name of the meta-tool that searches. */
  readonly #name: string;
  /** The searches of each run, by message and what else decides what they find. */
  readonly #searches = new WeakMap<RunMemory, Map<string, KnownSearch>>();

  constructor(finder: SearchServices, use: boolean | 'fallback', name: string) {
    this.#finder = finder;
    this.#use = use;
    this.#name = name;
  }

  /**
   * What the message finds for a call. Undefined where no query asks for it, where the message says nothing that a tool
   * could be found by, and where the scorer failed.
   *
   * @param asked - none for a call without words.
   */
  async find(
    asked: readonly Asked[],
    limit: number,
    scope: SearchScope,
    step: Step,
  ): Promise<MessageOutcome | undefined> {
    const isOutOfOrder = asked.length > 0 && asked.every(({ found }) => !found);
    const queries = this.#use === false || isOutOfOrder ? [] : messageQueries(step.readUserText());
    const [whole] = queries;
    if (!whole) return undefined;
    const reason = this.#reasonOf(asked, whole.text, step) ?? (this.#use === true ? 'always' : undefined);
    if (!reason) return undefined;

    const { run } = step.state;
    const { catalog, autoLoad, unranked = [] } = scope;
    const ofRun = this.#searches.get(run) ?? new Map<string, KnownSearch>();
    this.#searches.set(run, ofRun);
    const key = JSON.stringify([whole.text, limit, autoLoad, ...unranked]);
    const known = ofRun.get(key);
    const found = known?.catalog === catalog ? known.found : findByMessage(queries, limit, scope, this.#finder);
    ofRun.set(key, { catalog, found });
    const answer = await found;
    // The next search may find more.
    if (!answer || answer.isCut) ofRun.delete(key);
    return answer && { reason, shown: answer.shown };
  }

  /** Why the queries of a call do not say what the user wants; undefined where they do. The first reason that applies. */
  #reasonOf(asked: readonly Asked[], message: string, step: Step): MessageReason | undefined {
    const answers = asked.flatMap(({ found }) => found ?? []);
    if (step.isForNames) return 'unknown-name';
    if (asked.length === 0 || answers.some(({ shown, dropped }) => shown.length + dropped.length === 0))
      return 'nothing';
    if (answers.some(({ shown: [best] }) => !best || (best.confidence ?? 1) < LIKELY)) return 'weak';
    const earlier = this.#earlierQueries(step.calls);
    if (asked.some(({ query }) => earlier.has(normalised(query.text)))) return 'repeated';
    return asked.some(({ query }) => !haveWordInCommon(query.text, message)) ? 'unrelated' : undefined;
  }

  /** The queries of this run that were answered. */
  #earlierQueries(calls: readonly ToolCall[]): ReadonlySet<string> {
    const inputs = callsOfRun(calls).flatMap(({ toolName, args, state, searchedBy }) => {
      if (state !== 'result') return [];
      if (searchedBy) return [asRecord(args)?.['arguments']];
      return toolName === this.#name ? [args] : [];
    });
    return new Set(inputs.flatMap((input) => queriesIn(asObject(input)['query']).map(normalised)));
  }
}

function normalised(query: string): string {
  return words(query).join(' ') || query;
}
