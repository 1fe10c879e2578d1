import { describe, expect, it } from 'vitest';
import { call, calls, email, rig, toolRecord, weather } from '../support/harness.ts';
import type { ModelVersion } from '../support/scripted-model.ts';
import { systemText, toolResults } from '../support/scripted-model.ts';
import { CALLED_LATER, hintsIn, type Mode, missing, run, toldWithResults, turn, withMemory } from './missed-calls.ts';

const versions: readonly ModelVersion[] = ['v3', 'v4'];
const inProcess: readonly Mode[] = ['generate', 'stream'];

describe('the news of a missed call', () => {
  it.each(versions.flatMap((version) => inProcess.map((mode) => ({ version, mode }))))(
    'stands with its result, and the prompt before it stays as it was ($version, $mode)',
    async ({ version, mode }) => {
      const script = calls(call('get_weather'), call('get_weather'));
      const made = rig({ tools: toolRecord(weather(), email()), onMiss: 'load' }, { script, version });
      await run(made, mode);
      const prompts = made.model.calls.map(({ prompt }) => prompt);
      expect(prompts.map((prompt) => toldWithResults({ prompt }))).toEqual([[], [CALLED_LATER], [CALLED_LATER]]);
      expect(new Set(prompts.map(systemText)).size).toBe(1);
      for (const [position, prompt] of prompts.slice(1).entries()) {
        const before = prompts[position] ?? [];
        expect(prompt.slice(0, before.length)).toEqual(before);
      }
      expect(toolResults(prompts[1] ?? [])[0]?.isError).toBe(true);
    },
  );

  it('is not stored', async () => {
    const agent = withMemory();
    const made = missing(['get_weather', 'get_weather'], {}, agent);
    await run(made, 'generate', turn);
    const { messages } = await agent.memory.recall({ threadId: 't', resourceId: 'r' });
    expect(JSON.stringify(messages)).toContain('not found');
    expect(JSON.stringify(messages)).not.toContain('available now');
    await made.agent.generate('and now?', turn as never);
    expect(hintsIn(made.model.calls.at(-1)!)).toEqual([]);
  });

  it('stands with its result in a DurableAgent', async () => {
    const made = missing(['get_weather', 'get_weather'], {}, withMemory());
    await run(made, 'durable', turn);
    expect(toldWithResults(made.model.calls[1]!)).toEqual([CALLED_LATER]);
  });

  it('is system text where Mastra does not call processLLMRequest', async () => {
    const made = missing(['get_weather', 'get_weather']);
    Object.defineProperty(made.processor, 'processLLMRequest', { value: undefined });
    await run(made, 'generate');
    expect(toldWithResults(made.model.calls[1]!)).toEqual([]);
    expect(systemText(made.model.calls[1]!.prompt)).toContain(CALLED_LATER);
  });
});
