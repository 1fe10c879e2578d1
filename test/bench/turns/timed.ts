import type { InputProcessor } from '@mastra/core/processors';
import type { MastraTool } from '../../../src/index.ts';

const META_TOOLS = ['search_tools', 'load_tool', 'call_tool'];

/** A processor with a clock: milliseconds in its steps and its meta-tools. The same object, as Mastra looks at its class. */
export function timed(processor: InputProcessor): { processor: InputProcessor; spent: () => number } {
  let milliseconds = 0;
  const clocked =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const start = performance.now();
      try {
        return await call(...args);
      } finally {
        milliseconds += performance.now() - start;
      }
    };

  const step = processor.processInputStep?.bind(processor) as ((args: unknown) => Promise<unknown>) | undefined;
  if (!step) throw new Error('The processor has no processInputStep.');
  processor.processInputStep = clocked(async (args: unknown) => {
    const result = await step(args);
    const { tools = {} } = (result ?? {}) as { tools?: Record<string, MastraTool> };
    for (const name of META_TOOLS) {
      const tool = tools[name] as { execute?: (...args: unknown[]) => Promise<unknown> } | undefined;
      if (tool?.execute) tool.execute = clocked(tool.execute.bind(tool));
    }
    return result;
  }) as never;
  return { processor, spent: () => milliseconds };
}
