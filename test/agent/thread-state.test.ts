import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { type ToolSearchEvent, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { type ThreadStateStoreOptions, threadStateStore } from 'mastra-tool-search/thread-state';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  call,
  calls,
  email,
  inMastra,
  load,
  META,
  newMemory,
  type Rig,
  rig,
  SIZES,
  toolRecord,
  weather,
} from '../support/harness.ts';
import { toolNames } from '../support/scripted-model.ts';

let folder: string;
let url: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thread-state-agent-'));
  url = `file:${join(folder, 'app.db')}`;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const events: ToolSearchEvent[] = [];
beforeEach(() => {
  events.length = 0;
});

const REMEMBERED = [...META, 'get_weather'];

let threads = 0;
/** A thread of its own for each test: the database is the same. */
const newThread = () => ({ thread: `thread-${++threads}`, resource: 'user-1' });

const make = (...toolCalls: { toolName: string; input: unknown }[]): Rig =>
  rig(
    {
      tools: toolRecord(weather(), email()),
      storage: threadStateStore(),
      onEvent: (event) => events.push(event),
    },
    { script: calls(...toolCalls), agent: { memory: new Memory() } },
  );

/** An app as it stands after a start: everything is new but the database file. */
async function inApp(
  run: (made: Rig) => Promise<unknown>,
  ...toolCalls: { toolName: string; input: unknown }[]
): Promise<string[][]> {
  const made = make(...toolCalls);
  const storage = new LibSQLStore({ id: 'app', url });
  inMastra(made.agent, storage);
  await run(made);
  await storage.close();
  return made.model.calls.map(toolNames);
}

describe('threadStateStore()', () => {
  it('finds the storage of the Mastra instance by itself, and what was loaded survives a restart', async () => {
    const memory = newThread();
    const before = await inApp(({ agent }) => agent.generate('go', { memory }), load('get_weather'));
    expect(before).toEqual([META, REMEMBERED]);

    const after = await inApp(async ({ agent }) => {
      await (await agent.stream('and now?', { memory })).consumeStream();
    }, load('send_email'));
    expect(after).toEqual([REMEMBERED, [...REMEMBERED, 'send_email']]);

    const other = await inApp(({ agent }) => agent.generate('go', { memory: newThread() }));
    expect(other).toEqual([META]);
    expect(events.filter((event) => event.type === 'store-failed')).toEqual([]);
  });

  it('forgets a thread with clearState()', async () => {
    const memory = newThread();
    await inApp(({ agent }) => agent.generate('go', { memory }), load('get_weather'));
    const before = await inApp(({ agent }) => agent.generate('go', { memory }));
    expect(before).toEqual([REMEMBERED]);
    await inApp(({ processor }) => Promise.resolve(processor.clearState(memory.thread, memory.resource)));
    const after = await inApp(({ agent }) => agent.generate('go', { memory }));
    expect(after).toEqual([META]);
  });

  it('leaves loads to the run without a Mastra instance, and its event says what to do', async () => {
    const memory = newThread();
    const { agent, model } = make(load('get_weather'));
    agent.__setMemory(newMemory());
    const { text } = await agent.generate('go', { memory });
    expect(text).toBe('done');
    expect(model.calls.map(toolNames)).toEqual([META, REMEMBERED]);
    const failed = events.flatMap((event) => (event.type === 'store-failed' ? [event.error] : []));
    expect(failed.length).toBeGreaterThan(0);
    for (const error of failed) expect(error).toMatchObject({ code: 'storage-unavailable' });
  });
});

const memory = { thread: 'thread-1', resource: 'user-1' };

/** Two requests of one thread to an agent that makes its processor, with its store, for each request. */
async function twoRequests(
  options: Partial<ToolSearchProcessorOptions> = {},
  extra: object = {},
  given: (mastra: Mastra) => ThreadStateStoreOptions = () => ({}),
): Promise<{ sent: string[][]; errors: string[] }> {
  const events: ToolSearchEvent[] = [];
  const tools = { ...toolRecord(weather(), email()), ...options.tools };
  let mastra: Mastra | undefined;
  const inputProcessors = () => [
    new ToolSearchProcessor({
      tools,
      storage: threadStateStore(mastra ? given(mastra) : {}),
      onEvent: (event) => events.push(event),
    }),
  ];
  const { agent, model } = rig(
    { tools: {} },
    {
      script: calls(load('get_weather'), call('get_weather')),
      agent: { inputProcessors, memory: new Memory(), ...extra } as never,
    },
  );
  mastra = new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  for (let request = 0; request < 2; request++) await agent.generate('go', { memory });
  const errors = events.flatMap((event) => (event.type === 'store-failed' ? [String(event.error)] : []));
  return { sent: model.calls.map(toolNames), errors };
}

describe('threadStateStore() of a processor that is made for each request', () => {
  it.each(SIZES)('finds the storage of the Mastra instance by itself: a $size catalog', async ({ fillers: tools }) => {
    const { sent, errors } = await twoRequests({ tools });
    expect(errors).toEqual([]);
    expect(sent).toEqual([META, ...Array.from({ length: 5 }, () => REMEMBERED)]);
  });

  it('asks for nothing through the agent’s hooks, and its event says what to do', async () => {
    const hooked: string[] = [];
    const hooks = { beforeToolCall: ({ toolName }: { toolName: string }) => void hooked.push(toolName) };
    const { errors } = await twoRequests({}, { hooks });
    expect(hooked).toEqual(['get_weather', 'get_weather']);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toContain('then pass it, threadStateStore({ mastra })');

    const mended = await twoRequests({}, { hooks }, (mastra) => ({ mastra }));
    expect(mended.errors).toEqual([]);
    expect(mended.sent.at(-1)).toEqual(REMEMBERED);
  });
});
