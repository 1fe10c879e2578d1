import { type Processor, ProcessorStepSchema, TokenLimiterProcessor } from '@mastra/core/processors';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { type MissRig, type Mode, missing, run } from '../../agent/missed-calls.ts';
import { pairwise, part } from '../../support/breadth.ts';
import { calls, fillerTools, tool, toolRecord } from '../../support/harness.ts';
import { scriptedModel, toolNames, toolResults } from '../../support/scripted-model.ts';
import { through } from './setup.ts';

type Tools = Record<string, unknown>;
type Step = { readonly tools: Tools; readonly activeTools?: string[]; readonly model?: unknown };
/** What a later processor, or `prepareStep`, does with a step. */
type Change = (step: Step) => object | undefined;
/** Puts a guard around a tool of a step. */
type Around = (tool: unknown, name: string) => unknown;

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
const places = ['processor', 'workflow', 'prepareStep'] as const;
type Place = (typeof places)[number];
/** `prepareStep` is no option of the durable runs of these tests. */
const isPossible = ({ mode, place }: { mode: Mode; place: Place }): boolean =>
  place !== 'prepareStep' || mode !== 'durable';

/** Ways to take `secret` away, by whether it is there. */
const removals: readonly { readonly how: string; readonly change: Change }[] = [
  { how: 'deletes it from the tools', change: ({ tools }) => void delete tools['secret'] },
  {
    how: 'returns the others',
    change: ({ tools: { secret: _, ...others } }) => ({ tools: others }),
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
const blocks: readonly { readonly how: string; readonly change: Change }[] = [
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
const eachTool = (tools: Tools, around: Around): Tools =>
  Object.fromEntries(Object.entries(tools).map(([name, each]) => [name, around(each, name)]));
const forwarding = (tools: Tools): ProxyHandler<Tools> => ({
  ownKeys: () => Reflect.ownKeys(tools),
  has: (_, key) => Reflect.has(tools, key),
  getOwnPropertyDescriptor: (_, key) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(tools, key);
    return descriptor && { ...descriptor, configurable: true };
  },
});
/** Ways to stand between the tools of a step and Mastra. */
const guards: readonly { readonly how: string; readonly stand: (tools: Tools, around: Around) => Tools | undefined }[] =
  [
    {
      how: 'a proxy that reads its target',
      stand: (tools, around) =>
        new Proxy(tools, { get: (target, key) => around(target[String(key)], String(key)) as never }),
    },
    {
      how: 'a proxy that reads its target with the receiver',
      stand: (tools, around) =>
        new Proxy(tools, { get: (...args) => around(Reflect.get(...args), String(args[1])) as never }),
    },
    {
      how: 'a proxy with traps for keys and descriptors',
      stand: (tools, around) =>
        new Proxy(tools, {
          get: (target, key) => around(target[String(key)], String(key)) as never,
          ownKeys: (target) => Reflect.ownKeys(target),
          getOwnPropertyDescriptor: (target, key) => Reflect.getOwnPropertyDescriptor(target, key),
        }),
    },
    {
      how: 'a proxy of another target, which forwards everything',
      stand: (tools, around) =>
        new Proxy({} as Tools, { ...forwarding(tools), get: (_, key) => around(tools[String(key)], String(key)) }),
    },
    {
      how: 'a proxy of a proxy',
      stand: (tools, around) =>
        new Proxy(new Proxy(tools, { get: (target, key) => around(target[String(key)], String(key)) as never }), {}),
    },
    {
      how: 'a proxy around a proxy without traps',
      stand: (tools, around) => {
        const inner = new Proxy(tools, {});
        return new Proxy({} as Tools, {
          ...forwarding(inner),
          get: (_, key) => around(inner[String(key)], String(key)),
        });
      },
    },
    {
      how: 'a proxy that reads all tools for each',
      stand: (tools, around) =>
        new Proxy({} as Tools, {
          ...forwarding(tools),
          get: (_, key) => Object.entries(eachTool(tools, around)).find(([name]) => name === key)?.[1],
        }),
    },
    {
      how: 'a proxy whose tools are proxies, with a trap for what tells a tool',
      stand: (tools, around) => {
        const has = (target: object, key: PropertyKey): boolean => [target].every((each) => Reflect.has(each, key));
        const wrapped = (each: unknown, name: string): unknown => new Proxy(around(each, name) as object, { has });
        return new Proxy({} as Tools, {
          ...forwarding(tools),
          get: (_, key) => wrapped(Object.entries(tools).find(([name]) => name === key)?.[1], String(key)),
        });
      },
    },
    {
      how: 'getters',
      stand: (tools, around) =>
        Object.defineProperties(
          {},
          Object.fromEntries(
            Object.keys(tools).map((name) => [name, { enumerable: true, get: () => around(tools[name], name) }]),
          ),
        ),
    },
    {
      how: 'a copy of the descriptors',
      stand: (tools, around) =>
        Object.defineProperties(
          {},
          Object.fromEntries(
            Object.entries(Object.getOwnPropertyDescriptors(tools)).map(([name, { value, ...others }]) => [
              name,
              { ...others, value: around(value, name) },
            ]),
          ),
        ),
    },
    { how: 'a frozen copy', stand: (tools, around) => Object.freeze(eachTool(tools, around)) },
    {
      how: 'what inherits from the tools',
      stand: (tools, around) => Object.assign(Object.create(tools) as Tools, eachTool(tools, around)),
    },
    {
      how: 'the tools, with others set in them',
      stand: (tools, around) => {
        for (const [name, each] of Object.entries(tools)) tools[name] = around(each, name);
        return undefined;
      },
    },
    {
      how: 'the tools, with getters defined in them',
      stand: (tools, around) => {
        for (const [name, each] of Object.entries(tools))
          Object.defineProperty(tools, name, { enumerable: true, configurable: true, get: () => around(each, name) });
        return tools;
      },
    },
    {
      how: 'the tools themselves, with a getter for what runs each',
      stand: (tools, around) => {
        for (const [name, each] of Object.entries(tools) as [string, Tools][]) {
          const { execute } = around({ ...each }, name) as Tools;
          if (execute) Object.defineProperty(each, 'execute', { configurable: true, get: () => execute });
        }
        return tools;
      },
    },
  ];

/** A guard that stops what it is asked about, and what it was asked. */
function guard(isStopped: (name: string) => boolean = () => true) {
  const asked: { readonly name: string; readonly input: unknown }[] = [];
  const around =
    (form: 'copy' | 'proxy'): Around =>
    (each, name) => {
      const { execute } = (each ?? {}) as { execute?: (...args: unknown[]) => unknown };
      if (!execute || !isStopped(name)) return each;
      const guarded = async (input: unknown): Promise<never> => {
        asked.push({ name, input });
        throw new Error('stopped by a guard');
      };
      if (form === 'copy') return { ...(each as object), execute: guarded };
      const get = (target: object, key: PropertyKey): unknown =>
        key === 'execute' ? guarded : Reflect.get(target, key);
      return new Proxy(each as object, { get });
    };
  return { asked, around };
}

const later = (change: Change): Processor =>
  ({ id: 'later', processInputStep: (step: never) => change(step) }) as unknown as Processor;

/** The processor with what stands behind it. */
function placed(processor: ToolSearchProcessor, place: Place, ...changes: readonly Change[]): object {
  if (place === 'prepareStep') return { inputProcessors: [processor], defaultOptions: { prepareStep: changes[0] } };
  if (place === 'processor') return { inputProcessors: [processor, ...changes.map(later)] };
  const workflow = createWorkflow({
    id: 'all',
    inputSchema: ProcessorStepSchema,
    outputSchema: ProcessorStepSchema,
    // Mastra's own schema refuses the calls of a conversation.
    options: { validateInputs: false },
  });
  const [change = () => undefined] = changes;
  return {
    inputProcessors: [
      workflow
        .then(createStep(processor as never) as never)
        .then(createStep(later(change) as never) as never)
        .commit(),
    ],
  };
}

interface Made {
  readonly change: Change | readonly Change[];
  readonly place?: Place;
  readonly options?: object;
  readonly fillers?: number;
  readonly written?: Parameters<typeof missing>[0];
}

/** An agent whose model calls the tool `secret`, which it was not sent. */
function secretRig(made: Made): MissRig & { readonly execute: ReturnType<typeof vi.fn> } {
  const { change, place = 'processor', options = {}, fillers = 0, written = ['secret', 'secret'] } = made;
  const execute = vi.fn(async () => 'ran');
  const tools = { ...toolRecord(tool('secret', 'Secret.', { execute })), ...fillerTools(fillers) };
  const processor = new ToolSearchProcessor({ tools, onMiss: 'run', ...options });
  return { execute, ...missing(written, { tools: {} }, placed(processor, place, ...[change].flat())) };
}

/** Runs it, and then the same where missed calls are loaded: both send the same tools, and run as much. */
async function expectAsLoading(made: Made, mode: Mode): Promise<MissRig> {
  const [there, loading] = [secretRig(made), secretRig({ ...made, options: { onMiss: 'load' } })];
  for (const one of [there, loading]) await run(one, mode);
  expect(there.execute.mock.calls.length).toBe(loading.execute.mock.calls.length);
  expect(there.model.calls.map(toolNames)).toEqual(loading.model.calls.map(toolNames));
  return there;
}

const returned = (tools: Tools | undefined): object | undefined => tools && { tools };
const everywhere = { mode: modes, place: places, fillers: [0, 501] } as const;

describe('a call of a tool that was not sent, behind a step that says what it does,', () => {
  it.each(pairwise({ ...everywhere, removal: removals }, isPossible))(
    'is left to Mastra where a later $place $removal.how ($mode, $fillers other tools)',
    async ({ mode, place, fillers, removal }) => {
      const made = await expectAsLoading({ ...removal, place, fillers }, mode);
      expect(JSON.stringify(made.model.calls[1]?.prompt)).toContain('not found');
    },
  );

  it.each(pairwise({ ...everywhere, bystander: bystanders }, isPossible))(
    'runs where a later $place $bystander.how ($mode, $fillers other tools)',
    async ({ mode, place, fillers, bystander }) => {
      const made = secretRig({ ...bystander, place, fillers });
      await run(made, mode);
      expect(made.execute).toHaveBeenCalledTimes(2);
    },
  );

  it.each(
    pairwise(
      { ...everywhere, block: blocks },
      // A durable run would wait for the approval of the second call.
      (one) => isPossible(one) && (one.mode !== 'durable' || one.block === blocks[0]),
    ),
  )(
    'is loaded instead where a later $place $block.how ($mode, $fillers other tools)',
    async ({ mode, place, fillers, block }) => {
      const made = secretRig({ ...block, place, fillers });
      await run(made, mode);
      expect(made.execute).not.toHaveBeenCalled();
    },
  );

  it.each(pairwise(everywhere, isPossible))(
    'leaves a tool that a later $place adds where it is ($mode, $fillers other tools)',
    async ({ mode, place, fillers }) => {
      const change: Change = ({ tools }) => ({ tools: { ...tools, extra: tool('extra') } });
      const made = secretRig({ change, place, fillers });
      await run(made, mode);
      expect(made.model.sent(0)).toEqual(['search_tools', 'load_tool', 'extra']);
      // It is loaded instead, as the step is another one.
      expect(made.execute).toHaveBeenCalledTimes(1);
      expect(made.model.sent(1)).toContain('secret');
    },
  );
});

/** Ways to hide the tool, or to replace it, that no copy of the tools shows. */
const disguises: readonly { readonly how: string; readonly change: Change }[] = [
  {
    how: 'a proxy that hides it',
    change: ({ tools }: Step) => ({
      tools: new Proxy(tools, { ownKeys: (target) => Reflect.ownKeys(target).filter((key) => key !== 'secret') }),
    }),
  },
  {
    how: 'a proxy of the list of active tools',
    change: ({ tools, activeTools = Object.keys(tools) }: Step) => ({
      activeTools: new Proxy(activeTools, {
        get: (target, key) => {
          const includes = (name: string): boolean => name !== 'secret' && target.includes(name);
          return key === 'includes' ? includes : Reflect.get(target, key);
        },
      }),
    }),
  },
  {
    how: 'a proxy of the list of active tools that filters',
    change: ({ tools, activeTools = Object.keys(tools) }: Step) => ({
      activeTools: new Proxy(activeTools, {
        get: (target, key) => {
          const includes = (wanted: string): boolean =>
            [wanted].filter((name) => name !== 'secret').filter((name) => target.includes(name)).length === 1;
          return key === 'includes' ? includes : Reflect.get(target, key);
        },
      }),
    }),
  },
  {
    how: 'nothing, and has the list of active tools answer otherwise',
    change: ({ tools, activeTools }: Step) => {
      const includes = activeTools?.includes.bind(activeTools);
      if (!activeTools) return { activeTools: Object.keys(tools).filter((name) => name !== 'secret') };
      activeTools.includes = (name) => name !== 'secret' && includes?.(name) === true;
      return undefined;
    },
  },
  {
    how: 'nothing, and changes the one where it is there',
    change: ({ tools: { secret } }: Step) => {
      if (secret) Object.assign(secret, { execute: async () => 'stopped' });
      return undefined;
    },
  },
  {
    how: 'nothing, and changes the one where it is there, by another question',
    change: ({ tools }: Step) => {
      if ('secret' in tools) Object.assign(tools['secret'] as object, { execute: async () => 'stopped' });
      return undefined;
    },
  },
];

/** Each guard in each mode and place; each of its forms in some. */
const guarded = pairwise(
  { mode: modes, place: ['processor', 'prepareStep'], guard: guards, form: ['copy', 'proxy'] },
  isPossible,
);
/** Each guard, mode and place in some. */
const someGuarded = part(guarded, 'values');

describe('a call of a tool that was not sent loads', () => {
  it.each(guarded)(
    'where a later $place returns $guard.how, each tool in a $form ($mode)',
    async ({ mode, place, guard: { stand }, form }) => {
      const { asked, around } = guard();
      const made = secretRig({ change: ({ tools }) => returned(stand(tools, around(form))), place });
      await run(made, mode);
      expect(made.execute).not.toHaveBeenCalled();
      expect(asked.map(({ name }) => name)).toEqual(['secret']);
    },
  );

  it.each(someGuarded)(
    'where a later $place returns $guard.how, and leaves alone all but the one ($mode)',
    async ({ mode, place, guard: { stand } }) => {
      const { asked, around } = guard((name) => name === 'secret');
      const made = secretRig({ change: ({ tools }) => returned(stand(tools, around('copy'))), place });
      await run(made, mode);
      expect(made.execute.mock.calls.length + asked.length).toBe(1);
    },
  );

  it.each(modes)('where a later processor returns a proxy, in a large catalog (%s)', async (mode) => {
    const { asked, around } = guard();
    const change: Change = ({ tools }) => returned(guards[0]!.stand(tools, around('copy')));
    const made = secretRig({ change, fillers: 501 });
    await run(made, mode);
    expect(made.execute).not.toHaveBeenCalled();
    expect(asked.map(({ name }) => name)).toEqual(['secret']);
  });

  it.each(pairwise({ mode: modes, place: ['processor', 'prepareStep'], disguise: disguises }, isPossible))(
    'where a later $place returns $disguise.how ($mode)',
    async ({ mode, place, disguise }) => {
      await expectAsLoading({ ...disguise, place }, mode);
    },
  );

  it.each(modes)('where two later processors return proxies (%s)', async (mode) => {
    const { asked, around } = guard((name) => name === 'secret');
    const stand: Change = ({ tools }) => returned(guards[0]!.stand(tools, around('proxy')));
    const made = secretRig({ change: [stand, stand] });
    await run(made, mode);
    expect(made.execute).not.toHaveBeenCalled();
    expect(asked.map(({ name }) => name)).toEqual(['secret']);
  });

  it.each(someGuarded)(
    'where there is, between two processors that search, $guard.how ($mode)',
    async ({ mode, guard: { stand } }) => {
      const { asked, around } = guard();
      const execute = vi.fn(async () => 'ran');
      const tools = toolRecord(tool('secret', 'Secret.', { execute }));
      const metaTools = { search: { name: 'find_more' }, load: { name: 'load_more' } };
      const inputProcessors = [
        new ToolSearchProcessor({ tools, onMiss: 'run' }),
        later(({ tools: received }) => returned(stand(received, around('copy')))),
        new ToolSearchProcessor({ tools: toolRecord(tool('other')), metaTools, onMiss: 'run' }),
      ];
      await run(missing(['secret', 'secret'], { tools: {} }, { inputProcessors }), mode);
      expect(execute).not.toHaveBeenCalled();
      expect(asked.map(({ name }) => name)).toEqual(['secret']);
    },
  );
});

describe('a call of a tool that was not sent runs', () => {
  it.each(modes)('where later processors leave the tools alone (%s)', async (mode) => {
    const change: Change = ({ tools }) => void Object.entries(tools).map(([name, each]) => [name, String(each)]);
    const made = secretRig({ change: [change, ({ tools }) => ({ tools })] });
    await run(made, mode);
    expect(made.execute).toHaveBeenCalledTimes(2);
  });

  it.each(modes)('before a TokenLimiterProcessor (%s)', async (mode) => {
    const execute = vi.fn(async () => 'ran');
    const tools = toolRecord(tool('secret', 'Secret.', { execute }));
    const processor = new ToolSearchProcessor({ tools, onMiss: 'run' });
    const inputProcessors = [processor, new TokenLimiterProcessor(50_000)];
    await run(missing(['secret'], { tools: {} }, { inputProcessors }), mode);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it.each([0, 1])('where stack traces have %s frames', async (limit) => {
    const { stackTraceLimit } = Error;
    const change: Change = () => {
      Error.stackTraceLimit = limit;
      return undefined;
    };
    const made = secretRig({ change });
    await run(made, 'generate');
    expect(Error.stackTraceLimit).toBe(limit);
    Error.stackTraceLimit = stackTraceLimit;
    expect(made.execute).toHaveBeenCalledTimes(2);
  });
});

describe('in call mode', () => {
  const options = { mode: 'call' };
  const combined = pairwise({ mode: modes, place: ['processor', 'prepareStep'] }, isPossible);

  it.each(someGuarded)(
    'a later $place guards call_tool with $guard.how ($mode)',
    async ({ mode, place, guard: { stand } }) => {
      const { asked, around } = guard();
      const change: Change = ({ tools }) => returned(stand(tools, around('copy')));
      const made = secretRig({ change, place, options, written: [through('secret')] });
      await run(made, mode);
      expect(made.execute).not.toHaveBeenCalled();
      expect(asked).toEqual([{ name: 'call_tool', input: { toolName: 'secret', arguments: {} } }]);
      expect(JSON.stringify(toolResults(made.model.calls[1]!.prompt))).toContain('stopped by a guard');
    },
  );

  const spellings = [
    { how: 'another word for the name', written: { toolName: 'call_tool', input: { name: 'secret' } } },
    { how: 'another form of the name', written: through('functions.Secret') },
    { how: "the tool's own name", written: { toolName: 'secret', input: {} } },
  ];
  it.each(combined.flatMap((one) => spellings.map((spelling) => ({ ...one, ...spelling }))))(
    'a later $place hears the exact name where the model wrote $how ($mode)',
    async ({ mode, place, written }) => {
      const { asked, around } = guard();
      const change: Change = ({ tools }) => returned(guards[0]!.stand(tools, around('copy')));
      const made = secretRig({ change, place, options, written: [written] });
      await run(made, mode);
      expect(made.execute).not.toHaveBeenCalled();
      expect(asked).toEqual([{ name: 'call_tool', input: { toolName: 'secret', arguments: {} } }]);
      // The model reads what it wrote.
      const answered = JSON.stringify(made.model.calls[1]!.prompt);
      expect(answered).toContain(
        `"toolName":${JSON.stringify(written.toolName)},"input":${JSON.stringify(written.input)}`,
      );
    },
  );

  const forms = [
    { how: 'an exact name', name: 'secret', isRun: true },
    { how: 'another form of the name', name: 'functions.Secret', isRun: false },
  ];
  it.each(combined.flatMap((one) => forms.map((form) => ({ ...one, ...form }))))(
    'a later $place that wraps the tools and takes a model of its own hears $how ($mode)',
    async ({ mode, place, name, isRun }) => {
      const heard: unknown[] = [];
      const watching: Around = (each) => {
        const { execute } = each as { execute?: (...args: unknown[]) => unknown };
        if (!execute) return each;
        const watched = (input: unknown, ...others: unknown[]): unknown => {
          heard.push(input);
          return execute(input, ...others);
        };
        return { ...(each as object), execute: watched };
      };
      const model = scriptedModel(calls(through(name)));
      const change: Change = ({ tools }) => ({ tools: guards[0]!.stand(tools, watching), model });
      const made = secretRig({ change, place, options, written: [through(name)] });
      await run(made, mode);
      expect(heard).toEqual([{ toolName: name, arguments: {} }]);
      expect(made.execute).toHaveBeenCalledTimes(isRun ? 1 : 0);
      const [answer] = toolResults(model.calls[1]!.prompt);
      if (!isRun) expect(JSON.stringify(answer)).toContain('The exact name of this tool is \\"secret\\"');
    },
  );
});
