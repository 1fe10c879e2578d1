import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { MastraTool, ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import {
  approve,
  call,
  calls,
  email,
  fillerTools,
  inMastra,
  load,
  META,
  newMemory,
  RUNS,
  rig,
  tool,
  toolRecord,
  weather,
} from '../support/harness.ts';
import {
  lastToolResult,
  type Script,
  systemText,
  toolNames,
  toolResults,
  userText,
} from '../support/scripted-model.ts';

const few = (): Record<string, MastraTool> => toolRecord(weather(), email());
const NAMES = ['get_weather', 'send_email'];

describe('a share of the context window', () => {
  const sentIn = async (share: number, contextWindow: number | ((model: object) => number | undefined)) => {
    const events: ToolSearchEvent[] = [];
    const onEvent = (event: ToolSearchEvent): void => void events.push(event);
    const made = rig(
      { tools: few(), passthroughBelow: { share, contextWindow }, onEvent },
      { script: () => ({ text: 'done' }), modelId: 'small-1' },
    );
    await made.agent.generate('weather');
    return { sent: toolNames(made.model.calls[0]!), event: events.find(({ type }) => type === 'passthrough') };
  };

  it('decides whether a catalog is sent whole, by the window of the model', async () => {
    const whole = await sentIn(0.1, 100_000);
    expect(whole.sent).toEqual(NAMES);
    expect(whole.event).toMatchObject({ isSentWhole: true, limit: 'share', below: 10_000 });
    expect((await sentIn(0.1, 100)).sent).toContain('search_tools');
    const byModel = (model: { readonly modelId?: string }) => (model.modelId === 'small-1' ? 100 : 100_000);
    expect((await sentIn(0.1, byModel)).event).toMatchObject({ isSentWhole: false, below: 10 });
  });

  it('sends no catalog whole where the window is not known, or whoever knows it fails', async () => {
    const failing = (): never => {
      throw new Error('no such model');
    };
    for (const contextWindow of [() => undefined, failing])
      expect((await sentIn(1, contextWindow)).event).toMatchObject({ isSentWhole: false, limit: 'share', below: 0 });
  });

  it('is refused without the window', () => {
    const make = () => rig({ tools: few(), passthroughBelow: { share: 0.1 } });
    expect(make).toThrow(/"passthroughBelow.share" must be used with passthroughBelow.contextWindow/);
  });
});

describe.each(RUNS)('a catalog below passthroughBelow, in $how,', ({ run }) => {
  it('is sent whole on every step, without meta-tools and system text, and reported once', async () => {
    const events: ToolSearchEvent[] = [];
    const { agent, model } = rig(
      { tools: few(), passthroughBelow: 8, injectCatalog: true, onEvent: (event) => events.push(event) },
      { script: calls(call('get_weather'), call('send_email')) },
    );
    await run(agent, 'weather');
    expect(model.calls.map(toolNames)).toEqual([NAMES, NAMES, NAMES]);
    for (const { prompt } of model.calls) expect(systemText(prompt)).toBe('Help.');
    const ran = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => value);
    expect(ran).toMatchObject([{ ran: 'get_weather' }, { ran: 'send_email' }]);
    expect(events).toEqual([{ type: 'passthrough', isSentWhole: true, limit: 'tools', size: 2, below: 8 }]);
  });

  it('has no tool run whose right is withdrawn after it was sent', async () => {
    const execute = vi.fn(async () => 'ran');
    let isAllowed = true;
    const script: Script = ({ step }) => {
      isAllowed = false;
      return step === 0 ? { toolCalls: [call('get_weather')] } : { text: 'done' };
    };
    const { agent, model } = rig(
      {
        tools: toolRecord(tool('get_weather', 'Weather.', { execute })),
        passthroughBelow: 8,
        filter: ({ phase }) => phase !== 'active' || isAllowed,
      },
      { script },
    );
    await run(agent, 'weather');
    expect(model.sent(0)).toEqual(['get_weather']);
    expect(model.sent(1)).toEqual([]);
    expect(execute).not.toHaveBeenCalled();
  });
});

it('a tool that was sent whole is called with the id of its agent, beside the tools of agent and request', async () => {
  const seen: unknown[] = [];
  const execute = async (_input: unknown, context: { agent?: { agentId?: string } }) =>
    seen.push(context.agent?.agentId);
  for (const fillers of [{}, fillerTools(501)]) {
    const tools = { ...toolRecord(tool('subject', 'S.', { execute })), ...fillers };
    const { agent, model } = rig(
      { tools, passthroughBelow: Number.POSITIVE_INFINITY, includeResolvedTools: true },
      { script: calls(call('subject'), call('own')), agent: { tools: toolRecord(tool('own')) } },
    );
    await agent.generate('go', { toolsets: { more: toolRecord(tool('given')) } } as never);
    expect(model.sent(0)).toEqual(expect.arrayContaining(['given', 'own', 'subject']));
    expect(model.result()).toMatchObject({ ran: 'own' });
  }
  expect(seen).toEqual(['test-agent', 'test-agent']);
});

it.each(['search', 'load', 'active'])(
  'passthroughBelow hides what the %s phase denies, and a call of it fails',
  async (denied) => {
    const execute = vi.fn();
    const { agent, model } = rig(
      {
        tools: { ...few(), ...toolRecord(tool('secret', 'Secret.', { execute })) },
        passthroughBelow: 8,
        filter: ({ toolName, phase }) => toolName !== 'secret' || phase !== denied,
      },
      { script: calls(call('secret')) },
    );
    expect((await agent.generate('go')).text).toBe('done');
    expect(model.sent()).toEqual(NAMES);
    expect(lastToolResult(model.calls.at(-1)!.prompt)?.isError).toBe(true);
    expect(execute).not.toHaveBeenCalled();
  },
);

const many = (): Record<string, MastraTool> => ({ ...few(), ...fillerTools(20) });
const turn = { memory: { thread: 'thread-1', resource: 'user-1' } };
const withMemory = () => ({ memory: newMemory() });

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
    const searched = model.calls.map((received) => toolNames(received).includes('search_tools'));
    expect(searched).toEqual([false, false, true, true]);
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
    inMastra(made.agent, storage);
    return made;
  };
  const waiting = await start().agent.generate('go', turn);
  const { agent, model } = start();
  await approve(agent, waiting);
  expect(model.result()).toMatchObject({ ran: 'pay' });
  expect(model.sent()).toEqual([...NAMES, 'pay']);
});
