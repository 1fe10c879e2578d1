import { RequestContext } from '@mastra/core/request-context';
import type { Action, Sent } from '../native/rig/goals.ts';
import { approve, type Ended, EXECUTIONS, type Execution, say } from '../native/rig/rig.ts';
import type { Kind } from '../native/rig/services.ts';
import { type World, type WorldOptions, world } from '../native/rig/world.ts';

/** A way for a found tool to reach a model. */
export interface Way {
  readonly way: string;
  readonly mode: 'load' | 'call' | 'native' | 'code';
  readonly model: Kind;
  readonly execution: Execution;
  /** The name of the search. */
  readonly search: string;
}

const SEARCH = {
  anthropic: { client: 'search_tools', server: 'tool_search_tool_bm25', append: 'search_tools' },
  openai: { client: 'tool_search', server: 'tool_search', append: 'tool_search' },
} as const;

/** Whether Node runs TypeScript in threads, as that of a program is, from its source. Node 22.13 does not. */
const RUNS_TYPES = Boolean((process.features as { readonly typescript?: unknown }).typescript);

/** The four modes; code mode with QuickJS, native mode over the fakes of both providers, with either side's search. */
export const WAYS: readonly Way[] = [
  ...(RUNS_TYPES ? (['load', 'call', 'code'] as const) : (['load', 'call'] as const)).map(
    (mode): Way => ({ way: `mode: '${mode}'`, mode, model: 'scripted', execution: 'client', search: 'search_tools' }),
  ),
  ...(['anthropic', 'openai'] as const).flatMap((model) =>
    EXECUTIONS.map((execution): Way => {
      const search = SEARCH[model][execution];
      return { way: `mode: 'native', ${model}, ${execution}`, mode: 'native', model, execution, search };
    }),
  ),
];

export interface ModeRig extends World {
  /** A turn, to its end or until it waits. "use x" has the model search x and call it as the mode wants it. */
  ask(text: string, options?: Request): Promise<Ended>;
  /** Turns in which the model does this, one action a step. */
  does(actions: readonly Action[], options?: Request): Promise<void>;
  /** Approves the call that a turn waits for. */
  approve(waiting: Ended): Promise<Ended>;
}

/** What a turn is asked with. */
export interface Request {
  readonly requestContext?: RequestContext;
  readonly [option: string]: unknown;
}

/** An agent with a model that reaches tools in this way. */
export function modeRig({ mode, model, execution }: Way, options: WorldOptions = {}): ModeRig {
  const actions: Action[] = [];
  const script = (sent: Sent): Action | undefined => actions.shift() ?? options.script?.(sent);
  const there = world({ registered: 'Agent', ...options, mode, execution, script });
  const ofModel = ({ requestContext, ...request }: Request = {}): object => {
    const context = requestContext ?? new RequestContext();
    context.set('kind', model);
    return { requestContext: context, maxSteps: 16, ...request };
  };
  const ask: ModeRig['ask'] = (text, request) => say(there.agent, 'generate', text, ofModel(request));
  return {
    ...there,
    ask,
    async does(wanted, request) {
      actions.push(...wanted);
      // A search of a provider's that finds nothing ends the turn.
      while (actions.length > 0) await ask('go', request);
    },
    approve: (waiting) => approve(there.agent, 'generate', waiting, ofModel()),
  };
}

/** All that a model may do in this way to get at a tool, of which it writes the name or a part of it. */
export function attemptsAt({ mode, search, execution }: Way, name: string): readonly Action[] {
  const words = name.replaceAll('_', ' ');
  const camel = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const searching = (query: string): Action => ({ type: 'search', query, wanted: [name], tool: search });
  const inSpellings = (type: 'load' | 'call' | 'bridge' | 'program'): readonly Action[] =>
    [name, camel, `functions.${name}`, name.slice(1)].map((spelling) => ({ type, name: spelling }));
  return [
    searching(words),
    ...(execution === 'server' ? [] : [searching(`select:${name}`)]),
    ...(mode === 'load' ? inSpellings('load') : []),
    ...(mode === 'call' ? [...inSpellings('bridge'), bridgeIn(name)] : []),
    ...(mode === 'code' ? inSpellings('program') : []),
    ...[...inSpellings('call'), { type: 'call', name: 'no_such_tool' } as const],
  ];
}

/** A call of the bridge through the bridge. */
const bridgeIn = (toolName: string): Action => ({
  type: 'bridge',
  name: 'call_tool',
  input: { toolName, arguments: {} },
});
