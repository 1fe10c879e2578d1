import { expect, it } from 'vitest';
import { email, fillerTools, rig, toolRecord, weather } from '../support/harness.ts';
import { memorySource } from '../support/memory-source.ts';
import { lastToolResult, toolNames } from '../support/scripted-model.ts';

it('a run searches a source, loads what it found, and calls it', async () => {
  const source = await memorySource({ ...toolRecord(weather(), email()), ...fillerTools(40) });
  const { agent, model } = rig({ tools: source });
  await agent.generate('weather');
  expect(model.calls.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
  expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'load_tool']);
  expect(toolNames(model.calls[3]!)).toEqual(['search_tools', 'load_tool', 'get_weather']);
  expect(lastToolResult(model.calls[3]!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
  expect(source.asked.map(({ operation, what }) => `${operation} ${what}`)).toEqual([
    'search weather',
    'get get_weather',
  ]);
});
