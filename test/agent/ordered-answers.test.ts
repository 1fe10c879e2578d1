// What answers order a model to call: what probably fits, and nothing else. Each scripted model does what a small one did.
import { describe, expect, it } from 'vitest';
import { call, calls, email, load, rig, search, tool, toolRecord, weather } from '../support/agent.ts';
import { toolResults } from '../support/scripted-model.ts';

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const office = () =>
  toolRecord(
    weather(),
    email(),
    tool('get_forecast', 'Get the weather forecast of a city.', { inputSchema }),
    tool('what_to_watch', 'Recommends films and series for the evening.'),
    tool('list_invoices', 'Lists the invoices of a customer.'),
  );

/** What the model reads behind each of its steps, and the system text of each. */
async function reading(steps: readonly ReturnType<typeof call>[], options: object = {}, said = 'go') {
  const { agent, model } = rig({ tools: office(), ...options }, { script: calls(...steps) });
  await agent.generate(said, { maxSteps: 12 });
  const answers = model.calls.slice(1).map(({ prompt }) => JSON.stringify(toolResults(prompt).at(-1)?.value));
  return {
    answers,
    system: model.calls.map(({ prompt }) => JSON.stringify(prompt.filter(({ role }) => role === 'system'))),
  };
}

const NOW = /Call (?:it|one|the one|[\w, ]+) (?:that fits )?now/i;
const callTool = (toolName: string, args: object = {}) => call('call_tool', { toolName, arguments: args });
const WEAK = 'watch the stock exchange of tokyo';

describe('where probably nothing fits, one sentence says so, and nothing is ordered', () => {
  it.each<[mode: string, options: object, start: readonly ReturnType<typeof call>[]]>([
    ['load', {}, []],
    ['load, of a tool that is loaded', {}, [load('what_to_watch')]],
    ['autoLoad', { search: { autoLoad: true } }, []],
    ['call', { mode: 'call' }, []],
  ])('%s mode', async (_, options, start) => {
    const { answers } = await reading([...start, search(WEAK)], options);
    const answer = answers.at(-1) ?? '';
    expect(answer).toContain('what_to_watch');
    expect(answer.match(/No tool clearly matches/g)).toHaveLength(1);
    expect(answer).not.toMatch(NOW);
  });
});

it('a search that loads names the one tool that fits, and says of loaded ones that they were', async () => {
  const options = { search: { autoLoad: true } };
  const { answers } = await reading(
    [search('weather forecast of a city'), search('weather forecast of a city')],
    options,
  );
  expect(answers[0]).toMatch(/Found and loaded \d tool\(s\)/);
  expect(answers[0]).toMatch(/Call (?:it|get_forecast|the one that fits) now/);
  expect(answers[1]).not.toContain('Some were already loaded');
});

describe('a preselected tool', () => {
  const said = 'What is the weather forecast for Bern?';
  const options = { preselect: { minConfidence: 0.05, maxTools: 1 } };

  it('is named in the system text, which no longer says that tools have to be loaded', async () => {
    const { system } = await reading([], options, said);
    expect(system[0]).toMatch(
      /This tool is in your list because the user's words ask for it: get_\w+\. Call it at once/,
    );
    expect(system[0]).not.toContain('Tools must be loaded before');
    expect((await reading([], {}, said)).system[0]).toContain('Tools must be loaded before');
  });

  it('that is searched or loaded is not said to be loaded "again", unless it was', async () => {
    const named = (await reading([], options, said)).system[0]?.match(/ask for it: (get_\w+)/)?.[1] ?? '';
    const { answers } = await reading([search(named.replace('_', ' ')), load(named), load(named)], options, said);
    expect(answers[0]).toContain(`${named} needs no loading`);
    expect(answers[0]).not.toContain('again');
    expect(answers[1]).toContain('needs no loading: it is in your list. Call it now.');
    expect(answers[1]).not.toContain('again');
    expect(answers[2]).toMatch(/was when you loaded it before/);
  });
});

it('a tool whose last call failed is not ordered again: its search says that it failed, and how it is called', async () => {
  const forecast = search('weather forecast of a city');
  const { answers } = await reading([forecast, load('get_forecast'), call('get_forecast', { town: 'x' }), forecast]);
  expect(answers.at(-1)).toMatch(/Your last call of get_forecast failed/);
  expect(answers.at(-1)).not.toMatch(/get_forecast now|Call it now/);
  expect(answers.at(-1)).toContain('signature');
  const works = [
    forecast,
    load('get_forecast'),
    call('get_forecast', { town: 'x' }),
    call('get_forecast', { city: 'x' }),
  ];
  expect((await reading([...works, forecast])).answers.at(-1)).not.toContain('Your last call');
});

it('a search that call mode has answered is answered in short', async () => {
  const forecast = search('weather forecast of a city');
  const { answers } = await reading([forecast, forecast], { mode: 'call' });
  const [first = '', second = ''] = answers;
  expect(first).toContain('"properties"');
  expect(second).toContain('the same answer as before');
  expect(second).not.toContain('"properties"');
  expect(second.length).toBeLessThan(first.length);
  // A call of the tool is possible as ever.
  const after = await reading([forecast, forecast, callTool('get_forecast', { city: 'Bern' })], { mode: 'call' });
  expect(after.answers.at(-1)).not.toMatch(/not found|parameters/);
});
