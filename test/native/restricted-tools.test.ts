import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tool } from '../support/harness.ts';
import { EXECUTIONS, FORMS, type GoalRig, goalRig, KINDS, say } from './rig/rig.ts';
import type { Kind } from './rig/services.ts';
import { type World, type WorldOptions, world } from './rig/world.ts';

const cases = FORMS.flatMap((form) => KINDS.map((kind) => ({ form, kind, ...form })));

/** A turn that finds a tool, and one in which `prepareStep` restricts what is sent. */
async function restrict(rig: GoalRig, prepareStep: (step: { stepNumber: number; tools: object }) => unknown) {
  expect((await say(rig.agent, 'stream', 'use get_weather')).text).toBe('done');
  const { text } = await say(rig.agent, 'stream', 'use get_weather', { prepareStep } as never);
  expect(rig.refused()).toEqual([]);
  return { text, last: rig.service.views().at(-1) };
}

describe.each(cases)('prepareStep of a $kind, $dialect $execution', ({ form, kind }) => {
  it.each([
    ['the loaded tool alone', ['get_weather']],
    ['it and an own one', ['own_tool', 'get_weather']],
  ])('that leaves %s and no search has them sent eager', async (_, activeTools) => {
    const { text, last } = await restrict(goalRig(form, { kind }), () => ({ activeTools }));
    expect(text).toBe('done');
    expect([...(last?.eager ?? []), ...(last?.appended ?? [])].toSorted()).toEqual(activeTools.toSorted());
    expect(last?.deferred).toEqual([]);
  });

  it('that leaves a tool nobody loaded does not have it sent', async () => {
    const { last } = await restrict(goalRig(form, { kind }), () => ({ activeTools: ['own_tool', 'send_email'] }));
    expect([last?.eager, last?.deferred]).toEqual([['own_tool'], []]);
  });

  it('does not end native mode for the next turn', async () => {
    const rig = goalRig(form, { kind });
    await restrict(rig, () => ({ activeTools: ['get_weather'] }));
    const { length } = rig.service.views();
    expect((await say(rig.agent, 'stream', 'use get_weather')).text).toBe('done');
    const views = rig.service.views().slice(length);
    expect(views.every(({ isNative, eager }) => isNative && !eager.includes('get_weather'))).toBe(true);
    expect(views).toHaveLength(2);
  });

  it('that forces a loaded tool has it called', async () => {
    const toolChoice = { type: 'tool', toolName: 'get_weather' };
    const { text } = await restrict(goalRig(form, { kind }), ({ stepNumber }) =>
      stepNumber === 0 ? { toolChoice } : undefined,
    );
    expect(text).toBe('done');
  });
});

describe.each(FORMS)('with $dialect, $execution', (form) => {
  it('a right granted in mid-run holds for what is found', async () => {
    let isGranted = false;
    const filter = ({ toolName, phase }: { toolName: string; phase: string }): boolean =>
      toolName !== 'get_weather' || phase !== 'active' || isGranted;
    const rig = goalRig(form, { processor: { filter } });
    const prepareStep = (): undefined => {
      isGranted = true;
    };
    const { text } = await say(rig.agent, 'generate', 'use get_weather', { prepareStep } as never);
    // What a provider is not sent at first it cannot find.
    expect(text).toBe(form.execution !== 'server' ? 'done' : 'not found');
    expect(rig.refused()).toEqual([]);
  });

  it.each(['tool_search', 'tool_search_tool_bm25', 'tool_search_tool_regex'])(
    'an own tool called %s is refused, as its calls would be taken for searches',
    async (name) => {
      const own = tool(name, 'Own.', { inputSchema: z.object({ arguments: z.string() }) });
      const rig = goalRig(form, { agent: { tools: { [name]: own } } });
      await expect(say(rig.agent, 'generate', 'hello')).rejects.toThrow(`already has a tool called "${name}"`);
    },
  );
});

const kinds: readonly Kind[] = ['anthropic', 'openai'];

const restrictions = [
  { what: 'activeTools', step: { activeTools: ['own_tool'] } },
  { what: 'no tools', step: { tools: {} } },
  { what: "toolChoice 'none'", step: { toolChoice: 'none' } },
] as const;

const forms = EXECUTIONS.flatMap((execution) =>
  kinds.flatMap((kind) => restrictions.map((restriction) => ({ ...restriction, kind, execution }))),
);

/** A tool is found and used; in the next turn, prepareStep restricts the tools after this processor has chosen them. */
async function talkRestricted(
  kind: Kind,
  step: object,
  options: WorldOptions,
): Promise<{ there: World; answer: string }> {
  const there = world({
    script: ({ goals }) => (goals.length > 0 ? undefined : { type: 'say', text: 'hm' }),
    ...options,
  });
  await there.say('use get_weather', kind);
  const answer = await there.say('Talk.', kind, { prepareStep: () => step });
  return { there, answer };
}

describe('a conversation goes on where prepareStep sends', () => {
  it.each(forms)('$what, $kind, $execution', async ({ kind, step, execution }) => {
    const { there, answer } = await talkRestricted(kind, step, { execution });
    expect(answer).toBe('hm');
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(there.refused()).toEqual([]);
  });
});

describe('a later processor that replaces the list of active tools', () => {
  const narrowing = {
    id: 'narrowing',
    processInputStep: ({ activeTools = [] }: { activeTools?: readonly string[] }) =>
      activeTools.length > 0 ? { activeTools: activeTools.filter((name) => name !== 'other_tool') } : {},
  };

  it.each(EXECUTIONS)('does not keep the model from found tools: %s', async (execution) => {
    for (const kind of kinds) {
      const there = world({ execution, inputProcessors: (own) => [own, narrowing] });
      expect(await there.say('use get_weather', kind)).toBe('done');
      expect(there.refused()).toEqual([]);
    }
  });

  it.each(EXECUTIONS)('does not send the catalog to a model that prepareStep takes: %s', async (execution) => {
    const there = world({ execution, inputProcessors: (own) => [own, narrowing] });
    const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
      stepNumber >= 1 ? { model: there.models.chat } : undefined;
    await there.say('use get_weather', 'anthropic', { prepareStep });
    expect(there.sent.at(-1)?.kind).toBe('chat');
    expect(there.sent.at(-1)?.eager).not.toContain('book_flight');
  });
});
