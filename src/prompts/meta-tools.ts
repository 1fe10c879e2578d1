import { cleanName } from '../util/text.ts';
import type { MetaToolNames } from './phrases.ts';

/** The sentences that every step may need: system texts, and descriptions of the meta-tools. */

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

/** The error of a call of a tool that the request may not use, or no longer. */
export function notAvailable(name: string): string {
  return `Tool "${cleanName(name)}" is not available to this request. Do not call it again; search for another tool or go on without.`;
}
