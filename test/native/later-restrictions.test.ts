import { describe, expect, it } from 'vitest';
import type { Kind } from './services.ts';
import { type Execution, type World, type WorldOptions, world } from './world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai'];
const executions: readonly Execution[] = ['client', 'server'];

const restrictions = [
  { what: 'activeTools', step: { activeTools: ['own_tool'] } },
  { what: 'no tools', step: { tools: {} } },
  { what: "toolChoice 'none'", step: { toolChoice: 'none' } },
] as const;

const forms = executions.flatMap((execution) =>
  kinds.flatMap((kind) => restrictions.map((restriction) => ({ ...restriction, kind, execution }))),
);

/** A tool is found and used; in the next turn, prepareStep restricts the tools after this processor has chosen them. */
async function restrict(kind: Kind, step: object, options: WorldOptions): Promise<{ there: World; answer: string }> {
  const there = world({
    script: ({ goals }) => (goals.length > 0 ? undefined : { type: 'say', text: 'hm' }),
    ...options,
  });
  await there.say('use get_weather', kind);
  const answer = await there.say('Talk.', kind, { prepareStep: () => step });
  return { there, answer };
}

describe('prepareStep restricts the tools', () => {
  it.each(forms)('$what, $kind, $execution', async ({ kind, step, execution }) => {
    const { there, answer } = await restrict(kind, step, { execution });
    expect(answer).toBe('hm');
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(there.refused()).toEqual([]);
  });
});

describe('a later processor changes the list of active tools', () => {
  const narrowing = {
    id: 'narrowing',
    processInputStep: ({ activeTools = [] }: { activeTools?: readonly string[] }) =>
      activeTools.length > 0 ? { activeTools: activeTools.filter((name) => name !== 'other_tool') } : {},
  };

  it.each(executions)('and the same model goes on, %s', async (execution) => {
    for (const kind of kinds) {
      const there = world({ execution, inputProcessors: (own) => [own, narrowing] });
      expect(await there.say('use get_weather', kind)).toBe('done');
      expect(there.refused()).toEqual([]);
    }
  });

  it.each(executions)('and prepareStep takes another model, %s', async (execution) => {
    const there = world({ execution, inputProcessors: (own) => [own, narrowing] });
    const prepareStep = ({ stepNumber }: { stepNumber: number }) =>
      stepNumber >= 1 ? { model: there.models.chat } : undefined;
    await there.say('use get_weather', 'anthropic', { prepareStep });
    expect(there.sent.at(-1)?.kind).toBe('chat');
    expect(there.sent.at(-1)?.eager).not.toContain('book_flight');
  });
});
