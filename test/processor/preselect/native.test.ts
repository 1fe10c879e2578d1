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
  type Execution,
  executions,
  openaiPackages,
  type Recorded,
  runAnthropic,
  runOpenAI,
} from '../../native/rig/package-runs.ts';
import { newMemory, tool, toolRecord } from '../../support/harness.ts';
import { ASKS_FOR_WEATHER, CHATS, inThread, office } from './office.ts';

const optionsOf = (execution: Execution): ToolSearchProcessorOptions => ({
  ...{ tools: office(), mode: 'native', native: { execution } },
  ...{ preselect: true, timeouts: { preselect: 10_000 } },
});

/** The user asks for the weather, and then chats. */
const turns = [ASKS_FOR_WEATHER, CHATS];
const setup = (): object => ({
  agent: { tools: toolRecord(tool('clock')), memory: newMemory() },
  call: () => inThread('t'),
  turns,
});

/** The tools that each request has at once, in order, without the search. */
const eagerIn = ({ bodies }: Recorded<AnthropicBody | OpenAIBody>): unknown[][] =>
  bodies.map(({ tools = [] }) =>
    (tools as readonly { name?: string; type: string; defer_loading?: boolean }[])
      .filter(({ name, type, defer_loading: isDeferred }) => !isDeferred && !/search/.test(name ?? type))
      .map(({ name }) => name),
  );

const isAsked = (body: object): boolean => !JSON.stringify(body).includes(CHATS);

describe.each(executions)('with execution: %s, a preselected tool is sent at once, behind the others,', (execution) => {
  const expectStays = (recorded: Recorded<AnthropicBody | OpenAIBody>, isCalled: boolean): void => {
    const sent = ['clock', 'get_weather'];
    expect(recorded.refused).toEqual([]);
    expect(eagerIn(recorded)).toEqual(isCalled ? Array(3).fill(sent) : [sent, ['clock']]);
    if (isCalled) expect(JSON.stringify(recorded.bodies[1])).toMatch(/tool_result|function_call_output/);
  };

  describe.each([true, false])('and stays only when it was called (%s),', (isCalled) => {
    it.each(anthropicPackages)('with %s', async (name) => {
      const calls = (body: AnthropicBody) => isCalled && isAsked(body) && anthropicStep(body) === 0;
      const script = ({ body }: { body: AnthropicBody }) => ({
        content: calls(body) ? [toolUse('1', 'get_weather')] : [text('Done.')],
      });
      expectStays(await runAnthropic(name, script, optionsOf(execution), setup()), isCalled);
    });

    it.each(openaiPackages)('with %s', async (name) => {
      const calls = (body: OpenAIBody) => isCalled && isAsked(body) && openaiStep(body) === 0;
      const script = ({ body, index }: { body: OpenAIBody; index: number }) => ({
        content: [calls(body) ? functionCall(index, 'get_weather') : message(index, 'Done.')],
      });
      expectStays(await runOpenAI(name, script, optionsOf(execution), setup()), isCalled);
    });
  });
});
