import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { type LoadedToolStore, memoryStore, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { redisStore } from 'mastra-tool-search/redis';
import { threadStateStore } from 'mastra-tool-search/thread-state';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isCallable } from '../native/rig/goals.ts';
import { KINDS, MODES, say } from '../native/rig/rig.ts';
import { CATALOG, recordingTool, type WorldOptions } from '../native/rig/world.ts';
import { fillerTools, toolRecord } from '../support/agent.ts';
import { pairwise } from '../support/breadth.ts';
import { memorySource } from '../support/memory-source.ts';
import { type ModeRig, modeRig, WAYS } from '../support/modes.ts';
import { noRedis, type RedisServer, startRedis } from '../support/redis-server.ts';

type Tools = ReturnType<typeof toolRecord>;

/** Where the catalog is. */
const SOURCES = {
  'a record': (tools) => ({ options: { tools } }),
  'a function': (tools) => ({ options: { tools: async () => tools } }),
  "the agent's tools": (tools) => ({
    options: { tools: {}, includeResolvedTools: true },
    agent: { tools: () => tools },
  }),
  'a ToolSource': async (tools) => ({ options: { tools: await memorySource(tools) } }),
} satisfies Record<string, (tools: Tools) => Promise<WorldOptions> | WorldOptions>;

let redis: RedisServer | undefined;
const clients: { close(): unknown }[] = [];
let prefixes = 0;

/** Where loaded tools are kept: what each process of an application opens. */
const STORES = {
  'in-memory': async () => () => 'in-memory' as const,
  context: async () => () => 'context' as const,
  threadStateStore: async () => () => threadStateStore(),
  redisStore: async () => {
    const client = createClient({ url: redis?.url ?? '' });
    await client.connect();
    clients.push(client);
    const prefix = `pairs-${++prefixes}`;
    return () => redisStore({ client: client as never, prefix });
  },
  'a store of your own': async () => {
    const store = memoryStore();
    return () => store;
  },
} satisfies Record<string, () => Promise<() => LoadedToolStore | 'in-memory' | 'context'>>;

beforeAll(async () => {
  redis = noRedis === undefined ? await startRedis() : undefined;
});
afterAll(async () => {
  for (const client of clients) client.close();
  await redis?.stop();
});

const FILLERS = { 3: fillerTools(3), 501: fillerTools(501) };

/** Native ways take turns: they differ in what is sent, not in where tools come from and stay. */
const natives = WAYS.filter(({ mode }) => mode === 'native');
const modes = ['load', 'call', 'code', 'native'].filter((mode) => WAYS.some((way) => way.mode === mode));

const cases = pairwise({
  mode: modes,
  source: Object.keys(SOURCES) as (keyof typeof SOURCES)[],
  store: (Object.keys(STORES) as (keyof typeof STORES)[]).filter((store) => store !== 'redisStore' || !noRedis),
  /** Up to 500 tools Mastra converts all of them; above, it is given lightweight proxies. */
  fillers: [3, 501],
  kind: KINDS,
  run: MODES,
}).map(({ mode, ...one }, at) => {
  // A provider that searches is sent the whole catalog, which nobody has of a source.
  const possible = natives.filter(({ execution }) => execution !== 'server' || one.source !== 'a ToolSource');
  return { ...one, way: WAYS.find((way) => way.mode === mode && mode !== 'native') ?? possible[at % possible.length]! };
});

const ann = { memory: { thread: 'of-ann', resource: 'ann' } };
const bob = { memory: { thread: 'of-bob', resource: 'bob' } };

/** All pairs of what an application chooses from hold the same story. */
describe.each(cases.map((one) => ({ ...one, name: one.way.way })))(
  '$name over $source, $store, $fillers other tools, $kind, $run',
  ({ way, source, store, fillers, kind, run }) => {
    it('finds and runs tools, keeps them for their thread alone, and heeds rights, also after a restart', async () => {
      const ran: string[] = [];
      const tools = {
        ...toolRecord(...Object.keys(CATALOG).map((name) => recordingTool(ran, name))),
        ...FILLERS[fillers],
      };
      const denied = new Set<string>();
      const storage = new InMemoryStore();
      const opened = await STORES[store]();
      const given = await (SOURCES[source] as (tools: Tools) => Promise<WorldOptions>)(tools);
      const open = (before?: ModeRig) => {
        const there: ModeRig = modeRig(way, {
          ...given,
          // The providers stay the same, with what they remember.
          ...(before && {
            anthropic: (settings: object) => createAnthropic({ ...settings, fetch: before.anthropic.fetch }),
            openai: (settings: object) => createOpenAI({ ...settings, fetch: before.openai.fetch }),
          }),
          registered: kind,
          storage,
          memory: new Memory({ storage, options: { lastMessages: 100 } }),
          options: {
            ...given.options,
            storage: opened(),
            filter: ({ toolName, requestContext }) =>
              !denied.has(toolName) && !(toolName === 'book_flight' && requestContext?.get('user') === 'bob'),
          } as Partial<ToolSearchProcessorOptions>,
        });
        /** A turn: what it ran, what it said, and whether its first request could call a tool. */
        const turn = async (text: string, who: typeof ann) => {
          const allSent = () => [...(before?.sent ?? []), ...there.sent];
          const [sentBefore, ranBefore] = [allSent().length, ran.length];
          const requestContext = new RequestContext([
            ['kind', way.model],
            ['user', who.memory.resource],
          ]);
          const { text: said } = await say(there.agent, run, text, { ...who, requestContext, maxSteps: 16 });
          const sent = allSent().slice(sentBefore);
          const has = (name: string): boolean => isCallable(sent[0]!, name);
          return { said, ran: ran.slice(ranBefore), has, read: sent.map(({ json }) => json).join('\n') };
        };
        return { ...there, turn };
      };

      const first = open();
      const isKept = way.mode !== 'call' && way.mode !== 'code';
      expect(await first.turn('use get_weather', ann)).toMatchObject({ said: 'done', ran: ['get_weather'] });
      const again = await first.turn('use get_weather and send_email', ann);
      expect(again).toMatchObject({ said: 'done', ran: ['get_weather', 'send_email'] });
      expect(again.has('get_weather')).toBe(isKept);

      // Another user has neither what the first one loaded, nor what is not permitted.
      const other = await first.turn('use send_email', bob);
      expect(other).toMatchObject({ said: 'done', ran: ['send_email'] });
      expect([other.has('get_weather'), other.has('send_email')]).toEqual([false, false]);
      const forbidden = await first.turn('use book_flight', bob);
      expect(forbidden).toMatchObject({ said: 'not found', ran: [] });
      expect(forbidden.read).not.toContain(CATALOG['book_flight']);

      // A right that is withdrawn, and given back.
      denied.add('get_weather');
      const withdrawn = await first.turn('use get_weather', ann);
      expect(withdrawn.ran).toEqual([]);
      expect(withdrawn.has('get_weather')).toBe(false);
      denied.clear();

      const second = open(first);
      const back = await second.turn('use send_email', ann);
      expect(back).toMatchObject({ said: 'done', ran: ['send_email'] });
      expect(back.has('send_email')).toBe(isKept && (store !== 'in-memory' || way.execution === 'server'));
      expect([...first.refused(), ...second.refused()]).toEqual([]);
    });
  },
);
