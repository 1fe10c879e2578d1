// Apart from harness.ts for processes that cannot import the package by its name.
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import type { MastraTool } from '../../src/index.ts';

/** A small tool that answers with what it got. */
export function tool(id: string, description = `Does ${id.replaceAll('_', ' ')}.`, extra: object = {}): MastraTool {
  return createTool({
    id,
    description,
    inputSchema: z.object({ text: z.string().optional() }),
    execute: async (input: { text?: string }) => ({ ran: id, input }),
    ...extra,
  } as never) as MastraTool;
}

export function toolRecord(...tools: readonly MastraTool[]): Record<string, MastraTool> {
  return Object.fromEntries(tools.map((entry) => [entry.id, entry]));
}
