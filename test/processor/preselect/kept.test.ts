import { describe, expect, it } from 'vitest';
import { callRig, through } from '../../modes/call/setup.ts';
import { call, calls, load } from '../../support/harness.ts';
import { type Script, systemText } from '../../support/scripted-model.ts';
import { ASKS_FOR_EMAIL, ASKS_FOR_WEATHER, CHATS, gate, inThread, office, officeWith, withMemory } from './office.ts';

describe.each(['in-memory', 'context'] as const)("a preselected tool, with storage: '%s'", (storage) => {
  const select = call('search_tools', { query: 'select:get_weather' });
  it.each<[how: string, asked: ReturnType<typeof call>, autoLoad?: boolean]>([
    ['load_tool', load('get_weather')],
    ['load_tool, among others', call('load_tool', { toolNames: ['get_*', 'send_email'] })],
    ['a select:', select],
    ['a select:, with autoLoad', select, true],
    ['a search, with autoLoad', call('search_tools', { query: 'weather of a city' }), true],
  ])('stays for the thread once the model loads it by %s', async (_, asked, autoLoad = false) => {
    const script: Script = ({ prompt, step }) =>
      prompt.filter(({ role }) => role === 'user').length === 1 && step === 0
        ? { toolCalls: [asked] }
        : { text: 'done' };
    const options = { storage, search: { autoLoad } };
    const { say } = officeWith(options, [], { script, agent: withMemory() });
    const [first] = await say(ASKS_FOR_WEATHER, inThread('t'));
    expect(first).toEqual(['get_weather']);
    expect((await say(CHATS, inThread('t')))[0]).toContain('get_weather');
  });
});

it('keeps what a run called in its last step, though another run of the thread began meanwhile', async () => {
  const [first, second] = [gate(), gate()];
  const script: Script = async ({ prompt, step }) => {
    const text = JSON.stringify(prompt.findLast(({ role }) => role === 'user'));
    if (!text.includes('weather') || step > 0) return { text: 'done' };
    first.open();
    await second.passed;
    return { toolCalls: [call('get_weather')] };
  };
  const { say } = officeWith({}, [], { script, agent: withMemory() });
  const cut = say(ASKS_FOR_WEATHER, { ...inThread('t'), maxSteps: 1 });
  await first.passed;
  await say(ASKS_FOR_EMAIL, inThread('t'));
  second.open();
  await cut;
  expect((await say(CHATS, inThread('t')))[0]).toEqual(['get_weather']);
});

it('does not bring back what was unloaded since a run began with it in vain', async () => {
  const script: Script = ({ prompt, step }) => {
    const turn = prompt.filter(({ role }) => role === 'user').length;
    if (turn !== 2) return { text: 'done' };
    const called = [load('get_weather'), call('get_weather'), call('unload_tool', { toolNames: ['get_weather'] })][
      step
    ];
    return called ? { toolCalls: [called] } : { text: 'done' };
  };
  const { say } = officeWith({ metaTools: { unload: true } }, [], { script, agent: withMemory() });
  expect(await say(ASKS_FOR_WEATHER, inThread('t'))).toEqual([['get_weather']]);
  await say(CHATS, inThread('t'));
  expect(await say(CHATS, inThread('t'))).toEqual([[]]);
});

it('keeps the suggestion of call mode as it is over all steps, also once it was called', async () => {
  const written = through('get_weather');
  const options = { tools: office(), preselect: true, timeouts: { preselect: 10_000 } };
  const { agent, model } = callRig(options, calls(written, written, written));
  await agent.generate(ASKS_FOR_WEATHER);
  const texts = model.calls.map(({ prompt }) => systemText(prompt));
  expect(texts[0]).toContain('<suggested-tools>');
  expect(new Set(texts).size).toBe(1);
});
