import { Mastra } from '@mastra/core/mastra';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { call, email, inThread, load, rig, tool, toolRecord } from '../support/agent.ts';
import { type ModelReply, scriptedModel, toolNames } from '../support/scripted-model.ts';

type Calls = readonly ReturnType<typeof call>[];

/** Turns of an agent whose Observational Memory takes the place of messages beyond so many tokens; what the last one did. */
async function observed(
  messageTokens: number,
  storage: 'context' | 'in-memory',
  turns: readonly Calls[],
  text: string,
) {
  // Not by the prompt: what stands there may become an observation within a run.
  let left: Calls = [];
  let runs = 0;
  const observations = '<observations>\n* 🔴 (14:30) User asked for the weather.\n</observations>';
  const observer = scriptedModel(() => ({ text: observations }));
  const observation = { messageTokens, bufferTokens: false } as const;
  const reflection = { observationTokens: 100_000 };
  const observationalMemory = { model: observer as never, observation, reflection };
  const store = new LibSQLStore({ id: 'observed', url: ':memory:' });
  const memory = new Memory({ storage: store, options: { observationalMemory } });
  const execute = async () => ({ runs: ++runs });
  const weather = tool('get_weather', 'Get the current weather of a city.', { execute });
  const script = (): ModelReply => {
    const [next, ...rest] = left;
    left = rest;
    return next ? { toolCalls: [next] } : { text: 'done' };
  };
  const { agent, model } = rig({ tools: toolRecord(weather, email()), storage }, { agent: { memory }, script });
  new Mastra({ agents: { agent }, storage: store, logger: false });
  let begin = 0;
  for (const turn of turns) {
    [left, begin] = [turn, model.calls.length];
    expect((await agent.generate(text, inThread)).text).toBe('done');
  }
  const isSent = model.calls.slice(begin).map((made) => toolNames(made).includes('get_weather'));
  return { isSent, runs, isObserved: observer.calls.length > 0 };
}

const LONG = `Load it. ${'The sky is grey over the whole country today. '.repeat(40)}`;
const LOAD = [load('get_weather')];
const CALL = [call('get_weather')];

describe('what was loaded, with Observational Memory', () => {
  it("is kept with storage 'context' while the messages stay", async () => {
    const last = await observed(50_000, 'context', [LOAD, CALL], 'Load it.');
    expect(last).toEqual({ isSent: [true, true], runs: 1, isObserved: false });
  });

  it("goes with storage 'context' as its messages become observations, and is loaded again for all of the run", async () => {
    const again = [call('search_tools', { query: 'weather' }), ...LOAD, ...CALL];
    const last = await observed(200, 'context', [LOAD, [], again], LONG);
    expect(last).toEqual({ isSent: [false, false, true, true], runs: 1, isObserved: true });
  });

  it('is kept with the default storage as its messages become observations', async () => {
    const last = await observed(200, 'in-memory', [LOAD, [], CALL], LONG);
    expect(last).toEqual({ isSent: [true, true], runs: 1, isObserved: true });
  });
});
