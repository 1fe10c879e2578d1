import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { createClient } from 'redis';
import { z } from 'zod';
import { redisStore } from '../../src/entries/redis.ts';
import { threadStateStore } from '../../src/entries/thread-state.ts';
import {
  type LoadedToolStore,
  type MastraTool,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
  type ToolSource,
} from '../../src/index.ts';
import { type ScriptedModel, scriptedModel, userText } from '../support/scripted-model.ts';
import { type Catalog, type Kind, type Phase, TOOLS } from './cases.ts';
import { fileStore } from './file-store.ts';
import { slowStorage } from './slow-storage.ts';

/** Stands for call mode among the stores: nothing is loaded there. */
export const CALL_MODE = "none, with `mode: 'call'`";

export type StoreName =
  | ('in-memory' | 'context' | 'redisStore' | 'threadStateStore' | 'a store of your own')
  | typeof CALL_MODE;

export interface Settings {
  readonly store: StoreName;
  readonly kind: Kind;
  /** Milliseconds that each operation of the storage takes longer. */
  readonly latency: number;
  /** For the database, and for the store of one's own. */
  readonly folder: string;
  readonly redisUrl?: string;
}

/** One process's side of an application: an agent for each kind of catalog, in one database. */
export interface App {
  readonly agents: Readonly<Record<Catalog, Agent>>;
  readonly model: ScriptedModel;
  /** The inputs that tools ran with, to their end. */
  readonly ran: readonly { readonly tool: string; readonly case: string }[];
  /** Tools whose calls were refused. */
  readonly refused: readonly string[];
  /** From now on the filter denies these tools, each in its phase. */
  withdraw(tools: Readonly<Record<string, Phase>>): void;
  /** Returns when everything is written. */
  close(): Promise<void>;
}

/** Tools besides those of the cases: below and above the number up to which Mastra converts them all. */
const SIZES = { small: 20, large: 501 } as const;

const input = z.object({ case: z.string(), amount: z.number().default(7) });

export async function createApp(settings: Settings): Promise<App> {
  const ran: { tool: string; case: string }[] = [];
  const refused: string[] = [];
  let withdrawn: Readonly<Record<string, Phase>> = {};

  const database = new LibSQLStore({ id: 'app', url: `file:${settings.folder}/app.db` });
  const { storage, idle } = slowStorage(database, settings.latency);
  const redis =
    settings.store === 'redisStore'
      ? createClient({ url: settings.redisUrl ?? '', socket: { connectTimeout: 60_000 } })
      : undefined;
  await redis?.connect();
  const stores: Readonly<Record<StoreName, () => ToolSearchProcessorOptions['storage']>> = {
    'in-memory': () => 'in-memory',
    context: () => 'context',
    redisStore: () => redisStore({ client: redis as never, prefix: settings.folder }),
    threadStateStore: () => threadStateStore(),
    'a store of your own': (): LoadedToolStore => fileStore(`${settings.folder}/loaded.json`),
    [CALL_MODE]: () => 'in-memory',
  };
  const store = stores[settings.store]();

  const isCall = settings.store === CALL_MODE;
  const model = scriptedModel(({ prompt, step }) => {
    const [, tool = '', id = ''] = /^use (\w+) for (\S+)$/.exec(userText(prompt)) ?? [];
    if (tool === '' || step > 1) return { text: 'done' };
    if (isCall) {
      const input = { toolName: tool, arguments: { case: id } };
      return step === 0 ? { toolCalls: [{ toolName: 'call_tool', input }] } : { text: 'done' };
    }
    if (step === 0) return { toolCalls: [{ toolName: 'load_tool', input: { toolName: tool } }] };
    return { toolCalls: [{ toolName: tool, input: { case: id } }] };
  });
  const tools = (): Record<string, MastraTool> =>
    Object.fromEntries(TOOLS.map((name) => [name, name.startsWith('pay') ? pay(name, ran) : ask(name, ran)]));

  const toolsOf = (catalog: Catalog): ToolSearchProcessorOptions => {
    if (catalog === 'own') return { includeResolvedTools: true };
    if (catalog === 'source') return { tools: sourceOf(tools()) };
    return { tools: { ...tools(), ...fillers(SIZES[catalog]) } };
  };
  const agentOver = (catalog: Catalog): Agent => {
    const processor = new ToolSearchProcessor({
      ...toolsOf(catalog),
      ...(isCall ? { mode: 'call' } : {}),
      storage: store ?? 'in-memory',
      // Hundreds of conversations at once share this process with the store's client.
      timeouts: { store: 30_000 },
      filter: ({ toolName, phase }) => withdrawn[toolName] !== phase,
      onEvent: (event) => {
        if (event.type === 'call-denied') refused.push(event.toolName);
      },
    });
    const agent = new Agent({
      id: `${catalog}-agent`,
      name: `${catalog} agent`,
      instructions: 'Help.',
      model,
      memory: new Memory({ storage }),
      inputProcessors: [processor],
      ...(catalog === 'own' ? { tools } : {}),
    });
    return settings.kind === 'Agent' ? agent : (createDurableAgent({ agent, cleanupTimeoutMs: 0 }) as unknown as Agent);
  };
  const agents = {
    ...{ small: agentOver('small'), large: agentOver('large') },
    ...{ source: agentOver('source'), own: agentOver('own') },
  };
  new Mastra({ agents, storage, logger: false });
  await storage.init();

  return {
    agents,
    model,
    ran,
    refused,
    withdraw(denied) {
      withdrawn = denied;
    },
    async close() {
      await idle();
      redis?.destroy();
      await storage.close();
    },
  };
}

/** A source that takes its time. Nothing is searched for here. */
function sourceOf(tools: Readonly<Record<string, MastraTool>>): ToolSource {
  return {
    search: () => [],
    get: async (names) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return Object.fromEntries(names.flatMap((name) => (tools[name] ? [[name, tools[name]]] : [])));
    },
  };
}

/** Waits for approval. Its result shows that the input was validated and the context is whole. */
function pay(id: string, ran: { tool: string; case: string }[]): MastraTool {
  return createTool({
    id,
    description: `Pays (${id}).`,
    inputSchema: input,
    requireApproval: true,
    execute: async (given, context) => {
      ran.push({ tool: id, case: given.case });
      return { paid: given.amount, thread: context.agent?.threadId, agent: context.agent?.agentId };
    },
  }) as unknown as MastraTool;
}

/** Suspends itself until it has an answer. */
function ask(id: string, ran: { tool: string; case: string }[]): MastraTool {
  return createTool({
    id,
    description: `Asks (${id}).`,
    inputSchema: input,
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ answer: z.string() }),
    execute: async (given, context) => {
      const answer = (context.agent?.resumeData as { answer: string } | undefined)?.answer;
      if (answer === undefined) return context.agent?.suspend({ question: 'Sure?' });
      ran.push({ tool: id, case: given.case });
      return { answer, thread: context.agent?.threadId, agent: context.agent?.agentId };
    },
  }) as unknown as MastraTool;
}

function fillers(count: number): Record<string, MastraTool> {
  const filler = (n: number): MastraTool =>
    createTool({ id: `filler_${n}`, description: `Padding number ${n}.`, execute: async () => n }) as MastraTool;
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`filler_${n}`, filler(n)]));
}
