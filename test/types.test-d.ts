// Checked by `tsc -p .` alone: what the public types accept, and what they refuse (@ts-expect-error).
import { Agent } from '@mastra/core/agent';
import {
  ToolSearchProcessor as CoreProcessor,
  type ErrorProcessor,
  type InputProcessor,
  type Processor,
} from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import {
  memoryStore,
  type PassthroughLimits,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles for true statements only. */
function holds<_Statements extends readonly true[]>(): void {}
/** Compiles for what the constructor takes. */
function options(_options: ToolSearchProcessorOptions): void {}

// What "tools" takes, test/package/types.ts says.
const clock = createTool({ id: 'clock', description: 'Time.', execute: async () => Date.now() });
const tools = { clock };
options({ tools });
options({ includeResolvedTools: true });

// A small catalog.
options({ tools, passthroughBelow: 8 });
options({ tools, passthroughBelow: { tools: 8, tokens: 500 } });
const limits: PassthroughLimits = { tokens: 500 };
options({ tools, passthroughBelow: limits });
// @ts-expect-error a text
options({ tools, passthroughBelow: '8' });
// @ts-expect-error a flag
options({ tools, passthroughBelow: true });
// @ts-expect-error no such limit
options({ tools, passthroughBelow: { tool: 8 } });
options({ tools, onEvent: (event) => void (event.type === 'passthrough' && event.isSentWhole && event.below) });
options({ tools, onEvent: (event) => void (event.type === 'tools-failed' && event.error) });

// A drop-in: what was written for the class of @mastra/core compiles.
declare const coreOptions: ConstructorParameters<typeof CoreProcessor>[0];
options(coreOptions);
export const agent: Agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Help.',
  model: 'openai/gpt-5',
  inputProcessors: [new ToolSearchProcessor({ tools }), new CoreProcessor({ tools })],
});
declare const processor: ToolSearchProcessor;
processor satisfies InputProcessor & Processor<'tool-search'>;
processor satisfies ErrorProcessor;
new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Help.',
  model: 'anthropic/claude-sonnet-4-5',
  inputProcessors: [processor],
  errorProcessors: [processor],
});
holds<[Equal<typeof processor.id, 'tool-search'>, Equal<typeof processor.name, 'Tool Search Processor'>]>();
// @ts-expect-error the options are required
new ToolSearchProcessor();
// @ts-expect-error no such option
options({ tools, toolz: {} });

// Plain values.
options({
  tools,
  search: { topK: 3, minScore: -1, autoLoad: true },
  ttl: 0,
  injectCatalog: true,
  alwaysLoaded: ['clock'],
});
options({
  tools,
  alwaysLoaded: ['clock'] as const,
  metaTools: { search: { name: 'find' }, load: { description: 'Take.' } },
});
// @ts-expect-error a text
options({ tools, search: { topK: '5' } });
// @ts-expect-error one name
options({ tools, alwaysLoaded: 'clock' });
// @ts-expect-error the parameters have fixed names
options({ tools, metaTools: { search: { parameters: {} } } });
options({ tools, injectCatalog: 'names' });
// @ts-expect-error no such list
options({ tools, injectCatalog: 'all' });
// @ts-expect-error no such storage
options({ tools, storage: 'redis' });
// @ts-expect-error the factory
options({ tools, storage: memoryStore });
