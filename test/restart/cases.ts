import type { Sent } from '../native/rig/goals.ts';
import type { Ended, Mode } from '../native/rig/rig.ts';
import type { Way } from '../support/modes.ts';

export type Kind = 'Agent' | 'DurableAgent';

/** The stores of docs/restarts.md. */
export type StoreName = 'in-memory' | 'context' | 'redisStore' | 'threadStateStore' | 'a store of your own';

/** What happens to a call that waits; with the last two, its right is withdrawn in that phase of the filter. */
export const ACTIONS = ['approve', 'decline', 'resume', 'active', 'load'] as const;

/** Where the tool is: in a record, below or above the number of tools that Mastra converts; in a source; the agent's own. */
export const CATALOGS = ['small', 'large', 'source', 'own'] as const;

export interface Case {
  /** Also that of its agent and thread. */
  readonly id: string;
  readonly way: Way;
  readonly store: StoreName;
  readonly process: 'the same' | 'a new one';
  readonly action: (typeof ACTIONS)[number];
  readonly catalog: (typeof CATALOGS)[number];
  readonly kind: Kind;
  readonly mode: Mode;
}

/** What the processes of an application share. */
export interface Place {
  readonly folder: string;
  /** Of the services of providers. */
  readonly urls: { readonly anthropic: string; readonly openai: string };
  readonly redisUrl: string | undefined;
}

/** A case that waits. */
export interface Job {
  readonly one: Case;
  readonly waits: Ended;
}

export interface Outcome {
  readonly gone: Ended;
  /** The thread's next turn, which wants the same tool again. */
  readonly next: Ended;
  /** What a scripted model was sent since. */
  readonly sent: readonly Sent[];
  /** How often the tool ran. */
  readonly runs: number;
  /** Tools whose calls the filter refused. */
  readonly denied: readonly string[];
}

/** `pay_bill` waits for an approval, `ask_boss` suspends itself. */
export const toolOf = ({ action }: Case): string =>
  action === 'resume' || action === 'load' ? 'ask_boss' : 'pay_bill';

export const textOf = (one: Case): string => `use ${toolOf(one)} as ${one.id}`;
