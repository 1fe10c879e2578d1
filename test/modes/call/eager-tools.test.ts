import { describe, expect, it } from 'vitest';
import { rig, tool, toolRecord, weather } from '../../support/harness.ts';
import { scriptedModel } from '../../support/scripted-model.ts';

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

/** A model that calls `own` in its first answer, and ends it when the tool has run, or has had the time to. */
function slowModel(ran: Promise<unknown>, order: string[]): object {
  const model = scriptedModel(() => ({ text: 'done' })) as unknown as { doStream: unknown };
  let answers = 0;
  model.doStream = async () => {
    const isFirst = answers++ === 0;
    const stream = new ReadableStream({
      async start(controller) {
        controller.enqueue({ type: 'stream-start', warnings: [] });
        if (isFirst) {
          controller.enqueue({ type: 'tool-call', toolCallId: 'c1', toolName: 'own', input: '{}' });
          await Promise.race([ran, new Promise((resolve) => setTimeout(resolve, 60_000).unref())]);
          order.push('the model ended');
        }
        const finishReason = { unified: isFirst ? 'tool-calls' : 'stop', raw: 'x' };
        controller.enqueue({ type: 'finish', finishReason, usage });
        controller.close();
      },
    });
    return { stream };
  };
  return model;
}

describe('a tool that Mastra runs before the model has ended', () => {
  it.each([{ onMiss: 'load' }, {}, { mode: 'call' }] as const)(
    'runs as early beside an output processor that reads results, with %j',
    async (options) => {
      const order: string[] = [];
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      const own = tool('own', 'Own.', {
        execute: async () => {
          order.push('the tool ran');
          resolve();
          return 'ran';
        },
      });
      const reader = { id: 'reader', processToolResult: async () => undefined };
      const { agent } = rig({ tools: toolRecord(weather()), ...options } as never, {
        agent: { model: slowModel(promise, order), tools: { own }, outputProcessors: [reader] } as never,
      });
      await (await agent.stream('go', { eagerToolExecution: true } as never)).consumeStream();
      expect(order).toEqual(['the tool ran', 'the model ended']);
    },
  );
});
