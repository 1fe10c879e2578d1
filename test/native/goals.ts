/** What a model was sent, as it reads it. */
export interface Sent {
  readonly kind: 'anthropic' | 'openai' | 'chat' | 'scripted';
  /** The tools that the user's last message asks to use. */
  readonly goals: readonly string[];
  /** The whole of what was sent. */
  readonly json: string;
  /** Tools whose definitions stand in the request to be read at once, search tools included. */
  readonly eager: readonly string[];
  /** Tools that are deferred in the request. */
  readonly deferred: readonly string[];
  /** Tools that a search in the conversation names. */
  readonly referenced: readonly string[];
  /** Tools with a result since the user's last message. */
  readonly done: readonly string[];
  /** The system text. */
  readonly system: string;
  /** What is wrong with it: parts that only another kind of model knows. */
  readonly foreign: readonly string[];
  /** The action that the model decided for. */
  action?: Action;
}

export type Action =
  | { readonly type: 'search'; readonly query: string; readonly wanted: readonly string[]; readonly tool: string }
  | { readonly type: 'load'; readonly name: string }
  | { readonly type: 'call'; readonly name: string; readonly input?: unknown }
  | { readonly type: 'say'; readonly text: string };

/** The names of search tools, as models know them. */
export const SEARCHES: readonly string[] = ['search_tools', 'seek_tools', 'tool_search', 'tool_search_tool_bm25'];

/** Tools that a text asks for: those with an underscore in their name. */
export function goalsOf(text: string): readonly string[] {
  return text.match(/\b[a-z]+(?:_[a-z0-9]+)+\b/g) ?? [];
}

/** Whether the model could call the tool. Anthropic wants both the deferred tool and a reference to it. */
export function isCallable({ kind, eager, deferred, referenced }: Sent, name: string): boolean {
  if (eager.includes(name)) return true;
  return referenced.includes(name) && (kind === 'openai' || (kind === 'anthropic' && deferred.includes(name)));
}

/** What a sensible model does next: it uses the tools that it was asked to, and searches for those that it lacks. */
export function nextAction(sent: Sent, before: readonly Sent[]): Action {
  const action = decide(sent, before);
  sent.action = action;
  return action;
}

function decide(sent: Sent, before: readonly Sent[]): Action {
  const goal = sent.goals.find((name) => !sent.done.includes(name));
  if (goal === undefined) return { type: 'say', text: `did ${sent.goals.join(' ')}` };
  if (isCallable(sent, goal)) return { type: 'call', name: goal };
  const start = before.findLastIndex(({ action }) => action?.type === 'say') + 1;
  const actions = before.slice(start).flatMap(({ action }) => action ?? []);
  const searches = actions.filter((action) => action.type === 'search' && action.wanted.includes(goal)).length;
  const loads = actions.filter((action) => action.type === 'load' && action.name === goal).length;
  const tool = SEARCHES.find((name) => sent.eager.includes(name));
  if (searches > 0 && loads === 0 && sent.eager.includes('load_tool')) return { type: 'load', name: goal };
  if (searches > 1 || tool === undefined) return { type: 'say', text: `stuck at ${goal}` };
  return { type: 'search', query: goal.replaceAll('_', ' '), wanted: [goal], tool };
}

/** The searches for tools, in order. */
export function searchesIn(sent: readonly Sent[]): readonly string[] {
  return sent.flatMap(({ action }) => (action?.type === 'search' ? action.wanted : []));
}
