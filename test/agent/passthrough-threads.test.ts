import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { MastraTool, ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, email, fillerTools, load, rig, tool, toolRecord, weather } from '../support/harness.ts';
import {
  lastToolResult,
  type Script,
  systemText,
  toolNames,
  toolResults,
  userText,
} from '../support/scripted-model.ts';

const few = (): Record<string, MastraTool> => toolRecord(weather(), email());
const many = (): Record<string, MastraTool> => ({ ...few(), ...fillerTools(20) });
const META = ['search_tools', 'load_tool'];
const NAMES = ['get_weather', 'send_email'];
const turn = { memory: { thread: 'thread-1', resource: 'user-1' } };
const withMemory = () => ({ memory: new Memory({ storage: new InMemoryStore() }) });

describe('a thread with passthroughBelow, whose catalog grows and shrinks,', () => {
  const asTheUserSays: Script = ({ prompt, step }) =>
    calls(...(JSON.parse(userText(prompt)) as ReturnType<typeof call>[]))({ step } as never);

  it('is searched while its catalog is large, and keeps its loads while its catalog is small', async () => {
    let tools = many();
    const { agent, model, processor } = rig(
      { tools: () => tools, passthroughBelow: 8 },
      { script: asTheUserSays, agent: withMemory() },
    );
    const run = async (...toolCalls: object[]) => {
      const before = model.calls.length;
      const { text } = await agent.generate(JSON.stringify(toolCalls), turn);
      expect(text).toBe('done');
      return model.calls.slice(before);
    };
    await run(call('search_tools', { query: 'weather' }), load('get_weather'));
    expect(processor.getStateStats().threadCount).toBe(1);

    tools = few();
    // The model goes by what it did before.
    const whole = await run(call('search_tools', { query: 'email' }), call('send_email'));
    expect(whole.map(toolNames)).toEqual([NAMES, NAMES, NAMES]);
    const [search, sent] = toolResults(whole.at(-1)!.prompt).slice(-2);
    expect(search).toMatchObject({
      isError: true,
      value: expect.stringContaining('Available tools: get_weather, send_email'),
    });
    expect(sent?.value).toMatchObject({ ran: 'send_email' });

    tools = many();
    const [again] = await run();
    expect(toolNames(again!)).toEqual([...META, 'get_weather']);
    expect(systemText(again!.prompt)).toContain('search_tools');
  });

  it('has no state while its catalog is small', async () => {
    const { agent, processor } = rig(
      { tools: few(), passthroughBelow: 8 },
      { script: calls(call('get_weather')), agent: withMemory() },
    );
    await agent.generate('go', turn);
    expect(processor.getStateStats()).toEqual({ threadCount: 0, oldestAccessTime: null });
  });

  it('has its catalog sent whole or not by the first step of a run', async () => {
    let tools = few();
    const events: ToolSearchEvent[] = [];
    const script: Script = ({ step }) => {
      tools = many();
      return step === 0 ? { toolCalls: [call('get_weather')] } : { text: 'done' };
    };
    const { agent, model } = rig(
      { includeResolvedTools: true, passthroughBelow: 8, onEvent: (event) => events.push(event) },
      { script, agent: { tools: () => tools } },
    );
    await agent.generate('go');
    await agent.generate('go');
    expect(model.calls.map((received) => toolNames(received).includes('search_tools'))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(events.filter(({ type }) => type === 'passthrough')).toMatchObject([
      { isSentWhole: true, size: 2 },
      { isSentWhole: false, size: 22 },
    ]);
  });
});

it('a call of a tool that was sent whole waits for an approval, which another process can give', async () => {
  const storage = new InMemoryStore();
  const start = () => {
    const tools = { ...few(), ...toolRecord(tool('pay', 'Pays.', { requireApproval: true })) };
    const made = rig(
      { tools: async () => tools, passthroughBelow: 8 },
      { script: calls(call('pay')), agent: { memory: new Memory({ storage }) } },
    );
    new Mastra({ agents: { agent: made.agent }, logger: false, storage });
    return made;
  };
  const waiting = await start().agent.generate('go', turn);
  const { toolCallId } = waiting.suspendPayload as { toolCallId: string };
  const { agent, model } = start();
  await agent.approveToolCallGenerate({ runId: waiting.runId!, toolCallId });
  expect(lastToolResult(model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'pay' });
  expect(toolNames(model.calls.at(-1)!)).toEqual([...NAMES, 'pay']);
});
