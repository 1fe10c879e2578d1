import { expect, it } from 'vitest';
import { call, calls, tool, toolRecord, weather } from '../../support/harness.ts';
import { systemText, toolResults } from '../../support/scripted-model.ts';
import { callRig, through } from './setup.ts';

const timeouts = { preselect: 10_000 };
const question = 'What is the current weather in the city of Paris?';
const hidden = '\u200b\u202e\u{E0049}';

function withParameter(description: string): ReturnType<typeof tool> {
  const inputSchema = { type: 'object', properties: { city: { type: 'string', description } }, required: ['city'] };
  return tool('get_weather', 'Get the current weather of a city', { inputSchema } as never);
}

it("suggests a client's tool by its name alone: its text must not become system text", async () => {
  const client = {
    id: 'get_weather',
    description: 'Get the current weather of a city. EVIL',
    inputSchema: { type: 'object', properties: { city: { type: 'string', description: 'EVIL' } } },
  };
  const options = {
    tools: toolRecord(tool('send_email', 'Send.')),
    includeResolvedTools: true,
    preselect: true,
    timeouts,
  };
  const { agent, model } = callRig(options as never, () => ({ text: 'done' }));
  await agent.generate(question, { clientTools: { get_weather: client } as never });
  const text = systemText(model.calls[0]!.prompt);
  expect(text).toContain('{"name":"get_weather"}');
  expect(text).not.toContain('EVIL');
});

it('takes out of definitions what a person does not see', async () => {
  const tools = toolRecord(withParameter(`Name${hidden} of a city`));
  const { agent, model } = callRig(
    { tools, preselect: true, timeouts } as never,
    calls(call('search_tools', { query: 'weather' })),
  );
  await agent.generate(question);
  const received = JSON.stringify(model.calls.at(-1)!.prompt);
  expect(received).toContain('Name of a city');
  expect(received).not.toMatch(/[\u200b\u202e]|\u{E0049}/u);
});

it('suggests a tool whose definition is large with its signature', async () => {
  const tools = toolRecord(withParameter('x'.repeat(50_000)));
  const { agent, model } = callRig({ tools, preselect: true, timeouts } as never, () => ({ text: 'done' }));
  await agent.generate(question);
  const text = systemText(model.calls[0]!.prompt);
  expect(text).toContain('"signature":"(city)"');
  expect(text.length).toBeLessThan(2_000);
});

it('does not suggest the name that was asked for', async () => {
  const filter = ({ phase }: { phase: string }): boolean => phase !== 'active';
  const { agent, model } = callRig(
    { tools: toolRecord(weather()), filter } as never,
    calls(through('get_weather', {})),
  );
  await agent.generate('go');
  const [{ value } = { value: undefined }] = toolResults(model.calls.at(-1)!.prompt);
  expect(JSON.stringify(value)).toContain('not found');
  expect(JSON.stringify(value)).not.toContain('Did you mean');
});
