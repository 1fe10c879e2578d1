import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { describe, expect, it } from 'vitest';
import { call, calls, load, type Rig, rig, tool } from '../support/harness.ts';
import { lastToolResult } from '../support/scripted-model.ts';

const turn = { memory: { thread: 't', resource: 'r' } };

describe.each([
  { id: 'delete-repo', name: 'delete-repo' },
  { id: 'repo.delete', name: 'repo_delete' },
])('an approved call of an agent’s tool with the key deleteRepo and the id $id', ({ id, name }) => {
  it.each([
    { where: 'in the same process', isNew: false, filter: undefined },
    { where: 'in the same process, with a filter', isNew: false, filter: () => true },
    { where: 'after a restart', isNew: true, filter: undefined },
    { where: 'after a restart, with a filter', isNew: true, filter: () => true },
  ])('runs $where', async ({ isNew, filter }) => {
    const storage = new InMemoryStore();
    const open = (): Rig => {
      const made = rig(
        { includeResolvedTools: true, ...(filter ? { filter } : {}) },
        {
          script: calls(load(name), call(name)),
          agent: { tools: { deleteRepo: tool(id, 'Deletes.', { requireApproval: true }) }, memory: new Memory() },
        },
      );
      new Mastra({ agents: { agent: made.agent }, storage, logger: false });
      return made;
    };
    const first = open();
    const { runId = '', suspendPayload } = await first.agent.generate('go', turn);
    const second = isNew ? open() : first;
    const { toolCallId } = suspendPayload as { toolCallId: string };
    await second.agent.approveToolCallGenerate({ runId, toolCallId });
    expect(lastToolResult(second.model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: id });
  });
});
