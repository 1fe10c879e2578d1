import { RequestContext } from '@mastra/core/request-context';
import { tool as aiTool } from 'ai';
import type { ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Session } from '../meta-tools/session.ts';
import { call, calls, inMastra, load, rig, SIZES, tool, toolRecord } from '../support/agent.ts';

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

it.each<[context: string, requestContext: object, asked: string[]]>([
  ['does not tell of one', new RequestContext(), ['active']],
  ['throws', { get: () => JSON.parse('no access') }, ['active', 'load']],
])('a call may have waited for an approval where its request context %s', async (_, requestContext, asked) => {
  const filter = vi.fn<ToolSearchFilter>(() => true);
  const session = new Session({ tools: toolRecord(tool('subject')), filter });
  await session.load({ toolName: 'subject' });
  const { tools } = await session.step();
  filter.mockClear();
  expect(await tools['subject']?.execute?.({} as never, { requestContext } as never)).toMatchObject({ ran: 'subject' });
  expect(filter.mock.calls.map(([{ phase }]) => phase)).toEqual(asked);
});
