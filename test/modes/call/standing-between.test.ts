import { type Processor, ProcessorStepSchema, TokenLimiterProcessor } from '@mastra/core/processors';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { type MissRig, type Mode, missing, run } from '../../agent/missed-calls.ts';
import { pairwise } from '../../support/breadth.ts';
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
/** Where a change comes from; `between` stands in front of another processor that searches. */
type Place = 'processor' | 'two processors' | 'between' | 'workflow' | 'prepareStep';
/** `prepareStep` is no option of the durable runs of these tests. */
const isPossible = ({ mode, place }: { mode: Mode; place: Place }): boolean =>
  place !== 'prepareStep' || mode !== 'durable';

const isOther = (name: string): boolean => name !== 'secret';
const eachTool = (tools: Tools, around: Around): Tools =>
  Object.fromEntries(Object.entries(tools).map(([name, each]) => [name, around(each, name)]));

/** Ways to take `secret` away, by whether it is there. */
const REMOVALS: Readonly<Record<string, Change>> = {
  'deletes it from the tools': ({ tools }) => void delete tools['secret'],
  'returns the others': ({ tools: { secret: _, ...others } }) => ({ tools: others }),
  'copies what it knows': ({ tools }) => {
    const kept: Tools = {};
    for (const name in tools) if (isOther(name)) kept[name] = tools[name];
    return { tools: kept };
  },
  'filters the list of active tools': ({ tools, activeTools = Object.keys(tools) }) => ({
    activeTools: activeTools.filter(isOther),
  }),
  'lists the tools that it knows': ({ tools }) => ({ activeTools: Object.keys(tools).filter(isOther) }),
  'lists few tools': () => ({ activeTools: ['search_tools', 'load_tool'] }),
  'sends no tools': () => ({ tools: {} }),
  'allows no call': () => ({ toolChoice: 'none' }),
  'asks for one tool': () => ({ toolChoice: { type: 'tool', toolName: 'search_tools' } }),
};

/** Ways to hide the tool, or to replace it, that no copy of the tools shows. */
const DISGUISES: Readonly<Record<string, Change>> = {
  'returns a proxy that hides it': ({ tools }) => ({
    tools: new Proxy(tools, { ownKeys: (target) => Reflect.ownKeys(target).filter((key) => key !== 'secret') }),
  }),
  'returns a proxy of the list of active tools': ({ tools, activeTools = Object.keys(tools) }) => ({
    activeTools: new Proxy(activeTools, {
      get: (target, key) =>
        key === 'includes'
          ? (wanted: string) => [wanted].filter(isOther).some((name) => target.includes(name))
          : Reflect.get(target, key),
    }),
  }),
  'has the list of active tools answer otherwise': ({ tools, activeTools }) => {
    if (!activeTools) return { activeTools: Object.keys(tools).filter(isOther) };
    const includes = activeTools.includes.bind(activeTools);
    activeTools.includes = (name) => isOther(name) && includes(name);
    return undefined;
  },
  'changes the one where it is there': ({ tools: { secret } }) => {
    if (secret) Object.assign(secret, { execute: async () => 'stopped' });
    return undefined;
  },
  'changes the one where it is there, by another question': ({ tools }) => {
    if ('secret' in tools) Object.assign(tools['secret'] as object, { execute: async () => 'stopped' });
    return undefined;
  },
};

/** Ways to keep all tools from running that change the tools themselves. */
const BLOCKS: Readonly<Record<string, Change>> = {
  'replaces what runs each tool': ({ tools }) => {
    for (const each of Object.values(tools) as { execute?: unknown }[]) if (each.execute) each.execute = stop;
    return undefined;
  },
  'makes each tool wait for an approval': ({ tools }) => {
    for (const each of Object.values(tools) as Tools[]) if (each['execute']) each['requireApproval'] = true;
    return undefined;
  },
};
const stop = (): never => {
  throw new Error('stopped by a guard');
};

/** What leaves the tools alone. */
const BYSTANDERS: Readonly<Record<string, Change>> = {
  'does nothing': () => undefined,
  'reads the tools': ({ tools }) => void Object.entries(tools).map((each) => `${each} ${JSON.stringify(each)}`),
  'returns the tools as they are': ({ tools, activeTools }) => ({ tools, activeTools }),
  'returns the model as it is': ({ model }) => ({ model }),
  'wants some call': () => ({ toolChoice: 'required' }),
};

const proxyOf = (target: Tools, get: (name: string) => unknown, traps: ProxyHandler<Tools> = {}): Tools =>
  new Proxy(target, { ...traps, get: (_, key) => get(String(key)) });
/** Traps that answer for other tools than those of the target. */
const forwarding = (tools: Tools): ProxyHandler<Tools> => ({
  ownKeys: () => Reflect.ownKeys(tools),
  has: (_, key) => Reflect.has(tools, key),
  getOwnPropertyDescriptor: (_, key) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(tools, key);
    return descriptor && { ...descriptor, configurable: true };
  },
});
const getterOf = (get: () => unknown): PropertyDescriptor => ({ enumerable: true, configurable: true, get });

/** Ways to stand between the tools of a step and Mastra. Undefined leaves the step's tools, which were changed. */
const GUARDS: Readonly<Record<string, (tools: Tools, around: Around) => Tools | undefined>> = {
  'a frozen copy': (tools, around) => Object.freeze(eachTool(tools, around)),
  'a copy of the descriptors': (tools, around) =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.entries(Object.getOwnPropertyDescriptors(tools)).map(([name, { value, ...others }]) => [
          name,
          { ...others, value: around(value, name) },
        ]),
      ),
    ),
  'what inherits from the tools': (tools, around) =>
    Object.assign(Object.create(tools) as Tools, eachTool(tools, around)),
  getters: (tools, around) =>
    Object.defineProperties(
      {},
      Object.fromEntries(Object.keys(tools).map((name) => [name, getterOf(() => around(tools[name], name))])),
    ),
  'a proxy that reads its target': (tools, around) => proxyOf(tools, (name) => around(tools[name], name)),
  'a proxy of a proxy, with the receiver': (tools, around) =>
    new Proxy(new Proxy(tools, { get: (...args) => around(Reflect.get(...args), String(args[1])) as never }), {}),
  'a proxy of another target, around a proxy without traps': (tools, around) => {
    const inner = new Proxy(tools, {});
    return proxyOf({}, (name) => around(inner[name], name), forwarding(inner));
  },
  'a proxy that reads all tools for each': (tools, around) =>
    proxyOf(
      {},
      (key) => Object.entries(eachTool(tools, around)).find(([name]) => name === key)?.[1],
      forwarding(tools),
    ),
  'a proxy whose tools are proxies, with a trap for what tells a tool': (tools, around) => {
    const has = (target: object, key: PropertyKey): boolean => [target].every((each) => Reflect.has(each, key));
    const wrapped = (each: unknown, name: string): unknown => new Proxy(around(each, name) as object, { has });
    return proxyOf(
      {},
      (key) => wrapped(Object.entries(tools).find(([name]) => name === key)?.[1], key),
      forwarding(tools),
    );
  },
  'the tools, with others set in them': (tools, around) => {
    Object.assign(tools, eachTool(tools, around));
    return undefined;
  },
  'the tools, with getters defined in them': (tools, around) => {
    for (const [name, each] of Object.entries(tools))
      Object.defineProperty(
        tools,
        name,
        getterOf(() => around(each, name)),
      );
    return tools;
  },
  'the tools themselves, with a getter for what runs each': (tools, around) => {
    for (const [name, each] of Object.entries(tools) as [string, Tools][]) {
      const { execute } = around({ ...each }, name) as Tools;
      if (execute)
        Object.defineProperty(
          each,
          'execute',
          getterOf(() => execute),
        );
    }
    return tools;
  },
};
const guards = Object.keys(GUARDS);
const changeOf =
  (guard: string, around: Around, more: object = {}): Change =>
  ({ tools }) => {
    const stood = GUARDS[guard]!(tools, around);
    return stood && { tools: stood, ...more };
  };

/** A guard that stops what it is asked about, as a copy of each tool or a proxy, and what it was asked. */
function guardWith(form: 'copy' | 'proxy' = 'copy', isStopped: (name: string) => boolean = () => true) {
  const asked: { readonly name: string; readonly input: unknown }[] = [];
  const around: Around = (each, name) => {
    if (!(each as { execute?: unknown } | undefined)?.execute || !isStopped(name)) return each;
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

const later = (change: Change): Processor =>
  ({ id: 'later', processInputStep: (step: never) => change(step) }) as unknown as Processor;

/** The processor with what stands behind it. */
function placed(processor: ToolSearchProcessor, place: Place, change: Change): object {
  if (place === 'prepareStep') return { inputProcessors: [processor], defaultOptions: { prepareStep: change } };
  if (place === 'workflow') {
    const [inputSchema, outputSchema] = [ProcessorStepSchema, ProcessorStepSchema];
    // Mastra's own schema refuses the calls of a conversation.
    const workflow = createWorkflow({ id: 'all', inputSchema, outputSchema, options: { validateInputs: false } });
    const [first, second] = [processor, later(change)].map((each) => createStep(each as never) as never);
    return {
      inputProcessors: [
        workflow
          .then(first as never)
          .then(second as never)
          .commit(),
      ],
    };
  }
  const metaTools = { search: { name: 'find_more' }, load: { name: 'load_more' } };
  const behind: Readonly<Record<typeof place, () => readonly object[]>> = {
    processor: () => [later(change)],
    'two processors': () => [later(change), later(change)],
    between: () => [later(change), new ToolSearchProcessor({ tools: toolRecord(tool('x')), metaTools, onMiss: 'run' })],
  };
  return { inputProcessors: [processor, ...behind[place]()] };
}

interface Made {
  readonly change: Change;
  readonly place?: Place;
  readonly options?: object;
  readonly fillers?: number;
  readonly written?: Parameters<typeof missing>[0];
}

/** An agent whose model calls the tool `secret`, which it was not sent, and what became of it. */
async function ranWith(made: Made, mode: Mode): Promise<MissRig & { readonly execute: ReturnType<typeof vi.fn> }> {
  const { change, place = 'processor', options = {}, fillers = 0, written = ['secret', 'secret'] } = made;
  const execute = vi.fn(async () => 'ran');
  const tools = { ...toolRecord(tool('secret', 'Secret.', { execute })), ...fillerTools(fillers) };
  const processor = new ToolSearchProcessor({ tools, onMiss: 'run', ...options });
  const rig = missing(written, { tools: {} }, placed(processor, place, change));
  await run(rig, mode);
  return { execute, ...rig };
}

const everywhere = { mode: modes, place: ['processor', 'workflow', 'prepareStep'], fillers: [0, 501] } as const;

describe('a call of a tool that was not sent', () => {
  const changes = { ...REMOVALS, ...DISGUISES, ...BLOCKS, ...BYSTANDERS };
  // A durable run would wait for the approval of the second call.
  const ends = (one: { mode: Mode; how: string }) => one.mode !== 'durable' || !one.how.endsWith('an approval');
  it.each(pairwise({ how: Object.keys(changes), ...everywhere }, (one) => isPossible(one) && ends(one)))(
    'runs, is stopped, or is what it is where missed calls are loaded, as a later $place $how ($mode, $fillers other tools)',
    async ({ how, mode, ...where }) => {
      const made = { change: changes[how]!, ...where };
      const there = await ranWith(made, mode);
      const runs = there.execute.mock.calls.length;
      if (how in BYSTANDERS) expect(runs).toBe(2);
      else if (how in BLOCKS) expect(runs).toBe(0);
      else {
        const loading = await ranWith({ ...made, options: { onMiss: 'load' } }, mode);
        expect(runs).toBe(loading.execute.mock.calls.length);
        expect(there.model.calls.map(toolNames)).toEqual(loading.model.calls.map(toolNames));
      }
      if (how in REMOVALS) expect(JSON.stringify(there.model.calls[1]?.prompt)).toContain('not found');
    },
  );

  it.each(pairwise(everywhere, isPossible))(
    'is loaded instead where a later $place adds a tool, which stays where it is ($mode, $fillers other tools)',
    async ({ mode, ...where }) => {
      const change: Change = ({ tools }) => ({ tools: { ...tools, extra: tool('extra') } });
      const { execute, model } = await ranWith({ change, ...where }, mode);
      expect(model.sent(0)).toEqual(['search_tools', 'load_tool', 'extra']);
      expect(execute).toHaveBeenCalledTimes(1);
      expect(model.sent(1)).toContain('secret');
    },
  );
});

it.each(
  pairwise(
    {
      guard: guards,
      place: ['processor', 'two processors', 'between', 'prepareStep'],
      mode: modes,
      form: ['copy', 'proxy'],
      stops: ['all', 'secret'],
    },
    // What two of them set in one step's tools is the first one's.
    (one) => isPossible(one) && (one.place !== 'two processors' || one.stops === 'secret'),
  ),
)(
  'a call of a tool that was not sent loads where a later $place returns $guard, each tool in a $form that stops $stops ($mode)',
  async ({ guard, mode, form, stops, place }) => {
    const { asked, around } = guardWith(form, (name) => stops === 'all' || name === 'secret');
    const { execute } = await ranWith(
      { change: changeOf(guard, around), place, fillers: guard === guards[0] ? 501 : 0 },
      mode,
    );
    expect(execute).not.toHaveBeenCalled();
    expect(asked.map(({ name }) => name)).toEqual(['secret']);
  },
);

describe('a call of a tool that was not sent runs', () => {
  it.each(modes)('before a TokenLimiterProcessor (%s)', async (mode) => {
    const execute = vi.fn(async () => 'ran');
    const tools = toolRecord(tool('secret', 'Secret.', { execute }));
    const inputProcessors = [new ToolSearchProcessor({ tools, onMiss: 'run' }), new TokenLimiterProcessor(50_000)];
    await run(missing(['secret'], { tools: {} }, { inputProcessors }), mode);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it.each([0, 1])('where stack traces have %s frames', async (limit) => {
    const { stackTraceLimit } = Error;
    const change: Change = () => {
      Error.stackTraceLimit = limit;
      return undefined;
    };
    const { execute } = await ranWith({ change }, 'generate');
    expect(Error.stackTraceLimit).toBe(limit);
    Error.stackTraceLimit = stackTraceLimit;
    expect(execute).toHaveBeenCalledTimes(2);
  });
});

describe('in call mode', () => {
  const call = { mode: modes, place: ['processor', 'prepareStep'] } as const;
  const options = { mode: 'call' };
  const exact = { name: 'call_tool', input: { toolName: 'secret', arguments: {} } };

  const spellings = {
    'the exact name': through('secret'),
    'another word for the name': { toolName: 'call_tool', input: { name: 'secret' } },
    'another form of the name': through('functions.Secret'),
    "the tool's own name": { toolName: 'secret', input: {} },
  } as const;
  it.each(pairwise({ ...call, guard: guards, how: Object.keys(spellings) as (keyof typeof spellings)[] }, isPossible))(
    'a later $place guards call_tool with $guard, and hears the exact name where the model wrote $how ($mode)',
    async ({ mode, place, guard, how }) => {
      const { asked, around } = guardWith();
      const written = spellings[how];
      const made = { change: changeOf(guard, around), place, options, written: [written] };
      const { execute, model } = await ranWith(made, mode);
      expect(execute).not.toHaveBeenCalled();
      expect(asked).toEqual([exact]);
      const answered = JSON.stringify(model.calls[1]!.prompt);
      expect(answered).toContain('stopped by a guard');
      // The model reads what it wrote.
      const { toolName, input } = written;
      expect(answered).toContain(JSON.stringify({ toolName, input }).slice(1, -1));
    },
  );

  it.each(pairwise({ ...call, name: ['secret', 'functions.Secret'] }, isPossible))(
    'a later $place that wraps the tools and takes a model of its own hears "$name" as it is written ($mode)',
    async ({ mode, place, name }) => {
      const heard: unknown[] = [];
      const watching: Around = (each) => {
        const { execute } = each as { execute?: (...args: unknown[]) => unknown };
        if (!execute) return each;
        const watched = (...args: unknown[]): unknown => {
          heard.push(args[0]);
          return execute(...args);
        };
        return { ...(each as object), execute: watched };
      };
      const model = scriptedModel(calls(through(name)));
      const change = changeOf('a frozen copy', watching, { model });
      const { execute } = await ranWith({ change, place, options, written: [through(name)] }, mode);
      expect(heard).toEqual([{ toolName: name, arguments: {} }]);
      expect(execute).toHaveBeenCalledTimes(name === 'secret' ? 1 : 0);
      const [answer] = toolResults(model.calls[1]!.prompt);
      if (name !== 'secret') expect(JSON.stringify(answer)).toContain('The exact name of this tool is \\"secret\\"');
    },
  );
});
