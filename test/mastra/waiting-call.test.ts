import { Mastra } from '@mastra/core/mastra';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { tool as aiTool } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { mayHaveWaited } from '../../src/mastra/calls.ts';
import { call, calls, fillerTools, load, rig, tool } from '../support/harness.ts';

const inputSchema = z.object({ text: z.string() });
const risky = async ({ text }: { text?: string }) => text === 'risky';

const kinds = [
  {
    kind: 'requireApproval of a Mastra tool',
    make: (execute: () => Promise<string>) =>
      tool('subject', 'Subject.', { inputSchema, execute, requireApproval: risky }),
  },
  {
    kind: 'needsApproval of an AI SDK tool',
    make: (execute: () => Promise<string>) =>
      aiTool({ description: 'Subject.', inputSchema, execute, needsApproval: risky } as never),
  },
];

/** Above 500 tools, the tool is dressed up by the processor instead of converted by Mastra. */
describe.each([
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
])('in a $size catalog, a function', ({ fillers }) => {
  it.each(kinds)('as $kind decides for each call', async ({ make }) => {
    const execute = vi.fn(async () => 'ran');
    const run = async (text: string) => {
      const { agent } = rig(
        { tools: { subject: make(execute), ...fillers } as never },
        { script: calls(load('subject'), call('subject', { text })) },
      );
      new Mastra({ agents: { agent }, logger: false, storage: new InMemoryStore() });
      return (await agent.generate('go')).finishReason;
    };
    expect(await run('risky')).toBe('suspended');
    expect(execute).not.toHaveBeenCalled();
    expect(await run('harmless')).toBe('stop');
    expect(execute).toHaveBeenCalledTimes(1);
  });
});

it('a call may have waited for approval where the request context throws', () => {
  const requestContext = {
    get: () => {
      throw new Error('no access');
    },
  };
  expect(mayHaveWaited(tool('subject'), { requestContext })).toBe(true);
  expect(mayHaveWaited(tool('subject'), { requestContext: new RequestContext() })).toBe(false);
});
