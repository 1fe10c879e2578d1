import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tool } from '../support/harness.ts';
import { FORMS, type GoalRig, goalRig, KINDS, say } from './rig.ts';

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
  ])('leaves %s, without the search', async (_, activeTools) => {
    const { text, last } = await restrict(goalRig(form, { kind }), () => ({ activeTools }));
    expect(text).toBe('done');
    expect(last?.eager.toSorted()).toEqual(activeTools.toSorted());
    expect(last?.deferred).toEqual([]);
  });

  it('leaves a tool that is deferred and not loaded: it is not sent', async () => {
    const { last } = await restrict(goalRig(form, { kind }), () => ({ activeTools: ['own_tool', 'send_email'] }));
    expect([last?.eager, last?.deferred]).toEqual([['own_tool'], []]);
  });

  it('goes on natively in the next turn', async () => {
    const rig = goalRig(form, { kind });
    await restrict(rig, () => ({ activeTools: ['get_weather'] }));
    const { length } = rig.service.views();
    expect((await say(rig.agent, 'stream', 'use get_weather')).text).toBe('done');
    const views = rig.service.views().slice(length);
    expect(views.every(({ isNative, eager }) => isNative && !eager.includes('get_weather'))).toBe(true);
    expect(views).toHaveLength(2);
  });

  it('forces a loaded tool', async () => {
    const toolChoice = { type: 'tool', toolName: 'get_weather' };
    const { text } = await restrict(goalRig(form, { kind }), ({ stepNumber }) =>
      stepNumber === 0 ? { toolChoice } : undefined,
    );
    expect(text).toBe('done');
  });
});

describe.each(FORMS)('with $dialect, $execution', (form) => {
  it('a right that is granted in mid-run holds for what is found', async () => {
    let isGranted = false;
    const filter = ({ toolName, phase }: { toolName: string; phase: string }): boolean =>
      toolName !== 'get_weather' || phase !== 'active' || isGranted;
    const rig = goalRig(form, { processor: { filter } });
    const prepareStep = (): undefined => {
      isGranted = true;
    };
    const { text } = await say(rig.agent, 'generate', 'use get_weather', { prepareStep } as never);
    // What a provider is not sent at first it cannot find.
    expect(text).toBe(form.execution === 'client' ? 'done' : 'not found');
    expect(rig.refused()).toEqual([]);
  });

  it.each(['tool_search', 'tool_search_tool_bm25', 'tool_search_tool_regex'])(
    'an own tool called %s is refused: its calls would be taken for searches',
    async (name) => {
      const own = tool(name, 'Own.', { inputSchema: z.object({ arguments: z.string() }) });
      const rig = goalRig(form, { agent: { tools: { [name]: own } } });
      await expect(say(rig.agent, 'generate', 'hello')).rejects.toThrow(`already has a tool called "${name}"`);
    },
  );
});
