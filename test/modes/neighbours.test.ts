import { ProcessorStepSchema } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import type { ToolStub } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { CATALOG, recordingTool, type WorldOptions } from '../native/rig/world.ts';
import { call, calls, fillerTools, rig } from '../support/agent.ts';
import { attemptsAt, modeRig, WAYS } from '../support/modes.ts';

const SECRET = 'get_weather';

const withinWorkflow: NonNullable<WorldOptions['inputProcessors']> = (processor) => [
  createWorkflow({ id: 'processors', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
    .then(createStep(processor as never))
    .commit(),
];

describe.each(WAYS)('with $way,', (way) => {
  it('a processor within a workflow serves its agent, and runs nothing that is denied', async () => {
    const filter = ({ toolName, phase }: { toolName: string; phase: string }) =>
      toolName !== SECRET || phase !== 'active';
    const { ask, does, ran } = modeRig(way, { inputProcessors: withinWorkflow, options: { filter } });
    expect((await ask('use send_email')).text).toBe('done');
    await does(attemptsAt(way, SECRET));
    expect(ran).toEqual(['send_email']);
  });

  it('a sub-agent uses its tools, with the rights of the request', async () => {
    const filter = ({ requestContext }: { requestContext?: RequestContext }) => requestContext?.get('user') === 'ann';
    const { agent, ran } = modeRig(way, { options: { filter } });
    const script = calls(call('agent-helper', { prompt: `use ${SECRET}` }));
    const outer = rig({ tools: {} }, { script, agent: { agents: { helper: agent } } });
    for (const user of ['bob', 'ann']) {
      const requestContext = new RequestContext<unknown>([
        ['kind', way.model],
        ['user', user],
      ]);
      await outer.agent.generate('go', { requestContext: requestContext as never });
      expect(ran).toEqual(user === 'ann' ? [SECRET] : []);
    }
  });
});

const bySide = (isServer: boolean) => WAYS.filter(({ execution }) => (execution === 'server') === isServer);

describe("the agent's own tools and stubs", () => {
  it.each(bySide(true))('are refused with $way, as a provider finds only definitions that it is sent', (way) => {
    const stub: ToolStub = { id: SECRET, description: 'x', resolve: async () => recordingTool([], SECRET) };
    expect(() => modeRig(way, { options: { tools: { [SECRET]: stub } } })).toThrow('"native.execution"');
  });

  it.each(bySide(false))('are used together, and none that is denied is resolved or run, with $way', async (way) => {
    const ran: string[] = [];
    const resolve = vi.fn(async (name: string) => recordingTool(ran, name, CATALOG[name]));
    const stub = (id: string): ToolStub => ({ id, description: CATALOG[id] ?? '', resolve: () => resolve(id) });
    const own = (name: string) => recordingTool(ran, name, CATALOG[name] ?? 'Wipes a disk.');
    const denied = [SECRET, 'wipe_disk'];
    const { ask, does, refused } = modeRig(way, {
      options: {
        tools: () => ({ send_email: stub('send_email'), [SECRET]: stub(SECRET), ...fillerTools(2) }),
        includeResolvedTools: true,
        filter: ({ toolName }) => !denied.includes(toolName),
      },
      agent: { tools: () => ({ book_flight: own('book_flight'), wipe_disk: own('wipe_disk') }) },
    });
    expect((await ask('use send_email book_flight')).text).toBe('done');
    expect(refused()).toEqual([]);
    for (const name of denied) await does(attemptsAt(way, name));
    expect(ran).toEqual(['send_email', 'book_flight']);
    expect(new Set(resolve.mock.calls.map(([name]) => name))).toEqual(new Set(['send_email']));
  });
});
