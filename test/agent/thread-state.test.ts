import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { threadStateStore } from 'mastra-tool-search/thread-state';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  call,
  calls,
  inMastra,
  inThread,
  load,
  META,
  newMemory,
  type Rig,
  rig,
  SIZES,
  tool,
  toolRecord,
} from '../support/harness.ts';
import { toolNames } from '../support/scripted-model.ts';

const REMEMBERED = [...META, 'subject'];
const tools = toolRecord(tool('subject'), tool('other'));

/** An agent over the store of its Mastra instance, and what that failed with. */
function make(...steps: ReturnType<typeof call>[]) {
  const errors: unknown[] = [];
  const onEvent = (event: ToolSearchEvent) => void (event.type === 'store-failed' && errors.push(event.error));
  const options = { tools, storage: threadStateStore(), onEvent };
  return { ...rig(options, { script: calls(...steps), agent: { memory: new Memory() } }), errors };
}

describe('threadStateStore()', () => {
  it('finds the storage of the Mastra instance by itself: loads survive a restart, until clearState()', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thread-state-agent-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const url = `file:${join(folder, 'app.db')}`;
    /** An app as it stands after a start: everything is new but the database file. */
    async function inApp(run: (made: Rig) => Promise<unknown>, ...steps: ReturnType<typeof call>[]) {
      const made = make(...steps);
      const storage = new LibSQLStore({ id: 'app', url });
      inMastra(made.agent, storage);
      await run(made);
      await storage.close();
      expect(made.errors).toEqual([]);
      return made.model.calls.map(toolNames);
    }
    const go = ({ agent }: Rig) => agent.generate('go', inThread);
    expect(await inApp(go, load('subject'))).toEqual([META, REMEMBERED]);
    const stream = async ({ agent }: Rig) => (await agent.stream('and now?', inThread)).consumeStream();
    expect(await inApp(stream, load('other'))).toEqual([REMEMBERED, [...REMEMBERED, 'other']]);
    const elsewhere = { memory: { thread: 'another', resource: 'r' } };
    expect(await inApp(({ agent }) => agent.generate('go', elsewhere))).toEqual([META]);
    await inApp(async ({ processor }) => processor.clearState('t', 'r'));
    expect(await inApp(go)).toEqual([META]);
  });

  it('leaves loads to the run without a Mastra instance, and its event says what to do', async () => {
    const { agent, model, errors } = make(load('subject'));
    agent.__setMemory(newMemory());
    expect((await agent.generate('go', inThread)).text).toBe('done');
    expect(model.calls.map(toolNames)).toEqual([META, REMEMBERED]);
    expect(errors[0]).toMatchObject({ code: 'storage-unavailable' });
  });
});

describe('threadStateStore() of a processor that is made for each request', () => {
  /** Two requests of one thread. */
  async function twoRequests(extra: object = {}, { isGiven = false, fillers = {} } = {}) {
    const errors: string[] = [];
    const onEvent = (event: ToolSearchEvent) => void (event.type === 'store-failed' && errors.push(`${event.error}`));
    let mastra: Mastra | undefined;
    const inputProcessors = () => {
      const storage = threadStateStore(mastra && isGiven ? { mastra } : {});
      return [new ToolSearchProcessor({ tools: { ...tools, ...fillers }, storage, onEvent })];
    };
    const agent = { inputProcessors, memory: new Memory(), ...extra };
    const made = rig({ tools: {} }, { script: calls(load('subject'), call('subject')), agent: agent as never });
    mastra = new Mastra({ agents: { agent: made.agent }, storage: new InMemoryStore(), logger: false });
    for (let request = 0; request < 2; request++) await made.agent.generate('go', inThread);
    return { sent: made.model.calls.map(toolNames), errors };
  }

  it.each(SIZES)('finds the storage of the Mastra instance by itself: a $size catalog', async ({ fillers }) => {
    const { sent, errors } = await twoRequests({}, { fillers });
    expect(errors).toEqual([]);
    expect(sent).toEqual([META, ...Array(5).fill(REMEMBERED)]);
  });

  it('asks for nothing through the agent’s hooks, and its event says what to do', async () => {
    const beforeToolCall = vi.fn();
    const { errors } = await twoRequests({ hooks: { beforeToolCall } });
    expect(beforeToolCall.mock.calls.map(([{ toolName }]) => toolName)).toEqual(['subject', 'subject']);
    expect(errors[0]).toContain('then pass it, threadStateStore({ mastra })');
    const mended = await twoRequests({ hooks: { beforeToolCall } }, { isGiven: true });
    expect([mended.errors, mended.sent.at(-1)]).toEqual([[], REMEMBERED]);
  });
});
