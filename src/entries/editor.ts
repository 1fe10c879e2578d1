/**
 * The processor for Mastra's editor: Studio lists it, with a form for the options that are plain data.
 *
 * @module mastra-tool-search/editor
 */
import type { ProcessorProvider } from '@mastra/core/processor-provider';
import { z } from 'zod';
import { checkOption, invalidOption } from '../errors.ts';
import { memoryStore, ToolSearchProcessor, type ToolSearchProcessorOptions } from '../index.ts';
import { given, isRecord } from '../util/record.ts';

/** The options that a form can set. Tools, filter, scorer and stores are code, and are passed to the provider. */
const configSchema = z.strictObject({
  mode: z.enum(['load', 'call', 'native']).optional().describe('How the model gets at tools'),
  includeResolvedTools: z.boolean().optional().describe("Search the agent's own tools too, and hide them until then"),
  injectCatalog: z
    .union([z.boolean(), z.literal('names')])
    .optional()
    .describe('List all tools in the system text'),
  preselect: z.boolean().optional().describe("Send what the user's words ask for at once"),
  alwaysLoaded: z.array(z.string()).optional().describe('Tools that are sent in every step'),
  onMiss: z.enum(['load', 'error']).optional().describe('What becomes of a call of a tool that is not loaded'),
  ttl: z.number().min(0).optional().describe('Milliseconds after which loaded tools are forgotten'),
  search: z
    .strictObject({
      topK: z.int().min(1).optional().describe('Results of a search'),
      autoLoad: z.boolean().optional().describe('Load what a search returns at once'),
      minConfidence: z.number().min(0).max(1).optional().describe('Leave out less likely results'),
    })
    .optional(),
});

/**
 * Makes the processor available to agents that are edited in Studio: pass the result to `MastraEditor` under any name.
 * The form sets the mode, what is searched and what stays loaded, and overrides the options given here.
 *
 * The only phase is `processInputStep`, so that the editor never wraps the processor: behind a wrapper, Mastra would
 * not find the tool of a call that waits for approval over a restart. All processors of one provider share one store of
 * loaded tools.
 *
 * @param options - the options of every processor that the provider makes.
 * @throws ToolSearchError where `new ToolSearchProcessor(options)` would.
 *
 * @example
 * ```ts
 * import { toolSearchProvider } from 'mastra-tool-search/editor';
 *
 * // new MastraEditor({ processorProviders: { 'tool-search': provider } })
 * const provider = toolSearchProvider({ tools, search: { topK: 3 } });
 * ```
 */
export function toolSearchProvider(options: ToolSearchProcessorOptions): ProcessorProvider {
  checkOption(isRecord(options), 'options', options, 'an object, e.g. { tools }');
  const { storage = 'in-memory' } = options;
  const shared = { ...options, storage: storage === 'in-memory' ? memoryStore() : storage };
  new ToolSearchProcessor(shared);
  return {
    info: {
      id: 'tool-search',
      name: 'Tool search',
      description: 'The model searches for tools and loads what it needs, in place of reading every definition.',
    },
    configSchema,
    availablePhases: ['processInputStep'],
    createProcessor(config) {
      const read = configSchema.safeParse(config);
      if (!read.success) throw invalidOption('config', config, faultsOf(read.error));
      const { search, ...others } = read.data;
      return new ToolSearchProcessor({
        ...shared,
        ...given(others),
        search: { ...shared.search, ...given(search ?? {}) },
      });
    },
  };
}

function faultsOf({ issues }: z.ZodError): string {
  const faults = issues.map(({ path, message }) => `${path.join('.') || 'the form'}: ${message}`);
  return `what the form of the tool search allows (${faults.join('; ')})`;
}
