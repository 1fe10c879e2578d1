// Tools whose schemas providers refuse, over the real provider packages: test/agent/refused-tools.test.ts has the modes.
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { type MastraTool, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { blocksOf, fakeAnthropic, text } from '../native/fakes/fake-provider.ts';
import { approve, DIALECTS, goalRig, modelOf, say } from '../native/rig/rig.ts';
import { serviceOf } from '../native/rig/services.ts';
import { email, runDurable, toolRecord, weather } from '../support/agent.ts';
import { inTurn } from '../support/breadth.ts';
import { realTools } from '../support/real-tools.ts';
import { REFUSED_KINDS, refusedTool, refuseSchemas } from '../support/strict-schemas.ts';

const TEXT = { type: 'string' };
const KNOWN = REFUSED_KINDS.filter(({ isKnown }) => isKnown);

const WAYS: readonly { readonly way: string; readonly processor: Partial<ToolSearchProcessorOptions> }[] = [
  { way: 'sent whole', processor: { passthroughBelow: 50 } },
  { way: 'pinned', processor: { alwaysLoaded: ['bad_tool'] } },
  { way: 'pinned in call mode', processor: { alwaysLoaded: ['bad_tool'], mode: 'call' } },
  { way: 'preselected', processor: { preselect: true, timeouts: { preselect: 10_000 } } },
];

describe('a tool that a provider is known to refuse', () => {
  it.each(DIALECTS.flatMap((provider) => inTurn({ kind: KNOWN, way: WAYS }).map((one) => ({ provider, ...one }))))(
    'with $kind.kind, runs where it is $way.way: $provider',
    async ({ provider, kind, way: { processor } }) => {
      const ran: string[] = [];
      const service = serviceOf(provider, (sent) => refuseSchemas(sent.body!));
      const tools = toolRecord(weather(), email(), refusedTool('bad_tool', kind, ran));
      const rig = goalRig({ dialect: provider, execution: 'client' }, { mode: 'load', service, tools, processor });
      expect((await say(rig.agent, 'generate', 'use bad_tool')).text).toBe('done');
      expect([ran, service.views()[0]?.eager]).toEqual([['bad_tool'], expect.arrayContaining(['bad_tool'])]);
    },
  );

  it('is sent as the agent would send it, where nothing is refused', async () => {
    const tools = toolRecord(...realTools().map((tool) => createTool(tool as never) as MastraTool));
    const definitionsOf = async (setup: object): Promise<ReadonlyMap<string, unknown>> => {
      const fake = fakeAnthropic(() => ({ content: [text('done')] }));
      const model = modelOf('anthropic', fake) as never;
      await new Agent({ id: 'a', name: 'a', instructions: 'Help.', model, ...setup }).generate('go');
      return new Map(fake.requests[0]?.body.tools?.map((tool) => [tool.name, tool]));
    };
    const sent = await definitionsOf({
      inputProcessors: [new ToolSearchProcessor({ tools, passthroughBelow: 10_000 })],
    });
    const plain = await definitionsOf({ tools });
    expect(sent.size).toBeGreaterThan(100);
    const differing = [...sent].filter(([name, one]) => JSON.stringify(one) !== JSON.stringify(plain.get(name)));
    // This server defines with each tool what all of them use.
    const without = (one: unknown): unknown => {
      const { $defs: _, ...schema } = (one as { input_schema: Record<string, unknown> }).input_schema;
      return schema;
    };
    expect(new Set(differing.map(([name]) => name.split('_')[0]))).toEqual(new Set(['notion']));
    for (const [name, one] of differing) expect(without(one)).toEqual(without(plain.get(name)));
  });

  it('is withheld where no other form of it is known, and called through call_tool', async () => {
    const list = createTool({
      ...{ id: 'bad_tool', description: 'Does bad tool.' },
      inputSchema: { type: 'array', items: TEXT } as never,
      execute: async () => 'ran',
    } as never) as MastraTool;
    const rig = goalRig(
      { dialect: 'anthropic', execution: 'client' },
      { mode: 'load', tools: toolRecord(weather(), list) },
    );
    expect((await say(rig.agent, 'generate', 'use bad_tool')).text).toBe('not found');
    expect(rig.service.views().every(({ eager }) => !eager.includes('bad_tool'))).toBe(true);
    expect(rig.events.filter(({ type }) => type === 'tool-problem')).toMatchObject([
      { problem: 'refused-schema', toolName: 'bad_tool', message: expect.stringContaining('Anthropic refuses') },
    ]);
    await rig.done('generate', 'use get_weather');
  });

  it("is one of the agent's own that is searched", async () => {
    const ran: unknown[] = [];
    const own = createTool({
      ...{ id: 'bad_tool', description: 'Does bad tool.' },
      inputSchema: { type: 'object', properties: { text: TEXT, $filter: TEXT } } as never,
      execute: async (input: unknown) => ({ ran: ran.push(input) }),
    } as never) as MastraTool;
    const service = serviceOf(
      'anthropic',
      (sent) => refuseSchemas(sent.body!),
      ({ eager, calls }) =>
        eager.includes('bad_tool') && !calls.some(({ name }) => name === 'bad_tool')
          ? { type: 'call', name: 'bad_tool', input: { text: 'x', filter: 'a' } }
          : undefined,
    );
    const rig = goalRig(
      { dialect: 'anthropic', execution: 'client' },
      { mode: 'load', service, processor: { includeResolvedTools: true }, agent: { tools: toolRecord(own) } },
    );
    expect((await say(rig.agent, 'generate', 'use bad_tool')).text).toBe('done');
    expect([ran, rig.faults()]).toEqual([[{ text: 'x', $filter: 'a' }], []]);
  });
});

describe('renamed parameters', () => {
  const INPUT = { $filter: 'a', nested: [{ 'a b': 1, free: { $filter: 'data' } }] };
  const WRITTEN = { filter: 'a', nested: [{ a_b: 1, free: { $filter: 'data' } }] };
  const inputSchema = {
    type: 'object',
    properties: {
      $filter: { ...TEXT, description: 'An expression.' },
      nested: {
        type: 'array',
        items: {
          type: 'object',
          properties: { 'a b': { type: 'number' }, free: { type: 'object', additionalProperties: TEXT } },
        },
      },
    },
    required: ['$filter'],
  };

  function renamingRig(more: object = {}, options: object = {}) {
    const seen: Record<string, unknown[]> = { execute: [], approval: [], hook: [] };
    const query = createTool({
      ...{ id: 'run_query', description: 'Does run query.', inputSchema },
      execute: async (input: unknown) => {
        seen['execute']!.push(input);
        return { ok: true };
      },
      ...more,
      ...('requireApproval' in more && {
        requireApproval: async (input: unknown) => {
          seen['approval']!.push(input);
          return (more as { requireApproval: boolean }).requireApproval;
        },
      }),
    } as never) as MastraTool;
    const service = serviceOf(
      'anthropic',
      (sent) => refuseSchemas(sent.body!),
      ({ eager, calls }) => {
        const type = eager.includes('call_tool') ? 'bridge' : 'call';
        if (!eager.includes(type === 'bridge' ? 'call_tool' : 'run_query')) return undefined;
        if (calls.some(({ input }) => JSON.stringify(input).includes('free'))) return undefined;
        return { type, name: 'run_query', input: WRITTEN };
      },
    );
    const beforeToolCall = ({ input }: { input: unknown }): void => void seen['hook']!.push(input);
    const rig = goalRig(
      { dialect: 'anthropic', execution: 'client' },
      {
        ...{ mode: 'load', service, tools: toolRecord(query, weather()) },
        agent: { hooks: { beforeToolCall } } as never,
        ...options,
      },
    );
    return { ...rig, seen };
  }

  it.each(['generate', 'stream'] as const)('are the own ones for all but the model: %s', async (mode) => {
    const rig = renamingRig();
    expect((await say(rig.agent, mode, 'use run_query')).text).toBe('done');
    expect(rig.seen).toMatchObject({ execute: [INPUT], hook: expect.arrayContaining([INPUT]) });
    // The model reads what it wrote, and the names that the tool has.
    const { messages, tools = [] } = rig.service.bodies().at(-1) as never as Parameters<typeof blocksIn>[0] & {
      tools: { name: string }[];
    };
    expect(blocksIn({ messages }).find(({ name }) => name === 'run_query')?.input).toEqual(WRITTEN);
    expect(tools.find(({ name }) => name === 'run_query')).toMatchObject({
      input_schema: {
        properties: { filter: { description: 'An expression.\nNamed "$filter".' } },
        required: ['filter'],
      },
    });
    const stored = await rig.agent.getMemory();
    const { messages: kept } = (await stored?.recall({ threadId: 't', resourceId: 'ann' }))!;
    expect(JSON.stringify(kept)).toContain('"$filter":"a"');
    expect(JSON.stringify(kept)).not.toContain('"filter":"a"');
  });

  it.each(['load', 'call'])('are the own ones in an approval, before it and after it, in %s mode', async (mode) => {
    for (const isAsked of [true, false]) {
      const rig = renamingRig({ requireApproval: isAsked }, { mode });
      const waits = await say(rig.agent, 'generate', 'use run_query');
      expect(new Set(rig.seen['approval']!.map((input) => JSON.stringify(input)))).toEqual(
        new Set([JSON.stringify(INPUT)]),
      );
      expect(waits.waitingTool).toBe(isAsked ? 'run_query' : undefined);
      if (isAsked) await approve(rig.agent, 'generate', waits);
      expect(rig.seen['execute']).toEqual([INPUT]);
    }
  });

  it('are the own ones in a DurableAgent, whose model cannot be asked otherwise', async () => {
    const rig = renamingRig({}, { kind: 'Agent', memory: false });
    expect(await runDurable(rig.agent, 'use run_query')).toBe('done');
    expect(rig.seen['execute']).toEqual([INPUT]);
  });
});

function blocksIn({ messages }: { readonly messages: readonly Parameters<typeof blocksOf>[0][] }) {
  return messages.flatMap((one) => [...blocksOf(one)]);
}

describe('definitions that nothing refers to', () => {
  const inputSchema = {
    type: 'object',
    properties: { page: { $ref: '#/$defs/Page' } },
    $defs: {
      Page: { type: 'object', properties: { parent: { $ref: '#/$defs/Parent' } } },
      Parent: { type: 'string', description: 'Its parent.' },
      Gone: { type: 'object', properties: { other: { $ref: '#/$defs/Lost' } } },
      Lost: { type: 'string', description: 'of no use '.repeat(5_000) },
    },
  };
  const page = (): MastraTool =>
    createTool({
      ...{ id: 'make_page', description: 'Make a page.', inputSchema },
      execute: async () => 'ran',
    } as never) as MastraTool;

  it.each(['load', 'call', 'native'] as const)('are not sent in %s mode, to whichever model', async (mode) => {
    for (const provider of ['anthropic', 'openai'] as const) {
      const rig = goalRig({ dialect: provider, execution: 'client' }, { mode, tools: toolRecord(page(), weather()) });
      await rig.done('generate', 'use make_page');
      const { json } = rig.service.views().at(-1)!;
      expect([json.includes('Its parent.'), json.includes('of no use')]).toEqual([true, false]);
    }
  });
});
