import { tool as aiTool } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, calls, inMastra, load, rig, SIZES, tool } from '../support/harness.ts';

const inputSchema = z.object({ text: z.string() });
const risky = async ({ text }: { text?: string }) => text === 'risky';

describe.each(SIZES)('in a $size catalog, a function', ({ fillers }) => {
  it.each<[kind: string, make: (execute: () => Promise<string>) => object]>([
    ['requireApproval', (execute) => tool('subject', 'Subject.', { inputSchema, execute, requireApproval: risky })],
    ['needsApproval', (execute) => aiTool({ description: 'It.', inputSchema, execute, needsApproval: risky } as never)],
  ])('as %s decides for each call', async (_, make) => {
    const execute = vi.fn(async () => 'ran');
    const run = async (text: string) => {
      const script = calls(load('subject'), call('subject', { text }));
      const { agent } = rig({ tools: { subject: make(execute), ...fillers } as never }, { script });
      inMastra(agent);
      return (await agent.generate('go')).finishReason;
    };
    expect(await run('risky')).toBe('suspended');
    expect(execute).not.toHaveBeenCalled();
    expect(await run('harmless')).toBe('stop');
    expect(execute).toHaveBeenCalledTimes(1);
  });
});
