import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { LibSQLStore } from '@mastra/libsql';
import { threadStateStore } from '../../../src/entries/thread-state.ts';
import { approve, decline, type Ended, goalRig, type Mode, resume, say } from '../../native/rig/rig.ts';
import type { Kind } from '../../restart/cases.ts';
import type { Way } from '../../support/modes.ts';
import { askingTool, tool, toolRecord } from '../../support/simple-tools.ts';

/** Those that differ in what a new process finds; test/restart has the others. */
export const STORES = ['in-memory', 'context', 'threadStateStore'] as const;
export type StoreName = (typeof STORES)[number];

export interface Settings {
  readonly way: Way;
  readonly kind: Kind;
  readonly store: StoreName;
  /** For the database. */
  readonly folder: string;
  /** Of the service. */
  readonly url: string;
}

export const ACTIONS = ['approve', 'decline', 'resume', 'withdrawn'] as const;
export type Action = (typeof ACTIONS)[number];

/** The tool of each action's own, and the mode in which its turns are driven. */
export const CASES: Readonly<Record<Action, { readonly tool: string; readonly mode: Mode }>> = {
  approve: { tool: 'pay_bill', mode: 'generate' },
  decline: { tool: 'book_room', mode: 'stream' },
  resume: { tool: 'ask_boss', mode: 'stream' },
  withdrawn: { tool: 'wipe_disk', mode: 'generate' },
};

/** What waits in one database. */
export interface Job {
  readonly settings: Settings;
  readonly waiting: Readonly<Record<Action, Ended>>;
}

export interface Outcome {
  readonly gone: Ended;
  /** The next turn, which wants the same tool again. */
  readonly next: Ended;
}

export type Outcomes = Readonly<Record<Action, Outcome>>;

/** One process's side of an application. */
async function open({ way, kind, store, folder, url }: Settings, isWithdrawn: boolean) {
  const storage = new LibSQLStore({ id: 'app', url: `file:${folder}/app.db` });
  const waits = { requireApproval: true, execute: async () => 'done and paid' };
  const given = { apiKey: 'x', baseURL: `${url}/v1` };
  const dialect = way.model === 'anthropic' ? 'anthropic' : 'openai';
  const { agent } = goalRig(
    { dialect, execution: way.execution },
    {
      kind,
      storage,
      tools: toolRecord(
        tool('pay_bill', 'Pays a bill.', waits),
        tool('book_room', 'Books a room.', waits),
        askingTool('ask_boss'),
        tool('wipe_disk', 'Wipes a disk.', waits),
        tool('filler_1', 'Padding.'),
      ),
      model:
        dialect === 'anthropic'
          ? createAnthropic(given)('claude-sonnet-4-5')
          : createOpenAI(given).responses('gpt-5.4'),
      processor: {
        storage: store === 'threadStateStore' ? threadStateStore() : store,
        timeouts: { store: 30_000 },
        filter: ({ toolName }) => !(isWithdrawn && toolName === 'wipe_disk'),
      },
    },
  );
  await storage.init();
  return { agent, close: () => storage.close() };
}

const threadOf = (action: Action): object => ({ memory: { thread: action, resource: 'ann' } });

/** Has every tool searched and called, until it waits, and closes. */
export async function begin(settings: Settings): Promise<Job> {
  const { agent, close } = await open(settings, false);
  const waiting: [Action, Ended][] = [];
  for (const action of ACTIONS) {
    const { tool: name, mode } = CASES[action];
    waiting.push([action, await say(agent, mode, `use ${name}`, threadOf(action))]);
  }
  // A stream may end before the wait is in the database.
  for (let count = 0; count < ACTIONS.length; ) count = (await agent.listSuspendedRuns()).runs.length;
  await close();
  return { settings, waiting: Object.fromEntries(waiting) as Record<Action, Ended> };
}

/** Goes on with all that waits, in any process. */
export async function goOn({ settings, waiting }: Job): Promise<Outcomes> {
  const { agent, close } = await open(settings, true);
  const outcomes: [Action, Outcome][] = [];
  for (const action of ACTIONS) {
    const { tool: name, mode } = CASES[action];
    const waits = waiting[action];
    let gone: Ended;
    if (action === 'decline') gone = await decline(agent, mode, waits);
    else if (action === 'resume') gone = await resume(agent, mode, waits, { answer: 'yes' }, settings.kind);
    else gone = await approve(agent, mode, waits);
    outcomes.push([action, { gone, next: await say(agent, mode, `use ${name}`, threadOf(action)) }]);
  }
  await close();
  return Object.fromEntries(outcomes) as Record<Action, Outcome>;
}
