import type { ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { fillerTools, rig, searchLoadCall, weather } from '../support/harness.ts';
import { run, turn, withMemory } from './missed-calls.ts';

describe.each(['generate', 'stream', 'durable'] as const)('with %s, every event of a run', (mode) => {
  it.each([{ size: 3 }, { size: 501 }])('says whose it is, with $size tools', async ({ size }) => {
    const events: ToolSearchEvent[] = [];
    const made = rig(
      { tools: { get_weather: weather(), ...fillerTools(size) }, onEvent: (event) => events.push(event) },
      { script: searchLoadCall('weather'), agent: withMemory() },
    );
    await run(made, mode, turn);
    const told = events.filter(({ type }) => type === 'search' || type === 'load');
    expect(told.map(({ type, step }) => [type, step])).toEqual([
      ['search', 1],
      ['load', 2],
    ]);
    const [{ runId } = {}] = events;
    expect(runId).toEqual(expect.any(String));
    const whose = { runId, agentId: 'test-agent', threadId: 't', resourceId: 'r' };
    for (const event of events) expect(event).toMatchObject(whose);
  });
});
