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

// A search that is made twice with the same words is not sent a third time.
const vain = (n: number): Call => search(`weather ${n}`);
const nothing = (n: number): Call => search(`qqqq${n}`);

describe('the third search of a run without a load or a call tells the model to stop', () => {
  it('and what it found', async () => {
    const messages = await messagesOf([1, 2, 3, 4].map(vain));
    expect(messages.map((message) => message.includes('You have searched'))).toEqual([false, false, true, true]);
    expect(messages[2]).toMatch(/^Found \d tool\(s\)\. Use load_tool .* You have searched 3 times/);
    expect(messages[3]).toContain(told(4));
  });

  it('and not to try other words, where it found nothing', async () => {
    const messages = await messagesOf([nothing(1), search(['xxxx', 'zzzz']), nothing(2), search(['xxxx', 'yyyy'])]);
    expect(messages).toEqual([
      'No tools found matching "qqqq1". Try different keywords.',
      'No tools found matching "xxxx", "zzzz". Try different keywords.',
      `No tools found matching "qqqq2". ${told(3)}`,
      `No tools found matching "xxxx", "yyyy". ${told(4)}`,
    ]);
  });

  it('with autoLoad, unless it loads', async () => {
    const options = { search: { autoLoad: true } };
    const messages = await messagesOf([nothing(1), nothing(2), search('weather'), ...[3, 4, 5].map(nothing)], options);
    expect(messages.map((message) => message.includes('You have searched'))).toEqual([
      ...[false, false, false],
      ...[false, false, true],
    ]);
  });

  it('also after loads that failed', async () => {
    const messages = await messagesOf([vain(1), load('qqqq'), vain(2), load('xxxx'), vain(3)]);
    expect(messages.at(-1)).toContain(told(3));
  });
});

describe('counting searches begins anew', () => {
  it.each<{ after: string; steps: readonly Call[] }>([
    { after: 'a load', steps: [vain(1), vain(2), load('get_weather'), vain(3), vain(4)] },
    {
      after: 'a load of what is loaded',
      steps: [load('get_weather'), vain(1), vain(2), load('get_weather'), vain(3), vain(4)],
    },
    { after: 'a select:', steps: [vain(1), vain(2), search('select:get_weather'), vain(3), vain(4)] },
    { after: 'a call', steps: [load('get_weather'), vain(1), vain(2), call('get_weather'), vain(3), vain(4)] },
  ])('after $after', async ({ steps }) => {
    for (const message of await messagesOf(steps)) expect(message).not.toContain('You have searched');
  });

  it('with the next run', async () => {
    const { agent, model } = rig({ tools: toolRecord(weather()) }, { script: calls(vain(1), vain(2)) });
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
    { script: ({ step }) => (step === 0 ? { toolCalls: [1, 2, 3].map(vain) } : { text: 'done' }) },
  );
  await agent.generate('go');
  for (const { value } of toolResults(model.calls[1]!.prompt)) {
    expect(JSON.stringify(value)).not.toContain('You have searched');
  }
});
