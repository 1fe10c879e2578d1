// Runs that wait, end early, fail or are restricted, of both kinds of agents.
import { type InputProcessor, ProcessorStepSchema } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import type { LoadedToolStore, MastraTool, ToolScorer, ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { pairwise, part } from '../support/breadth.ts';
import { essence } from '../support/events.ts';
import { askingTool, tool, toolRecord } from '../support/simple-tools.ts';
import {
  fakeAnthropic,
  serverSearch,
  serverSearchCall,
  serverSearchResult,
  text,
  toolUse,
} from './fakes/fake-provider.ts';
import type { Sent } from './rig/goals.ts';
import {
  approve,
  CLIENT_FORMS,
  decline,
  FORMS,
  type Form,
  type GoalRig,
  goalRig,
  KINDLESS_FORMS,
  KINDS,
  MODES,
  modelOf,
  resume,
  say,
} from './rig/rig.ts';
import { anthropicService, type Interruption, serviceOf } from './rig/services.ts';
import { anthropicView } from './rig/views.ts';
import { world } from './rig/world.ts';

/** Forms, modes, kinds of agents and cases, in a part of their product. */
const product = <Item extends object>(forms: readonly Form[], items: readonly Item[], kinds = KINDS) =>
  part(
    forms.flatMap((form) =>
      MODES.flatMap((mode) => kinds.flatMap((kind) => items.map((item) => ({ ...form, mode, kind, ...item })))),
    ),
    'pairs',
  );
const all = product(FORMS, [{}]);
const ofClient = product(CLIENT_FORMS, [{}]);
/** Those of plain agents alone. */
const plainOf = <Item extends object>(items: readonly Item[], forms = FORMS) => product(forms, items, ['Agent']);
const count = (events: readonly ToolSearchEvent[], type: ToolSearchEvent['type']): number =>
  events.filter((event) => event.type === type).length;
/** Why native mode was switched off, and what was refused. */
const faults = ({ offs, refused }: GoalRig): readonly unknown[] => [...offs(), ...refused()];

const pay = (ran: () => Promise<string>, more: object = { requireApproval: true }): MastraTool =>
  tool('pay_bill', 'Pays a bill.', { execute: ran, ...more });
const catalog = (...tools: MastraTool[]) => toolRecord(...tools, tool('send_email'), tool('filler_1', 'Padding.'));

describe('a found tool', () => {
  it.each(product(FORMS, [{ isRefused: true }, { isRefused: false }]))(
    'runs once it is approved, also in load mode after a refusal ($isRefused), and is not searched again: $kind, $dialect $execution, $mode',
    async ({ kind, mode, isRefused, ...form }) => {
      const ran = vi.fn(async () => 'paid');
      const refuse: Interruption = ({ isNative }) =>
        isNative ? { status: 400, error: { message: 'tool search is not supported' } } : undefined;
      const setup = isRefused ? { interrupt: refuse, hearsErrors: true } : {};
      const { agent, service, refused, done } = goalRig(form, { kind, tools: catalog(pay(ran)), ...setup });
      const waits = await say(agent, mode, 'use pay_bill');
      expect([waits.finishReason, waits.waitingTool]).toEqual(['suspended', 'pay_bill']);
      expect(ran).not.toHaveBeenCalled();
      expect((await approve(agent, mode, waits)).text).toBe('done');
      expect(service.views().at(-1)?.results.at(-1)).toContain('paid');
      expect(service.views().at(-1)?.isNative).toBe(!isRefused);
      const before = service.views().length;
      const again = await say(agent, mode, 'use pay_bill');
      expect(again.waitingTool).toBe('pay_bill');
      if (kind === 'Agent') expect(service.views().length - before).toBe(1);
      expect((await decline(agent, mode, again)).text).toBe('done');
      expect(ran).toHaveBeenCalledTimes(1);
      await done(mode, 'use send_email');
      expect(refused()).toEqual([]);
    },
  );

  it.each(plainOf([{}]))(
    'may wait while the thread goes on, and for data: $dialect $execution, $mode',
    async ({ mode, kind: _, ...form }) => {
      const ran = vi.fn(async () => 'paid');
      const { agent, service, refused, done } = goalRig(form, { tools: catalog(pay(ran), askingTool('ask_boss')) });
      const waits = await say(agent, mode, 'use pay_bill');
      await done(mode, 'use send_email');
      await approve(agent, mode, waits);
      expect(ran).toHaveBeenCalledTimes(1);
      const asks = await say(agent, mode, 'use ask_boss');
      expect([asks.finishReason, asks.waitingTool]).toEqual(['suspended', 'ask_boss']);
      expect((await resume(agent, mode, asks, { answer: 'yes' }, 'Agent')).text).toBe('done');
      expect(service.views().at(-1)?.results.at(-1)).toContain('yes');
      await done(mode, 'use send_email');
      expect(refused()).toEqual([]);
    },
  );
});

describe('with requireToolApproval of the run', () => {
  const needsApproval = { requireToolApproval: true };
  const tools = () => catalog(pay(async () => 'paid', {}));
  const searchOf = ({ dialect }: { dialect: string }) => (dialect === 'openai' ? 'tool_search' : 'search_tools');

  it.each(plainOf([{}]))(
    'search and call wait for one approval each, and a known tool for one: $dialect $execution, $mode',
    async ({ mode, kind: _, ...form }) => {
      const { agent, service, refused } = goalRig(form, { tools: tools() });
      let waits = await say(agent, mode, 'use pay_bill', needsApproval);
      // The search of a service waits for nobody.
      if (form.execution !== 'server') {
        expect(waits.waitingTool).toBe(searchOf(form));
        waits = await approve(agent, mode, waits, needsApproval);
      }
      for (const call of [waits, undefined]) {
        const waiting = call ?? (await say(agent, mode, 'use pay_bill', needsApproval));
        expect([waiting.finishReason, waiting.waitingTool]).toEqual(['suspended', 'pay_bill']);
        expect((await approve(agent, mode, waiting, needsApproval)).text).toBe('done');
      }
      expect(service.views().at(-1)?.referenced).toContain('pay_bill');
      expect(refused()).toEqual([]);
    },
  );

  it.each(ofClient)(
    'a search that is declined, or not answered, loads nothing, and the next turn may search: $kind, $dialect $execution, $mode',
    async ({ kind, mode, ...form }) => {
      for (const isDeclined of [true, false]) {
        const rig = goalRig(form, { kind, tools: tools() });
        const search = await say(rig.agent, mode, 'use pay_bill', needsApproval);
        expect(search.waitingTool).toBe(searchOf(form));
        if (isDeclined) await decline(rig.agent, mode, search);
        expect(rig.service.views().at(-1)?.referenced).toEqual([]);
        await say(rig.agent, mode, 'use pay_bill');
        // One more turn: with OpenAI and a DurableAgent, the run ended with its search.
        await rig.done(mode, 'use pay_bill');
        expect(faults(rig)).toEqual([]);
      }
    },
  );

  it.each(plainOf([{}], CLIENT_FORMS))(
    'the model is told to repeat a search that waited over a restart: $dialect $execution, $mode',
    async ({ mode, kind: _, ...form }) => {
      const storage = new InMemoryStore();
      const service = serviceOf(form.dialect);
      const open = () => goalRig(form, { tools: tools(), storage, service });
      const search = await say(open().agent, mode, 'use pay_bill', needsApproval);
      const { agent, refused, done } = open();
      // Mastra knows no tool of a step in a new process; the model is told to call it again, which this one does not.
      await approve(agent, mode, search);
      expect(JSON.stringify(service.bodies().at(-1))).toMatch(/is available now: call it again/);
      await done(mode, 'use pay_bill');
      expect(refused()).toEqual([]);
    },
  );
});

describe('the thread stays usable', () => {
  const scorerOf = (search: () => void): ToolScorer => ({
    name: 'own',
    index: (documents) => ({
      search: () => {
        search();
        return documents.map(({ name }) => ({ name, score: 1 }));
      },
    }),
  });

  it.each(plainOf(['before it', 'in request 0', 'in request 1', 'in the search'].map((when) => ({ when }))))(
    'where a run is aborted $when: $dialect $execution, $mode',
    async ({ mode, when, kind: _, ...form }) => {
      const abort = new AbortController();
      if (when === 'before it') abort.abort();
      const interrupt = ({ index }: Sent): undefined => {
        if (when === `in request ${index}`) abort.abort();
      };
      const scorer = scorerOf(() => {
        if (when === 'in the search') abort.abort();
      });
      const rig = goalRig(form, { interrupt, processor: { search: { scorer } } });
      await say(rig.agent, mode, 'use get_weather', { abortSignal: abort.signal }).catch(() => undefined);
      const [, at] = /request (\d)/.exec(when) ?? [];
      if (at) expect(rig.service.views()).toHaveLength(Number(at) + 1);
      if (when === 'before it') expect(rig.service.views()).toEqual([]);
      await rig.done(mode, 'use get_weather', 'use send_email');
      expect(faults(rig)).toEqual([]);
    },
  );

  it.each(plainOf([{}]))(
    'where a search finds nothing, or its scorer fails: $dialect $execution, $mode',
    async ({ mode, kind: _, ...form }) => {
      const plain = goalRig(form);
      expect((await say(plain.agent, mode, 'use no_such_tool')).text).toBe('not found');
      expect(plain.service.views().at(-1)?.referenced).toEqual([]);
      await plain.done(mode, 'use get_weather');
      expect(faults(plain)).toEqual([]);
      if (form.execution === 'server') return;
      let isBroken = true;
      const scorer = scorerOf(() => {
        if (isBroken) throw new Error('no luck');
      });
      const rig = goalRig(form, { processor: { search: { scorer } } });
      expect((await say(rig.agent, mode, 'use get_weather')).text).toBe('not found');
      expect(count(rig.events, 'scorer-failed')).toBe(1);
      isBroken = false;
      await rig.done(mode, 'use get_weather');
      expect(faults(rig)).toEqual([]);
    },
  );

  it.each(plainOf(['get', 'add', 'everything'].map((operation) => ({ operation }))))(
    'where a store fails: $operation, $dialect $execution, $mode',
    async ({ mode, operation, kind: _, ...form }) => {
      const kept = new Set<string>();
      const failing =
        <Args extends readonly unknown[], Result>(own: string, method: (...args: Args) => Result) =>
        (...args: Args): Result => {
          if (operation === own || operation === 'everything') throw new Error('no luck');
          return method(...args);
        };
      const storage: LoadedToolStore = {
        get: failing('get', () => [...kept]),
        add: failing('add', (_scope: unknown, names: readonly string[]) =>
          names.forEach((name) => void kept.add(name)),
        ),
        clear: failing('clear', () => {}),
        remove: failing('remove', () => {}),
      };
      const rig = goalRig(form, { processor: { storage } });
      await rig.done(mode, 'use get_weather', 'use send_email', 'use get_weather');
      expect(count(rig.events, 'store-failed')).toBeGreaterThan(0);
      expect(faults(rig)).toEqual([]);
    },
  );
});

it.each(['client', 'server'] as const)(
  'runs at the same time with different models are not mixed: %s',
  async (execution) => {
    const there = world({ execution });
    const runs = (['anthropic', 'openai', 'chat'] as const).flatMap((kind) => [0, 1, 2].map((n) => ({ kind, n })));
    await Promise.all(
      runs.map(async ({ kind, n }) => {
        for (const goal of ['use get_weather', 'use send_email', 'use get_weather']) {
          const options = { memory: { thread: `${kind}-${n}`, resource: 'ann' } };
          expect(await there[n === 1 ? 'stream' : 'say'](goal, kind, options)).toBe('done');
        }
      }),
    );
    expect(there.refused()).toEqual([]);
    for (const { kind, isNative, eager, deferred } of there.sent) {
      expect([kind, isNative, eager.includes('load_tool')]).toEqual([kind, kind !== 'chat', kind === 'chat']);
      const isDeferred = kind === 'anthropic' || (kind === 'openai' && execution === 'server');
      expect(deferred.includes('filler_1')).toBe(isDeferred);
    }
  },
);

const searchFirst = serverSearchCall(1, 'weather');
const failedSearch = [serverSearchCall(1, '('), serverSearchResult(1, { error: 'invalid_tool_input' })];

it.each(
  [
    { what: 'pauses before its result', blocks: [searchFirst], loads: 0 },
    { what: 'pauses behind a text', blocks: [text('Let me see.'), searchFirst], loads: 0 },
    {
      what: 'fails beside another one',
      blocks: [...failedSearch, ...serverSearch(2, ['get_weather']), toolUse(3, 'get_weather')],
      loads: 1,
    },
  ].flatMap((one) => MODES.map((mode) => ({ ...one, mode }))),
)('a search of Anthropic’s that $what leaves the user free to go on: $mode', async ({ what, blocks, loads, mode }) => {
  const first = { content: blocks, ...(what.startsWith('pauses') ? { stopReason: 'pause_turn' } : {}) };
  const fake = fakeAnthropic(({ index }) => (index === 0 ? first : { content: [text('fine')] }));
  const views = () => fake.requests.map(({ body }) => anthropicView(body));
  const rig = goalRig({ dialect: 'anthropic', execution: 'server' }, { service: { fake, views, bodies: () => [] } });
  for (const said of ['hello', 'hello again', 'and again']) await say(rig.agent, mode, said);
  expect((await say(rig.agent, mode, 'bye')).text).toBe('fine');
  expect([count(rig.events, 'load'), faults(rig)]).toEqual([loads, []]);
});

describe('a DurableAgent', () => {
  const texts = ['use get_weather', 'use own_tool', 'use send_email', 'use gone_tool', 'use get_weather', 'hello'];

  // Mastra forgets what the provider found, and would end a run behind a search of OpenAI's client form.
  it.each(KINDLESS_FORMS.flatMap((form) => [true, false].map((store) => ({ ...form, store }))))(
    'sends the bodies of a plain agent, and reports the same: $dialect $execution, stored: $store',
    async ({ store, ...form }) => {
      const [durable, plain] = [goalRig(form, { kind: 'DurableAgent' }), goalRig(form)] as const;
      for (const said of texts) {
        const options = store ? {} : { providerOptions: { openai: { store } } };
        const [one, other] = [
          await say(durable.agent, 'stream', said, options),
          await say(plain.agent, 'stream', said, options),
        ];
        expect(one.text).toBe(other.text);
      }
      if (store) expect(durable.service.bodies()).toEqual(plain.service.bodies());
      const eventsOf = ({ events }: GoalRig) => events.map((event) => essence(event));
      if (store && form.execution === 'server') expect(eventsOf(durable)).toEqual(eventsOf(plain));
      expect(durable.refused()).toEqual([]);
    },
  );
});

describe('prepareStep', () => {
  const restrictions = [
    { step: { activeTools: ['get_weather'] }, sent: ['get_weather'], answer: 'done' },
    { step: { activeTools: ['own_tool', 'get_weather'] }, sent: ['get_weather', 'own_tool'], answer: 'done' },
    { step: { activeTools: ['own_tool', 'send_email'] }, sent: ['own_tool'], answer: 'not found' },
    { step: { tools: {} }, sent: [], answer: 'not found' },
    { step: { toolChoice: 'none' }, sent: undefined, answer: undefined },
    { step: { toolChoice: { type: 'tool', toolName: 'get_weather' } }, sent: undefined, answer: 'done' },
  ];

  it.each(product(FORMS, restrictions))(
    'restricts tools to what is loaded: $step, $kind, $dialect $execution, $mode',
    async ({ kind, mode, step, sent, answer, ...form }) => {
      const { agent, service, refused, done } = goalRig(form, { kind });
      await done(mode, 'use get_weather');
      const isForced = typeof step.toolChoice === 'object';
      const prepareStep = ({ stepNumber }: { stepNumber: number }) => (isForced && stepNumber > 0 ? undefined : step);
      const said = sent === undefined && answer === undefined ? 'hello' : 'use get_weather';
      const { text: given } = await say(agent, mode, said, { prepareStep } as never);
      if (answer !== undefined) expect(given).toBe(answer);
      const last = service.views().at(-1)!;
      if (sent) expect([[...last.eager, ...last.appended].toSorted(), last.deferred]).toEqual([sent, []]);
      // Native mode goes on, and nothing has to be searched again.
      const { length } = service.views();
      await done(mode, 'use get_weather');
      const views = service.views().slice(length);
      expect(views.every(({ isNative, eager }) => isNative && !eager.includes('get_weather'))).toBe(true);
      expect(views).toHaveLength(2);
      expect(refused()).toEqual([]);
    },
  );

  it.each(FORMS)(
    'sees a right that is granted in mid-run hold for what is found: $dialect, $execution',
    async (form) => {
      let isGranted = false;
      const filter = ({ toolName, phase }: { toolName: string; phase: string }): boolean =>
        toolName !== 'get_weather' || phase !== 'active' || isGranted;
      const { agent, refused } = goalRig(form, { processor: { filter } });
      const prepareStep = (): undefined => {
        isGranted = true;
      };
      const { text: given } = await say(agent, 'generate', 'use get_weather', { prepareStep } as never);
      // What a provider is not sent at first it cannot find.
      expect(given).toBe(form.execution !== 'server' ? 'done' : 'not found');
      expect(refused()).toEqual([]);
    },
  );
});

it.each(all)(
  'activeTools of the caller restrict neither the search nor the catalog: $kind, $dialect $execution, $mode',
  async ({ kind, mode, ...form }) => {
    const { agent, service, refused } = goalRig(form, { kind });
    expect((await say(agent, mode, 'use get_weather', { activeTools: [] })).text).toBe('done');
    const { length } = service.views();
    expect((await say(agent, mode, 'use send_email', { activeTools: ['own_tool'] })).text).toBe('done');
    const shows = service.views().map(({ eager }) => eager.includes('own_tool'));
    expect(shows).toEqual(shows.map((_, at) => at >= length));
    expect(refused()).toEqual([]);
  },
);

it.each(
  pairwise({ form: FORMS, name: ['tool_search', 'tool_search_tool_bm25', 'tool_search_tool_regex'] }).map(
    ({ form, name }) => ({ ...form, name }),
  ),
)(
  'an own tool called $name is refused, as its calls would be taken for searches: $dialect, $execution',
  async ({ name, ...form }) => {
    const own = tool(name, 'Own.', { inputSchema: z.object({ arguments: z.string() }) });
    const { agent } = goalRig(form, { agent: { tools: { [name]: own } } });
    await expect(say(agent, 'generate', 'hello')).rejects.toThrow(`already has a tool called "${name}"`);
  },
);

describe('a processor within a workflow', () => {
  /** A workflow of the user's own around processors. */
  function workflowOf(...processors: readonly unknown[]): InputProcessor {
    let workflow = createWorkflow({ id: 'all', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema });
    for (const processor of processors) workflow = workflow.then(createStep(processor as never)) as never;
    return workflow.commit() as unknown as InputProcessor;
  }

  // Mastra asks no processor in a workflow for the prompt: it is rewritten when the model is called.
  it.each(all)(
    'works natively as it does outside: $kind, $dialect $execution, $mode',
    async ({ kind, mode, ...form }) => {
      const rig = goalRig(form, { kind, around: (own) => [workflowOf(own)] });
      await rig.done(mode, 'use get_weather', 'use send_email', 'use get_weather');
      expect(rig.service.views().every(({ isNative }) => isNative)).toBe(true);
      expect(faults(rig)).toEqual([]);
    },
  );

  it('goes on in load mode where a later step puts a model of its own in the place of the wrapped one', async () => {
    const service = anthropicService();
    const chooser = { id: 'chooser', processInputStep: () => ({ model: modelOf('anthropic', service.fake) }) };
    const rig = goalRig(
      { dialect: 'anthropic', execution: 'client' },
      { service, around: (own) => [workflowOf(own, chooser)] },
    );
    await rig.done('generate', 'use get_weather');
    const views = rig.service.views();
    expect(views[0]?.deferred).toContain('get_weather');
    expect(views[1]?.eager.toSorted()).toEqual(['get_weather', 'load_tool', 'own_tool', 'search_tools']);
    expect(faults(rig)).toEqual(['not-rewritten']);
  });
});
