import {
  callNow,
  ignored,
  list,
  type MetaToolNames,
  quote,
  quoteAll,
  type UnknownName,
  unknownName,
} from './phrases.ts';

/** The sentences of an answer to a search. */

export function emptyQuery(names: MetaToolNames): string {
  return `The query is empty. Call ${names.search} again with keywords for what you need, e.g. "github issue".`;
}

/** Nothing matches. `mayRetry` is false after some searches that led to nothing. */
export function nothingFound(queries: readonly string[], mayRetry: boolean): string {
  return `No tools found matching ${quoteAll(queries)}.${mayRetry ? ' Try different keywords.' : ''}`;
}

/** The last searches led to no load and no call. */
export function searchedInVain(count: number): string {
  return `You have searched ${count} times without loading or calling a tool. If nothing that was found fits, search no more: answer without a tool, or ask the user.`;
}

/** Tools match, but none that the request may load, where a search shows only what it loads. */
export function nothingToLoad(query: string, mayRetry: boolean): string {
  return `No tools available to load matching ${quote(query)}.${mayRetry ? ' Try different keywords.' : ''}`;
}

/** The matches are weak: none is probably what was asked for. */
export function closest(
  query: string,
  closestNames: readonly string[],
  names: MetaToolNames,
  autoLoad: boolean,
  mayRetry: boolean,
): string {
  const load = autoLoad ? `Call ${names.search} with "select:name"` : `Use ${names.load}`;
  return `No tool clearly matches ${quote(query)}; closest: ${list(closestNames)}. ${load} only for one that really fits; else ${mayRetry ? 'search with other words, or ' : ''}go on without.`;
}

export function closestLoaded(query: string, loaded: readonly string[]): string {
  return `No tool clearly matches ${quote(query)}; the closest were loaded: ${list(loaded)}. Call one only if it really fits; else search with other words, or go on without.`;
}

/** The matches of some queries are weak, those of others are not. */
export function weakQueries(queries: readonly string[]): string {
  return `No tool clearly matches ${quoteAll(queries)}: read the descriptions before you use one that was found for it.`;
}

export function ignoredQueries(count: number): string {
  return `${count} more queries were ignored; ask fewer at a time.`;
}

/** The filter was too slow to be asked about all tools. */
export function notAllChecked(): string {
  return 'Not all tools could be checked in time. If what you need is missing, search once more, or with more specific words.';
}

export function searchOutOfOrder(query: string): string {
  return `The search for ${quote(query)} failed for a technical reason; no tools could be looked up. Try once more, else go on without.`;
}

export function found(count: number, names: MetaToolNames): string {
  return `Found ${count} tool(s). Use ${names.load} with an exact toolName or a toolNames array to make them available.`;
}

export function foundAndLoaded(names: readonly string[], loadedBefore: number): string {
  const before = loadedBefore > 0 ? ' Some were already loaded.' : '';
  return `Found and loaded ${names.length} tool(s): ${list(names)}. ${callNow(names)}.${before}`;
}

/** Tools among the results that need no load. */
export function atHand(names: readonly string[]): string {
  return `You have already: ${list(names)}. ${callNow(names)}.`;
}

export function selected(
  loaded: readonly string[],
  alreadyLoaded: readonly string[],
  unknown: readonly UnknownName[],
  leftOut: number,
  names: MetaToolNames,
): string {
  const parts: string[] = [];
  if (loaded.length > 0) {
    parts.push(`Loaded ${loaded.length} tool(s): ${list(loaded)}. ${callNow(loaded)}.`);
  }
  if (alreadyLoaded.length > 0) parts.push(`Already loaded: ${list(alreadyLoaded)}.`);
  if (unknown.length > 0) parts.push(`Not found: ${unknown.map(unknownName).join(', ')}.`);
  if (leftOut > 0) parts.push(`${ignored(leftOut)}.`);
  if (loaded.length + alreadyLoaded.length === 0) parts.push(`Call ${names.search} with keywords to find tools.`);
  return parts.join(' ');
}

export function nothingToSelect(names: MetaToolNames): string {
  return `"select:" needs exact tool names, e.g. "select:name_a,name_b". Call ${names.search} with keywords if you do not know them.`;
}
