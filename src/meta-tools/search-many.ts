import { closest, found, notAllChecked, nothingFound, searchOutOfOrder, weakQueries } from '../prompts.ts';
import { isSelection, parseQuery } from '../query/query.ts';
import { type Found, find } from '../search/find.ts';
import { nothingToFind } from './nothing-to-find.ts';
import {
  answerQuery,
  foundNothing,
  loadShown,
  missed,
  namesOf,
  type SearchAnswer,
  type SearchHit,
} from './search-one.ts';
import type { Services, Step } from './step.ts';

/** What one of several queries found. */
interface QueryOutcome {
  readonly text: string;
  /** Absent when the scorer failed. */
  readonly found?: Found;
}

/**
 * Answers several queries at once: their results in turns, the best of each first, every tool once, `limit` in all, but
 * at least one for each query. A `select:` among them is answered by itself, and takes no part in the limit.
 */
export async function searchMany(
  texts: readonly string[],
  limit: number,
  step: Step,
  services: Services,
): Promise<SearchAnswer> {
  const selections: SearchAnswer[] = [];
  for (const text of texts.filter(isSelection)) selections.push(await answerQuery(text, limit, step, services));
  const queries = texts.filter((text) => !isSelection(text)).map((text) => parseQuery(text));
  const asked = queries.filter(({ keywords }) => keywords.length > 0);
  if (asked.length === 0 && selections.length === 0) return answerQuery('', limit, step, services);

  const parts = await Promise.all(
    asked.map(async (query): Promise<QueryOutcome> => {
      const outcome = await find(query, limit, step, services);
      return outcome ? { text: query.text, found: outcome } : { text: query.text };
    }),
  );
  const successful = parts.filter((part) => (part.found?.shown.length ?? 0) > 0);
  const isNothing = parts.length > 0 && parts.every(({ found: outcome }) => outcome && foundNothing(outcome));
  const nothing = isNothing ? await nothingToFind(step) : undefined;
  if (nothing !== undefined) return { results: [], message: nothing, isNothing: true };
  const merged = takeTurns(successful, Math.max(limit, successful.length));
  const answers = [...selections];
  if (parts.length > 0) answers.push(await answerParts(parts, merged, step, services));
  return join(answers);
}

async function answerParts(
  parts: readonly QueryOutcome[],
  merged: readonly SearchHit[],
  step: Step,
  services: Services,
): Promise<SearchAnswer> {
  const { mayRetry = true } = step;
  const failed = parts.filter((part) => !part.found).map(({ text }) => text);
  const nothingShown = parts.filter((part) => part.found?.shown.length === 0);
  const isEmpty = ({ found: outcome }: QueryOutcome): boolean => outcome?.dropped.length === 0 && !outcome.isUnloadable;
  const empty = nothingShown.filter(isEmpty).map(({ text }) => text);
  const successful = parts.filter((part) => (part.found?.shown.length ?? 0) > 0);
  const weak = successful.filter((part) => part.found?.isWeak).map(({ text }) => text);
  const misses = [
    ...failed.map(searchOutOfOrder),
    ...(empty.length > 0 ? [nothingFound(empty, mayRetry)] : []),
    ...nothingShown.flatMap((part) =>
      part.found && !isEmpty(part) ? missed(part.text, part.found, step, services) : [],
    ),
  ];
  const cut = parts.some((part) => part.found?.isCut) ? [notAllChecked()] : [];
  if (merged.length === 0) return { results: [], message: [...misses, ...cut].join(' ') };
  const { names } = services.options.metaTools;
  if (step.autoLoad && !step.loadsWeak && weak.length === successful.length) {
    const message = closest(weak.join(', '), namesOf(merged), names, true, mayRetry);
    return { results: merged, message: [message, ...misses, ...cut].join(' ') };
  }
  const notes = [...misses, ...(weak.length > 0 ? [weakQueries(weak)] : []), ...cut];
  if (!step.autoLoad) return { results: merged, message: [found(merged.length, names), ...notes].join(' ') };
  const answer = await loadShown(parts.map(({ text }) => text).join(', '), merged, false, step, services);
  return { ...answer, message: [answer.message, ...notes].join(' ') };
}

/** The best of each query, then the second of each, and so on; a tool found by several is shown once, for all of them. */
function takeTurns(parts: readonly QueryOutcome[], limit: number): SearchHit[] {
  const shown = new Map<string, { entry: SearchHit; queries: string[] }>();
  const longest = Math.max(0, ...parts.map((part) => part.found?.shown.length ?? 0));
  for (let turn = 0; turn < longest; turn++) {
    for (const { text, found: outcome } of parts) {
      const entry = outcome?.shown[turn];
      if (!entry) continue;
      const known = shown.get(entry.name);
      if (known) known.queries.push(text);
      else if (shown.size < limit) shown.set(entry.name, { entry, queries: [text] });
    }
  }
  return [...shown.values()].map(({ entry, queries }) => ({ ...entry, queries }));
}

function join(answers: readonly SearchAnswer[]): SearchAnswer {
  const results = new Map<string, SearchHit>();
  for (const answer of answers)
    for (const shown of answer.results) if (!results.has(shown.name)) results.set(shown.name, shown);
  const loaded = answers.flatMap((answer) => answer.loaded ?? []);
  return {
    results: [...results.values()],
    message: answers.map(({ message }) => message).join(' '),
    ...(loaded.length > 0 ? { loaded: [...new Set(loaded)] } : {}),
    unloaded: [...new Set(answers.flatMap((answer) => answer.unloaded ?? []))],
  };
}
