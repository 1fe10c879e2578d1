import { describe, expect, it } from 'vitest';
import { fillerTools } from '../support/harness.ts';
import type { Kind } from './rig/services.ts';
import { recordingTool, world } from './rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai'];

describe.each(kinds)("a search for one of the agent's own tools, with the tool search of %s,", (kind) => {
  it('is told that it is there, in a request that the provider accepts', async () => {
    const there = world({
      execution: 'client',
      agent: { tools: { read_clock: recordingTool([], 'read_clock', 'Reads the clock.') } },
      options: { tools: fillerTools(2) },
      script: (sent) =>
        sent.json.includes('needs no loading')
          ? { type: 'say', text: 'told' }
          : {
              type: 'search',
              query: 'clock',
              wanted: [],
              tool: sent.kind === 'anthropic' ? 'search_tools' : 'tool_search',
            },
    });
    expect(await there.say('what time is it?', kind)).toBe('told');
    expect(there.sent).toHaveLength(2);
    expect(there.refused()).toEqual([]);
  });
});
