import { expect, it } from 'vitest';
import { call, calls, rig, tool, toolRecord } from '../support/harness.ts';
import { lastToolResult, toolNames } from '../support/scripted-model.ts';

// What holds in every mode is in test/modes.
it('a search with autoLoad asks the load phase, and shows nothing that it denies', async () => {
  const { agent, model } = rig(
    {
      tools: toolRecord(tool('mail_read', 'Mail reading.'), tool('mail_send', 'Mail sending.')),
      search: { autoLoad: true },
      filter: ({ toolName, phase }) => phase !== 'load' || toolName === 'mail_read',
    },
    { script: calls(call('search_tools', { query: 'mail' })) },
  );
  await agent.generate('mail');
  expect(toolNames(model.calls.at(-1)!)).toEqual(['search_tools', 'mail_read']);
  const result = lastToolResult(model.calls.at(-1)!.prompt)?.value as { loaded: string[] };
  expect(result.loaded).toEqual(['mail_read']);
  expect(JSON.stringify(model.calls)).not.toContain('mail_send');
});
