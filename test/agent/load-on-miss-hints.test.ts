import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, email, load, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { lastToolResult, type Script, systemText, toolResults } from '../support/scripted-model.ts';
import { CALLED_LATER, CALLED_OTHERWISE, hintsIn, missing, run, sentIn, turn, withMemory } from './missed-calls.ts';

describe('a missed call of a tool that is available under another name', () => {
  it("makes the model be told the name of an agent's tool, without a load", async () => {
    const own = { send_email: email() };
    const { agent, model, mended } = missing(['sendEmail'], { tools: toolRecord(weather()) }, { tools: own });
    await agent.generate('go');
    expect(hintsIn(model.calls[1]!)).toEqual([
      'You called a tool by a name that no tool has. "send_email" is available now: call it by this name.',
    ]);
    expect(mended()).toEqual([]);
  });

  it('makes the model be told the name of a loaded tool, without a load', async () => {
    const { agent, model, mended } = missing([load('get_weather'), 'getWeather']);
    await agent.generate('go');
    expect(hintsIn(model.calls[2]!)).toEqual([CALLED_OTHERWISE]);
    expect(mended()).toEqual([]);
  });

  it('makes the model be told the name of a tool of alwaysLoaded, without a load', async () => {
    const { agent, model } = missing(['getWeather'], { alwaysLoaded: ['get_weather'] });
    await agent.generate('go');
    expect(hintsIn(model.calls[1]!)).toEqual([CALLED_OTHERWISE]);
  });
});

describe('a tool that was loaded for a missed call', () => {
  const unload = call('unload_tool', { toolNames: ['get_weather'] });
  const metaTools = { unload: true };

  it.each([
    { when: 'in the first step', called: ['get_weather', unload, 'send_email'] },
    { when: 'later', called: [load('send_email'), 'get_weather', unload, 'send_email'] },
  ])('stays unloaded once the model unloads it: the call was $when', async ({ called }) => {
    const { agent, model, mended } = missing(called, { metaTools });
    await agent.generate('go');
    const sent = model.calls.map((received) => sentIn(received).includes('get_weather'));
    expect(sent.slice(-3)).toEqual([true, false, false]);
    expect(mended().filter((event) => 'called' in event && event.called === 'get_weather')).toHaveLength(1);
  });
});

describe('a missed call of a tool that the active phase denies', () => {
  it('does not make the model be told that it is available', async () => {
    const { agent, model } = missing(['get_weather'], { filter: ({ phase }) => phase !== 'active' });
    await agent.generate('go');
    expect(sentIn(model.calls[1]!)).toEqual([]);
    expect(hintsIn(model.calls[1]!)).toEqual([]);
  });
});

describe('a fault of a tool that ran', () => {
  const failing = (message: string): MastraTool =>
    tool('proxy', 'Calls others.', {
      execute: () => {
        throw new Error(message);
      },
    });

  it('loads no tool that its text mentions', async () => {
    const { agent, model, mended } = missing([load('proxy'), 'proxy'], {
      tools: toolRecord(failing('The upstream says that get_weather is not found'), weather()),
    });
    await agent.generate('go');
    expect(sentIn(model.calls[2]!)).toEqual(['proxy']);
    expect(mended()).toEqual([]);
  });

  it.each(['Tool "get_weather" not found', 'Tool "get_weather" not found. Available tools: a, b'])(
    'loads nothing when its own text is %j',
    async (text) => {
      const { agent, model, mended } = missing([load('proxy'), 'proxy'], {
        tools: toolRecord(failing(text), weather()),
      });
      await agent.generate('go');
      expect(sentIn(model.calls[2]!)).toEqual(['proxy']);
      expect(mended()).toEqual([]);
    },
  );
});

describe('the hint about a missed call', () => {
  it.each(['generate', 'durable'] as const)(
    'stays once until the request ends, and is gone in the next (%s)',
    async (mode) => {
      const made = missing(['getWeather', 'get_weather', 'get_weather'], {}, withMemory());
      await run(made, mode, turn);
      const first = made.model.calls.length;
      expect(made.model.calls.map(hintsIn)).toEqual([[], ...Array(first - 1).fill([CALLED_OTHERWISE])]);
      await made.agent.generate('and now?', turn);
      expect(hintsIn(made.model.calls[first]!)).toEqual([]);
      expect(sentIn(made.model.calls[first]!)).toEqual(['get_weather']);
    },
  );

  it('is not repeated for the same name', async () => {
    const { agent, model } = missing(['getWeather', 'getWeather', 'getWeather']);
    await agent.generate('go');
    expect(hintsIn(model.calls[3]!)).toEqual([CALLED_OTHERWISE]);
  });

  it('stands beside hints for other names', async () => {
    const { agent, model } = missing(['getWeather', 'send_email']);
    await agent.generate('go');
    expect(hintsIn(model.calls[2]!)).toEqual([CALLED_OTHERWISE, expect.stringContaining('"send_email"')]);
  });

  it.each(['generate', 'durable'] as const)('repeats nothing of what the model wrote (%s)', async (mode) => {
    const made = missing(['ignore_all_rules.get_weather', 'getWeather'], {}, withMemory());
    await run(made, mode, turn);
    expect(made.model.calls.map(hintsIn)).toEqual([[], [CALLED_OTHERWISE], [CALLED_OTHERWISE]]);
    for (const { prompt } of made.model.calls) expect(systemText(prompt)).not.toMatch(/ignore|getWeather/);
  });
});

describe('a new request', () => {
  it('does not act on missed calls that its history holds', async () => {
    const memory = withMemory();
    const before = missing(['get_weather'], { onMiss: 'error' }, memory);
    await before.agent.generate('go', turn);
    expect(lastToolResult(before.model.calls[1]!.prompt)).toMatchObject({ isError: true });

    const after = missing([call('search_tools', { query: 'mail' })], {}, memory);
    await after.agent.generate('again', turn);
    expect(after.model.calls.map(sentIn)).toEqual([[], []]);
    expect(after.model.calls.flatMap(hintsIn)).toEqual([]);
    expect(after.mended()).toEqual([]);
  });

  it.each(['in-memory', 'context'] as const)(
    'has what was loaded on a miss by an earlier request (%s)',
    async (storage) => {
      const memory = withMemory();
      const { agent, model } = missing(['get_weather', 'get_weather'], { storage }, memory);
      await agent.generate('go', turn);
      await agent.generate('again', turn);
      expect(sentIn(model.calls[3]!)).toEqual(['get_weather']);
    },
  );
});

describe('a run that waited for an approval', () => {
  const waitingRun = async () => {
    const script: Script = ({ prompt }) => {
      const asked = toolResults(prompt).length;
      if (asked === 0) return { toolCalls: [load('pay')] };
      return asked === 1 ? { toolCalls: [call('get_weather'), call('pay')] } : { text: 'done' };
    };
    const tools = toolRecord(weather(), tool('pay', 'Pays.', { requireApproval: true }));
    const made = rig({ tools, onMiss: 'load' }, { script, agent: withMemory() });
    new Mastra({ agents: { agent: made.agent }, logger: false, storage: new InMemoryStore() });
    const { runId = '', suspendPayload } = await made.agent.generate('go', turn as never);
    const { toolCallId } = suspendPayload as { toolCallId: string };
    return { ...made, runId, toolCallId };
  };

  it('mends the calls that missed in the step that had to wait', async () => {
    const { agent, model, runId, toolCallId } = await waitingRun();
    const { text } = await agent.approveToolCallGenerate({ runId, toolCallId });
    const { prompt } = model.calls.at(-1)!;
    expect({ text, missed: lastToolResult(prompt, 'get_weather')?.isError }).toEqual({ text: 'done', missed: true });
    expect(sentIn(model.calls.at(-1)!)).toEqual(['pay', 'get_weather']);
    expect(hintsIn(model.calls.at(-1)!)).toEqual([CALLED_LATER]);
  });
});
