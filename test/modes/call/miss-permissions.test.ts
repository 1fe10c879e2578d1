import type { MastraTool, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { type Mode, missingRun as missing, run } from '../../agent/missed-calls.ts';
import { pairwise } from '../../support/breadth.ts';
import { call, SIZES, tool, toolRecord, weather } from '../../support/harness.ts';
import { toolResults } from '../../support/scripted-model.ts';

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
/** Where a tool of a request may come from. */
const sources: readonly {
  readonly from: string;
  readonly options: (tools: Record<string, MastraTool>) => Partial<ToolSearchProcessorOptions>;
  readonly own?: true;
}[] = [
  { from: 'the constructor', options: (tools) => ({ tools }) },
  { from: 'a function', options: (tools) => ({ tools: () => tools }) },
  { from: 'the agent itself', options: () => ({ tools: {}, includeResolvedTools: true }), own: true },
  {
    from: 'stubs',
    options: (tools) => ({
      tools: Object.fromEntries(
        Object.entries(tools).map(([key, made]) => {
          const { id, description } = made;
          return [key, { id, description, resolve: async () => made }];
        }),
      ),
    }),
  },
];

// What phases deny, in all modes and for each spelling of a name: test/modes/permissions.test.ts.
describe("a missed call, with onMiss: 'run',", () => {
  it.each(pairwise({ source: sources, mode: modes, catalog: SIZES }))(
    'runs what is permitted, and nothing else, of tools from $source.from ($mode, $catalog.size catalog)',
    async ({ source: { options, own }, mode, catalog: { fillers } }) => {
      const execute = vi.fn(async () => 'ran');
      const tools = { ...toolRecord(tool('secret', 'Secret.', { execute }), weather()), ...fillers };
      const filter: ToolSearchProcessorOptions['filter'] = ({ toolName, phase }) =>
        toolName !== 'secret' || phase !== 'active';
      const rigged = missing(
        ['secret', 'functions.secret', call('get_weather', { text: 'x' })],
        { ...options(tools), filter },
        own ? { tools } : {},
      );
      await run(rigged, mode);
      expect(execute).not.toHaveBeenCalled();
      expect(rigged.events.filter(({ type }) => type === 'run-on-miss')).toHaveLength(1);
      expect(rigged.model.result()).toMatchObject({ ran: 'get_weather', input: { text: 'x' } });
    },
  );
});

describe('a request that names what may be called', () => {
  const secret = () => {
    const execute = vi.fn(async () => 'ran');
    return { execute, tools: toolRecord(tool('secret', 'Secret.', { execute }), weather()) };
  };

  it.each([
    { how: 'no call', options: { toolChoice: 'none' } },
    { how: 'one tool', options: { toolChoice: { type: 'tool', toolName: 'search_tools' } } },
  ])('and wants $how runs no other at once', async ({ options }) => {
    const { execute, tools } = secret();
    const { agent, events } = missing(['secret'], { tools });
    await agent.generate('go', { ...options, maxSteps: 2 } as never);
    expect(execute).not.toHaveBeenCalled();
    expect(events.filter(({ type }) => type === 'run-on-miss')).toEqual([]);
  });

  it('and wants some call runs a missed one', async () => {
    const { execute, tools } = secret();
    const { agent } = missing(['secret'], { tools });
    await agent.generate('go', { toolChoice: 'required', maxSteps: 2 });
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it.each(modes)('runs no own tool of the agent that its list of active tools lacks (%s)', async (mode) => {
    const { execute, tools } = secret();
    const made = missing(['clock', 'Clock', 'secret'], { tools }, { tools: toolRecord(tool('clock'), tool('timer')) });
    await run(made, mode, { activeTools: ['timer'] } as never);
    expect(made.model.sent(0)).toEqual(['search_tools', 'load_tool', 'timer']);
    const [first, second] = toolResults(made.model.calls.at(-1)!.prompt);
    expect(JSON.stringify([first?.value, second?.value])).not.toContain('ran');
    expect(execute).toHaveBeenCalledTimes(1);
  });
});
