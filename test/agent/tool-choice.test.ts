import type { MastraTool, ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { through } from '../modes/call/setup.ts';
import {
  call,
  calls,
  email,
  META,
  newMemory,
  type Rig,
  rig,
  SIZES,
  tool,
  toolRecord,
  weather,
} from '../support/harness.ts';
import { memorySource } from '../support/memory-source.ts';
import { type ModelCall, systemText, toolNames } from '../support/scripted-model.ts';
import { type Mode, run, turn } from './missed-calls.ts';

type Options = Partial<ToolSearchProcessorOptions>;
const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
const forced = (toolName: string, more: object = {}): never =>
  ({ ...turn, toolChoice: { type: 'tool', toolName }, maxSteps: 2, ...more }) as never;

/** A model that calls the tool that it has to call, as any would; where it is free, it says done. */
function obeying(
  options: Options,
  input: object = { text: 'x' },
  agent: object = {},
): Rig & { readonly events: ToolSearchEvent[] } {
  const events: ToolSearchEvent[] = [];
  const script = ({ toolChoice, step }: ModelCall) =>
    toolChoice?.type === 'tool' && step === 0
      ? {
          toolCalls: [
            toolChoice.toolName === 'call_tool' ? through('get_weather', input) : call(toolChoice.toolName, input),
          ],
        }
      : { text: 'done' };
  const tools = toolRecord(weather(), email());
  const made = rig({ tools, onEvent: (event) => events.push(event), ...options } as ToolSearchProcessorOptions, {
    script,
    agent: { memory: newMemory(), ...agent },
  });
  return { ...made, events };
}

/** The tools of the first model call, and what it had to call. */
const asked = ({ model }: Rig) => ({ tools: model.sent(0), choice: model.calls[0]!.toolChoice });
const loads = (events: readonly ToolSearchEvent[]) =>
  events.flatMap((event) => (event.type === 'load' ? [{ ...event, time: 0, ms: 0 }] : []));
const RAN = { ran: 'get_weather', input: { text: 'x' } };

describe.each(modes)('a tool of the catalog that a request has to call, in %s,', (mode) => {
  it.each(SIZES)('is loaded for the step at hand, in a $size catalog', async ({ fillers }) => {
    const made = obeying({ tools: { ...toolRecord(weather(), email()), ...fillers } });
    await run(made, mode, forced('get_weather'));
    expect(asked(made)).toEqual({
      tools: [...META, 'get_weather'],
      choice: { type: 'tool', toolName: 'get_weather' },
    });
    expect(made.model.result(1)).toEqual(RAN);
    expect(loads(made.events)).toMatchObject([{ by: 'request', loaded: ['get_weather'], denied: [] }]);
  });

  it.each([
    ['load', 'load'],
    ['load', 'active'],
    ['call', 'load'],
    ['call', 'active'],
  ] as const)('is not sent, in mode %s, where the filter denies phase %s', async (way, denied) => {
    const filter: Options['filter'] = ({ toolName, phase }) => toolName !== 'get_weather' || phase !== denied;
    const made = obeying({ mode: way, filter });
    await run(made, mode, forced('get_weather'));
    const tools = way === 'load' ? META : ['search_tools', 'call_tool'];
    expect(asked(made)).toEqual({ tools, choice: { type: 'auto' } });
    expect(JSON.stringify(made.model.calls)).not.toContain('get_weather');
    expect(loads(made.events)).toMatchObject([{ by: 'request', loaded: [], denied: ['get_weather'] }]);
  });

  it('is called through call_tool in call mode, with its definition told', async () => {
    const made = obeying({ mode: 'call' });
    await run(made, mode, forced('get_weather'));
    expect(asked(made)).toEqual({
      tools: ['search_tools', 'call_tool'],
      choice: { type: 'tool', toolName: 'call_tool' },
    });
    expect(systemText(made.model.calls[0]!.prompt)).toMatch(/"name":"get_weather".*"parameters":\{.*"text"/);
    expect(made.model.result(1)).toEqual(RAN);
  });

  it('is known by its record key, and by an id that providers refuse, and asked for by its name', async () => {
    for (const way of ['load', 'call'] as const) {
      const made = obeying({ mode: way, tools: { forecast: weather() } });
      await run(made, mode, forced('forecast'));
      const toolName = way === 'call' ? 'call_tool' : 'get_weather';
      expect(asked(made).choice).toEqual({ type: 'tool', toolName });
      expect(made.model.result(1)).toEqual(RAN);
    }
    const dotted = obeying({ tools: { other: tool('weather.get') } });
    await run(dotted, mode, forced('weather.get'));
    expect(asked(dotted).choice).toEqual({ type: 'tool', toolName: 'weather_get' });
    expect(dotted.model.result(1)).toMatchObject({ ran: 'weather.get' });
  });

  it('is fetched from a source', async () => {
    for (const way of ['load', 'call'] as const) {
      const made = obeying({ mode: way, tools: await memorySource(toolRecord(weather(), email())) } as never);
      await run(made, mode, forced('get_weather'));
      expect([asked(made).choice?.type, made.model.result(1)]).toEqual(['tool', RAN]);
    }
  });

  it('is resolved where it is a stub; one without a definition is not sent', async () => {
    const stub = (resolve: () => MastraTool) => ({
      get_weather: { id: 'get_weather', description: 'Weather.', resolve },
    });
    const failing = (): never => {
      throw new Error('no definition today');
    };
    for (const way of ['load', 'call'] as const) {
      const made = obeying({ mode: way, tools: stub(() => weather()) });
      await run(made, mode, forced('get_weather'));
      expect(asked(made).choice?.type).toBe('tool');
      expect(made.model.result(1)).toEqual(RAN);
      const broken = obeying({ mode: way, tools: stub(failing) });
      await run(broken, mode, forced('get_weather'));
      expect(asked(broken).choice).toEqual({ type: 'auto' });
      expect(loads(broken.events)).toMatchObject([{ by: 'request', loaded: [], failed: ['get_weather'] }]);
    }
  });
});

describe('a tool that a request has to call', () => {
  it("joins the caller's list of active tools", async () => {
    const made = obeying({}, undefined, { tools: { clock: tool('clock'), timer: tool('timer') } });
    await made.agent.generate('go', forced('get_weather', { activeTools: ['clock'] }));
    expect(asked(made).tools).toEqual([...META, 'clock', 'get_weather']);
  });

  it("may be one of the agent's own that are searched", async () => {
    const own = toolRecord(weather(), email());
    for (const filter of [undefined, () => true]) {
      const made = obeying({ tools: {}, includeResolvedTools: true, ...(filter ? { filter } : {}) }, undefined, {
        tools: own,
      });
      await made.agent.generate('go', forced('get_weather'));
      expect(asked(made)).toEqual({
        tools: [...META, 'get_weather'],
        choice: { type: 'tool', toolName: 'get_weather' },
      });
      expect(made.model.result(1)).toEqual(RAN);
    }
  });

  it('is loaded once, or reported once where it is not sent: Mastra asks for it in every step of the run', async () => {
    const made = obeying({});
    await made.agent.generate('go', forced('get_weather', { maxSteps: 3 }));
    expect(made.model.calls.map(({ toolChoice }) => toolChoice?.type)).toEqual(['tool', 'tool']);
    expect(made.model.calls.map(toolNames)).toEqual(Array(2).fill([...META, 'get_weather']));
    expect(loads(made.events)).toHaveLength(1);
    const events: ToolSearchEvent[] = [];
    const filter: Options['filter'] = ({ toolName }) => toolName !== 'get_weather';
    const { agent } = rig(
      { tools: toolRecord(weather(), email()), filter, onEvent: (event) => events.push(event) },
      { script: calls(call('search_tools', { query: 'mail' })) },
    );
    await agent.generate('go', forced('get_weather', { maxSteps: 3 }));
    expect(loads(events)).toHaveLength(1);
  });

  it.each(['clock', 'search_tools', 'no_such_tool'])(
    'is left to Mastra where it is no tool of the catalog: %s',
    async (name) => {
      for (const way of ['load', 'call'] as const) {
        const made = obeying({ mode: way }, undefined, { tools: { clock: tool('clock') } });
        await made.agent.generate('go', forced(name));
        expect(asked(made).choice).toEqual({ type: 'tool', toolName: name });
        expect(loads(made.events)).toEqual([]);
      }
    },
  );

  it('is sent as it is where the whole catalog is, and asked for where it is there', async () => {
    const made = obeying({ passthroughBelow: 10 });
    await made.agent.generate('go', forced('get_weather'));
    expect(asked(made)).toMatchObject({ choice: { type: 'tool', toolName: 'get_weather' } });
    const denied = obeying({ passthroughBelow: 10, filter: ({ toolName }) => toolName !== 'get_weather' });
    await denied.agent.generate('go', forced('get_weather'));
    expect(asked(denied)).toEqual({ tools: ['send_email'], choice: { type: 'auto' } });
  });

  it('is not evicted for, and not sent, where there is no room for it', async () => {
    const made = obeying({ maxLoaded: { tokens: 1 } });
    await made.agent.generate('go', forced('get_weather'));
    expect(asked(made)).toEqual({ tools: META, choice: { type: 'auto' } });
    expect(loads(made.events)).toMatchObject([{ by: 'request', loaded: [], noRoom: ['get_weather'] }]);
  });

  it('is asked for by the name of its processor in front', async () => {
    const front = {
      id: 'front',
      processInputStep: () => ({ toolChoice: { type: 'tool', toolName: 'get_weather' } }),
    };
    const events: ToolSearchEvent[] = [];
    const made = obeying({ onEvent: (event) => events.push(event) });
    const { agent, model } = rig(
      { tools: toolRecord(weather()) },
      {
        script: calls(call('get_weather', { text: 'x' })),
        agent: { inputProcessors: [front as never, made.processor] },
      },
    );
    await agent.generate('go', { maxSteps: 2 });
    expect(model.sent(0)).toEqual([...META, 'get_weather']);
  });

  it('is called through call_tool where prepareStep asks for it in call mode, unless the filter denies it', async () => {
    const prepareStep = () => ({ toolChoice: { type: 'tool', toolName: 'get_weather' } });
    const made = obeying({ mode: 'call' });
    await made.agent.generate('go', { maxSteps: 2, prepareStep } as never);
    expect(asked(made).choice).toEqual({ type: 'tool', toolName: 'call_tool' });
    expect(made.model.result(1)).toEqual(RAN);
    const denied = obeying({ mode: 'call', filter: ({ toolName }) => toolName !== 'get_weather' });
    await denied.agent.generate('go', { maxSteps: 2, prepareStep } as never);
    expect(asked(denied).choice).toEqual({ type: 'auto' });
  });

  it('is not sent in native mode where the filter denies its load', async () => {
    const filter: Options['filter'] = ({ toolName, phase }) => toolName !== 'get_weather' || phase !== 'load';
    const native: Options = { mode: 'native', native: { execution: 'client', detect: () => 'anthropic' } };
    const denied = obeying({ ...native, filter });
    await denied.agent.generate('go', forced('get_weather'));
    expect(asked(denied)).toMatchObject({ choice: { type: 'auto' } });
    expect(JSON.stringify(denied.model.calls[0]!.tools)).not.toContain('get_weather');
    const made = obeying(native);
    await made.agent.generate('go', forced('get_weather'));
    expect(asked(made)).toMatchObject({ choice: { type: 'tool', toolName: 'get_weather' } });
    expect(made.model.result(1)).toEqual(RAN);
  });
});

describe.each(modes)('call_tool runs no tool, in %s,', (mode) => {
  const ways = [
    ['no tool', 'none', /No tool may be called now/],
    ...['clock', 'search_tools', 'get_weather'].map((toolName) => [
      toolName,
      { type: 'tool', toolName },
      new RegExp(`Only the tool "${toolName}" may be called now`),
    ]),
  ] as [only: string, choice: unknown, message: RegExp][];
  const places = ['call', 'prepareStep'] as const;
  /** A later processor that returns other tools: then `call_tool` stands by itself. */
  const later = { id: 'later', processInputStep: ({ tools }: { tools: object }) => ({ tools: { ...tools } }) };

  const all = ways.flatMap(([only, choice, message]) =>
    places
      .filter((place) => place === 'call' || mode !== 'durable')
      .flatMap((place) => [false, true].map((isAlone) => ({ only, choice, message, place, isAlone }))),
  );
  it.each(all)('where $only is asked for, by $place, alone: $isAlone', async ({ choice, message, place, isAlone }) => {
    const execute = vi.fn(async () => 'ran');
    const tools = toolRecord(weather(), tool('send_email', 'Send an email.', { execute }));
    const made = rig(
      { tools, mode: 'call' },
      { script: calls(through('send_email', { text: 'x' })), agent: { tools: { clock: tool('clock') } } },
    );
    const { model, processor } = made;
    const inputProcessors = [processor, ...(isAlone ? [later] : [])];
    const { agent } = rig(
      { tools },
      { script: () => ({}), agent: { model, inputProcessors, tools: { clock: tool('clock') } } as never },
    );
    const asking = place === 'call' ? { toolChoice: choice } : { prepareStep: () => ({ toolChoice: choice }) };
    await run({ agent }, mode, { ...asking, maxSteps: 2 } as never);
    expect(execute).not.toHaveBeenCalled();
    expect(model.result(1)).toMatchObject({ success: false, message: expect.stringMatching(message) });
  });

  it('but the one that is asked for, and any where some call is', async () => {
    const clock = tool('clock');
    const own = rig(
      { tools: toolRecord(weather()), mode: 'call' },
      { script: calls(through('clock', { text: 'x' })), agent: { tools: { clock } } },
    );
    await run(own, mode, forced('clock'));
    expect(own.model.result(1)).toEqual({ ran: 'clock', input: { text: 'x' } });
    for (const toolChoice of ['required', { type: 'tool', toolName: 'call_tool' }]) {
      const free = rig(
        { tools: toolRecord(weather()), mode: 'call' },
        { script: calls(through('get_weather', { text: 'x' })) },
      );
      await run(free, mode, { toolChoice, maxSteps: 2 } as never);
      expect(free.model.result(1)).toEqual(RAN);
    }
  });
});
