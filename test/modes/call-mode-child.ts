// A process without a file of the package: runs an agent that calls a tool, and sends back what came of it.
import { registerHooks } from 'node:module';
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from '../../src/index.ts';
import { answerParent } from '../support/new-process.ts';
import { scriptedModel, toolNames } from '../support/scripted-model.ts';
import { tool, toolRecord } from '../support/simple-tools.ts';

export interface Outcome {
  /** Names of the tools of each step. */
  readonly steps: readonly (readonly string[])[];
  readonly events: readonly string[];
  readonly rejections: readonly string[];
}

export interface Order {
  /** How the path of the file ends. */
  readonly missing: string;
  readonly options: Partial<ToolSearchProcessorOptions>;
}

answerParent(async ({ missing, options }: Order): Promise<Outcome> => {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.endsWith(missing)) throw new Error('This file was not deployed.');
      return next(specifier, context);
    },
  });
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
  const model = scriptedModel(({ step }) =>
    step === 0 ? { toolCalls: [{ toolName: 'get_weather', input: {} }] } : { text: 'done' },
  );
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'Help.', model, inputProcessors: [processor] });
  await agent.generate('go');
  return { steps: model.calls.map(toolNames), events, rejections };
});
