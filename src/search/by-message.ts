import { textsOf } from '../loaded/conversation/user-message.ts';
import { parseQuery, type ToolQuery } from '../scorers/words/query.ts';
import { stem } from '../scorers/words/stem.ts';
import { contentWords } from '../scorers/words/stop-words.ts';
import { words } from '../scorers/words/words.ts';
import { nextTurn } from '../util/time-slices.ts';
import type { FoundEntry } from './extras.ts';
import { find, type SearchScope, type SearchServices } from './find.ts';

/** What a message of the user is searched by: its text, and the clauses of a long one. None for small talk. */
export function messageQueries(message: string): readonly ToolQuery[] {
  // What a user writes is no selection, and requires no word.
  return textsOf(message).map((text) => ({ ...parseQuery(text.replaceAll(':', ' ')), required: [] }));
}

/** A tool with how likely it is what a message asks for. */
export interface Candidate {
  readonly entry: FoundEntry;
  readonly confidence: number;
}

/**
 * Puts the results of a message and of its clauses in one order: by the sum of the confidences, which rewards a tool that
 * several clauses find. Each is as likely as where it is likeliest.
 */
export function merge(found: readonly (readonly FoundEntry[])[]): readonly Candidate[] {
  const merged = new Map<string, { entry: FoundEntry; confidence: number; sum: number }>();
  for (const entry of found.flat()) {
    const { confidence = 0 } = entry;
    const before = merged.get(entry.name);
    if (!before) merged.set(entry.name, { entry, confidence, sum: confidence });
    else {
      before.sum += confidence;
      before.confidence = Math.max(before.confidence, confidence);
    }
  }
  return [...merged.values()].sort((one, other) => other.sum - one.sum);
}

/** What the user's message finds. */
export interface FoundByMessage {
  /** Best first; none where probably none is what the message asks for. */
  readonly shown: readonly FoundEntry[];
  /** Whether there was no time to ask the filter about all tools. */
  readonly isCut: boolean;
}

/** Searches a message as any query, with the clauses of a long one. Undefined when the scorer failed, which is reported. */
export async function findByMessage(
  queries: readonly ToolQuery[],
  limit: number,
  scope: SearchScope,
  services: SearchServices,
): Promise<FoundByMessage | undefined> {
  const lists: (readonly FoundEntry[])[] = [];
  let isWeak = true;
  let isCut = false;
  // A source is asked once: each search may be a request to another service.
  for (const query of scope.catalog.candidates ? queries.slice(0, 1) : queries) {
    if (lists.length > 0) await nextTurn();
    const found = await find(query, limit, scope, services);
    if (!found) return undefined;
    lists.push(found.shown);
    isWeak &&= found.isWeak;
    isCut ||= found.isCut;
  }
  const [only = []] = lists;
  return { shown: isWeak ? [] : lists.length > 1 ? inOneOrder(lists) : only, isCut };
}

function inOneOrder(lists: readonly (readonly FoundEntry[])[]): readonly FoundEntry[] {
  return merge(lists).map(({ entry, confidence }) =>
    entry.confidence === undefined ? entry : { ...entry, confidence },
  );
}

/** Whether two texts have a word in common that says something, in any of its forms. */
export function haveWordInCommon(one: string, other: string): boolean {
  const stems = new Set(contentWords(words(one)).map(stem));
  return contentWords(words(other)).some((word) => stems.has(stem(word)));
}
