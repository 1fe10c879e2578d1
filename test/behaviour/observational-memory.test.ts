import { Mastra } from '@mastra/core/mastra';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { call, email, load, rig, tool, toolRecord } from '../support/harness.ts';
import { type ModelReply, scriptedModel, toolNames } from '../support/scripted-model.ts';

const turnOf = { memory: { thread: 'thread', resource: 'user' } };

type Calls = readonly ReturnType<typeof call>[];

/** An agent whose Observational Memory takes the place of messages beyond so many tokens. */
function observed(messageTokens: number, storage: 'context' | 'in-memory', turns: readonly Calls[]) {
  let turn = 0;
  // Not by the prompt: what stands there may become an observation within a run.
  let done = 0;
  const observer = scriptedModel(() => ({
    text: '<observations>\n* 🔴 (14:30) User asked for the weather.\n</observations>',
  }));
  const store = new LibSQLStore({ id: 'observed', url: ':memory:' });
  const memory = new Memory({
    storage: store,
    options: {
      observationalMemory: {
        model: observer as never,
        observation: { messageTokens, bufferTokens: false },
        reflection: { observationTokens: 100_000 },
      },
    },
  });
  let runs = 0;
  const weather = tool('get_weather', 'Get the current weather of a city.', {
    execute: async () => {
      runs += 1;
      return {};
    },
  });
  const next = (): ModelReply => {
    const toolCall = turns[turn]?.[done++];
    return toolCall ? { toolCalls: [toolCall] } : { text: 'done' };
  };
  const { agent, model } = rig({ tools: toolRecord(weather, email()), storage }, { agent: { memory }, script: next });
  new Mastra({ agents: { agent }, storage: store, logger: false });
  const say = async (text: string) => {
    const begin = model.calls.length;
    const answer = await agent.generate(text, turnOf);
    [turn, done] = [turn + 1, 0];
    return { text: answer.text, calls: model.calls.slice(begin), runs };
  };
  return { say, observer };
}

const LONG = `Load it. ${'The sky is grey over the whole country today. '.repeat(40)}`;

describe("Observational Memory with storage 'context'", () => {
  it('keeps what was loaded while the messages stay', async () => {
    const { say, observer } = observed(50_000, 'context', [[load('get_weather')], [call('get_weather')]]);
    await say('Load it.');
    const { text, runs } = await say('Call it.');
    expect(text).toBe('done');
    expect(observer.calls).toEqual([]);
    expect(runs).toBe(1);
  });

  it('unloads what was loaded in messages that became observations, and loads it again for all of the run', async () => {
    const again = [call('search_tools', { query: 'weather' }), load('get_weather'), call('get_weather')];
    const { say, observer } = observed(200, 'context', [[load('get_weather')], [], again]);
    await say(LONG);
    await say(LONG);
    expect(observer.calls.length).toBeGreaterThan(0);
    const { text, calls, runs } = await say('And now?');
    expect(text).toBe('done');
    expect(calls.map((made) => toolNames(made).includes('get_weather'))).toEqual([false, false, true, true]);
    expect(runs).toBe(1);
  });
});

describe('Observational Memory with the default storage', () => {
  it('keeps what was loaded in messages that became observations', async () => {
    const { say, observer } = observed(200, 'in-memory', [[load('get_weather')], [], [call('get_weather')]]);
    await say(LONG);
    await say(LONG);
    expect(observer.calls.length).toBeGreaterThan(0);
    const { calls, runs } = await say('And now?');
    expect(toolNames(calls[0]!)).toContain('get_weather');
    expect(runs).toBe(1);
  });
});
