// A process without the code of call mode: runs two steps of a request, and sends back what came of them.
import { registerHooks } from 'node:module';
import { RequestContext } from '@mastra/core/request-context';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from '../../src/index.ts';
import { answerParent } from '../support/new-process.ts';
import { tool, toolRecord } from '../support/simple-tools.ts';

export interface Outcome {
  /** Names of the tools of each step. */
  readonly steps: readonly (readonly string[])[];
  readonly events: readonly string[];
  readonly rejections: readonly string[];
}

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.endsWith('call/call.ts')) throw new Error('This file was not deployed.');
    return next(specifier, context);
  },
});

answerParent(async (options: Partial<ToolSearchProcessorOptions>): Promise<Outcome> => {
  const rejections: string[] = [];
  process.on('unhandledRejection', (error) => rejections.push(String(error)));
  const events: string[] = [];
  const processor = new ToolSearchProcessor({
    tools: toolRecord(tool('get_weather')),
    ...options,
    onEvent: (event) => {
      if (event.type === 'call-off') events.push(String(event.error));
    },
  });
  const model = { specificationVersion: 'v3', provider: 'scripted', modelId: 'scripted' };
  const request = { state: {}, messageList: { addSystem: () => {} }, requestContext: new RequestContext(), model };
  const steps: string[][] = [];
  for (const stepNumber of [0, 1]) {
    const { tools } = await processor.processInputStep({ ...request, stepNumber, tools: {} } as never);
    steps.push(Object.keys(tools));
  }
  return { steps, events, rejections };
});
