import {
  closest,
  closestLoaded,
  emptyQuery,
  found,
  foundAndLoaded,
  notAllChecked,
  nothingFound,
  nothingToLoad,
  nothingToSelect,
  roomNotes,
  searchOutOfOrder,
  selected,
} from '../prompts.ts';
import { isSelection, parseQuery } from '../query/query.ts';
import { type Found, type FoundEntry, find } from '../search/find.ts';
import { loadByName } from './loading.ts';
import { nothingToFind } from './nothing-to-find.ts';
import type { Services, Step } from './step.ts';
import { withSuggestions } from './suggestions.ts';

/** What is shown of a tool. */
export interface SearchHit extends Pick<FoundEntry, 'name' | 'description' | 'tool' | 'score' | 'confidence'> {
  /** Only where there are several queries. */
  readonly queries?: readonly string[];
}

export interface SearchAnswer {
  readonly results: readonly SearchHit[];
  readonly message: string;
  readonly loaded?: readonly string[];
  /** Whether there is nothing to find, whatever is searched for. */
  readonly isNothing?: boolean;
  /** What made room. */
  readonly unloaded?: readonly string[];
}

/** Names in a message. */
const MAX_CLOSEST = 3;

/** Answers one query: searches, or loads the names of a `select:`. */
export async function answerQuery(text: string, limit: number, step: Step, services: Services): Promise<SearchAnswer> {
  const { names } = services.options.metaTools;
  const query = parseQuery(text);
  if (query.select) return select(query.select, step, services);
  if (query.keywords.length === 0) {
    return { results: [], message: isSelection(text) ? nothingToSelect(names) : emptyQuery(names) };
  }

  const outcome = await find(query, limit, step, services);
  if (!outcome) return { results: [], message: searchOutOfOrder(query.text) };
  const nothing = foundNothing(outcome) ? await nothingToFind(step) : undefined;
  if (nothing !== undefined) return { results: [], message: nothing, isNothing: true };
  const answer = await answerFound(query.text, outcome, step, services);
  return outcome.isCut ? { ...answer, message: `${answer.message} ${notAllChecked()}` } : answer;
}

async function answerFound(text: string, outcome: Found, step: Step, services: Services): Promise<SearchAnswer> {
  const { shown, isWeak } = outcome;
  if (shown.length === 0) return { results: [], message: missed(text, outcome, step, services) };
  if (step.autoLoad && (!isWeak || step.loadsWeak)) return loadShown(text, shown, isWeak, step, services);
  const { names } = services.options.metaTools;
  const message = isWeak
    ? closest(text, namesOf(shown), names, step.autoLoad, step.mayRetry ?? true)
    : found(shown.length, names);
  return { results: shown, message };
}

/** Whether nothing matches, of all that there is. */
export function foundNothing({ shown, dropped, isCut }: Found): boolean {
  return shown.length + dropped.length === 0 && !isCut;
}

/** Nothing is shown: nothing matches, nothing that may be loaded, or nothing well enough. */
export function missed(text: string, { dropped, isUnloadable }: Found, step: Step, services: Services): string {
  const { names } = services.options.metaTools;
  const { autoLoad, mayRetry = true } = step;
  if (dropped.length > 0) return closest(text, namesOf(dropped), names, autoLoad, mayRetry);
  return isUnloadable ? nothingToLoad(text, mayRetry) : nothingFound([text], mayRetry);
}

/** The best few. */
export function namesOf(shown: readonly SearchHit[]): string[] {
  return shown.slice(0, MAX_CLOSEST).map(({ name }) => name);
}

/** With `autoLoad`: what is found is loaded, and shown as far as there is room for it. */
export async function loadShown(
  text: string,
  shown: readonly SearchHit[],
  isWeak: boolean,
  step: Step,
  services: Services,
): Promise<SearchAnswer> {
  const all = shown.map(({ name }) => name);
  const hurried = { ...step, permissions: step.permissions.inSearch() };
  const outcome = await loadByName(all, hurried, services, ['load']);
  const loaded = outcome.ready.map(({ name }) => name);
  const results = shown.filter(({ name }) => loaded.includes(name));
  const unloaded = outcome.evicted;
  if (loaded.length === 0)
    return { results, message: roomNotes(outcome).trim() || nothingToLoad(text, step.mayRetry ?? true), loaded };
  const message = isWeak ? closestLoaded(text, loaded) : foundAndLoaded(loaded, outcome.alreadyLoaded.length);
  return { results, message: `${message}${roomNotes(outcome)}`, loaded, unloaded };
}

/** `select:a,b`: exactly these tools, in that order, loaded at once, whatever the limit. */
async function select(asked: readonly string[], step: Step, services: Services): Promise<SearchAnswer> {
  const chosen = asked.slice(0, step.allowance.names);
  step.allowance.names -= chosen.length;
  const outcome = await loadByName(chosen, step, services, ['search', 'load']);
  const unknown = await withSuggestions(outcome.notFound, step);
  const { names } = services.options.metaTools;
  const some = selected(outcome.loaded, outcome.alreadyLoaded, unknown, asked.length - chosen.length, names);
  const message = (outcome.ready.length === 0 && (await nothingToFind(step))) || some;
  return {
    results: outcome.ready.map(({ name, description, tool }) => ({ name, description, tool, score: 1 })),
    message: `${message}${roomNotes(outcome)}`,
    // Resident tools too, which need no loading.
    loaded: [...outcome.loaded, ...outcome.alreadyLoaded],
    unloaded: outcome.evicted,
  };
}
