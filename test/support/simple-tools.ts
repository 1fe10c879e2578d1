// Apart from harness.ts for processes that cannot import the package by its name.
import { createTool, type ToolExecutionContext } from '@mastra/core/tools';
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

/** A small tool that suspends itself until it has an answer. */
export function askingTool(id: string): MastraTool {
  return tool(id, 'Asks the boss.', {
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ answer: z.string() }),
    execute: async (_input: unknown, context: ToolExecutionContext<unknown>) => {
      const answer = (context.agent?.resumeData as { answer: string } | undefined)?.answer;
      return answer === undefined ? context.agent?.suspend({ question: 'Sure?' }) : { answer };
    },
  });
}

export function toolRecord(...tools: readonly MastraTool[]): Record<string, MastraTool> {
  return Object.fromEntries(tools.map((entry) => [entry.id, entry]));
}
