import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { through } from '../modes/call/setup.ts';
import { call, calls, email, fillerTools, META, newMemory, rig, tool, toolRecord, weather } from '../support/agent.ts';
import { memorySource } from '../support/memory-source.ts';
import { type ModelCall, systemText, toolNames } from '../support/scripted-model.ts';
import { type Mode, run, turn } from './missed-calls.ts';

const CALL_META = ['search_tools', 'call_tool'];
const RAN = { ran: 'get_weather', input: { text: 'x' } };
const catalog = () => toolRecord(weather(), email());
const forcing = (toolName: string) => ({ toolChoice: { type: 'tool', toolName } });
const denying = (denied: string) => ({
  filter: ({ toolName, phase }: { toolName: string; phase: string }) => toolName !== 'get_weather' || phase !== denied,
});
const native = { mode: 'native', native: { execution: 'client', detect: () => 'anthropic' } };

/** A model that calls the tool that it has to call, as any would; where it is free, it says done. */
const obeying = ({ toolChoice, step }: ModelCall) => {
  if (toolChoice?.type !== 'tool' || step > 0) return { text: 'done' };
  const { toolName } = toolChoice;
  const input = { text: 'x' };
  return { toolCalls: [toolName === 'call_tool' ? through('get_weather', input) : call(toolName, input)] };
};

function make(options: object, front: readonly object[] = [], tools: object = {}, script = obeying) {
  const agent = { memory: newMemory(), tools };
  const made = rig({ tools: catalog(), ...options }, { script, agent, around: (own) => [...front, own] });
  const loads = () => made.events.filter(({ type }) => type === 'load');
  return { ...made, loads };
}

interface Expected {
  /** The tools of the first step. */
  readonly sent: readonly string[];
  /** What the model has to call, or null where it is free. */
  readonly choice: string | null;
  readonly load?: object | null;
}

const LOADED = { sent: [...META, 'get_weather'], choice: 'get_weather', load: { loaded: ['get_weather'], denied: [] } };
const CALLED = { sent: CALL_META, choice: 'call_tool' };
const refused = (by: 'denied' | 'failed' | 'noRoom', sent = META): Expected => ({
  ...{ sent, choice: null, load: { loaded: [], [by]: ['get_weather'] } },
});
const stub = (resolve: () => MastraTool) => ({ get_weather: { id: 'get_weather', description: 'Weather.', resolve } });
const failing = (): never => {
  throw new Error('no definition today');
};
const dotted = tool('get.weather', 'Weather.', { execute: async () => RAN });
const own = toolRecord(tool('clock'), tool('timer'));
const source = await memorySource(catalog());
const searched = { tools: {}, includeResolvedTools: true };
const front = [{ id: 'front', processInputStep: () => forcing('get_weather') }];
const CALL = { mode: 'call' };

interface Setup {
  /** What is asked for. @default 'get_weather' */
  readonly name?: string;
  readonly own?: object;
  readonly front?: readonly object[];
  readonly activeTools?: readonly string[];
}
const cases: readonly [what: string, options: object, expected: Expected, setup?: Setup][] = [
  ['is loaded for the step at hand', {}, LOADED],
  ['in a large catalog, too', { tools: { ...catalog(), ...fillerTools(501) } }, LOADED],
  ['is called through call_tool in call mode', CALL, CALLED],
  ['is not sent where the filter denies its load', denying('load'), refused('denied')],
  ['is not sent where the filter denies its use', denying('active'), refused('denied')],
  ['is not told in call mode where its load is denied', { ...CALL, ...denying('load') }, refused('denied', CALL_META)],
  ['is not told in call mode where its use is denied', { ...CALL, ...denying('active') }, refused('denied', CALL_META)],
  ['is known by its record key', { tools: { forecast: weather() } }, LOADED, { name: 'forecast' }],
  ['has a record key in call mode', { ...CALL, tools: { forecast: weather() } }, CALLED, { name: 'forecast' }],
  ['is asked for by an accepted name', { tools: { other: dotted } }, LOADED, { name: 'get.weather' }],
  ['is resolved where it is a stub', { tools: stub(weather) }, LOADED],
  ['is resolved in call mode', { ...CALL, tools: stub(weather) }, CALLED],
  ['is fetched from a source', { tools: source }, LOADED],
  ['is fetched from a source in call mode', { ...CALL, tools: source }, CALLED],
  ['is not sent without a definition', { tools: stub(failing) }, refused('failed')],
  ['is not told in call mode without a definition', { ...CALL, tools: stub(failing) }, refused('failed', CALL_META)],
  ['joins active tools', {}, { ...LOADED, sent: [...META, 'clock', 'get_weather'] }, { own, activeTools: ['clock'] }],
  ["may be one of the agent's own", searched, { ...LOADED, load: {} }, { own: catalog() }],
  ['may be one of them behind a filter', { ...searched, filter: () => true }, LOADED, { own: catalog() }],
  ['has no other evicted where there is no room', { maxLoaded: { tokens: 1 } }, refused('noRoom')],
  ['is in the whole catalog', { passthroughBelow: 10 }, { sent: Object.keys(catalog()), choice: 'get_weather' }],
  ['is denied there', { passthroughBelow: 10, ...denying('active') }, { sent: ['send_email'], choice: null }],
  ['may be asked for by a processor in front', {}, LOADED, { front, name: 'send_email' }],
  // The answer of a provider must not tell an unknown name from that of a forbidden tool.
  ...[META, CALL_META].map((sent): (typeof cases)[number] => [
    `is met as a forbidden one where no tool has the name: ${sent}`,
    sent === META ? {} : CALL,
    { sent, choice: null, load: { loaded: [], denied: [], notFound: ['no_such_tool'] } },
    { name: 'no_such_tool' },
  ]),
  [
    'may be none in the whole catalog',
    { passthroughBelow: 10 },
    { sent: Object.keys(catalog()), choice: null },
    { name: 'no_such_tool' },
  ],
  ...['clock', 'search_tools'].flatMap((name) =>
    [META, CALL_META].map((meta): (typeof cases)[number] => [
      `is left to Mastra where it is none of the catalog: ${name}, ${meta}`,
      meta === META ? {} : CALL,
      { sent: [...meta, 'clock', 'timer'], choice: name, load: null },
      { own, name },
    ]),
  ),
];

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];

describe('a tool that a request has to call', () => {
  it.each(cases.map(([what, ...given], at) => ({ what, given, mode: modes[at % 3]! })))(
    '$what, in $mode',
    async (one) => {
      const [options, { sent, choice, load }, setup = {}] = one.given;
      const { name = 'get_weather', activeTools } = setup;
      const made = make(options, setup.front, setup.own);
      const request = { ...turn, ...forcing(name), maxSteps: 2, ...(activeTools ? { activeTools } : {}) };
      await run(made, one.mode, request as never);
      expect(made.model.sent(0)).toEqual(sent);
      expect(made.model.calls[0]!.toolChoice).toEqual(
        choice === null ? { type: 'auto' } : { type: 'tool', toolName: choice },
      );
      if (choice === null && name === 'get_weather')
        expect(JSON.stringify(made.model.calls)).not.toContain('get_weather');
      if (choice === 'get_weather' || choice === 'call_tool') expect(made.model.result(1)).toEqual(RAN);
      if (choice === 'call_tool')
        expect(systemText(made.model.calls[0]!.prompt)).toMatch(/"name":"get_weather".*"parameters":\{.*"text"/);
      if (load !== undefined)
        expect(made.loads()).toMatchObject(load === null ? [] : [{ type: 'load', by: 'request', ...load }]);
    },
  );
});

describe('a tool that a request has to call', () => {
  const generate = async (made: ReturnType<typeof make>, more: object = forcing('get_weather')) => {
    await made.agent.generate('go', { ...turn, maxSteps: 3, ...more } as never);
    return made.model.calls[0]!.toolChoice;
  };

  it('is loaded once, or reported once where it is not sent: Mastra asks for it in every step of the run', async () => {
    const made = make({});
    await generate(made);
    expect(made.model.calls.map(({ toolChoice }) => toolChoice?.type)).toEqual(['tool', 'tool']);
    expect(made.model.calls.map(toolNames)).toEqual(Array(2).fill(LOADED.sent));
    expect(made.loads()).toHaveLength(1);
    const denied = make(denying('active'), [], {}, calls(call('search_tools', { query: 'mail' })) as never);
    await generate(denied);
    expect(denied.loads()).toHaveLength(1);
  });

  it('is left to another processor behind, where that one has it', async () => {
    const behind = new ToolSearchProcessor({
      tools: { behind: tool('behind') },
      metaTools: { search: { name: 'find' }, load: { name: 'take' } },
    });
    const first = new ToolSearchProcessor({ tools: catalog() });
    const { agent, model } = rig(
      { tools: {} },
      { script: obeying, agent: { inputProcessors: [first, behind] } as never },
    );
    await agent.generate('go', { ...forcing('behind'), maxSteps: 2 } as never);
    expect(model.calls[0]!.toolChoice).toEqual({ type: 'tool', toolName: 'behind' });
    expect(model.result(1)).toMatchObject({ ran: 'behind' });
  });

  it('is sent in native mode, unless the filter denies its load', async () => {
    const made = make(native);
    expect(await generate(made)).toEqual({ type: 'tool', toolName: 'get_weather' });
    expect(made.model.result(1)).toEqual(RAN);
    const denied = make({ ...native, ...denying('load') });
    expect(await generate(denied)).toEqual({ type: 'auto' });
    expect(JSON.stringify(denied.model.calls[0]!.tools)).not.toContain('get_weather');
  });
});

// What `prepareStep` says comes too late for a processor: docs/limits.md.
describe.each<[mode: Mode, isAlone: boolean]>([
  ['generate', false],
  ['stream', true],
  ['durable', false],
  ['durable', true],
])(
  'in %s, where the request says what may be called, and a later processor copies the tools: %s, call_tool runs',
  (mode, isAlone) => {
    const later = { id: 'later', processInputStep: ({ tools }: { tools: object }) => ({ tools: { ...tools } }) };
    const ran = vi.fn(() => 'ran');
    const own = toolRecord(tool('clock', 'Clock.', { execute: async () => ran() }));

    async function calling(name: string, toolChoice: unknown) {
      const processor = new ToolSearchProcessor({ mode: 'call', tools: toolRecord(...Object.values(catalog())) });
      const inputProcessors = [processor, ...(isAlone ? [later] : [])];
      const script = calls(through(name, { text: 'x' }));
      const made = rig({ tools: {} }, { script, agent: { inputProcessors, tools: own } as never });
      await run(made, mode, { toolChoice, maxSteps: 2 } as never);
      return made.model.result(1);
    }

    it.each<[choice: unknown, says: RegExp]>([
      ['none', /No tool may be called now/],
      ...['clock', 'search_tools', 'get_weather'].map((toolName): [unknown, RegExp] => [
        forcing(toolName).toolChoice,
        new RegExp(`Only the tool "${toolName}" may be called now`),
      ]),
    ])('no other tool: %j', async (choice, says) => {
      const message = expect.stringMatching(says);
      expect(await calling('send_email', choice)).toMatchObject({ success: false, message });
      // A name that nothing has is not searched for.
      if (choice === 'none') expect(await calling('no_such_tool', choice)).toEqual({ success: false, message });
    });

    it('the one that is asked for, and any where some call is', async () => {
      await calling('clock', forcing('clock').toolChoice);
      expect(ran).toHaveBeenCalledTimes(1);
      for (const choice of ['required', forcing('call_tool').toolChoice])
        expect(await calling('get_weather', choice)).toEqual(RAN);
    });
  },
);
