import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
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
import { tool, toolRecord } from '../../support/harness.ts';
import { ASKS_FOR_WEATHER, CHATS, inThread, office } from './office.ts';

const optionsOf = (execution: Execution): ToolSearchProcessorOptions => ({
  ...{ tools: office(), mode: 'native', native: { execution } },
  ...{ preselect: true, timeouts: { preselect: 10_000 } },
});

/** The user asks for the weather, and then chats. */
const turns = [ASKS_FOR_WEATHER, CHATS];
const setup = (): object => ({
  agent: { tools: toolRecord(tool('clock')), memory: new Memory({ storage: new InMemoryStore() }) },
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
  it.each(anthropicPackages)('and stays when it was called, with %s', async (name) => {
    const recorded = await runAnthropic(
      name,
      ({ body }) => {
        const isCalled = isAsked(body) && anthropicStep(body) === 0;
        return { content: isCalled ? [toolUse('1', 'get_weather')] : [text('Done.')] };
      },
      optionsOf(execution),
      setup(),
    );
    expect(recorded.refused).toEqual([]);
    expect(JSON.stringify(recorded.bodies[1]?.messages)).toContain('get_weather');
    expect(eagerIn(recorded)).toEqual(Array(3).fill(['clock', 'get_weather']));
  });

  it.each(anthropicPackages)('and goes when it was not, with %s', async (name) => {
    const script = () => ({ content: [text('Done.')] });
    const recorded = await runAnthropic(name, script, optionsOf(execution), setup());
    expect(recorded.refused).toEqual([]);
    expect(eagerIn(recorded)).toEqual([['clock', 'get_weather'], ['clock']]);
  });

  it.each(openaiPackages)('and stays when it was called, with %s', async (name) => {
    const recorded = await runOpenAI(
      name,
      ({ body, index }) => {
        const isCalled = isAsked(body) && openaiStep(body) === 0;
        return { content: [isCalled ? functionCall(index, 'get_weather') : message(index, 'Done.')] };
      },
      optionsOf(execution),
      setup(),
    );
    expect(recorded.refused).toEqual([]);
    expect(JSON.stringify(recorded.bodies[1]?.input)).toContain('function_call_output');
    expect(eagerIn(recorded)).toEqual(Array(3).fill(['clock', 'get_weather']));
  });

  it.each(openaiPackages)('and goes when it was not, with %s', async (name) => {
    const recorded = await runOpenAI(
      name,
      ({ index }) => ({ content: [message(index, 'Done.')] }),
      optionsOf(execution),
      setup(),
    );
    expect(recorded.refused).toEqual([]);
    expect(eagerIn(recorded)).toEqual([['clock', 'get_weather'], ['clock']]);
  });
});
