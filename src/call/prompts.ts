import { cleanName } from '../util/text.ts';

/** Every sentence of call mode for the model. */

export function systemText(search: string, bridge: string): string {
  return `There are more tools than you see. To discover them, call ${search} with a keyword query. To use a tool that is not in your list, call ${bridge} with its exact toolName and its arguments.`;
}

export function searchDescription(bridge: string): string {
  return `Search for available tools by keyword. Use this when you need a capability you don't currently have. Name service, action and object in a few words ("github create issue"), never the whole request; ask several needs as a list. Returns a list of matching tools with what is needed to call them with ${bridge}.`;
}

export function callDescription(search: string): string {
  return `Call a tool that is not in your list, as if it were: it runs at once and returns its own result. Find names and parameters with ${search}.`;
}

export const parameterDescriptions = {
  query:
    'Search keywords (e.g., "weather", "github issue", "database query"), or a list of them for several needs at once. "+word" requires a word; "select:name_a,name_b" describes tools by exact name.',
  toolName: 'The exact name of the tool, as search results have it',
  arguments: "The tool's own arguments, by the names of its parameters",
} as const;

/** What the injected catalog says before its list. */
export function catalogIntro(search: string, bridge: string): string {
  return `The following tools are available with ${bridge}, by their exact names. Call ${search} with "select:name_a,name_b" for their parameters.`;
}

export function found(count: number, bridge: string): string {
  return `Found ${count} tool(s). Call one now: ${bridge} with its exact toolName and its arguments.`;
}

export function described(count: number, bridge: string): string {
  return `Call ${count === 1 ? 'it' : 'them'} now: ${bridge} with the exact toolName and its arguments.`;
}

/**
 * The arguments of a call do not fit.
 *
 * @param bridge - absent where a model calls tools by their own names alone.
 * @param select - where the definition of the tool is too large to be told with it.
 */
export function mistaken(mistakes: string, bridge = 'it', select?: { search: string; name: string }): string {
  const how = select ? ` Call ${select.search} with "select:${cleanName(select.name)}" for its schema.` : '';
  return `${mistakes}\n\nThe tool was not run. Call ${bridge} again with arguments that fit its parameters.${how}`;
}

export function noName(bridge: string, search: string): string {
  return `${bridge} needs the toolName of a tool and its arguments. Use ${search} to find tools.`;
}

/** Tools that the user's words ask for, with their definitions; empty where there are none. No text closes the tag. */
export function preselected(tools: readonly object[], bridge: string): string {
  if (tools.length === 0) return '';
  const lines = tools.map((tool) => JSON.stringify(tool).replaceAll('<', '\\u003c'));
  return `These tools may be what the user's words ask for. Call one with ${bridge}, without a search, if it fits.\n<suggested-tools>\n${lines.join('\n')}\n</suggested-tools>`;
}

/** The tool that the request asks for, with its definition. No text closes the tag. */
export function forced(tool: object, bridge: string): string {
  const line = JSON.stringify(tool).replaceAll('<', '\\u003c');
  return `You have to call this tool now, with ${bridge}.\n<tool>\n${line}\n</tool>`;
}

/** The request asks for another tool, or for none. */
export function notChosen(name?: string): string {
  return name === undefined
    ? 'No tool may be called now, and none was run. Answer without one.'
    : `Only the tool "${cleanName(name)}" may be called now, and no other was run. Call it, or answer without a tool.`;
}

/** The definition of the tool cannot be had, or not be sent. */
export function noDefinition(name: string): string {
  return `Tool "${cleanName(name)}" cannot be used now, for a technical reason. Go on without it, or use another tool.`;
}

/** The call means one tool, but does not say its exact name. */
export function exactName(name: string, bridge: string): string {
  return `The exact name of this tool is "${cleanName(name)}". Call ${bridge} again with it as toolName.`;
}

/** The tool is sent anyway. */
export function callDirectly(name: string): string {
  return `Tool "${cleanName(name)}" is in your list: call it directly.`;
}

/** The tool cannot run through the bridge in this request. */
export function notHere(name: string, why: 'approval' | 'client' | 'provider'): string {
  const reason = {
    approval: 'it needs an approval or an answer, which cannot be asked for here',
    client: 'it runs elsewhere',
    provider: "it is one of the model provider's own",
  }[why];
  return `Tool "${cleanName(name)}" cannot be called in this request: ${reason}. Do not call it again; go on without, or say what is missing.`;
}
