import { type InputProcessor, ProcessorStepSchema } from '@mastra/core/processors';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import type { ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { FORMS_AND_MODES, goalRig, KINDS, say } from './rig.ts';

/** A workflow of the user's own around a processor. */
function workflowOf(processor: unknown): InputProcessor {
  const workflow = createWorkflow({
    id: 'processors',
    inputSchema: ProcessorStepSchema,
    outputSchema: ProcessorStepSchema,
  });
  return workflow.then(createStep(processor as never)).commit() as unknown as InputProcessor;
}

const offs = (events: readonly ToolSearchEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : []));

const all = KINDS.flatMap((kind) => FORMS_AND_MODES.map((form) => ({ ...form, kind })));

const open = ({ kind, dialect, execution }: (typeof all)[number]) =>
  goalRig({ dialect, execution }, { kind, around: (processor) => [workflowOf(processor)] });

describe('within a processor workflow', () => {
  // Mastra asks no processor in a workflow for the prompt: it is rewritten when the model is called.
  it.each(all)('native mode works as it does outside: $kind, $dialect $execution, $mode', async (one) => {
    const { agent, service, events, refused } = open(one);
    for (const said of ['use get_weather', 'use send_email', 'use get_weather']) {
      expect((await say(agent, one.mode, said)).text).toBe('done');
    }
    expect(service.views().every(({ isNative }) => isNative)).toBe(true);
    expect(offs(events)).toEqual([]);
    expect(refused()).toEqual([]);
  });
});
