import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { LibSQLStore } from '@mastra/libsql';
import { createClient } from 'redis';
import { redisStore } from '../../../src/entries/redis.ts';
import { threadStateStore } from '../../../src/entries/thread-state.ts';
import { approve, decline, type Ended, goalRig, type Mode, resume, say } from '../../native/rig/rig.ts';
import type { Kind } from '../../restart/cases.ts';
import { fileStore } from '../../restart/file-store.ts';
import type { Way } from '../../support/modes.ts';
import { askingTool, tool, toolRecord } from '../../support/simple-tools.ts';

export const STORES = ['in-memory', 'context', 'threadStateStore', 'redisStore', 'a store of your own'] as const;
export type StoreName = (typeof STORES)[number];

export interface Settings {
  readonly way: Way;
  readonly kind: Kind;
  readonly store: StoreName;
  /** For the database. */
  readonly folder: string;
  /** Of the service. */
  readonly url: string;
  readonly redisUrl?: string;
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
async function open({ way, kind, store, folder, url, redisUrl = '' }: Settings, isWithdrawn: boolean) {
  const storage = new LibSQLStore({ id: 'app', url: `file:${folder}/app.db` });
  const redis = store === 'redisStore' ? createClient({ url: redisUrl }) : undefined;
  await redis?.connect();
  const stores = {
    'in-memory': () => 'in-memory' as const,
    context: () => 'context' as const,
    threadStateStore: () => threadStateStore(),
    redisStore: () => redisStore({ client: redis as never, prefix: folder }),
    'a store of your own': () => fileStore(`${folder}/loaded.json`),
  };
  const waits = { requireApproval: true, execute: async () => 'done and paid' };
  const given = { apiKey: 'x', baseURL: `${url}/v1` };
  const openai = createOpenAI(given);
  const models = {
    anthropic: () => createAnthropic(given)('claude-sonnet-4-5'),
    openai: () => openai.responses('gpt-5.4'),
    // A model like any other, in a process that this one talks to.
    scripted: () => openai.chat('gpt-5.4'),
    chat: () => openai.chat('gpt-5.4'),
  };
  const { agent } = goalRig(
    { dialect: way.model === 'anthropic' ? 'anthropic' : 'openai', execution: way.execution },
    {
      kind,
      storage,
      mode: way.mode,
      tools: toolRecord(
        tool('pay_bill', 'Pays a bill.', waits),
        tool('book_room', 'Books a room.', waits),
        askingTool('ask_boss'),
        tool('wipe_disk', 'Wipes a disk.', waits),
        tool('filler_1', 'Padding.'),
      ),
      model: models[way.model](),
      processor: {
        storage: stores[store](),
        timeouts: { store: 30_000 },
        filter: ({ toolName }) => !(isWithdrawn && toolName === 'wipe_disk'),
      },
    },
  );
  await storage.init();
  const close = async (): Promise<void> => {
    redis?.destroy();
    await storage.close();
  };
  return { agent, close };
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
