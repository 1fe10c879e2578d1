import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { tool, toolRecord, weather } from '../../support/agent.ts';
import { scriptedModel } from '../../support/scripted-model.ts';

type Part = { readonly type: string; readonly [field: string]: unknown };

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finish = (reason: string): Part => ({ type: 'finish', usage, finishReason: { unified: reason, raw: reason } });
const textParts = (count: number): Part[] => [
  { type: 'text-start', id: 't' },
  ...Array.from({ length: count }, (_, n) => ({ type: 'text-delta', id: 't', delta: `${n} ` })),
  { type: 'text-end', id: 't' },
];
const inputParts = (toolCallId: string, toolName: string): Part[] => {
  const pieces = ['{"te', 'xt":', '"x"}'];
  return [
    { type: 'tool-input-start', id: toolCallId, toolName },
    ...pieces.map((delta) => ({ type: 'tool-input-delta', id: toolCallId, delta })),
    { type: 'tool-input-end', id: toolCallId },
    { type: 'tool-call', toolCallId, toolName, input: pieces.join('') },
  ];
};

/**
 * What an agent streams, for each part of the model's first answer: the model gives its next part once nothing more comes of
 * the one before.
 */
async function streamed(parts: readonly Part[], inputProcessors: readonly ToolSearchProcessor[]): Promise<string[][]> {
  let answered = 0;
  const arrived: string[][] = [];
  const model = scriptedModel(() => ({ text: 'done' }));
  const doStream = async (): Promise<unknown> => {
    answered += 1;
    const given = answered === 1 ? [...parts] : [...textParts(1), finish('stop')];
    const stream = new ReadableStream({
      async pull(controller) {
        // Time for whatever the part before leads to.
        for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
        const part = given.shift();
        if (answered === 1) arrived.push([]);
        if (part) controller.enqueue(part);
        else controller.close();
      },
    });
    return { stream };
  };
  const agent = new Agent({
    id: 'a',
    name: 'a',
    instructions: 'Help.',
    model: { ...model, doStream } as never,
    tools: toolRecord(tool('clock')),
    inputProcessors: [...inputProcessors],
  });
  const output = await agent.stream('go');
  for await (const { type, payload } of output.fullStream as unknown as AsyncIterable<Part>) {
    const { text, argsTextDelta, toolName } = (payload ?? {}) as Record<string, string | undefined>;
    if (/^(?:text-delta|tool-call)/.test(type))
      arrived.at(-1)?.push([type, text ?? argsTextDelta ?? toolName].join(' '));
  }
  return arrived;
}

const processors = () => [new ToolSearchProcessor({ tools: toolRecord(weather()) })];
const piecesOf = (arrived: readonly (readonly string[])[], type: string): number =>
  arrived.filter((part) => part.some((chunk) => chunk.startsWith(type))).length;

it.each([
  {
    what: 'an answer without a missed call part by part',
    parts: [...textParts(5), finish('stop')],
    type: 'text-delta',
  },
  {
    what: 'the input of a tool that was sent piece by piece',
    parts: [...textParts(2), ...inputParts('c1', 'clock'), finish('tool-calls')],
    type: 'tool-call-delta',
  },
])('streams $what, as an agent without the processor does', async ({ parts, type }) => {
  const arrived = await streamed(parts, processors());
  expect(arrived).toEqual(await streamed(parts, []));
  expect(piecesOf(arrived, type)).toBeGreaterThanOrEqual(3);
});

it('streams what stands before a missed call at once, and the call when the model has ended', async () => {
  const missed = [...inputParts('c1', 'get_weather'), ...inputParts('c2', 'clock')];
  const arrived = await streamed([...textParts(3), ...missed, finish('tool-calls')], processors());
  expect(piecesOf(arrived, 'text-delta')).toBeGreaterThanOrEqual(3);
  const called = arrived.flat().filter((chunk) => chunk.startsWith('tool-call '));
  expect(called).toEqual(['tool-call get_weather', 'tool-call clock']);
});
