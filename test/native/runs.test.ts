// Runs that wait, end early, fail or are restricted, of both kinds of agents.
import { type InputProcessor, ProcessorStepSchema } from '@mastra/core/processors';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { type LoadedToolStore, type MastraTool, memoryStore, type ToolScorer } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { tool, toolRecord } from '../support/agent.ts';
import { inTurn, pairwise } from '../support/breadth.ts';
import { essence } from '../support/events.ts';
import { serverSearch, serverSearchCall, serverSearchResult, text, toolUse } from './fakes/fake-provider.ts';
import type { Action, Sent } from './rig/goals.ts';
import {
  approve,
  CASES,
  count,
  DIALECTS,
  decline,
  FORMS,
  type GoalRig,
  goalRig,
  KINDS,
  MODES,
  modelOf,
  PLAIN_CASES,
  say,
} from './rig/rig.ts';
import { serviceOf } from './rig/services.ts';

const RUNS = pairwise({ kind: KINDS, mode: MODES, isRefused: [true, false] });
const CLIENT = CASES.filter(({ execution }) => execution === 'client');
const pay = (ran: () => Promise<string>, more: object = { requireApproval: true }): MastraTool =>
  tool('pay_bill', 'Pays a bill.', { execute: ran, ...more });
const catalog = (...tools: MastraTool[]) => toolRecord(...tools, tool('send_email'), tool('filler_1', 'Padding.'));

// Each form, and in turn both kinds, modes and answers.
it.each(
  [0, 1].flatMap((turn) =>
    inTurn({ form: FORMS, run: turn === 0 ? RUNS : RUNS.toReversed() }).map(({ form, run }) => ({ form, ...run })),
  ),
)(
  'a found tool runs once it is approved, also in load mode after a refusal, and is not searched again: %o',
  async ({ form, kind, mode, isRefused }) => {
    const ran = vi.fn(async () => 'paid');
    const refuse = ({ isNative }: Sent) =>
      isRefused && isNative ? { status: 400, error: { message: 'tool search is not supported' } } : undefined;
    const setup = { kind, tools: catalog(pay(ran)), interrupt: refuse, hearsErrors: true };
    const { agent, service, refused, done } = goalRig(form, setup);
    const waits = await say(agent, mode, 'use pay_bill');
    expect([waits.finishReason, waits.waitingTool, ran.mock.calls.length]).toEqual(['suspended', 'pay_bill', 0]);
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

describe('with requireToolApproval of the run', () => {
  const needsApproval = { requireToolApproval: true };
  const tools = catalog(pay(async () => 'paid', {}));
  const searchOf = { anthropic: 'search_tools', openai: 'tool_search' };

  it.each(PLAIN_CASES)(
    'search and call wait for one approval each, and a known tool for one: $dialect $execution',
    async ({ mode, ...form }) => {
      const { agent, service, refused } = goalRig(form, { tools });
      let waits = await say(agent, mode, 'use pay_bill', needsApproval);
      // The search of a service waits for nobody.
      if (form.execution !== 'server') {
        expect(waits.waitingTool).toBe(searchOf[form.dialect]);
        waits = await approve(agent, mode, waits, needsApproval);
      }
      for (const call of [waits, undefined]) {
        const waiting = call ?? (await say(agent, mode, 'use pay_bill', needsApproval));
        expect([waiting.finishReason, waiting.waitingTool]).toEqual(['suspended', 'pay_bill']);
        expect((await approve(agent, mode, waiting, needsApproval)).text).toBe('done');
      }
      expect([service.views().at(-1)?.referenced, refused()]).toEqual([['pay_bill'], []]);
    },
  );

  it.each(CLIENT.flatMap((form) => KINDS.map((kind) => ({ ...form, kind }))))(
    'a search that is declined, or not answered, loads nothing, and the next turn may search: $dialect $kind',
    async ({ kind, mode, ...form }) => {
      for (const isDeclined of [true, false]) {
        const rig = goalRig(form, { kind, tools });
        const search = await say(rig.agent, mode, 'use pay_bill', needsApproval);
        expect(search.waitingTool).toBe(searchOf[form.dialect]);
        if (isDeclined) await decline(rig.agent, mode, search);
        expect(rig.service.views().at(-1)?.referenced).toEqual([]);
        await say(rig.agent, mode, 'use pay_bill');
        // One more turn: with OpenAI and a DurableAgent, the run ended with its search.
        await rig.done(mode, 'use pay_bill');
        expect(rig.faults()).toEqual([]);
      }
    },
  );
});

describe('the thread stays usable', () => {
  const scorerOf = (search: () => void): { search: { scorer: ToolScorer } } => ({
    search: {
      scorer: {
        name: 'own',
        index: (documents) => ({
          search: () => {
            search();
            return documents.map(({ name }) => ({ name, score: 1 }));
          },
        }),
      },
    },
  });

  /** With the requests that are sent until then. */
  const moments: Readonly<Record<string, number | undefined>> = {
    ...{ 'before it': 0, 'in request 0': 1, 'in request 1': 2, 'in the search': undefined },
  };
  it.each(inTurn({ form: FORMS, mode: MODES, when: Object.keys(moments) }))(
    'where a run is aborted $when: $form.dialect $form.execution, $mode',
    async ({ mode, when, form }) => {
      const abort = new AbortController();
      const abortAt = (moment: string) => (moment === when ? void abort.abort() : undefined);
      abortAt('before it');
      const interrupt = ({ index }: Sent): undefined => abortAt(`in request ${index}`);
      const rig = goalRig(form, { interrupt, processor: scorerOf(() => abortAt('in the search')) });
      await say(rig.agent, mode, 'use get_weather', { abortSignal: abort.signal }).catch(() => undefined);
      const requests = moments[when];
      if (requests !== undefined) expect(rig.service.views()).toHaveLength(requests);
      await rig.done(mode, 'use get_weather', 'use send_email');
      expect(rig.faults()).toEqual([]);
    },
  );

  it.each(PLAIN_CASES)(
    'where a search finds nothing, or its scorer fails: $dialect $execution',
    async ({ mode, ...form }) => {
      let isBroken = false;
      const scorer = scorerOf(() => {
        if (isBroken) throw new Error('no luck');
      });
      const rig = goalRig(form);
      expect((await say(rig.agent, mode, 'use no_such_tool')).text).toBe('not found');
      expect(rig.service.views().at(-1)?.referenced).toEqual([]);
      await rig.done(mode, 'use get_weather');
      expect(rig.faults()).toEqual([]);
      if (form.execution === 'server') return;
      isBroken = true;
      const broken = goalRig(form, { processor: scorer });
      expect((await say(broken.agent, mode, 'use get_weather')).text).toBe('not found');
      expect(count(broken, 'scorer-failed')).toBe(1);
      isBroken = false;
      await broken.done(mode, 'use get_weather');
      expect(broken.faults()).toEqual([]);
    },
  );

  it.each(PLAIN_CASES.map((one, at) => ({ ...one, operation: at % 2 === 0 ? 'add' : 'get and add' })))(
    'where a store fails to $operation: $dialect $execution',
    async ({ mode, operation, ...form }) => {
      const fail = (): never => {
        throw new Error('no luck');
      };
      const store = memoryStore();
      const storage: LoadedToolStore = { ...store, add: fail, ...(operation !== 'add' && { get: fail }) };
      const rig = goalRig(form, { processor: { storage } });
      await rig.done(mode, 'use get_weather', 'use send_email', 'use get_weather');
      expect(count(rig, 'store-failed')).toBeGreaterThan(0);
      expect(rig.faults()).toEqual([]);
    },
  );

  const failed = [serverSearchCall(1, '('), serverSearchResult(1, { error: 'invalid_tool_input' })];
  it.each([
    { blocks: [serverSearchCall(1, 'weather')], stopReason: 'pause_turn', loads: 0 },
    { blocks: [text('Let me see.'), serverSearchCall(1, 'weather')], stopReason: 'pause_turn', loads: 0 },
    { blocks: [...failed, ...serverSearch(2, ['get_weather']), toolUse(3, 'get_weather')], loads: 1 },
  ])('where a search of Anthropic’s pauses, or fails beside another one: %#', async ({ blocks, loads, ...more }) => {
    for (const mode of MODES) {
      const decide = ({ index }: Sent): Action | undefined =>
        index === 0 ? { type: 'raw', content: blocks, ...more } : undefined;
      const rig = goalRig({ dialect: 'anthropic', execution: 'server' }, { decide });
      await say(rig.agent, mode, 'hello');
      await rig.done(mode, 'hello again', 'bye');
      expect([count(rig, 'load'), rig.faults()]).toEqual([loads, []]);
    }
  });
});

// Mastra forgets what the provider found, and would end a run behind a search of OpenAI's client form.
it.each(
  FORMS.filter(({ execution }) => execution !== 'append').flatMap((form) =>
    (form.dialect === 'openai' ? [true, false] : [true]).map((store) => ({ ...form, store })),
  ),
)(
  'a DurableAgent sends the bodies of a plain agent, and reports the same: $dialect $execution, stored: $store',
  async ({ store, ...form }) => {
    const [durable, plain] = [goalRig(form, { kind: 'DurableAgent' }), goalRig(form)] as const;
    for (const said of ['use get_weather', 'use own_tool', 'use gone_tool', 'use get_weather']) {
      const options = store ? {} : { providerOptions: { openai: { store } } };
      const [one, other] = await Promise.all([durable, plain].map(({ agent }) => say(agent, 'stream', said, options)));
      expect(one?.text).toBe(other?.text);
    }
    const eventsOf = ({ events }: GoalRig) => events.map((event) => essence(event));
    if (store) expect(durable.service.bodies()).toEqual(plain.service.bodies());
    if (store && form.execution === 'server') expect(eventsOf(durable)).toEqual(eventsOf(plain));
    expect(durable.refused()).toEqual([]);
  },
);

const RESTRICTIONS = [
  { step: { activeTools: ['get_weather'] }, sent: ['get_weather'], answer: 'done' },
  { step: { activeTools: ['own_tool', 'get_weather'] }, sent: ['get_weather', 'own_tool'], answer: 'done' },
  { step: { activeTools: ['own_tool', 'send_email'] }, sent: ['own_tool'], answer: 'not found' },
  { step: { tools: {} }, sent: [], answer: 'not found' },
  { step: { toolChoice: 'none' }, said: 'hello', answer: 'done' },
  { step: { toolChoice: { type: 'tool', toolName: 'get_weather' } }, answer: 'done' },
];

// Each restriction with both providers.
it.each(CASES.map((one, at) => ({ ...one, restrictions: RESTRICTIONS.filter((_, n) => n % 3 === at % 3) })))(
  'prepareStep restricts tools to what is loaded: $kind, $dialect $execution',
  async ({ kind, mode, restrictions, ...form }) => {
    const { agent, service, refused, done, since } = goalRig(form, { kind });
    await done(mode, 'use get_weather');
    for (const { step, said = 'use get_weather', sent, answer } of restrictions) {
      const isForced = typeof step.toolChoice === 'object';
      const prepareStep = ({ stepNumber }: { stepNumber: number }) => (isForced && stepNumber > 0 ? undefined : step);
      const { text: given } = await say(agent, mode, said, { prepareStep } as never);
      // What OpenAI stores of its own search is sent by its id, with what it found.
      const isKept = form.dialect === 'openai' && form.execution === 'server';
      if (!isKept || answer === 'done') expect(given).toBe(answer);
      const last = service.views().at(-1)!;
      if (sent) expect([[...last.eager, ...last.appended].toSorted(), last.deferred]).toEqual([sent, []]);
      // Native mode goes on, and nothing has to be searched again.
      const { length } = service.views();
      await done(mode, 'use get_weather');
      expect(since(length).map(({ isNative, eager }) => isNative && !eager.includes('get_weather'))).toEqual([
        true,
        true,
      ]);
    }
    expect(refused()).toEqual([]);
  },
);

it.each(FORMS)('a right that is granted in mid-run holds for what is found: $dialect $execution', async (form) => {
  let isGranted = false;
  const filter = ({ toolName, phase }: { toolName: string; phase: string }): boolean =>
    toolName !== 'get_weather' || phase !== 'active' || isGranted;
  const { agent, refused } = goalRig(form, { processor: { filter } });
  const prepareStep = (): undefined => {
    isGranted = true;
  };
  const { text: given } = await say(agent, 'generate', 'use get_weather', { prepareStep } as never);
  // What a provider is not sent at first it cannot find.
  expect([given, refused()]).toEqual([form.execution === 'server' ? 'not found' : 'done', []]);
});

it.each(CASES)(
  'activeTools of the caller restrict neither the search nor the catalog: $kind, $dialect $execution',
  async ({ kind, mode, ...form }) => {
    const { agent, service, refused } = goalRig(form, { kind });
    expect((await say(agent, mode, 'use get_weather', { activeTools: [] })).text).toBe('done');
    const { length } = service.views();
    expect((await say(agent, mode, 'use send_email', { activeTools: ['own_tool'] })).text).toBe('done');
    const shows = service.views().map(({ eager }) => eager.includes('own_tool'));
    expect([shows, refused()]).toEqual([shows.map((_, at) => at >= length), []]);
  },
);

it.each(pairwise({ dialect: DIALECTS, name: ['tool_search', 'tool_search_tool_bm25', 'tool_search_tool_regex'] }))(
  'an own tool called $name is refused, as its calls would be taken for searches: $dialect',
  async ({ name, dialect }) => {
    const own = tool(name, 'Own.', { inputSchema: z.object({ arguments: z.string() }) });
    const { agent } = goalRig({ dialect, execution: 'client' }, { agent: { tools: { [name]: own } } });
    await expect(say(agent, 'generate', 'hello')).rejects.toThrow(`already has a tool called "${name}"`);
  },
);

/** A workflow of the user's own around processors. Mastra asks none in it for the prompt: it is rewritten later. */
function workflowOf(...processors: readonly unknown[]): InputProcessor {
  let workflow = createWorkflow({ id: 'all', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema });
  for (const processor of processors) workflow = workflow.then(createStep(processor as never)) as never;
  return workflow.commit() as unknown as InputProcessor;
}

// Workflows in every mode: test/modes/neighbours.test.ts.
it('a run within a workflow goes on in load mode where a later step puts a model of its own in the place of the wrapped one', async () => {
  const service = serviceOf('anthropic');
  const chooser = { id: 'chooser', processInputStep: () => ({ model: modelOf('anthropic', service.fake) }) };
  const around = (own: unknown) => [workflowOf(own, chooser)];
  const rig = goalRig({ dialect: 'anthropic', execution: 'client' }, { service, around });
  await rig.done('generate', 'use get_weather');
  const [first, second] = service.views();
  expect(first?.deferred).toContain('get_weather');
  expect(second?.eager.toSorted()).toEqual(['get_weather', 'load_tool', 'own_tool', 'search_tools']);
  expect(rig.faults()).toEqual(['not-rewritten']);
});
