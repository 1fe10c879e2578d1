import { describe, expect, it } from 'vitest';
import { call, calls, rig, search, tool, toolRecord, weather } from '../support/agent.ts';
import { toolNames, toolResults } from '../support/scripted-model.ts';

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const office = () =>
  toolRecord(tool('get_forecast', 'Get the weather forecast of a city.', { inputSchema }), weather());

/** A run of a model that makes these calls, one a step. */
async function making(steps: readonly ReturnType<typeof call>[], options: object = {}) {
  const made = rig({ tools: office(), ...options }, { script: calls(...steps) });
  await made.agent.generate('go', { maxSteps: 12 });
  const valueAfter = (step: number) => toolResults(made.model.calls[step + 1]!.prompt).at(-1)?.value;
  return { ...made, valueAfter, sentSearch: made.model.calls.map((each) => toolNames(each).includes('search_tools')) };
}

const forecast = search('weather forecast');
const refused = call('get_forecast', { town: 'Bern' });
const HOW =
  /failed twice with the same input\. Do not repeat it: change the input\. Its parameters: get_forecast\(city\)/;

describe.each([
  ['load', {}],
  ['autoLoad', { search: { autoLoad: true } }],
  ['call', { mode: 'call' }],
])('a model of %s mode that searches, and makes a call that fails, in a circle', (mode, options) => {
  const failing =
    mode === 'call' ? call('call_tool', { toolName: 'get_forecast', arguments: { town: 'Bern' } }) : refused;
  const start = mode === 'load' ? [call('load_tool', { toolName: 'get_forecast' })] : [];

  it('is not sent the search a third time, until a call succeeds', async () => {
    const works = mode === 'call' ? call('call_tool', { toolName: 'get_weather', arguments: {} }) : call('get_weather');
    const loads = mode === 'load' ? [call('load_tool', { toolName: 'get_weather' })] : [];
    const circle = [forecast, failing, forecast, failing];
    const { sentSearch } = await making([...start, ...circle, ...loads, works], options);
    const before = start.length;
    expect(sentSearch.slice(0, before + 3)).not.toContain(false);
    expect(sentSearch.slice(before + 3, -1)).not.toContain(true);
    expect(sentSearch.at(-1)).toBe(true);
  });
});

describe('a call that fails twice with the same input is answered with how to call the tool', () => {
  const loaded = call('load_tool', { toolName: 'get_forecast' });

  it('beside its result, once it failed twice', async () => {
    const { valueAfter } = await making([loaded, refused, refused, call('get_forecast', { city: 'Bern' })]);
    expect(JSON.stringify(valueAfter(1))).not.toMatch(HOW);
    expect(valueAfter(2)).toMatch(HOW);
    expect(valueAfter(2)).toMatch(/Tool input validation failed/);
    expect(valueAfter(2)).toMatch(/An input of the right shape: \{"city":"…"\}/);
    expect(JSON.stringify(valueAfter(3))).not.toMatch(HOW);
  });

  it('whatever the fault, of the tool itself as well', async () => {
    const execute = async () => {
      throw new Error('The city is unknown.');
    };
    const tools = toolRecord(tool('get_forecast', 'Get the weather forecast.', { inputSchema, execute }));
    const wrong = call('get_forecast', { city: 'Brn' });
    const { valueAfter } = await making([loaded, wrong, call('get_forecast', { city: 'X' }), wrong], { tools });
    expect(valueAfter(2)).not.toMatch(HOW);
    expect(valueAfter(3)).toMatch(/The city is unknown\.[\s\S]*failed twice with the same input/);
  });

  it("but not one of the agent's own tools, which this processor does not know", async () => {
    const own = { own: tool('own', 'Its own.', { inputSchema }) };
    const { agent, model } = rig(
      { tools: office() },
      { script: calls(call('own'), call('own')), agent: { tools: own } },
    );
    await agent.generate('go', { maxSteps: 3 });
    expect(JSON.stringify(model.calls.at(-1)!.prompt)).not.toMatch(/failed twice/);
  });
});
