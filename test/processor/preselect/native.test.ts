import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import {
  type AnthropicBody,
  anthropicStep,
  functionCall,
  message,
  type OpenAIBody,
  openaiStep,
  text,
  toolUse,
} from '../../native/fakes/fake-provider.ts';
import {
  anthropicPackages,
  executions,
  openaiPackages,
  type Recorded,
  runAnthropic,
  runOpenAI,
} from '../../native/rig/package-runs.ts';
import { newMemory, tool, toolRecord } from '../../support/harness.ts';
import { ASKS_FOR_WEATHER, CHATS, inThread, office } from './office.ts';

describe.each(
  executions.flatMap((execution) => [
    { execution, isCalled: true },
    { execution, isCalled: false },
  ]),
)('with execution: $execution, a tool is sent at once, and stays only when it was called ($isCalled)', (one) => {
  const { execution, isCalled } = one;
  const options: ToolSearchProcessorOptions = {
    ...{ tools: office(), mode: 'native', native: { execution } },
    ...{ preselect: true, timeouts: { preselect: 10_000 } },
  };
  /** The user asks for the weather, and then chats. */
  const setup = (): object => ({
    agent: { tools: toolRecord(tool('clock')), memory: newMemory() },
    ...{ call: () => inThread('t'), turns: [ASKS_FOR_WEATHER, CHATS] },
  });
  const calls = (body: object, step: number) => isCalled && step === 0 && !JSON.stringify(body).includes(CHATS);

  const expectStays = ({ bodies, refused }: Recorded<AnthropicBody | OpenAIBody>): void => {
    /** The tools that each request has at once, in order, without the search. */
    const eager = bodies.map(({ tools = [] }) =>
      (tools as readonly { name?: string; type: string; defer_loading?: boolean }[])
        .filter(({ name, type, defer_loading: isDeferred }) => !isDeferred && !/search/.test(name ?? type))
        .map(({ name }) => name),
    );
    const sent = ['clock', 'get_weather'];
    expect(refused).toEqual([]);
    expect(eager).toEqual(isCalled ? [sent, sent, sent] : [sent, ['clock']]);
    if (isCalled) expect(JSON.stringify(bodies[1])).toMatch(/tool_result|function_call_output/);
  };

  it.each(anthropicPackages)('with %s', async (name) => {
    const script = ({ body }: { body: AnthropicBody }) => ({
      content: calls(body, anthropicStep(body)) ? [toolUse('1', 'get_weather')] : [text('Done.')],
    });
    expectStays(await runAnthropic(name, script, options, setup()));
  });

  it.each(openaiPackages)('with %s', async (name) => {
    const script = ({ body, index }: { body: OpenAIBody; index: number }) => ({
      content: [calls(body, openaiStep(body)) ? functionCall(index, 'get_weather') : message(index, 'Done.')],
    });
    expectStays(await runOpenAI(name, script, options, setup()));
  });
});
