import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, email, fillerTools, load, rig, toolRecord, weather } from '../support/harness.ts';
import { toolResults } from '../support/scripted-model.ts';

type Call = { toolName: string; input: unknown };
const search = (query: unknown): Call => call('search_tools', { query });
const told = (count: number) =>
  `You have searched ${count} times without loading or calling a tool. If nothing that was found fits, search no more: answer without a tool, or ask the user.`;

/** What the searches of a run answered, in order. */
async function messagesOf(steps: readonly Call[], options: Partial<ToolSearchProcessorOptions> = {}) {
  const { agent, model } = rig(
    { tools: { ...toolRecord(weather(), email()), ...fillerTools(5) }, ...options },
    { script: calls(...steps), agent: { defaultOptions: { maxSteps: 20 } } },
  );
  await agent.generate('go');
  const results = toolResults(model.calls.at(-1)!.prompt).map(({ value }) => value as { message?: string });
  return results.flatMap(({ message }, position) =>
    steps[position]?.toolName === 'search_tools' ? (message ?? '') : [],
  );
}

const vain = search('weather');
const nothing = search('qqqq');

describe('the third search of a run without a load or a call tells the model to stop', () => {
  it('and what it found', async () => {
    const messages = await messagesOf([vain, vain, vain, vain]);
    expect(messages.map((message) => message.includes('You have searched'))).toEqual([false, false, true, true]);
    expect(messages[2]).toMatch(/^Found \d tool\(s\)\. Use load_tool .* You have searched 3 times/);
    expect(messages[3]).toContain(told(4));
  });

  it('and not to try other words, where it found nothing', async () => {
    const messages = await messagesOf([nothing, search(['xxxx', 'zzzz']), nothing, search(['xxxx', 'zzzz'])]);
    expect(messages).toEqual([
      'No tools found matching "qqqq". Try different keywords.',
      'No tools found matching "xxxx", "zzzz". Try different keywords.',
      `No tools found matching "qqqq". ${told(3)}`,
      `No tools found matching "xxxx", "zzzz". ${told(4)}`,
    ]);
  });

  it('with autoLoad, unless it loads', async () => {
    const options = { search: { autoLoad: true } };
    const messages = await messagesOf([nothing, nothing, search('weather'), nothing, nothing, nothing], options);
    expect(messages.map((message) => message.includes('You have searched'))).toEqual([
      ...[false, false, false],
      ...[false, false, true],
    ]);
  });

  it('also after loads that failed', async () => {
    const messages = await messagesOf([vain, load('qqqq'), vain, load('xxxx'), vain]);
    expect(messages.at(-1)).toContain(told(3));
  });
});

describe('counting searches begins anew', () => {
  it.each<{ after: string; steps: readonly Call[] }>([
    { after: 'a load', steps: [vain, vain, load('get_weather'), vain, vain] },
    { after: 'a load of what is loaded', steps: [load('get_weather'), vain, vain, load('get_weather'), vain, vain] },
    { after: 'a select:', steps: [vain, vain, search('select:get_weather'), vain, vain] },
    { after: 'a call', steps: [load('get_weather'), vain, vain, call('get_weather'), vain, vain] },
  ])('after $after', async ({ steps }) => {
    for (const message of await messagesOf(steps)) expect(message).not.toContain('You have searched');
  });

  it('with the next run', async () => {
    const { agent, model } = rig({ tools: toolRecord(weather()) }, { script: calls(vain, vain) });
    const { response } = await agent.generate('go');
    await agent.generate([
      { role: 'user', content: 'go' },
      ...(response.messages as never[]),
      { role: 'user', content: 'go on' },
    ] as never);
    const results = toolResults(model.calls.at(-1)!.prompt);
    expect(results).toHaveLength(4);
    for (const { value } of results) expect(JSON.stringify(value)).not.toContain('You have searched');
  });
});

it('several searches of one step count as one', async () => {
  const { agent, model } = rig(
    { tools: toolRecord(weather()) },
    { script: ({ step }) => (step === 0 ? { toolCalls: [vain, vain, vain] } : { text: 'done' }) },
  );
  await agent.generate('go');
  for (const { value } of toolResults(model.calls[1]!.prompt)) {
    expect(JSON.stringify(value)).not.toContain('You have searched');
  }
});
