import type { MastraTool } from '../catalog/tool.ts';
import { createMetaTool } from './meta-tool.ts';
import * as prompts from './prompts.ts';
import {
  type ReadSearchInput,
  readSearchInput,
  SEARCH_PARAMETERS,
  SEARCH_RESULT,
  type SearchToolsResult,
} from './search-shapes.ts';
import { duringCall, type Services, type Step } from './step.ts';

/** `search_tools` for one step. The code that answers it is a chunk of the package, which the first search loads. */
export function createSearchTool(step: Step, services: Services): MastraTool {
  const { names, searchDescription: description } = services.options.metaTools;
  return createMetaTool<ReadSearchInput, SearchToolsResult>({
    name: names.search,
    description: description ?? prompts.searchDescription(names, step.autoLoad),
    parameters: SEARCH_PARAMETERS,
    result: SEARCH_RESULT,
    read: readSearchInput,
    execute: async (input, context) => {
      const { searchTools } = await import('./search-call.ts');
      return searchTools(input, duringCall(step, context), services);
    },
  });
}
