import { ToolSearchProcessor } from '@mastra/core/processors';
import type { Contestant } from '../contestant.ts';
import { throughSearchTools } from '../through-search-tools.ts';

/** The processor inside @mastra/core itself, with `topK` 10. */
export const mastraCore: Contestant = throughSearchTools('core', (options) => new ToolSearchProcessor(options));
