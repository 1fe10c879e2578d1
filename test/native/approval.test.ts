import { InMemoryStore } from '@mastra/core/storage';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';
import { askingTool } from '../support/simple-tools.ts';
import {
  approve,
  CLIENT_FORMS,
  decline,
  FORMS_AND_MODES,
  goalRig,
  KINDS,
  MODES,
  type RigOptions,
  resume,
  say,
} from './rig/rig.ts';
import { anthropicService, type Interruption, openaiService } from './rig/services.ts';

const execute = () => vi.fn(async () => 'paid');
const pay = (ran: () => Promise<string>, extra: object = { requireApproval: true }): MastraTool =>
  tool('pay_bill', 'Pays a bill.', { execute: ran, ...extra });

const catalog = (...tools: MastraTool[]): Record<string, MastraTool> =>
  toolRecord(...tools, tool('send_email'), tool('filler_1', 'Padding.'));

describe('a found tool', () => {
  it.each(FORMS_AND_MODES)(
    'runs once it is approved, and needs no search the next time: $dialect $execution, $mode',
    async ({ mode, ...form }) => {
      const ran = execute();
      const { agent, service, refused } = goalRig(form, { tools: catalog(pay(ran)) });
      const waits = await say(agent, mode, 'use pay_bill');
      expect([waits.finishReason, waits.waitingTool]).toEqual(['suspended', 'pay_bill']);
      expect(ran).not.toHaveBeenCalled();
      expect((await approve(agent, mode, waits)).text).toBe('done');
      expect(ran).toHaveBeenCalledTimes(1);
      expect(service.views().at(-1)?.results.at(-1)).toContain('paid');
      const before = service.views().length;
      const again = await say(agent, mode, 'use pay_bill');
      expect(again.waitingTool).toBe('pay_bill');
      // It is known: no further search.
      expect(service.views().length - before).toBe(1);
      expect((await decline(agent, mode, again)).text).toBe('done');
      expect(ran).toHaveBeenCalledTimes(1);
      expect((await say(agent, mode, 'use send_email')).text).toBe('done');
      expect(service.views().every(({ isNative }) => isNative)).toBe(true);
      expect(refused()).toEqual([]);
    },
  );

  it.each(FORMS_AND_MODES)(
    'waits for data, and goes on with them: $dialect $execution, $mode',
    async ({ mode, ...form }) => {
      const { agent, service, refused } = goalRig(form, { tools: catalog(askingTool('ask_boss')) });
      const waits = await say(agent, mode, 'use ask_boss');
      expect([waits.finishReason, waits.waitingTool]).toEqual(['suspended', 'ask_boss']);
      expect((await resume(agent, mode, waits, { answer: 'yes' }, 'Agent')).text).toBe('done');
      expect(service.views().at(-1)?.results.at(-1)).toContain('yes');
      expect((await say(agent, mode, 'use send_email')).text).toBe('done');
      expect(refused()).toEqual([]);
    },
  );

  it.each(FORMS_AND_MODES)(
    'may wait while the thread goes on: $dialect $execution, $mode',
    async ({ mode, ...form }) => {
      const ran = execute();
      const { agent, refused } = goalRig(form, { tools: catalog(pay(ran)) });
      const waits = await say(agent, mode, 'use pay_bill');
      // The thread goes on before anybody answers.
      expect((await say(agent, mode, 'use send_email')).text).toBe('done');
      await approve(agent, mode, waits);
      expect(ran).toHaveBeenCalledTimes(1);
      expect((await say(agent, mode, 'use send_email')).text).toBe('done');
      expect(refused()).toEqual([]);
    },
  );
});

describe('with requireToolApproval of the run', () => {
  const needsApproval = { requireToolApproval: true };
  const options = (): RigOptions => ({ tools: catalog(pay(execute(), {})) });
  const cases = CLIENT_FORMS.flatMap((form) => MODES.map((mode) => ({ ...form, mode })));
  const nameOf = ({ dialect }: { dialect: string }): string => (dialect === 'openai' ? 'tool_search' : 'search_tools');

  it.each(cases)('search and call wait for one approval each: $dialect, $mode', async ({ mode, ...form }) => {
    const { agent, service, refused } = goalRig(form, options());
    const search = await say(agent, mode, 'use pay_bill', needsApproval);
    expect([search.finishReason, search.waitingTool]).toEqual(['suspended', nameOf(form)]);
    const call = await approve(agent, mode, search, needsApproval);
    expect([call.finishReason, call.waitingTool]).toEqual(['suspended', 'pay_bill']);
    expect((await approve(agent, mode, call, needsApproval)).text).toBe('done');
    expect(service.views().at(-1)?.referenced).toContain('pay_bill');
    expect((await say(agent, mode, 'use send_email')).text).toBe('done');
    expect(refused()).toEqual([]);
  });

  it.each(cases)(
    'a declined search loads nothing, and the next turn may search: $dialect, $mode',
    async ({ mode, ...form }) => {
      const { agent, service, events, refused } = goalRig(form, options());
      const search = await say(agent, mode, 'use pay_bill', needsApproval);
      expect(search.waitingTool).toBe(nameOf(form));
      expect((await decline(agent, mode, search)).text).toBe('not found');
      expect(service.views().at(-1)?.referenced).toEqual([]);
      expect((await say(agent, mode, 'use pay_bill')).text).toBe('done');
      expect((await say(agent, mode, 'use send_email')).text).toBe('done');
      expect(events.filter(({ type }) => type === 'native-off')).toEqual([]);
      expect(refused()).toEqual([]);
    },
  );

  it.each(cases)(
    'a search that nobody answered leaves the thread usable: $dialect, $mode',
    async ({ mode, ...form }) => {
      const { agent, refused } = goalRig(form, options());
      const search = await say(agent, mode, 'use pay_bill', needsApproval);
      expect(search.finishReason).toBe('suspended');
      expect((await say(agent, mode, 'use pay_bill')).text).toBe('done');
      expect(refused()).toEqual([]);
    },
  );

  it.each(cases)(
    'the model is told to repeat a search that waited over a restart: $dialect, $mode',
    async ({ mode, ...form }) => {
      const storage = new InMemoryStore();
      const service = form.dialect === 'anthropic' ? anthropicService() : openaiService();
      const open = () => goalRig(form, { ...options(), storage, service });
      const search = await say(open().agent, mode, 'use pay_bill', needsApproval);
      expect(search.finishReason).toBe('suspended');
      const { agent, refused } = open();
      // Mastra knows no tool of a step in a new process; the model is told to call it again, which this one does not.
      await approve(agent, mode, search);
      expect(JSON.stringify(service.bodies().at(-1))).toMatch(/is available now: call it again/);
      expect((await say(agent, mode, 'use pay_bill')).text).toBe('done');
      expect(refused()).toEqual([]);
    },
  );

  it.each(FORMS_AND_MODES)(
    'the call of a tool that was found earlier waits: $dialect $execution, $mode',
    async ({ mode, ...form }) => {
      const { agent, refused } = goalRig(form, options());
      expect((await say(agent, mode, 'find pay_bill')).text).toBe('done');
      const call = await say(agent, mode, 'use pay_bill', needsApproval);
      expect(call.waitingTool).toBe('pay_bill');
      expect((await approve(agent, mode, call, needsApproval)).text).toBe('done');
      expect(refused()).toEqual([]);
    },
  );

  it.each(MODES.flatMap((mode) => (['anthropic', 'openai'] as const).map((dialect) => ({ dialect, mode }))))(
    'the call waits, and the search of the service does not: $dialect, $mode',
    async ({ mode, dialect }) => {
      const { agent, refused } = goalRig({ dialect, execution: 'server' }, options());
      const call = await say(agent, mode, 'use pay_bill', needsApproval);
      expect([call.finishReason, call.waitingTool]).toEqual(['suspended', 'pay_bill']);
      expect((await approve(agent, mode, call, needsApproval)).text).toBe('done');
      expect((await say(agent, mode, 'use send_email')).text).toBe('done');
      expect(refused()).toEqual([]);
    },
  );
});

describe('a run whose native search was refused', () => {
  const interrupt: Interruption = ({ isNative }) =>
    isNative ? { status: 400, error: { message: 'tool search is not supported' } } : undefined;
  const cases = KINDS.flatMap((kind) => FORMS_AND_MODES.map((form) => ({ ...form, kind })));

  it.each(cases)(
    'waits for approval in load mode, and goes on: $kind, $dialect $execution, $mode',
    async ({ kind, mode, ...form }) => {
      const ran = execute();
      const setup = { kind, interrupt, hearsErrors: true, tools: catalog(pay(ran)) };
      const { agent, service, refused } = goalRig(form, setup);
      const waits = await say(agent, mode, 'use pay_bill');
      expect(waits.waitingTool).toBe('pay_bill');
      expect((await approve(agent, mode, waits)).text).toBe('done');
      expect(ran).toHaveBeenCalledTimes(1);
      expect(service.views().at(-1)?.isNative).toBe(false);
      expect(refused()).toEqual([]);
    },
  );
});
