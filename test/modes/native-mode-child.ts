// A process without the code of native mode: runs two steps of a request, and sends back what came of them.
import { registerHooks } from 'node:module';
import { RequestContext } from '@mastra/core/request-context';
import { ToolSearchProcessor } from '../../src/index.ts';
import { answerParent } from '../support/new-process.ts';
import { tool, toolRecord } from '../support/simple-tools.ts';

export interface Outcome {
  /** Names of the tools of each step, or the message of its error. */
  readonly steps: readonly (string | readonly string[])[];
  /** Kinds of the events, with the reason and the model. */
  readonly events: readonly string[];
  readonly hasRewritten: boolean;
  readonly rejections: readonly string[];
}

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.endsWith('native/mode.ts')) throw new Error('This file was not deployed.');
    return next(specifier, context);
  },
});

answerParent(async (fallback: 'load' | 'error'): Promise<Outcome> => {
  const rejections: string[] = [];
  process.on('unhandledRejection', (error) => rejections.push(String(error)));
  const events: string[] = [];
  const processor = new ToolSearchProcessor({
    tools: toolRecord(tool('get_weather')),
    mode: 'native',
    native: { fallback },
    onEvent: (event) => {
      if (event.type === 'native-off') events.push(`${event.reason} ${event.model}: ${event.error}`);
    },
  });
  const model = { specificationVersion: 'v3', provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
  const request = { state: {}, messageList: { addSystem: () => {} }, requestContext: new RequestContext(), model };
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
  const steps: (string | string[])[] = [];
  for (const stepNumber of [0, 1]) {
    try {
      const { tools } = await processor.processInputStep({ ...request, stepNumber, tools: {} } as never);
      steps.push(Object.keys(tools));
    } catch (error) {
      steps.push((error as Error).message);
    }
  }
  const hasRewritten = processor.processLLMRequest?.({ ...request, prompt }) !== undefined;
  processor.processAPIError({ ...request, error: new Error('no') });
  return { steps, events, hasRewritten, rejections };
});
