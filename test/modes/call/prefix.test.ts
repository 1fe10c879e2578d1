import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { type Mode, run, turn } from '../../agent/missed-calls.ts';
import { call, email, fillerTools, tool, toolRecord, weather } from '../../support/harness.ts';
import { type ModelCall, type ModelVersion, type Script, toolResults } from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

const sizes = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
];
const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
const versions: readonly ModelVersion[] = ['v2', 'v3', 'v4'];

/** What each step of a turn answers. */
const STEPS = [
  { toolCalls: [call('search_tools', { query: 'weather' })] },
  { text: 'One moment.', toolCalls: [through('get_weather', { text: 'Rome' }), through('get_wether')] },
  { toolCalls: [{ toolName: 'call_tool', input: { arguments: '{"text":"x"}', toolName: 'send_email' } }] },
  { toolCalls: [call('clock', { text: 'now' }), through('clock', {})] },
  { text: 'done' },
] as const;

const script: Script = ({ step }) => STEPS[step] as never;

/** The messages without what Mastra notes beside them, which no provider is sent. */
function wireOf({ prompt }: ModelCall): string[] {
  return prompt.map(({ role, content }) =>
    JSON.stringify({ role, content }, (key, value) => (isNote(key) ? undefined : value)),
  );
}
const isNote = (key: string): boolean => key === 'providerOptions' || key === 'createdAt';

describe.each(sizes)('the prompts of call mode, in a $size catalog', ({ fillers }) => {
  describe.each(modes)('in %s', (mode) => {
    it.each(versions)('begin with those before, over steps and turns, for a model of %s', async (version) => {
      const { model, agent } = callRig({ tools: { ...toolRecord(weather(), email()), ...fillers } }, script, {
        version,
        agent: { memory: new Memory({ storage: new InMemoryStore() }), tools: { clock: tool('clock') } },
      });
      await run({ agent }, mode, turn);
      await run({ agent }, mode, turn);
      expect(model.calls).toHaveLength(2 * STEPS.length);
      const tools = model.calls.map((received) => JSON.stringify(received.tools));
      expect(new Set(tools).size).toBe(1);
      for (const [at, received] of model.calls.entries()) {
        const before = at === 0 ? [] : wireOf(model.calls[at - 1]!);
        expect(wireOf(received).slice(0, before.length)).toEqual(before);
      }
    });
  });

  it('show the calls as the model wrote them', async () => {
    const { model, agent } = callRig({ tools: { ...toolRecord(weather(), email()), ...fillers } }, script, {
      agent: { tools: { clock: tool('clock') } },
    });
    await agent.generate('go');
    const last = model.calls.at(-1)!;
    const written = last.prompt.flatMap(({ role, content }) =>
      role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? [part] : [])) : [],
    );
    const answered = STEPS.flatMap((step) => ('toolCalls' in step ? step.toolCalls : []));
    expect(written.map(({ toolName, input }) => JSON.stringify({ toolName, input }))).toEqual(
      answered.map(({ toolName, input }) => JSON.stringify({ toolName, input })),
    );
    expect(toolResults(last.prompt).map(({ toolName }) => toolName)).toEqual(answered.map(({ toolName }) => toolName));
    expect(JSON.stringify(last.prompt)).not.toContain('mastra-tool-search');
  });
});

it('shows the calls of a history of load mode as they were written', async () => {
  const memory = new Memory({ storage: new InMemoryStore() });
  const tools = toolRecord(weather(), email());
  const loading = callRig(
    { tools, mode: 'load' },
    ({ step }) =>
      [
        { toolCalls: [call('load_tool', { toolName: 'get_weather' })] },
        { toolCalls: [call('get_weather', { text: 'Rome' })] },
      ][step] ?? { text: 'done' },
    { agent: { memory } },
  );
  await loading.agent.generate('go', turn as never);
  const calling = callRig({ tools }, () => ({ text: 'done' }), { agent: { memory } });
  await calling.agent.generate('go on', turn as never);
  const [received] = calling.model.calls;
  expect(received!.tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool']);
  const shown = toolResults(received!.prompt).map(({ toolName }) => toolName);
  expect(shown).toEqual(['load_tool', 'get_weather']);
});

it('keeps the calls of the bridge readable for load mode', async () => {
  const memory = new Memory({ storage: new InMemoryStore() });
  const tools = toolRecord(weather(), email());
  const calling = callRig(
    { tools },
    ({ step }) => (step === 0 ? { toolCalls: [through('get_weather')] } : { text: 'ok' }),
    {
      agent: { memory },
    },
  );
  await calling.agent.generate('go', turn as never);
  const loading = callRig({ tools, mode: 'load' }, () => ({ text: 'done' }), { agent: { memory } });
  await loading.agent.generate('go on', turn as never);
  expect(toolResults(loading.model.calls[0]!.prompt)).toMatchObject([{ toolName: 'get_weather', isError: false }]);
});
