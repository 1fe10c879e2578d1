import { RequestContext } from '@mastra/core/request-context';
import type { MastraTool, ToolSearchFilterPhase, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { type Mode, missingRun as missing, run } from '../../agent/missed-calls.ts';
import { pick, type Random, randomFrom } from '../../bench/speed/random.ts';
import { call, fillerTools, rig, tool, toolRecord, weather } from '../../support/harness.ts';
import { realTools } from '../../support/real-tools.ts';
import { lastToolResult, toolNames, toolResults } from '../../support/scripted-model.ts';

const sizes = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
];
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

describe.each(sizes)("a missed call, with onMiss: 'run', in a $size catalog", ({ fillers }) => {
  describe.each(sources)('of tools from $from', ({ options, own }) => {
    const made = (
      called: readonly (string | ReturnType<typeof call>)[],
      tools: Record<string, MastraTool>,
      more = {},
    ) => missing(called, { ...options(tools), ...more }, own ? { tools } : {});
    const secretWith = (execute: () => Promise<unknown>) => ({
      ...toolRecord(tool('secret', 'Secret.', { execute } as never), weather()),
      ...fillers,
    });

    it.each(modes)('runs what is permitted (%s)', async (mode) => {
      const rigged = made(
        [call('get_weather', { text: 'x' })],
        secretWith(async () => 'ran'),
      );
      await run(rigged, mode);
      const value = { ran: 'get_weather', input: { text: 'x' } };
      expect(lastToolResult(rigged.model.calls[1]!.prompt)?.value).toMatchObject(value);
    });

    it.each(
      modes.flatMap((mode) =>
        (['load', 'active'] as const).flatMap((denied) =>
          ['secret', 'Secret', 'functions.secret'].map((called) => ({ mode, denied, called })),
        ),
      ),
    )('does not run as $called what phase $denied denies ($mode)', async ({ mode, denied, called }) => {
      const execute = vi.fn(async () => 'ran');
      const rigged = made([called, called, 'get_weather'], secretWith(execute), {
        filter: ({ toolName, phase }: { toolName: string; phase: ToolSearchFilterPhase }) =>
          toolName !== 'secret' || phase !== denied,
      });
      await run(rigged, mode);
      expect(execute).not.toHaveBeenCalled();
      expect(rigged.events.filter(({ type }) => type === 'run-on-miss')).toHaveLength(1);
      expect(lastToolResult(rigged.model.calls.at(-1)!.prompt)?.value).toMatchObject({ ran: 'get_weather' });
    });

    it.each(modes)('does not run what is withdrawn before it runs (%s)', async (mode) => {
      const execute = vi.fn(async () => 'ran');
      let asked = 0;
      const rigged = made(['secret'], secretWith(execute), {
        filter: ({ phase }: { phase: ToolSearchFilterPhase }) => phase !== 'active' || ++asked === 1,
      });
      await run(rigged, mode);
      expect(execute).not.toHaveBeenCalled();
      expect(rigged.events).toContainEqual({ type: 'call-denied', toolName: 'secret' });
    });

    it('runs for one user what it does not run for another at the same time', async () => {
      const ran: unknown[] = [];
      const execute = vi.fn(async (_: unknown, context: { requestContext?: RequestContext }) => {
        ran.push(context.requestContext?.get('user'));
        return 'ran';
      });
      const rigged = made(['secret'], secretWith(execute as never), {
        filter: ({ requestContext }: { requestContext?: RequestContext }) => requestContext?.get('user') === 'ann',
      });
      await Promise.all(
        ['ann', 'bob', 'ann', 'bob'].map((user) =>
          rigged.agent.generate(user, { requestContext: new RequestContext([['user', user]]) }),
        ),
      );
      expect(execute).toHaveBeenCalledTimes(2);
      expect(ran).toEqual(['ann', 'ann']);
    });
  });
});

/** A name as it is, or as models write it wrongly. */
function writtenName(names: readonly string[], random: Random): string {
  const real = pick(names, random);
  const at = Math.floor(random() * real.length);
  const camel = real.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const others = [
    'constructor_x',
    'search_tools.0',
    'search_tools.10',
    'load_tool.0',
    'toString_',
    '__proto___',
    'call_tool',
  ];
  const wrong = [
    camel,
    camel.toUpperCase(),
    `functions.${real}`,
    `${real.slice(0, at)}${real.slice(at + 1)}`,
    `${real} `,
  ];
  return pick([real, real, ...wrong, `default_api:${real}`, real.replaceAll('_', '-'), pick(others, random)], random);
}

it.each(modes)('runs nothing that is forbidden, whatever a model calls (%s)', async (mode) => {
  const random = randomFrom(11);
  const ran: string[] = [];
  const tools = Object.fromEntries(
    realTools()
      .slice(0, 120)
      .map(({ id, description }) => [id, tool(id, description, { execute: async () => void ran.push(id) })]),
  );
  const names = Object.keys(tools);
  let permitted = 0;
  for (let round = 0; round < (mode === 'durable' ? 15 : 40); round++) {
    const forbidden = new Set(names.filter(() => random() < 0.5));
    const denied = pick<ToolSearchFilterPhase>(['load', 'active'], random);
    const isAsync = random() < 0.5;
    ran.length = 0;
    const made = rig(
      {
        tools,
        onMiss: 'run',
        filter: ({ toolName, phase }) => {
          const answer = phase !== denied || !forbidden.has(toolName);
          return isAsync ? Promise.resolve(answer) : answer;
        },
      },
      {
        script: ({ step }) =>
          step < 3
            ? { toolCalls: Array.from({ length: 4 }, () => call(writtenName(names, random))) }
            : { text: 'done' },
      },
    );
    await run(made, mode);
    expect(ran.filter((id) => forbidden.has(id))).toEqual([]);
    permitted += ran.length;
  }
  expect(permitted).toBeGreaterThan(20);
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
    expect(toolNames(made.model.calls[0]!)).toEqual(['search_tools', 'load_tool', 'timer']);
    const [first, second] = toolResults(made.model.calls.at(-1)!.prompt);
    expect(JSON.stringify([first?.value, second?.value])).not.toContain('ran');
    expect(execute).toHaveBeenCalledTimes(1);
  });
});
