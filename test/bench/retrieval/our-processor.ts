import { Mastra } from '@mastra/core/mastra';
import { ToolSearchProcessor } from '../../../src/index.ts';
import type { Contestant } from './contestant.ts';
import { throughSearchTools } from './through-search-tools.ts';

/** The whole way that a model's call takes here, with every default. Problems of the catalogs' tools are not logged. */
export const ourProcessor: Contestant = throughSearchTools('processor', (options) => {
  const processor = new ToolSearchProcessor(options);
  processor.__registerMastra(new Mastra({ logger: false }));
  return processor;
});
