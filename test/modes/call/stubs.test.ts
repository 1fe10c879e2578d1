import type { ToolStub } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { type Mode, run } from '../../agent/missed-calls.ts';
import { call, calls, fillerTools, tool } from '../../support/harness.ts';
import { lastToolResult, toolResults } from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

const sizes = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
];
const modes: readonly Mode[] = ['generate', 'stream', 'durable'];

const lazyToolOf = (resolve: ToolStub['resolve']): ToolStub => ({
  id: 'get_weather',
  description: 'Get the weather of a city.',
  parameters: ['text'],
  resolve,
});

describe.each(sizes)('a stub of a $size catalog, called without being sent,', ({ fillers }) => {
  const ways = [
    { way: "mode: 'call'", options: { mode: 'call' }, written: through('get_weather', { text: 'x' }) },
    { way: "onMiss: 'run'", options: { mode: 'load', onMiss: 'run' }, written: call('get_weather', { text: 'x' }) },
  ] as const;
  describe.each(ways)('with $way', ({ options, written }) => {
    it.each(modes)('is resolved once in a run, and runs, in %s', async (mode) => {
      const resolve = vi.fn(async () => tool('get_weather'));
      const made = callRig({ tools: { stub: lazyToolOf(resolve), ...fillers }, ...options }, calls(written, written));
      await run(made, mode);
      const results = toolResults(made.model.calls.at(-1)!.prompt).map(({ value }) => value);
      expect(results).toEqual(Array(2).fill({ ran: 'get_weather', input: { text: 'x' } }));
      expect(resolve).toHaveBeenCalledTimes(1);
    });

    it('waits for the approval that the tool behind it wants, and for no other', async () => {
      for (const requireApproval of [true, false]) {
        const stub = lazyToolOf(async () => tool('get_weather', 'Weather.', { requireApproval }));
        const { agent } = callRig({ tools: { stub, ...fillers }, ...options }, calls(written));
        const { finishReason } = await agent.generate('go');
        expect(finishReason).toBe(requireApproval ? 'suspended' : 'stop');
      }
    });

    it('does not run where it cannot be resolved', async () => {
      const stub = lazyToolOf(async () => {
        throw new Error('down');
      });
      const { agent, model, events } = callRig({ tools: { stub, ...fillers }, ...options }, calls(written));
      await agent.generate('go');
      expect(JSON.stringify(lastToolResult(model.calls[1]!.prompt)?.value)).toMatch(/cannot be used|not found/);
      expect(events.filter(({ type }) => type === 'stub-failed')).toHaveLength(1);
    });
  });

  it('shows its signature in a search, and its definition when it is selected', async () => {
    const resolve = vi.fn(async () => tool('get_weather'));
    const { agent, model } = callRig(
      { tools: { stub: lazyToolOf(resolve), ...fillers } },
      calls(call('search_tools', { query: 'weather' }), call('search_tools', { query: 'select:get_weather' })),
    );
    await agent.generate('go');
    expect(toolResults(model.calls[2]!.prompt).map(({ value }) => value)).toMatchObject([
      { results: [{ name: 'get_weather', signature: '(text)' }] },
      { results: [{ name: 'get_weather', parameters: { properties: { text: { type: 'string' } } } }] },
    ]);
    expect(resolve).toHaveBeenCalledTimes(1);
  });
});
