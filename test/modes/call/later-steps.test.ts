import { type Processor, ProcessorStepSchema } from '@mastra/core/processors';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { type Mode, missing, run } from '../../agent/missed-calls.ts';
import { SIZES, tool, toolRecord } from '../../support/harness.ts';
import { toolNames } from '../../support/scripted-model.ts';

type Tools = Record<string, unknown>;
/** What a later processor, or `prepareStep`, does with a step. */
type Change = (step: { tools: Tools; activeTools?: string[]; model: unknown }) => object | undefined;

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
/** Ways to take `secret` away, by whether it is there. */
const removals: readonly { readonly how: string; readonly change: Change }[] = [
  { how: 'deletes it from the tools', change: ({ tools }) => void delete tools['secret'] },
  {
    how: 'deletes it, and returns the tools',
    change: ({ tools }) => {
      delete tools['secret'];
      return { tools };
    },
  },
  {
    how: 'returns the others',
    change: ({ tools: { secret: _, ...others } }) => ({ tools: others }),
  },
  {
    how: 'filters the tools by their names',
    change: ({ tools }) => ({
      tools: Object.fromEntries(Object.entries(tools).filter(([name]) => !name.startsWith('sec'))),
    }),
  },
  {
    how: 'copies what it knows',
    change: ({ tools }) => {
      const kept: Tools = {};
      for (const name in tools) if (name !== 'secret') kept[name] = tools[name];
      return { tools: kept };
    },
  },
  {
    how: 'filters the list of active tools',
    change: ({ tools, activeTools }) => ({
      activeTools: (activeTools ?? Object.keys(tools)).filter((name) => name !== 'secret'),
    }),
  },
  {
    how: 'lists the tools that it knows',
    change: ({ tools }) => ({ activeTools: Object.keys(tools).filter((name) => name !== 'secret') }),
  },
  { how: 'lists few tools', change: () => ({ activeTools: ['search_tools', 'load_tool'] }) },
  { how: 'sends no tools', change: () => ({ tools: {} }) },
  { how: 'allows no call', change: () => ({ toolChoice: 'none' }) },
  { how: 'asks for one tool', change: () => ({ toolChoice: { type: 'tool', toolName: 'search_tools' } }) },
];
const stop = (): never => {
  throw new Error('stopped by a guard');
};
/** Ways to keep all tools from running that change the tools themselves. */
const guards: readonly { readonly how: string; readonly change: Change }[] = [
  {
    how: 'replaces what runs each tool',
    change: ({ tools }) => {
      for (const each of Object.values(tools) as { execute?: unknown }[]) if (each.execute) each.execute = stop;
    },
  },
  {
    how: 'makes each tool wait for an approval',
    change: ({ tools }) => {
      for (const each of Object.values(tools) as Tools[]) if (each['execute']) each['requireApproval'] = true;
    },
  },
];
/** What leaves the tools alone. */
const bystanders: readonly { readonly how: string; readonly change: Change }[] = [
  { how: 'does nothing', change: () => undefined },
  { how: 'reads the tools', change: ({ tools }) => void JSON.stringify(Object.entries(tools)) },
  { how: 'returns the tools as they are', change: ({ tools, activeTools }) => ({ tools, activeTools }) },
  { how: 'returns the model as it is', change: ({ model }) => ({ model }) },
  { how: 'wants some call', change: () => ({ toolChoice: 'required' }) },
];
const later = (change: Change): Processor =>
  ({ id: 'later', processInputStep: (step: never) => change(step) }) as unknown as Processor;

describe.each(SIZES)('a call of a tool that was not sent, in a $size catalog,', ({ fillers }) => {
  const missed = (change: Change, place: 'processor' | 'workflow' | 'prepareStep', onMiss: 'run' | 'load' = 'run') => {
    const execute = vi.fn(async () => 'ran');
    const tools = { ...toolRecord(tool('secret', 'Secret.', { execute })), ...fillers };
    const processor = new ToolSearchProcessor({ tools, onMiss });
    const workflow = () =>
      createWorkflow({
        id: 'all',
        inputSchema: ProcessorStepSchema,
        outputSchema: ProcessorStepSchema,
        // Mastra's own schema refuses the calls of a conversation.
        options: { validateInputs: false },
      })
        .then(createStep(processor as never) as never)
        .then(createStep(later(change) as never) as never)
        .commit();
    const inputProcessors = {
      processor: [processor, later(change)],
      workflow: [workflow()],
      prepareStep: [processor],
    }[place];
    const defaultOptions = place === 'prepareStep' ? { prepareStep: change } : {};
    return { execute, ...missing(['secret', 'secret'], { tools }, { inputProcessors, defaultOptions }) };
  };

  describe.each(modes)('in %s', (mode) => {
    const places = (['processor', 'workflow', 'prepareStep'] as const).filter(
      (place) => place !== 'prepareStep' || mode !== 'durable',
    );
    it.each(places.flatMap((place) => removals.map((removal) => ({ place, ...removal }))))(
      'is left to Mastra where a later $place $how',
      async ({ place, change }) => {
        const made = missed(change, place);
        await run(made, mode);
        const loading = missed(change, place, 'load');
        await run(loading, mode);
        expect(made.model.calls.map(toolNames)).toEqual(loading.model.calls.map(toolNames));
        expect(made.execute.mock.calls.length).toBe(loading.execute.mock.calls.length);
        expect(JSON.stringify(made.model.calls[1]?.prompt)).toContain('not found');
      },
    );

    it.each(places.flatMap((place) => bystanders.map((bystander) => ({ place, ...bystander }))))(
      'runs it where a later $place $how',
      async ({ place, change }) => {
        const made = missed(change, place);
        await run(made, mode);
        expect(made.execute).toHaveBeenCalledTimes(2);
      },
    );

    // A durable run would wait for the approval of the second call.
    const used = guards.slice(0, mode === 'durable' ? 1 : undefined);
    it.each(places.flatMap((place) => used.map((guard) => ({ place, ...guard }))))(
      'is loaded instead where a later $place $how',
      async ({ place, change }) => {
        const made = missed(change, place);
        await run(made, mode);
        expect(made.execute).not.toHaveBeenCalled();
      },
    );

    it.each(places)('leaves a tool that a later %s adds where it is', async (place) => {
      const made = missed(({ tools }) => ({ tools: { ...tools, extra: tool('extra') } }), place);
      await run(made, mode);
      expect(made.model.sent(0)).toEqual(['search_tools', 'load_tool', 'extra']);
      // It is loaded instead, as the step is another one.
      expect(made.execute).toHaveBeenCalledTimes(1);
      expect(made.model.sent(1)).toContain('secret');
    });
  });
});
