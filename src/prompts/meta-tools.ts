import { cleanName } from '../util/text.ts';
import {
  callNow,
  ignored,
  list,
  listSome,
  MAX_LISTED,
  type MetaToolNames,
  quote,
  type UnknownName,
  unknownName,
} from './phrases.ts';

/** The sentences that every step may need: descriptions of the meta-tools, answers to loads, hints. */

export function systemText(names: MetaToolNames, autoLoad: boolean): string {
  return autoLoad
    ? `To discover available tools, call ${names.search} with a keyword query. Matching tools are loaded automatically — there is no separate load step. After searching, call the tool directly.`
    : `To discover available tools, call ${names.search} with a keyword query. To add one or more tools to the conversation, call ${names.load} with a toolName or toolNames array. Tools must be loaded before they can be used.`;
}

/** The system text where the provider searches. Its tool explains itself, but models often do not think of it. */
export function hostedSearchText(): string {
  return 'There are more tools than you see. When you need a capability that you do not have, search for tools first, then call them directly.';
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

/** The request has nothing to find. Forbidden tools look the same as no tools. */
export function noTools(isUnknown: boolean): string {
  const why = isUnknown ? ': the list of them could not be fetched' : '';
  return `No other tools are available at the moment${why}. Searching again does not help now: go on without, or say what is missing.`;
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
