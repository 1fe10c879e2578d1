import type { AnthropicBody, OpenAIBody } from '../fakes/fake-provider.ts';
import type { Kind } from './services.ts';

/** A tool call, with the input that the model gave it. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** What a model was sent, as it reads it, whichever service the request went to. */
export interface Sent {
  readonly kind: Kind;
  /** The number of the request among those of its service. */
  readonly index: number;
  /** The whole request; none of a scripted model. */
  readonly body?: AnthropicBody | OpenAIBody;
  /** The user's last message. */
  readonly asked: string;
  /** The tools that the user's last message asks to use, or to find. */
  readonly goals: readonly string[];
  /** The whole of what was sent. */
  readonly json: string;
  /** Tools whose definitions stand in the request to be read at once, search tools included. */
  readonly eager: readonly string[];
  /** Tools that are deferred in the request. */
  readonly deferred: readonly string[];
  /** Tools whose definitions stand in mid-conversation. */
  readonly appended: readonly string[];
  /** Tools that the conversation names by a search, or defines. */
  readonly referenced: readonly string[];
  /** Calls since the user's last message, answered or not. */
  readonly calls: readonly Call[];
  /** Tools with a result since the user's last message. */
  readonly done: readonly string[];
  /** All results of calls, as texts, oldest first. */
  readonly results: readonly string[];
  /** The system text. */
  readonly system: string;
  /** Whether the provider's search is among the tools, or a reference, a deferred tool or a search of its own. */
  readonly isNative: boolean;
  /** What is wrong with it: parts that only another kind of model knows. */
  readonly foreign: readonly string[];
  /** The action that the model decided for. */
  action?: Action;
}

export type Action =
  | {
      readonly type: 'search';
      readonly query: string | readonly string[];
      readonly wanted: readonly string[];
      readonly tool: string;
    }
  | { readonly type: 'load'; readonly name: string }
  | { readonly type: 'call'; readonly name: string; readonly input?: unknown }
  /** A call through `call_tool`. */
  | { readonly type: 'bridge'; readonly name: string; readonly input?: unknown }
  /** A call in a program of code mode. */
  | { readonly type: 'program'; readonly name: string; readonly input?: unknown }
  | { readonly type: 'say'; readonly text: string }
  /** An answer in the parts of its service. */
  | { readonly type: 'raw'; readonly content: readonly object[]; readonly stopReason?: string };

/** The names of search tools, as models know them. */
const SEARCHES = ['search_tools', 'seek_tools', 'tool_search', 'tool_search_tool_bm25', 'tool_search_tool_regex'];

/** Whether the user wants to know that there is a tool, and not to use it. */
export const isFinding = ({ asked }: Sent): boolean => asked.startsWith('find');

/** Whether the model could call the tool. Anthropic wants both the deferred tool and a reference to it. */
export function isCallable({ kind, eager, appended, deferred, referenced }: Sent, name: string): boolean {
  if (eager.includes(name) || appended.includes(name)) return true;
  return referenced.includes(name) && (kind === 'openai' || (kind === 'anthropic' && deferred.includes(name)));
}

/**
 * What a sensible model does next: "use x y" has it use the tools, "find x" search for one, "unload x" unload it. It
 * searches for a tool that it lacks, loads it or calls it through the bridge where it can, and says "done" or "not found".
 * It searches again for what was found and not loaded, which happens where another model takes over. It calls a tool again
 * when it is told that the tool was not loaded, and is now.
 */
export function nextAction(sent: Sent): Action {
  const { asked, goals, done, calls, eager, results, system } = sent;
  const tries = (tools: readonly string[], text: string): number =>
    calls.filter(({ name, input }) => tools.includes(name) && JSON.stringify(input).includes(text)).length;
  const searches = (name: string): number => tries(SEARCHES, wordsOf(name));
  /** Whether its call failed because it was not loaded, and it is loaded now. */
  const isMended = (name: string): boolean =>
    system.includes(`The tool "${name}" was not loaded when you called it`) &&
    calls.filter((made) => made.name === name).length === 1;
  const isLeft = (name: string): boolean => !done.includes(name) || isMended(name);
  const goal = goals.find((name) => isLeft(name) && !(isFinding(sent) && searches(name) > 0));
  if (goal === undefined || done.includes('unload_tool')) return { type: 'say', text: 'done' };
  if (asked.startsWith('unload')) return { type: 'call', name: 'unload_tool', input: { toolNames: goals } };
  if (!isFinding(sent) && isCallable(sent, goal)) return { type: 'call', name: goal };
  const tool = SEARCHES.find((name) => eager.includes(name));
  const search: Action = { type: 'search', query: wordsOf(goal), wanted: [goal], tool: tool ?? '' };
  const isFound = results.some((text) => text.includes(goal));
  if (eager.includes('call_tool') && isFound && !isFinding(sent)) return { type: 'bridge', name: goal };
  if (eager.includes('execute_typescript') && isFound && !isFinding(sent)) return { type: 'program', name: goal };
  if (tool !== undefined && searches(goal) === 0) return search;
  if (eager.includes('load_tool') && tries(['load_tool'], goal) === 0) return { type: 'load', name: goal };
  return tool !== undefined && isFound && searches(goal) === 1 ? search : { type: 'say', text: 'not found' };
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ');

/** The searches for tools, in order. */
export const searchesIn = (sent: readonly Sent[]): readonly string[] =>
  sent.flatMap(({ action }) => (action?.type === 'search' ? action.wanted : []));
