import { clean, describeTool, MAX_DESCRIPTION } from '../util/text.ts';
import type { MetaToolNames } from './phrases.ts';

/** The injected catalog, as the model reads it. */

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
