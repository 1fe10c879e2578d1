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

/** The sentences about tools that are loaded, or are not: answers to loads, hints. Their code comes with the first of them. */

export function unloadedMany(unloaded: readonly string[], notLoaded: readonly string[]): string {
  const parts: string[] = [];
  if (unloaded.length > 0) parts.push(`Unloaded: ${list(unloaded)} — gone from your next turn on`);
  if (notLoaded.length > 0) parts.push(`Not loaded, or always available: ${list(notLoaded)}`);
  return parts.join(' | ');
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
