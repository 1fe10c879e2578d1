import { ToolSearchProcessor as CoreProcessor, type InputProcessor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import {
  type MastraTool,
  type NativeOptions,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from '../../../src/index.ts';

/** A way to send the tools of a catalog. */
export interface Variant {
  readonly name: 'core' | 'client' | 'server' | 'append';
  /** Whether the model can unload tools. */
  readonly unloads: boolean;
  make(options: Pick<ToolSearchProcessorOptions, 'tools' | 'filter'>): InputProcessor;
}

export const variants: readonly Variant[] = [
  { name: 'core', unloads: false, make: (options) => new CoreProcessor(options as never) },
  native('client', { execution: 'client', append: false }),
  native('server', { execution: 'server', append: false }),
  native('append', { execution: 'client', append: true }),
];

function native(name: Variant['name'], options: NativeOptions): Variant {
  const unloads = name !== 'server';
  return {
    name,
    unloads,
    make: (given) =>
      new ToolSearchProcessor({
        ...given,
        mode: 'native',
        native: options,
        ...(unloads && { metaTools: { unload: true } }),
      }),
  };
}

/** Tools that differ in their names and numbers alone. */
export function catalog(size: number, options: object = {}): Record<string, MastraTool> {
  const tool = (n: number): MastraTool =>
    createTool({
      id: `tool_${n}`,
      description: `Does task number ${n}, which no other tool does.`,
      inputSchema: z.object({ query: z.string().describe('What to look for.'), limit: z.number().optional() }),
      execute: async () => n,
      ...options,
    }) as unknown as MastraTool;
  return Object.fromEntries(Array.from({ length: size }, (_, n) => [`tool_${n}`, tool(n)]));
}
