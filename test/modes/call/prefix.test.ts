import { describe, expect, it } from 'vitest';
import { type Mode, run, turn } from '../../agent/missed-calls.ts';
import { call, calls, email, load, newMemory, SIZES, tool, toolRecord, weather } from '../../support/agent.ts';
import { inTurn } from '../../support/breadth.ts';
import { type ModelCall, type ModelReply, systemText, toolResults } from '../../support/scripted-model.ts';
import { answersTo, callRig, through } from './setup.ts';

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
const two = () => toolRecord(weather(), email());

/** The messages without what Mastra notes beside them, which no provider is sent. */
const wireOf = ({ prompt }: ModelCall): string[] =>
  prompt.map(({ role, content }) =>
    JSON.stringify({ role, content }, (key, value) => (/^(providerOptions|createdAt)$/.test(key) ? undefined : value)),
  );

it.each(inTurn({ mode: modes, catalog: SIZES, version: ['v2', 'v3', 'v4'] }))(
  'prompts begin with those before, and show the calls as the model wrote them ($mode, $catalog.size catalog, $version)',
  async ({ mode, catalog: { fillers }, version }) => {
    const steps: readonly (readonly ReturnType<typeof call>[])[] = [
      [call('search_tools', { query: 'weather' })],
      [through('get_weather', { text: 'Rome' }), through('get_wether')],
      [call('call_tool', { arguments: '{"text":"x"}', toolName: 'send_email' })],
      [call('clock', { text: 'now' }), through('clock', {})],
    ];
    const script = ({ step }: { step: number }): ModelReply =>
      steps[step] ? { text: 'One moment.', toolCalls: [...steps[step]] } : { text: 'done' };
    const { model, agent } = callRig({ tools: { ...two(), ...fillers } }, script, {
      version,
      agent: { memory: newMemory(), tools: { clock: tool('clock') } },
    });
    for (const _ of ['a turn', 'another']) await run({ agent }, mode, turn);
    expect(model.calls).toHaveLength(2 * (steps.length + 1));
    expect(new Set(model.calls.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
    for (const [at, received] of model.calls.entries()) {
      const before = at === 0 ? [] : wireOf(model.calls[at - 1]!);
      expect(wireOf(received).slice(0, before.length)).toEqual(before);
    }
    const { prompt } = model.calls[steps.length]!;
    const written = prompt.flatMap(({ role, content }) =>
      role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? [part] : [])) : [],
    );
    expect(written.map(({ toolName, input }) => JSON.stringify({ toolName, input }))).toEqual(
      steps.flat().map(({ toolName, input }) => JSON.stringify({ toolName, input })),
    );
    expect(toolResults(prompt).map(({ toolName }) => toolName)).toEqual(steps.flat().map(({ toolName }) => toolName));
    expect(toolResults(prompt)[1]?.value).toEqual({ ran: 'get_weather', input: { text: 'Rome' } });
    expect(JSON.stringify(prompt)).not.toContain('mastra-tool-search');
  },
);

it.each([
  {
    mode: 'load',
    next: 'call',
    written: [load('get_weather'), call('get_weather')],
    shown: ['load_tool', 'get_weather'],
  },
  { mode: 'call', next: 'load', written: [through('get_weather')], shown: ['call_tool'] },
] as const)('a conversation of mode $mode goes on in mode $next', async ({ mode, next, written, shown }) => {
  const agent = { memory: newMemory() };
  const first = callRig({ tools: two(), mode }, calls(...written), { agent });
  await first.agent.generate('go', turn as never);
  const second = callRig({ tools: two(), mode: next }, () => ({ text: 'done' }), { agent });
  await second.agent.generate('go on', turn as never);
  expect(second.model.sent(0)).toContain(next === 'call' ? 'call_tool' : 'load_tool');
  const results = toolResults(second.model.calls[0]!.prompt);
  expect(results.map(({ toolName, isError }) => [toolName, isError])).toEqual(shown.map((name) => [name, false]));
});

describe('a suggestion', () => {
  const options = { preselect: true, timeouts: { preselect: 10_000 } } as const;
  const question = 'What is the current weather in the city of Paris?';
  const taking = (description: string) =>
    tool('get_weather', 'Get the current weather of a city', {
      inputSchema: { type: 'object', properties: { city: { type: 'string', description } }, required: ['city'] },
    });

  it("has no more than the name of a client's tool: its text must not become system text", async () => {
    const { description, inputSchema } = taking('EVIL');
    const client = { id: 'get_weather', description: `${description}. EVIL`, inputSchema };
    const tools = toolRecord(tool('send_email', 'Send.'));
    const { agent, model } = callRig({ tools, includeResolvedTools: true, ...options }, calls());
    await agent.generate(question, { clientTools: { get_weather: client } as never });
    const text = systemText(model.calls[0]!.prompt);
    expect(text).toContain('{"name":"get_weather"}');
    expect(text).not.toContain('EVIL');
  });

  it('has nothing that a person does not see, and the signature of a tool whose definition is large', async () => {
    for (const [written, told] of [
      ['Name\u200b\u202e\u{E0049} of a city', 'Name of a city'],
      ['x'.repeat(50_000), '"signature":"(city)"'],
    ] as const) {
      const tools = toolRecord(taking(written));
      const { agent, model } = callRig({ tools, ...options }, calls(call('search_tools', { query: 'weather' })));
      await agent.generate(question);
      const text = systemText(model.calls[0]!.prompt);
      expect(text).toContain(told);
      expect(text.length).toBeLessThan(2_000);
      expect(JSON.stringify(model.calls.at(-1)!.prompt)).not.toMatch(/[\u200b\u202e]|\u{E0049}/u);
    }
  });

  it('is not the name that was asked for', async () => {
    const filter = ({ phase }: { phase: string }): boolean => phase !== 'active';
    const { values } = await answersTo({ tools: toolRecord(weather()), filter }, [through('get_weather')]);
    expect(JSON.stringify(values)).toContain('not found');
    expect(JSON.stringify(values)).not.toContain('Did you mean');
  });
});
