// Processors of either side, that log nothing: catalogs have tools with flaws.
import { Mastra } from '@mastra/core/mastra';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from '../../src/index.ts';
import type { Processor } from './agent-request.ts';

export type Side = 'core' | 'ours';

const mastra = new Mastra({ logger: false });

/** One of ours. */
export function quietProcessor(options: ToolSearchProcessorOptions): ToolSearchProcessor {
  const processor = new ToolSearchProcessor(options);
  processor.__registerMastra(mastra);
  return processor;
}

/** Makes a processor of either side, with options that both have. */
export const create: Readonly<Record<Side, (options: ToolSearchProcessorOptions) => Processor>> = {
  core: (options) => new CoreProcessor(options as never),
  ours: quietProcessor,
};
