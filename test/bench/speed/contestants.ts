import { Mastra } from '@mastra/core/mastra';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { type MastraTool, ToolSearchProcessor } from '../../../src/index.ts';

export type Side = 'core' | 'ours';

/** What is the same in both. */
export interface ProcessorOptions {
  readonly tools: Record<string, MastraTool>;
  readonly includeResolvedTools?: boolean;
  readonly injectCatalog?: boolean;
  readonly filter?: () => boolean | Promise<boolean>;
}

export interface Processor {
  processInputStep(args: never): Promise<unknown>;
}

export interface Contestant {
  readonly side: Side;
  create(options: ProcessorOptions): Processor;
}

/** Problems of the catalogs' tools are not logged. */
const mastra = new Mastra({ logger: false });

export const core: Contestant = { side: 'core', create: (options) => new CoreProcessor(options) };

export const ours: Contestant = {
  side: 'ours',
  create: (options) => {
    const processor = new ToolSearchProcessor(options);
    processor.__registerMastra(mastra);
    return processor;
  },
};
