import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Mastra } from '@mastra/core/mastra';
import { LibSQLStore } from '@mastra/libsql';
import { createClient } from 'redis';
import { z } from 'zod';
import { redisStore } from '../../src/entries/redis.ts';
import { threadStateStore } from '../../src/entries/thread-state.ts';
import type { LoadedToolStore, MastraTool, ToolSearchProcessorOptions, ToolSource } from '../../src/index.ts';
import { scriptedAnswer } from '../native/rig/goal-answers.ts';
import { nextAction, type Sent } from '../native/rig/goals.ts';
import { approve, decline, type Ended, goalRig, modelIds, resume, say } from '../native/rig/rig.ts';
import { scriptedView } from '../native/rig/views.ts';
import { tool, toolRecord } from '../support/agent.ts';
import { atMost } from '../support/at-most.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { type Case, type Job, type Outcome, type Place, textOf, toolOf } from './cases.ts';

/** One process's side of an application: an agent for each case, in one database. */
export interface App {
  /** Has every tool called, until it waits. */
  begin(): Promise<Job[]>;
  /** Withdraws the rights, and goes on with what waits, in any process. */
  goOn(jobs: readonly Job[]): Promise<Outcome[]>;
  close(): Promise<void>;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function openApp({ folder, urls, redisUrl }: Place, cases: readonly Case[]): Promise<App> {
  const storage = slowed(new LibSQLStore({ id: 'app', url: `file:${folder}/app.db` }));
  const redis = redisUrl === undefined ? undefined : createClient({ url: redisUrl });
  await redis?.connect();
  let areWithdrawn = false;

  const stores: Record<Case['store'], (one: Case) => LoadedToolStore | 'in-memory' | 'context'> = {
    'in-memory': () => 'in-memory',
    context: () => 'context',
    redisStore: ({ id }) => redisStore({ client: redis as never, prefix: id }),
    threadStateStore: () => threadStateStore(),
    'a store of your own': ({ id }) => fileStore(`${folder}/${id}.json`),
  };

  function appOf(one: Case) {
    const { way, catalog, kind, id } = one;
    const sent: Sent[] = [];
    const ran: string[] = [];
    const models = {
      anthropic: () => createAnthropic({ apiKey: 'x', baseURL: `${urls.anthropic}/v1` })(modelIds('client').anthropic),
      openai: () => createOpenAI({ apiKey: 'x', baseURL: `${urls.openai}/v1` }).responses(modelIds('client').openai),
      scripted: () =>
        scriptedModel((call) => {
          sent.push(scriptedView(call));
          return scriptedAnswer(nextAction(sent.at(-1) as Sent));
        }),
    };
    const fillers = Array.from({ length: catalog === 'large' ? 501 : 5 }, (_, n) => tool(`filler_${n}`, 'Padding.'));
    const tools = toolRecord(...subjects(ran), ...fillers);
    const processor: Partial<ToolSearchProcessorOptions> = {
      storage: stores[one.store](one),
      timeouts: { store: 30_000 },
      filter: ({ toolName, phase }) => !(areWithdrawn && phase === one.action && toolName === toolOf(one)),
      ...(catalog === 'source' ? { tools: sourceOf(tools) } : {}),
      ...(catalog === 'own' ? { includeResolvedTools: true } : {}),
    };
    const dialect = way.model === 'anthropic' ? 'anthropic' : 'openai';
    const { agent, events } = goalRig(
      { dialect, execution: way.execution },
      {
        ...{ mode: way.mode, kind, storage, processor, isAlone: true },
        model: models[way.model as keyof typeof models](),
        tools: catalog === 'own' ? {} : tools,
        agent: { id, name: id, ...(catalog === 'own' ? { tools: () => tools as never } : {}) },
      },
    );
    return { agent, events, sent, ran };
  }
  const apps = new Map(cases.map((one) => [one.id, appOf(one)]));
  new Mastra({ agents: Object.fromEntries([...apps].map(([id, { agent }]) => [id, agent])), storage, logger: false });
  await storage.init();
  const turn = ({ id }: Case): object => ({ memory: { thread: id, resource: 'ann' } });

  return {
    begin: () =>
      atMost(8, cases, async (one) => {
        const { agent } = apps.get(one.id)!;
        const waits = await say(agent, one.mode, textOf(one), turn(one));
        if (!waits.waiting) throw new Error(`${one.id} did not wait but ended: ${JSON.stringify(waits)}`);
        // A stream may end before the wait is in the database.
        const runIds = async () => (await agent.listSuspendedRuns()).runs.map(({ runId }) => runId);
        while (!(await runIds()).includes(waits.waiting.runId)) await pause(1);
        return { one, waits };
      }),
    goOn(jobs) {
      areWithdrawn = true;
      return atMost(8, jobs, async ({ one, waits }) => {
        const { agent, sent, ran, events } = apps.get(one.id)!;
        const before = sent.length;
        let gone: Ended;
        if (one.action === 'decline') gone = await decline(agent, one.mode, waits);
        else if (toolOf(one) === 'pay_bill') gone = await approve(agent, one.mode, waits);
        else gone = await resume(agent, one.mode, waits, { answer: 'yes' }, one.kind);
        const runs = ran.length;
        const next = await say(agent, one.mode, textOf(one), turn(one));
        const denied = events.flatMap((event) => (event.type === 'call-denied' ? [event.toolName] : []));
        return { gone, next, runs, denied, sent: sent.slice(before) };
      });
    },
    async close() {
      redis?.destroy();
      await storage.close();
    },
  };
}

/** What they return shows that the input was validated and the context is whole. */
function subjects(ran: string[]): MastraTool[] {
  type Context = {
    agent: { threadId: string; agentId: string; resumeData?: object; suspend: (why: object) => unknown };
  };
  const inputSchema = z.object({ text: z.string(), amount: z.number().default(7) });
  const done = ({ amount }: { amount: number }, { agent }: Context): string => {
    ran.push(agent.agentId);
    return `did ${amount} in ${agent.threadId} by ${agent.agentId}`;
  };
  const execute = async (input: never, context: Context) => done(input, context);
  return [
    tool('pay_bill', 'Pays a bill.', { inputSchema, requireApproval: true, execute }),
    tool('ask_boss', 'Asks the boss.', {
      inputSchema,
      suspendSchema: z.object({ question: z.string() }),
      resumeSchema: z.object({ answer: z.string() }),
      execute: async (input: never, context: Context) =>
        context.agent.resumeData ? done(input, context) : context.agent.suspend({ question: 'Sure?' }),
    }),
  ];
}

/** A source that takes its time, and finds tools by all words of their names. */
function sourceOf(tools: Readonly<Record<string, MastraTool>>): ToolSource {
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (tools[name] ? [[name, tools[name]]] : [])));
  return {
    search: ({ text }) =>
      Object.entries(tools).flatMap(([name, { description = '' }]) =>
        text.includes(name.replaceAll('_', ' ')) ? [{ name, description, score: 1, confidence: 1 }] : [],
      ),
    get: (names) => pause(10).then(() => pick(names)),
  };
}

/** A store as an application may write one: a file, for one process at a time. */
function fileStore(file: string): LoadedToolStore {
  const read = (): Record<string, string[]> => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
  const write = (scopes: object): void => writeFileSync(file, JSON.stringify(scopes));
  return {
    get: (scope) => read()[scope] ?? [],
    add: (scope, names) => write({ ...read(), [scope]: [...new Set([...(read()[scope] ?? []), ...names])] }),
    clear: (scope) => write({ ...read(), [scope]: [] }),
  };
}

/** A storage whose every operation takes longer, as in a database far away; what a domain calls on itself does not. */
function slowed(storage: LibSQLStore): LibSQLStore {
  const domains = storage.stores as unknown as Record<string, object>;
  for (const [name, domain] of Object.entries(domains)) {
    domains[name] = new Proxy(domain, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function' || value.constructor.name !== 'AsyncFunction') return value;
        return (...args: readonly unknown[]) => pause(2).then(() => Reflect.apply(value, target, args));
      },
    });
  }
  return storage;
}
