import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { isTool } from '../catalog/tool.ts';
import type { MessageReason, SearchVerdict } from '../events/reasons.ts';
import { isHandled } from '../mastra/marks.ts';
import type { Step } from '../processor/step.ts';
import { isSelection, parseQuery, type ToolQuery } from '../scorers/words/query.ts';
import { type Found, type FoundEntry, find, MAX_SHOWN, type SearchServices } from '../search/find.ts';
import type { Loader } from './loading.ts';
import type { MessageOutcome, MessageSearch } from './message-search.ts';
import { nothingToFind } from './meta-tool.ts';
import { withSuggestions } from './names.ts';
import * as prompts from './prompts.ts';

/** A tool that an answer shows. */
export interface SearchHit
  extends Pick<FoundEntry, 'name' | 'description' | 'tool' | 'score' | 'confidence' | 'alsoAs' | 'isSent' | 'byUse'> {
  /** The queries that found it; only where a call has several. */
  readonly queries?: readonly string[];
  /** Whether the user's message alone found it. */
  readonly fromMessage?: true;
  /** Whether the model can call it now. */
  readonly isCallable?: boolean;
}

/** The answer to all queries of one call. */
export interface SearchAnswer {
  readonly results: readonly SearchHit[];
  readonly message: string;
  readonly loaded?: readonly string[];
  /** Whether there is nothing to find, whatever is searched for. */
  readonly isNothing?: boolean;
  /** Tools that made room. */
  readonly unloaded?: readonly string[];
  readonly verdict: SearchVerdict;
  /** Why the user's message was searched as well; absent where it was not. */
  readonly messageReason?: MessageReason | undefined;
  /** How many tools were searched; absent where none were. */
  readonly candidates?: number | undefined;
}

/** An answer without what the whole call comes to. */
type Told = Omit<SearchAnswer, 'verdict' | 'candidates' | 'messageReason'>;

/** What one query found. */
interface QueryOutcome {
  readonly query: ToolQuery;
  readonly text: string;
  /** Undefined when the scorer failed. */
  readonly found: Found | undefined;
}

/** What a search searches, and the part of it that the model has already. */
interface Searched {
  readonly catalog: Catalog;
  /** Names of tools that the model can call without a load. */
  readonly callable: ReadonlySet<string>;
  /** The part of them that takes no place among the results. A search that loads would load ever more in their place. */
  readonly unranked: ReadonlySet<string>;
}

/**
 * The catalog of a step with the agent's own tools, as far as the model has them for certain. What another processor
 * sends comes and goes, and is left out.
 */
function searchedBy({ catalog, own, tools, reach }: Step): Searched {
  const sent = Object.entries(own).filter(
    (entry): entry is [string, object] => tools.isAvailable(entry[0]) && isTool(entry[1]) && !isHandled(entry[1]),
  );
  const callable = new Set(tools.callable);
  const unranked = reach.autoLoad ? new Set(sent.map(([name]) => name)) : callable;
  return { catalog: catalog.withSent(sent), callable, unranked };
}

/** Places of what the user's message found, among results of queries that are likelier. */
const MESSAGE_PLACES = 2;
/** Names in a message about weak matches. */
const MAX_CLOSEST = 3;

/**
 * Answers the queries of one call. Each `select:` is answered by itself, and takes no part in the limit; the other
 * queries are answered together.
 */
export async function answer(
  texts: readonly string[],
  limit: number,
  step: Step,
  finder: SearchServices,
  loader: Loader,
  messages: MessageSearch,
): Promise<SearchAnswer> {
  const isOnly = texts.length < 2;
  const answers: SearchAnswer[] = [];
  for (const text of texts.filter(isSelection)) {
    const selection = await select(parseQuery(text), step, loader);
    answers.push({ ...selection, verdict: selection.results.length > 0 ? 'fits' : 'nothing' });
  }
  const queries = texts.filter((text) => !isSelection(text)).map((text) => parseQuery(text));
  const asked = queries.filter(({ keywords }) => keywords.length > 0);
  // A call without words is answered with what the user's message finds.
  if (asked.length > 0 || answers.length === 0)
    answers.push(...(await answerQueries(asked, limit, isOnly, step, finder, loader, messages)));
  const [first] = answers;
  if (!first) {
    return { results: [], message: prompts.emptyQuery(step.reach.names), verdict: 'nothing' };
  }
  if (isOnly) return first;
  return answers.find(({ isNothing }) => isNothing) ?? join(answers);
}

/** `select:a,b`: exactly these tools, in that order, loaded at once, whatever the limit. */
async function select({ select: asked }: ToolQuery, step: Step, loader: Loader): Promise<Told> {
  const { names, bridge } = step.reach;
  if (!asked) return { results: [], message: prompts.nothingToSelect(names) };
  const chosen = asked.slice(0, step.allowance.names);
  step.allowance.names -= chosen.length;
  if (bridge) return bridge.select(chosen, step);
  const outcome = await loader.byName(chosen, step, ['search', 'load']);
  const unknown = await withSuggestions(outcome.notFound, step);
  const { loaded, alreadyLoaded } = outcome;
  const some = prompts.selected(loaded, alreadyLoaded, unknown, asked.length - chosen.length, names);
  const message = (outcome.ready.length === 0 && (await nothingToFind(step))) || some;
  return {
    results: outcome.ready.map((entry) => selected(entry, !loaded.includes(entry.name))),
    message: `${message}${prompts.roomNotes(outcome)}`,
    // Resident tools too, which need no loading.
    loaded: [...loaded, ...alreadyLoaded],
    unloaded: outcome.evicted,
  };
}

/** @param isCallable - whether it was there before. */
export function selected({ name, description, tool }: CatalogEntry, isCallable: boolean): SearchHit {
  return { name, description, tool, score: 1, ...(isCallable ? { isCallable } : {}) };
}

/** @param isOnly - whether the call has one query alone, so that its results need not say which query found them. */
async function answerQueries(
  queries: readonly ToolQuery[],
  limit: number,
  isOnly: boolean,
  step: Step,
  finder: SearchServices,
  loader: Loader,
  messages: MessageSearch,
): Promise<readonly SearchAnswer[]> {
  const searched = searchedBy(step);
  const { permissions, isUnusable, learner, origin } = step;
  const autoLoad = step.reach.autoLoad || step.isForNames === true;
  const scope = { ...searched, permissions, autoLoad, isUnusable, reranker: learner?.reranker, origin };
  const outcomes = await Promise.all(
    queries.map(async (query) => ({ query, text: query.text, found: await find(query, limit, scope, finder) })),
  );
  const message = await messages.find(outcomes, limit, scope, step);
  if (queries.length === 0 && !message?.shown.length) return [];
  const told = await tell(outcomes, message, limit, isOnly, searched, step, loader);
  const candidates = outcomes.find(({ found }) => found)?.found?.candidates;
  return [{ ...told, verdict: verdictOf(outcomes), messageReason: message?.reason, candidates }];
}

async function tell(
  outcomes: readonly QueryOutcome[],
  message: MessageOutcome | undefined,
  limit: number,
  isOnly: boolean,
  searched: Searched,
  step: Step,
  loader: Loader,
): Promise<Told> {
  const byMessage = message?.shown ?? [];
  const isEmpty = outcomes.every(isEmptyHanded) && byMessage.length === 0;
  const nothing = isEmpty ? await nothingToFind(step) : undefined;
  if (nothing !== undefined) return { results: [], message: nothing, isNothing: true };

  const { names, autoLoad, loadsWeak, bridge } = step.reach;
  const { mayRetry = true } = step;
  const successful = outcomes.filter(({ found }) => found && found.shown.length > 0);
  const weak = successful.filter(({ found }) => found?.isWeak).map(({ text }) => text);
  const unchecked = outcomes.some(({ found }) => found?.isCut) ? [prompts.notAllChecked()] : [];

  const hits = takeTurns(successful, byMessage, Math.max(limit, successful.length), isOnly, searched);
  const isAdded = hits.some(({ fromMessage }) => fromMessage);
  const misses = missesOf(outcomes, byMessage.length > 0, step);
  if (hits.length === 0) return { results: [], message: [...misses, ...unchecked].join(' ') };

  const isWeak = weak.length === successful.length && byMessage.length === 0;
  // A search that loads says of a loaded tool that it loaded it.
  const there = hits.filter(({ isCallable, isSent }) => (autoLoad ? isSent : isCallable)).map(({ name }) => name);
  // What needs no load comes first, and where it is the best, no load is spoken of.
  const thereNote = there.length > 0 ? [prompts.atHand(there)] : [];
  const isThere = hits[0] !== undefined && there.includes(hits[0].name);
  const hasCopies = hits.some(({ alsoAs }) => alsoAs);
  const notes = [
    ...(isAdded ? [prompts.foundByMessage()] : []),
    ...(hasCopies ? [prompts.hasCopies()] : []),
    ...misses,
  ];
  if (isWeak && (autoLoad ? !loadsWeak : isOnly)) {
    const closest = prompts.closest(weak.join(', '), closestOf(hits), names, autoLoad, mayRetry);
    return { results: hits, message: [...thereNote, closest, ...notes, ...unchecked].join(' ') };
  }
  if (there.length === hits.length || (isThere && !autoLoad))
    return { results: hits, message: [...thereNote, ...notes, ...unchecked].join(' ') };
  const found = autoLoad
    ? await loadHits(outcomes.map(({ text }) => text).join(', '), hits, isOnly && isWeak, step, loader)
    : {
        results: hits,
        message: bridge?.found(hits.length - there.length) ?? prompts.found(hits.length - there.length, names),
      };
  const weakNote = (!isOnly || !isWeak) && weak.length > 0 ? [prompts.weakQueries(weak)] : [];
  return { ...found, message: [...thereNote, found.message, ...notes, ...weakNote, ...unchecked].join(' ') };
}

const VERDICTS: readonly SearchVerdict[] = ['fits', 'weak', 'nothing', 'failed'];

/** The best of what the queries came to. */
function verdictOf(outcomes: readonly QueryOutcome[]): SearchVerdict {
  const all = outcomes.map(({ found }): SearchVerdict => {
    if (!found) return 'failed';
    if (found.shown.length > 0 && !found.isWeak) return 'fits';
    return found.shown.length + found.dropped.length > 0 ? 'weak' : 'nothing';
  });
  return bestOf(all);
}

function bestOf(verdicts: readonly SearchVerdict[]): SearchVerdict {
  return VERDICTS.find((verdict) => verdicts.includes(verdict)) ?? 'nothing';
}

/** Whether nothing matches, of all that there is. */
function isEmptyHanded({ found }: QueryOutcome): boolean {
  return found !== undefined && found.shown.length + found.dropped.length === 0 && !found.isCut;
}

/**
 * The message for queries without results: first those that failed, then those that match nothing.
 *
 * @param isElsewhere - whether the user's message found what to use.
 */
function missesOf(outcomes: readonly QueryOutcome[], isElsewhere: boolean, step: Step): string[] {
  const { names, autoLoad } = step.reach;
  const { mayRetry = true } = step;
  const failed: string[] = [];
  const unmatched: string[] = [];
  const others: string[] = [];
  for (const { text, found } of outcomes) {
    if (!found) failed.push(prompts.searchOutOfOrder(text));
    else if (found.shown.length > 0) continue;
    else if (isElsewhere) unmatched.push(text);
    else if (found.dropped.length > 0)
      others.push(prompts.closest(text, closestOf(found.dropped), names, autoLoad, mayRetry));
    else if (found.isUnloadable) others.push(prompts.nothingToLoad(text, mayRetry));
    else unmatched.push(text);
  }
  return [
    ...failed,
    ...(unmatched.length > 0
      ? [isElsewhere ? prompts.noMatch(unmatched) : prompts.nothingFound(unmatched, mayRetry)]
      : []),
    ...others,
  ];
}

function closestOf(hits: readonly SearchHit[]): string[] {
  return hits.slice(0, MAX_CLOSEST).map(({ name }) => name);
}

/**
 * The best of each query, then the second of each, and so on, at most `limit`, and the unranked extras. A tool
 * that several queries found is shown once, for all of them.
 *
 * @param byMessage - what the user's message found, best first. It comes first where nothing fits that the queries found,
 *   takes turns behind them where its best is likelier than theirs, and else has the last places.
 */
function takeTurns(
  outcomes: readonly QueryOutcome[],
  byMessage: readonly FoundEntry[],
  limit: number,
  isOnly: boolean,
  { callable, unranked }: Searched,
): SearchHit[] {
  const lists: { readonly text?: string; readonly shown: readonly (FoundEntry | undefined)[] }[] = outcomes.map(
    ({ text, found }) => ({ text, shown: found?.shown ?? [] }),
  );
  const isFit = outcomes.some(({ found }) => found?.isWeak === false);
  const likelihood = (entry: FoundEntry | undefined): number => entry?.confidence ?? 1;
  const likeliest = Math.max(0, ...lists.map(({ shown: [best] }) => likelihood(best)));
  const [best] = byMessage;
  if (isFit && best && likelihood(best) > likeliest) lists.push({ shown: byMessage });
  else if (best) {
    const before = isFit ? Math.max(1, Math.floor((limit - MESSAGE_PLACES) / lists.length)) : 0;
    lists.unshift({ shown: [...new Array<undefined>(before), ...byMessage] });
  }
  const hits = new Map<string, { entry: FoundEntry; queries: string[] }>();
  /** The name of the hit that stands for each copy. */
  const shownAs = new Map<string, string>();
  let places = limit;
  const longest = Math.max(0, ...lists.map(({ shown }) => shown.length));
  for (let turn = 0; turn < longest; turn++) {
    for (const { text, shown } of lists) {
      const entry = shown[turn];
      if (!entry) continue;
      const hit = hits.get(entry.isNamed ? entry.name : (shownAs.get(entry.name) ?? entry.name));
      if (hit && text !== undefined) {
        if (hit.queries.length === 0 && hit.entry.name === entry.name) hit.entry = entry;
        hit.queries.push(text);
      } else if (!hit && (places > 0 || (text !== undefined && entry.isNamed && hits.size < MAX_SHOWN))) {
        if (!unranked.has(entry.name)) places -= 1;
        hits.set(entry.name, { entry, queries: text === undefined ? [] : [text] });
        for (const copy of entry.alsoAs ?? []) shownAs.set(copy, entry.name);
      }
    }
  }
  return [...hits.values()].map(({ entry, queries }) => {
    const isCallable = callable.has(entry.name);
    const from = queries.length === 0 ? { fromMessage: true as const } : isOnly ? {} : { queries };
    return { ...entry, ...(isCallable ? { isCallable } : {}), ...from };
  });
}

/** With `autoLoad`: loads what was found, and shows it as far as there is room for it. */
async function loadHits(
  text: string,
  hits: readonly SearchHit[],
  isWeak: boolean,
  step: Step,
  loader: Loader,
): Promise<Told> {
  const all = hits.filter(({ isSent }) => !isSent).map(({ name }) => name);
  const hurried = { ...step, permissions: step.permissions.inSearch() };
  const outcome = await loader.byName(all, hurried);
  const loaded = outcome.ready.map(({ name }) => name);
  const results = hits.filter(({ name, isSent }) => isSent || loaded.includes(name));
  const room = prompts.roomNotes(outcome);
  if (loaded.length === 0) {
    return { results, message: room.trim() || prompts.nothingToLoad(text, step.mayRetry ?? true), loaded };
  }
  const message = isWeak
    ? prompts.closestLoaded(text, loaded)
    : prompts.foundAndLoaded(loaded, outcome.alreadyLoaded.length);
  return { results, message: `${message}${room}`, loaded, unloaded: outcome.evicted };
}

/** One answer for several: each tool once, all messages. */
function join(answers: readonly SearchAnswer[]): SearchAnswer {
  const results = new Map<string, SearchHit>();
  for (const hit of answers.flatMap(({ results: hits }) => hits))
    if (!results.has(hit.name)) results.set(hit.name, hit);
  const loaded = answers.flatMap((each) => each.loaded ?? []);
  return {
    results: [...results.values()],
    message: answers.map(({ message }) => message).join(' '),
    ...(loaded.length > 0 ? { loaded: [...new Set(loaded)] } : {}),
    unloaded: [...new Set(answers.flatMap((each) => each.unloaded ?? []))],
    verdict: bestOf(answers.map(({ verdict }) => verdict)),
    messageReason: answers.find(({ messageReason }) => messageReason)?.messageReason,
    candidates: answers.find(({ candidates }) => candidates !== undefined)?.candidates,
  };
}
