import type { CatalogEntry } from '../catalog/entry.ts';
import type { SearchVerdict } from '../events/reasons.ts';
import { roomNotes } from '../prompts/loads.ts';
import * as prompts from '../prompts/searches.ts';
import { isSelection, parseQuery, type ToolQuery } from '../query/query.ts';
import { type FoundEntry, MAX_SHOWN } from '../search/extras.ts';
import { type Found, find } from '../search/find.ts';
import { type Searched, searchedBy } from './at-hand.ts';
import { loadByName } from './load-by-name.ts';
import { withSuggestions } from './names.ts';
import { nothingToFind, type Services, type Step } from './step.ts';

/** A tool that an answer shows. */
export interface SearchHit
  extends Pick<FoundEntry, 'name' | 'description' | 'tool' | 'score' | 'confidence' | 'isSent' | 'byUse'> {
  /** The queries that found it; only where a call has several. */
  readonly queries?: readonly string[];
  /** Whether the model can call it now. */
  readonly isAtHand?: boolean;
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
  /** How many tools were searched; absent where none were. */
  readonly candidates?: number | undefined;
}

/** An answer without what the whole call comes to. */
type Told = Omit<SearchAnswer, 'verdict' | 'candidates'>;

/** What one query found. */
interface QueryOutcome {
  readonly text: string;
  /** Undefined when the scorer failed. */
  readonly found: Found | undefined;
}

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
  services: Services,
): Promise<SearchAnswer> {
  const isOnly = texts.length < 2;
  const answers: SearchAnswer[] = [];
  for (const text of texts.filter(isSelection)) {
    const selection = await select(parseQuery(text), step, services);
    answers.push({ ...selection, verdict: selection.results.length > 0 ? 'fits' : 'nothing' });
  }
  const queries = texts.filter((text) => !isSelection(text)).map((text) => parseQuery(text));
  const asked = queries.filter(({ keywords }) => keywords.length > 0);
  if (asked.length > 0) answers.push(await answerQueries(asked, limit, isOnly, step, services));
  const [first] = answers;
  if (!first) {
    return { results: [], message: prompts.emptyQuery(services.options.metaTools.names), verdict: 'nothing' };
  }
  if (isOnly) return first;
  return answers.find(({ isNothing }) => isNothing) ?? join(answers);
}

/** `select:a,b`: exactly these tools, in that order, loaded at once, whatever the limit. */
async function select({ select: asked }: ToolQuery, step: Step, services: Services): Promise<Told> {
  const { names } = services.options.metaTools;
  if (!asked) return { results: [], message: prompts.nothingToSelect(names) };
  const chosen = asked.slice(0, step.allowance.names);
  step.allowance.names -= chosen.length;
  if (step.bridge) return step.bridge.select(chosen, step, services);
  const outcome = await loadByName(chosen, step, services, ['search', 'load']);
  const unknown = await withSuggestions(outcome.notFound, step);
  const { loaded, alreadyLoaded } = outcome;
  const some = prompts.selected(loaded, alreadyLoaded, unknown, asked.length - chosen.length, names);
  const message = (outcome.ready.length === 0 && (await nothingToFind(step))) || some;
  return {
    results: outcome.ready.map((entry) => selected(entry, !loaded.includes(entry.name))),
    message: `${message}${roomNotes(outcome)}`,
    // Resident tools too, which need no loading.
    loaded: [...loaded, ...alreadyLoaded],
    unloaded: outcome.evicted,
  };
}

/** @param isAtHand - whether it was there before. */
export function selected({ name, description, tool }: CatalogEntry, isAtHand: boolean): SearchHit {
  return { name, description, tool, score: 1, ...(isAtHand ? { isAtHand } : {}) };
}

/** @param isOnly - whether the call has one query alone, so that its results need not say which query found them. */
async function answerQueries(
  queries: readonly ToolQuery[],
  limit: number,
  isOnly: boolean,
  step: Step,
  services: Services,
): Promise<SearchAnswer> {
  const searched = await searchedBy(step);
  const { permissions, autoLoad: loads, isUnusable, learner, origin } = step;
  const scope = { ...searched, permissions, autoLoad: loads, isUnusable, learner, origin };
  const outcomes = await Promise.all(
    queries.map(async (query) => ({ text: query.text, found: await find(query, limit, scope, services) })),
  );
  const told = await tell(outcomes, limit, isOnly, searched, step, services);
  const candidates = outcomes.find(({ found }) => found)?.found?.candidates;
  return { ...told, verdict: verdictOf(outcomes), candidates };
}

async function tell(
  outcomes: readonly QueryOutcome[],
  limit: number,
  isOnly: boolean,
  searched: Searched,
  step: Step,
  services: Services,
): Promise<Told> {
  const nothing = outcomes.every(isEmptyHanded) ? await nothingToFind(step) : undefined;
  if (nothing !== undefined) return { results: [], message: nothing, isNothing: true };

  const { names } = services.options.metaTools;
  const { autoLoad, loadsWeak, mayRetry = true } = step;
  const successful = outcomes.filter(({ found }) => found && found.shown.length > 0);
  const weak = successful.filter(({ found }) => found?.isWeak).map(({ text }) => text);
  const isWeak = weak.length === successful.length;
  const misses = missesOf(outcomes, step, services);
  const unchecked = outcomes.some(({ found }) => found?.isCut) ? [prompts.notAllChecked()] : [];
  if (successful.length === 0) return { results: [], message: [...misses, ...unchecked].join(' ') };

  const hits = takeTurns(successful, Math.max(limit, successful.length), isOnly, searched);
  // A search that loads says of a loaded tool that it loaded it.
  const there = hits.filter(({ isAtHand, isSent }) => (autoLoad ? isSent : isAtHand)).map(({ name }) => name);
  const thereNote = there.length > 0 ? [prompts.atHand(there)] : [];
  if (isWeak && (autoLoad ? !loadsWeak : isOnly)) {
    const message = prompts.closest(weak.join(', '), closestOf(hits), names, autoLoad, mayRetry);
    return { results: hits, message: [message, ...thereNote, ...misses, ...unchecked].join(' ') };
  }
  if (there.length === hits.length)
    return { results: hits, message: [...thereNote, ...misses, ...unchecked].join(' ') };
  const found = autoLoad
    ? await loadHits(outcomes.map(({ text }) => text).join(', '), hits, isOnly && isWeak, step, services)
    : {
        results: hits,
        message: step.bridge?.found(hits.length - there.length) ?? prompts.found(hits.length - there.length, names),
      };
  const weakNote = !isOnly && weak.length > 0 ? [prompts.weakQueries(weak)] : [];
  return { ...found, message: [found.message, ...thereNote, ...misses, ...weakNote, ...unchecked].join(' ') };
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

/** What is said of the queries that show nothing: first of those that failed, then of those that match nothing. */
function missesOf(outcomes: readonly QueryOutcome[], step: Step, services: Services): string[] {
  const { names } = services.options.metaTools;
  const { autoLoad, mayRetry = true } = step;
  const failed: string[] = [];
  const unmatched: string[] = [];
  const others: string[] = [];
  for (const { text, found } of outcomes) {
    if (!found) failed.push(prompts.searchOutOfOrder(text));
    else if (found.shown.length > 0) continue;
    else if (found.dropped.length > 0)
      others.push(prompts.closest(text, closestOf(found.dropped), names, autoLoad, mayRetry));
    else if (found.isUnloadable) others.push(prompts.nothingToLoad(text, mayRetry));
    else unmatched.push(text);
  }
  return [...failed, ...(unmatched.length > 0 ? [prompts.nothingFound(unmatched, mayRetry)] : []), ...others];
}

function closestOf(hits: readonly SearchHit[]): string[] {
  return hits.slice(0, MAX_CLOSEST).map(({ name }) => name);
}

/**
 * The best of each query, then the second of each, and so on, at most `limit`, and those that are shown besides. A tool
 * that several queries found is shown once, for all of them.
 */
function takeTurns(
  outcomes: readonly QueryOutcome[],
  limit: number,
  isOnly: boolean,
  { atHand, besides }: Searched,
): SearchHit[] {
  const hits = new Map<string, { entry: FoundEntry; queries: string[] }>();
  let places = limit;
  const longest = Math.max(...outcomes.map(({ found }) => found?.shown.length ?? 0));
  for (let turn = 0; turn < longest; turn++) {
    for (const { text, found } of outcomes) {
      const entry = found?.shown[turn];
      if (!entry) continue;
      const hit = hits.get(entry.name);
      if (hit) hit.queries.push(text);
      else if (places > 0 || (entry.isNamed && hits.size < MAX_SHOWN)) {
        if (!besides.has(entry.name)) places -= 1;
        hits.set(entry.name, { entry, queries: [text] });
      }
    }
  }
  return [...hits.values()].map(({ entry, queries }) => {
    const isAtHand = atHand.has(entry.name);
    return { ...entry, ...(isAtHand ? { isAtHand } : {}), ...(isOnly ? {} : { queries }) };
  });
}

/** With `autoLoad`: loads what was found, and shows it as far as there is room for it. */
async function loadHits(
  text: string,
  hits: readonly SearchHit[],
  isWeak: boolean,
  step: Step,
  services: Services,
): Promise<Told> {
  const all = hits.filter(({ isSent }) => !isSent).map(({ name }) => name);
  const hurried = { ...step, permissions: step.permissions.inSearch() };
  const outcome = await loadByName(all, hurried, services, ['load']);
  const loaded = outcome.ready.map(({ name }) => name);
  const results = hits.filter(({ name, isSent }) => isSent || loaded.includes(name));
  const room = roomNotes(outcome);
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
    candidates: answers.find(({ candidates }) => candidates !== undefined)?.candidates,
  };
}
