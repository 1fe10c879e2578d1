import { type Processor, ProcessorStepSchema } from '@mastra/core/processors';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it, vi } from 'vitest';
import { type Mode, missing, run } from '../../agent/missed-calls.ts';
import { tool, toolRecord } from '../../support/agent.ts';
import { pairwise } from '../../support/breadth.ts';
import { through } from './setup.ts';

type Tools = Record<string, unknown>;
/** What a later processor, or `prepareStep`, does with a step. */
type Change = (step: { readonly tools: Tools }) => object | undefined;
/** Puts a guard around a tool of a step. */
type Around = (tool: unknown, name: string) => unknown;

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
const places = ['processor', 'workflow', 'prepareStep'] as const;
type Place = (typeof places)[number];
/** `prepareStep` is no option of the durable runs of these tests. */
const isPossible = ({ mode, place }: { mode: Mode; place: Place }): boolean =>
  place !== 'prepareStep' || mode !== 'durable';

const eachTool = (tools: Tools, around: Around): Tools =>
  Object.fromEntries(Object.entries(tools).map(([name, each]) => [name, around(each, name)]));
const stop = (): never => {
  throw new Error('stopped by a guard');
};
/** Ways to stand between the tools of a step and Mastra. Undefined leaves the step's tools, which were changed. */
const GUARDS: Readonly<Record<string, (tools: Tools, around: Around) => Tools | undefined>> = {
  'a frozen copy': (tools, around) => Object.freeze(eachTool(tools, around)),
  'a proxy that reads its target': (tools, around) =>
    new Proxy(tools, { get: (_, name) => around(tools[String(name)], String(name)) }),
  'the tools, with others set in them': (tools, around) => {
    Object.assign(tools, eachTool(tools, around));
    return undefined;
  },
};

/** A guard that stops every call, as a copy of each tool or a proxy, and what it was asked. */
function guardWith(form: 'copy' | 'proxy') {
  const asked: { readonly name: string; readonly input: unknown }[] = [];
  const around: Around = (each, name) => {
    if (!(each as { execute?: unknown } | undefined)?.execute) return each;
    const execute = async (input: unknown): Promise<never> => {
      asked.push({ name, input });
      return stop();
    };
    if (form === 'copy') return { ...(each as object), execute };
    return new Proxy(each as object, {
      get: (target, key) => (key === 'execute' ? execute : Reflect.get(target, key)),
    });
  };
  return { asked, around };
}

/** The processor with what stands behind it. */
function placed(processor: ToolSearchProcessor, place: Place, change: Change): object {
  if (place === 'prepareStep') return { inputProcessors: [processor], defaultOptions: { prepareStep: change } };
  const later = { id: 'later', processInputStep: (step: never) => change(step) } as unknown as Processor;
  if (place === 'processor') return { inputProcessors: [processor, later] };
  const [inputSchema, outputSchema] = [ProcessorStepSchema, ProcessorStepSchema];
  // Mastra's own schema refuses the calls of a conversation.
  const workflow = createWorkflow({ id: 'all', inputSchema, outputSchema, options: { validateInputs: false } });
  const [first, second] = [processor, later].map((each) => createStep(each as never) as never);
  return {
    inputProcessors: [
      workflow
        .then(first as never)
        .then(second as never)
        .commit(),
    ],
  };
}

const spellings = {
  'the exact name': through('secret'),
  'another word for the name': { toolName: 'call_tool', input: { name: 'secret' } },
  'another form of the name': through('functions.Secret'),
  'a bare name': through('Secret'),
} as const;

it.each(
  pairwise(
    {
      guard: Object.keys(GUARDS),
      place: places,
      mode: modes,
      form: ['copy', 'proxy'] as const,
      how: Object.keys(spellings) as (keyof typeof spellings)[],
    },
    isPossible,
  ),
)(
  'a later $place guards call_tool with $guard, each tool in a $form, and hears the exact name where the model wrote $how ($mode)',
  async ({ mode, place, guard, form, how }) => {
    const { asked, around } = guardWith(form);
    const execute = vi.fn(async () => 'ran');
    const processor = new ToolSearchProcessor({
      tools: toolRecord(tool('secret', 'Secret.', { execute })),
      mode: 'call',
    });
    const change: Change = ({ tools }) => {
      const stood = GUARDS[guard]!(tools, around);
      return stood && { tools: stood };
    };
    const written = spellings[how];
    const made = missing([written], { tools: {} }, placed(processor, place, change));
    await run(made, mode);
    expect(execute).not.toHaveBeenCalled();
    expect(asked).toEqual([{ name: 'call_tool', input: { toolName: 'secret', arguments: {} } }]);
    const answered = JSON.stringify(made.model.calls[1]!.prompt);
    expect(answered).toContain('stopped by a guard');
    // The model reads what it wrote.
    const { toolName, input } = written;
    expect(answered).toContain(JSON.stringify({ toolName, input }).slice(1, -1));
  },
);
