import { clean, cleanName, describeTool, echo, MAX_DESCRIPTION } from './util/text.ts';

/** The names under which the model knows the meta-tools. */
export interface MetaToolNames {
  readonly search: string;
  readonly load: string;
}

/** Names in a list that is only a note. */
const MAX_LISTED = 10;

function quote(text: string): string {
  return `"${echo(text)}"`;
}

function list(names: readonly string[]): string {
  return names.map(cleanName).join(', ');
}

/** The first names of a list, and the number of the others. */
function listSome(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return `${list(names.slice(0, MAX_LISTED))}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What to do with tools that were just loaded. */
const callNow = (names: readonly string[]): string => (names.length === 1 ? 'Call it now' : 'Call them now');

const quoteAll = (texts: readonly string[]): string => texts.slice(0, 5).map(quote).join(', ');

export function systemText(names: MetaToolNames, autoLoad: boolean): string {
  return autoLoad
    ? `To discover available tools, call ${names.search} with a keyword query. Matching tools are loaded automatically — there is no separate load step. After searching, call the tool directly.`
    : `To discover available tools, call ${names.search} with a keyword query. To add one or more tools to the conversation, call ${names.load} with a toolName or toolNames array. Tools must be loaded before they can be used.`;
}

/** The system text where the provider searches. Its tool explains itself, but models often do not think of it. */
export function hostedSearchText(): string {
  return 'There are more tools than you see. When you need a capability that you do not have, search for tools first, then call them directly.';
}

/** A tool in the injected catalog. An empty description is left out. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
}

/** The number of tools that the injected catalog leaves out. */
export type CatalogRest = number | 'unknown';

/**
 * The injected catalog, with descriptions; empty when there is nothing to list.
 *
 * @param ownIntro - stands before the list in place of the words about loading.
 */
export function catalogText(
  tools: readonly ListedTool[],
  names: MetaToolNames,
  autoLoad: boolean,
  rest: CatalogRest,
  ownIntro?: string,
): string {
  if (tools.length === 0) return '';
  const lines = tools.map(({ name, description }) => {
    const line = `- \`${clean(name, MAX_DESCRIPTION)}\``;
    return description === '' ? line : `${line}: ${describeTool(description)}`;
  });
  const loadIntro = autoLoad
    ? `The following tools are available. Call ${names.search} with a keyword to load one — matching tools are loaded automatically, to be called directly.`
    : `The following tools are available to load. Call ${names.load} with a toolName or toolNames array to add one or more before using them — no search step is required. ${names.search} is also available if you need to rediscover tools by keyword.`;
  return `${ownIntro ?? loadIntro}\n\nAvailable tools:\n${lines.join('\n')}${restNote(rest, names)}`;
}

/** The injected catalog as names alone, in the tag that models know from other libraries; empty when there are none. */
export function catalogNames(
  tools: readonly ListedTool[],
  names: MetaToolNames,
  autoLoad: boolean,
  rest: CatalogRest,
  ownIntro?: string,
): string {
  const lines = tools
    .map(({ name }) => clean(name.replace(/[<>]/g, ' '), MAX_DESCRIPTION))
    .filter((line) => line !== '');
  if (lines.length === 0) return '';
  const how = autoLoad
    ? `call ${names.search} with "select:name_a,name_b".`
    : `call ${names.load} with a toolName or toolNames array. No search is required.`;
  const intro = ownIntro ?? `These tools can be loaded by their exact names: ${how}`;
  return `${intro}\n<available-deferred-tools>\n${lines.join('\n')}\n</available-deferred-tools>${restNote(rest, names)}`;
}

function restNote(rest: CatalogRest, names: MetaToolNames): string {
  if (rest === 0) return '';
  const more = rest === 'unknown' ? 'There may be more tools' : `There are ${rest} more tool(s)`;
  return `\n\nThe list ends here. ${more}: call ${names.search} to find them.`;
}

export function searchDescription(names: MetaToolNames, autoLoad: boolean): string {
  const start =
    'Search for available tools by keyword. Use this when you need a capability you don\'t currently have. Name service, action and object in a few words ("github create issue"), never the whole request; ask several needs as a list. Returns a list of matching tools';
  return autoLoad
    ? `${start}, which are loaded automatically: call them directly, there is no separate load step.`
    : `${start} with their names and descriptions. After finding a useful tool, use ${names.load} to make it available.`;
}

export function loadDescription(names: MetaToolNames): string {
  return `Load one or more tools into your context. Call this after finding tools with ${names.search}. Once loaded, tools will be available for use. Pass a single toolName or an array of toolNames to load multiple tools at once.`;
}

export function unloadDescription(names: MetaToolNames): string {
  return `Unload tools that you no longer need, by an array of toolNames. They can be found with ${names.search} and loaded again.`;
}

export function unloadedMany(unloaded: readonly string[], notLoaded: readonly string[]): string {
  const parts: string[] = [];
  if (unloaded.length > 0) parts.push(`Unloaded: ${list(unloaded)} — gone from your next turn on`);
  if (notLoaded.length > 0) parts.push(`Not loaded, or always available: ${list(notLoaded)}`);
  return parts.join(' | ');
}

export const parameterDescriptions = {
  query:
    'Search keywords (e.g., "weather", "github issue", "database query"), or a list of them for several needs at once. "+word" requires a word; "select:name_a,name_b" loads tools by exact name.',
  maxResults: 'How many results to return in all, 1 to 20.',
  toolName: 'The exact name of a tool to load (from search results)',
  toolNames: 'Array of exact tool names to load in one call (from search results)',
} as const;

export function emptyQuery(names: MetaToolNames): string {
  return `The query is empty. Call ${names.search} again with keywords for what you need, e.g. "github issue".`;
}

/** Nothing matches. `mayRetry` is false after some searches that led to nothing. */
export function nothingFound(queries: readonly string[], mayRetry: boolean): string {
  return `No tools found matching ${quoteAll(queries)}.${mayRetry ? ' Try different keywords.' : ''}`;
}

/** The request has nothing to find. Forbidden tools look the same as no tools. */
export function noTools(isUnknown: boolean): string {
  const why = isUnknown ? ': the list of them could not be fetched' : '';
  return `No other tools are available at the moment${why}. Searching again does not help now: go on without, or say what is missing.`;
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

export interface UnknownName {
  readonly name: string;
  readonly suggestions: readonly string[];
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

export function emptyNames(): string {
  return 'toolNames array must not be empty.';
}

export function missingNames(): string {
  return 'You must provide either toolName (string) or toolNames (array) to load.';
}

/** No tool has the name. `nothing` is the sentence for a request that has nothing to find. */
export function notFound({ name, suggestions }: UnknownName, names: MetaToolNames, nothing?: string): string {
  const next = nothing ?? `Use ${names.search} to find available tools.`;
  return `Tool ${quote(name)} not found. ${suggestions.length > 0 ? `Did you mean: ${list(suggestions)}?` : next}`;
}

export function alreadyLoaded(name: string): string {
  return `Tool "${cleanName(name)}" is already loaded and available.`;
}

export function loadedOne(name: string): string {
  return `Tool "${cleanName(name)}" loaded successfully. Call it now.`;
}

export function loadedMany(
  loaded: readonly string[],
  already: readonly string[],
  unknown: readonly UnknownName[],
  leftOut: number,
): string {
  const parts: string[] = [];
  if (loaded.length > 0) parts.push(`Loaded: ${list(loaded)} — ${callNow(loaded).toLowerCase()}`);
  if (already.length > 0) parts.push(`Already loaded: ${list(already)}`);
  if (unknown.length > 0) parts.push(`Not found: ${unknown.map(unknownName).join(', ')}`);
  if (leftOut > 0) parts.push(ignored(leftOut));
  return parts.join(' | ');
}

/** Stands in place of a search's result whose tools are no longer loaded. */
export function noLongerLoaded(names: readonly string[]): string {
  return `No longer loaded: ${list(names.slice(0, MAX_LISTED))}. Search again for what you still need.`;
}

/** Stands in place of a search's result whose tools are sent anyway. */
export function sentAnyway(names: readonly string[]): string {
  return `Available: ${list(names.slice(0, MAX_LISTED))}. Call them directly.`;
}

/** A hint in the system text after a call of a tool that was not loaded yet. */
export function calledLater(name: string): string {
  return `The tool "${cleanName(name)}" was not loaded when you called it. It is available now: call it again.`;
}

/** A hint in the system text after a call by a name that no tool has, and which is not repeated there. */
export function calledUnderAnotherName(name: string): string {
  return `You called a tool by a name that no tool has. "${cleanName(name)}" is available now: call it by this name.`;
}

/** Notes on what a load unloaded or left out. Begins with a space; empty where there is nothing to note. */
export function roomNotes(
  room: Readonly<Record<'evicted' | 'leftOut' | 'tooMany' | 'failed', readonly string[]>>,
): string {
  const { evicted, leftOut, tooMany, failed } = room;
  const notes: string[] = [];
  if (evicted.length > 0) notes.push(` Unloaded to make room: ${list(evicted)}.`);
  if (leftOut.length > 0) notes.push(` No room for: ${listSome(leftOut)}. Load fewer at a time.`);
  if (failed.length > 0) {
    notes.push(` Not available now, for a technical reason: ${listSome(failed)}. Go on without, or use another tool.`);
  }
  if (tooMany.length > 0) {
    notes.push(
      ` ${tooMany.length} more were not loaded, as one call loads no more: ${listSome(tooMany)}. Ask again for those you need.`,
    );
  }
  return notes.join('');
}

/** The error of a call of a tool that the request may not use, or no longer. */
export function notAvailable(name: string): string {
  return `Tool "${cleanName(name)}" is not available to this request. Do not call it again; search for another tool or go on without.`;
}

function ignored(count: number): string {
  return `${count} more name(s) were ignored; load fewer at a time`;
}

function unknownName({ name, suggestions }: UnknownName): string {
  return suggestions.length > 0 ? `${echo(name)} (did you mean ${list(suggestions)}?)` : echo(name);
}
