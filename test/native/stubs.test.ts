import type { ToolStub } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { fillerTools } from '../support/harness.ts';
import type { Kind } from './rig/services.ts';
import { recordingTool, world } from './rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai'];

describe.each(kinds)('a stub, with the tool search of %s and the search here,', (kind) => {
  it('is found, resolved once, and called, in a request that the provider accepts', async () => {
    const ran: string[] = [];
    let resolved = 0;
    const real = recordingTool(ran, 'send_email', 'Send an email.');
    const stub: ToolStub = {
      id: 'send_email',
      description: 'Send an email.',
      resolve: async () => {
        resolved += 1;
        return real;
      },
    };
    const there = world({ execution: 'client', options: { tools: { send_email: stub, ...fillerTools(2) } } });
    expect(await there.say('use send_email', kind)).toBe('done');
    expect(ran).toEqual(['send_email']);
    expect(resolved).toBe(1);
    expect(there.refused()).toEqual([]);
    expect(JSON.stringify(there.sent[0]?.eager)).not.toContain('send_email');
  });

  it('that cannot be resolved ends no run', async () => {
    const stub: ToolStub = {
      id: 'send_email',
      description: 'Send an email.',
      resolve: async () => {
        throw new Error('down');
      },
    };
    const there = world({
      execution: 'client',
      options: { tools: { send_email: stub, ...fillerTools(2) } },
      script: (sent) =>
        sent.json.includes('Not available now') || there.events.some(({ type }) => type === 'search')
          ? { type: 'say', text: 'searched' }
          : {
              type: 'search',
              query: 'send_email',
              wanted: [],
              tool: sent.kind === 'anthropic' ? 'search_tools' : 'tool_search',
            },
    });
    expect(await there.say('use send_email', kind)).toBe('searched');
    expect(there.events.filter(({ type }) => type === 'stub-failed')).toHaveLength(1);
    expect(there.refused()).toEqual([]);
  });
});
