import { type Processor, TokenLimiterProcessor } from '@mastra/core/processors';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { type Mode, missing, run } from '../../agent/missed-calls.ts';
import { calls, fillerTools, rig, tool, toolRecord } from '../../support/harness.ts';
import { scriptedModel, toolNames, toolResults } from '../../support/scripted-model.ts';
import { through } from './setup.ts';

type Tools = Record<string, unknown>;
type Step = { readonly tools: Tools; readonly activeTools?: string[] };
/** What a later processor, or `prepareStep`, does with a step. */
type Change = (step: Step) => object | undefined;
/** Puts a guard around a tool of a step. */
type Around = (tool: unknown, name: string) => unknown;

const modes: readonly Mode[] = ['generate', 'stream', 'durable'];
/** Where a guard stands behind the processor; `prepareStep` is no option of the durable runs of these tests. */
const placesOf = (mode: Mode) => (['processor', 'prepareStep'] as const).slice(0, mode === 'durable' ? 1 : undefined);
const combined = modes.flatMap((mode) => placesOf(mode).map((place) => ({ mode, place })));

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
const placed = (
  processor: ToolSearchProcessor,
  place: 'processor' | 'prepareStep',
  ...changes: readonly Change[]
): object => ({
  inputProcessors: place === 'processor' ? [processor, ...changes.map(later)] : [processor],
  defaultOptions: place === 'prepareStep' ? { prepareStep: changes[0] } : {},
});
const returned = (tools: Tools | undefined): object | undefined => tools && { tools };

describe('a call of a tool that was not sent', () => {
  const missed = (place: 'processor' | 'prepareStep', fillers: object, ...changes: readonly Change[]) =>
    missedBy('run', place, fillers, ...changes);
  const missedBy = (
    onMiss: 'run' | 'load',
    place: 'processor' | 'prepareStep',
    fillers: object,
    ...changes: readonly Change[]
  ) => {
    const execute = vi.fn(async () => 'ran');
    const tools = { ...toolRecord(tool('secret', 'Secret.', { execute })), ...fillers };
    const processor = new ToolSearchProcessor({ tools, onMiss });
    return { execute, ...missing(['secret', 'secret'], { tools }, placed(processor, place, ...changes)) };
  };

  describe.each(combined)('loads where a later $place ($mode) returns', ({ mode, place }) => {
    // Each form of a guard in another mode.
    const formOf = (at: number) => ((at + modes.indexOf(mode)) % 2 === 0 ? 'copy' : 'proxy');
    it.each(guards.map((each, at) => ({ ...each, form: formOf(at) }) as const))(
      '$how, each tool in a $form',
      async ({ stand, form }) => {
        const { asked, around } = guard();
        const made = missed(place, {}, ({ tools }) => returned(stand(tools, around(form))));
        await run(made, mode);
        expect(made.execute).not.toHaveBeenCalled();
        expect(asked.map(({ name }) => name)).toEqual(['secret']);
      },
    );

    it.each(guards)('$how, and leaves alone all but the one', async ({ stand }) => {
      const { asked, around } = guard((name) => name === 'secret');
      const made = missed(place, {}, ({ tools }) => returned(stand(tools, around('copy'))));
      await run(made, mode);
      expect(made.execute.mock.calls.length + asked.length).toBe(1);
    });

    it('a proxy, in a large catalog', async () => {
      const { asked, around } = guard();
      const made = missed(place, fillerTools(501), ({ tools }) => returned(guards[0]!.stand(tools, around('copy'))));
      await run(made, mode);
      expect(made.execute).not.toHaveBeenCalled();
      expect(asked.map(({ name }) => name)).toEqual(['secret']);
    });

    it.each([
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
    ])('$how', async ({ change }) => {
      const made = missed(place, {}, change);
      await run(made, mode);
      const loading = missedBy('load', place, {}, change);
      await run(loading, mode);
      expect(made.execute.mock.calls.length).toBe(loading.execute.mock.calls.length);
      expect(made.model.calls.map(toolNames)).toEqual(loading.model.calls.map(toolNames));
    });
  });

  it.each(modes)('loads where two later processors return proxies (%s)', async (mode) => {
    const { asked, around } = guard((name) => name === 'secret');
    const stand: Change = ({ tools }) => returned(guards[0]!.stand(tools, around('proxy')));
    const made = missed('processor', {}, stand, stand);
    await run(made, mode);
    expect(made.execute).not.toHaveBeenCalled();
    expect(asked.map(({ name }) => name)).toEqual(['secret']);
  });

  it.each(modes.flatMap((mode) => guards.map((each) => ({ mode, ...each }))))(
    'loads where there is, between two processors that search, $how ($mode)',
    async ({ mode, stand }) => {
      const { asked, around } = guard();
      const execute = vi.fn(async () => 'ran');
      const tools = toolRecord(tool('secret', 'Secret.', { execute }));
      const metaTools = { search: { name: 'find_more' }, load: { name: 'load_more' } };
      const inputProcessors = [
        new ToolSearchProcessor({ tools, onMiss: 'run' }),
        later(({ tools: received }) => returned(stand(received, around('copy')))),
        new ToolSearchProcessor({ tools: toolRecord(tool('other')), metaTools, onMiss: 'run' }),
      ];
      const made = missing(['secret', 'secret'], { tools: {} }, { inputProcessors });
      await run(made, mode);
      expect(execute).not.toHaveBeenCalled();
      expect(asked.map(({ name }) => name)).toEqual(['secret']);
    },
  );

  it.each(modes)('runs where later processors leave the tools alone (%s)', async (mode) => {
    const change: Change = ({ tools }) => void Object.entries(tools).map(([name, each]) => [name, String(each)]);
    const made = missed('processor', {}, change, ({ tools }) => ({ tools }));
    await run(made, mode);
    expect(made.execute).toHaveBeenCalledTimes(2);
  });

  it.each(modes)('runs before a TokenLimiterProcessor (%s)', async (mode) => {
    const execute = vi.fn(async () => 'ran');
    const processor = new ToolSearchProcessor({
      tools: toolRecord(tool('secret', 'Secret.', { execute })),
      onMiss: 'run',
    });
    const inputProcessors = [processor, new TokenLimiterProcessor(50_000)];
    await run(missing(['secret'], { tools: {} }, { inputProcessors }), mode);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it.each([0, 1])('runs where stack traces have %s frames', async (limit) => {
    const { stackTraceLimit } = Error;
    const made = missed('processor', {}, () => {
      Error.stackTraceLimit = limit;
      return undefined;
    });
    await run(made, 'generate');
    expect(Error.stackTraceLimit).toBe(limit);
    Error.stackTraceLimit = stackTraceLimit;
    expect(made.execute).toHaveBeenCalledTimes(2);
  });
});

describe.each(combined)('in call mode, a later $place ($mode)', ({ mode, place }) => {
  const calling = (change: Change, ...written: readonly { toolName: string; input: unknown }[]) => {
    const execute = vi.fn(async () => 'ran');
    const tools = toolRecord(tool('secret', 'Secret.', { execute }));
    const processor = new ToolSearchProcessor({ tools, mode: 'call', onMiss: 'run' });
    const made = rig({ tools: {} }, { script: calls(...written), agent: placed(processor, place, change) });
    return { execute, ...made };
  };

  it.each(guards)('guards call_tool with $how', async ({ stand }) => {
    const { asked, around } = guard();
    const made = calling(({ tools }) => returned(stand(tools, around('copy'))), through('secret'));
    await run(made, mode);
    expect(made.execute).not.toHaveBeenCalled();
    expect(asked).toEqual([{ name: 'call_tool', input: { toolName: 'secret', arguments: {} } }]);
    expect(JSON.stringify(toolResults(made.model.calls[1]!.prompt))).toContain('stopped by a guard');
  });

  it.each([
    { how: 'another word for the name', written: { toolName: 'call_tool', input: { name: 'secret' } } },
    { how: 'another form of the name', written: through('functions.Secret') },
    { how: "the tool's own name", written: { toolName: 'secret', input: {} } },
  ])('hears the exact name where the model wrote $how', async ({ written }) => {
    const { asked, around } = guard();
    const made = calling(({ tools }) => returned(guards[0]!.stand(tools, around('copy'))), written);
    await run(made, mode);
    expect(made.execute).not.toHaveBeenCalled();
    expect(asked).toEqual([{ name: 'call_tool', input: { toolName: 'secret', arguments: {} } }]);
    // The model reads what it wrote.
    const answered = JSON.stringify(made.model.calls[1]!.prompt);
    expect(answered).toContain(
      `"toolName":${JSON.stringify(written.toolName)},"input":${JSON.stringify(written.input)}`,
    );
  });

  it.each([
    { how: 'an exact name', name: 'secret', isRun: true },
    { how: 'another form of the name', name: 'functions.Secret', isRun: false },
  ])('that wraps the tools and takes a model of its own hears $how', async ({ name, isRun }) => {
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
    const own = scriptedModel(calls(through(name)));
    const made = calling(({ tools }) => ({ tools: guards[0]!.stand(tools, watching), model: own }));
    await run(made, mode);
    expect(heard).toEqual([{ toolName: name, arguments: {} }]);
    expect(made.execute).toHaveBeenCalledTimes(isRun ? 1 : 0);
    const [answer] = toolResults(own.calls[1]!.prompt);
    if (!isRun) expect(JSON.stringify(answer)).toContain('The exact name of this tool is \\"secret\\"');
  });
});
