import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import { describe, expect, it, vi } from 'vitest';
import { essence } from '../support/events.ts';
import { tool, toolRecord } from '../support/harness.ts';
import {
  approve,
  decline,
  FORMS_AND_MODES,
  type Form,
  type GoalRig,
  goalRig,
  KINDLESS_FORMS,
  KINDS,
  type Mode,
  say,
} from './rig/rig.ts';

const kind = 'DurableAgent';
const openaiClient = { dialect: 'openai', execution: 'client' } as const;
const openaiServer = { dialect: 'openai', execution: 'server' } as const;

const SCRIPT = ['use get_weather', 'use send_email', 'use get_weather', 'hello'];

async function talk({ agent }: GoalRig, options: object = {}, said: readonly string[] = SCRIPT): Promise<string[]> {
  const texts: string[] = [];
  // A DurableAgent always streams.
  for (const line of said) texts.push((await say(agent, 'stream', line, options)).text);
  return texts;
}

describe('a DurableAgent, over several turns', () => {
  const compared = async (form: Form): Promise<{ readonly durable: GoalRig; readonly plain: GoalRig }> => {
    const durable = goalRig(form, { kind });
    expect(await talk(durable)).toEqual(['done', 'done', 'done', 'done']);
    const plain = goalRig(form);
    await talk(plain);
    expect(durable.service.bodies()).toEqual(plain.service.bodies());
    expect(durable.refused()).toEqual([]);
    return { durable, plain };
  };

  // Mastra forgets what the provider found, and would end a run behind a search of OpenAI's client form.
  it.each(KINDLESS_FORMS)('sends the bodies of a plain agent: $dialect $execution', async (form) => {
    await compared(form);
  });

  it.each(KINDLESS_FORMS)(
    'sends them where other tools are called behind a search: $dialect $execution',
    async (form) => {
      const texts = ['use get_weather', 'use own_tool', 'use gone_tool', 'use get_weather'];
      const durable = goalRig(form, { kind });
      const plain = goalRig(form);
      expect(await talk(durable, {}, texts)).toEqual(await talk(plain, {}, texts));
      expect(durable.service.bodies()).toEqual(plain.service.bodies());
      expect(durable.refused()).toEqual([]);
    },
  );

  it('goes on behind a search of OpenAI, which ends with `stop`', async () => {
    const durable = goalRig(openaiClient, { kind });
    expect(await talk(durable, {}, ['use get_weather', 'use get_weather'])).toEqual(['done', 'done']);
    expect(durable.refused()).toEqual([]);
  });

  it('loads what OpenAI found', async () => {
    const { durable, plain } = await compared(openaiServer);
    const [one, other] = [durable, plain].map(({ events }) => events.map((event) => essence(event)));
    expect(one).toEqual(other);
  });

  it('is not refused where OpenAI stores nothing', async () => {
    const durable = goalRig(openaiServer, { kind });
    const texts = await talk(durable, { providerOptions: { openai: { store: false } } });
    expect(texts).toEqual(['done', 'done', 'done', 'done']);
    expect(durable.refused()).toEqual([]);
  });
});

describe('an approval in a DurableAgent', () => {
  it.each(FORMS_AND_MODES)(
    'lets a found tool run, and a denial does not: $dialect $execution, $mode',
    async ({ mode, ...form }) => {
      const execute = vi.fn(async () => 'paid');
      const pay = tool('pay_bill', 'Pays a bill.', { execute, requireApproval: true });
      const tools = toolRecord(pay, tool('send_email'), tool('filler_1', 'Padding.'));
      const { agent, service, refused } = goalRig(form, { kind, tools });
      const waits = await say(agent, mode, 'use pay_bill');
      expect([waits.finishReason, waits.waitingTool]).toEqual(['suspended', 'pay_bill']);
      expect((await approve(agent, mode, waits)).text).toBe('done');
      expect(execute).toHaveBeenCalledTimes(1);
      expect(service.views().at(-1)?.results.at(-1)).toContain('paid');
      const again = await say(agent, mode, 'use pay_bill');
      expect((await decline(agent, mode, again)).text).toBe('done');
      expect(execute).toHaveBeenCalledTimes(1);
      expect((await say(agent, mode, 'use send_email')).text).toBe('done');
      expect(refused()).toEqual([]);
    },
  );

  const searches = FORMS_AND_MODES.filter(({ execution }) => execution === 'client');

  it.each(searches)(
    'may be denied to a search, and the next turn may search: $dialect, $mode',
    async ({ mode, ...form }) => {
      const { agent, refused, events } = goalRig(form, { kind });
      const waits = await say(agent, mode, 'use get_weather', { requireToolApproval: true });
      expect(waits.finishReason).toBe('suspended');
      await decline(agent, mode, waits);
      await say(agent, mode, 'use get_weather');
      // One more turn, as with OpenAI the run ended with its search.
      expect((await say(agent, mode, 'use get_weather')).text).toBe('done');
      expect(refused()).toEqual([]);
      expect(events.filter(({ type }) => type === 'native-off')).toEqual([]);
    },
  );
});

describe('a model without tool search, taken by prepareStep', () => {
  const run = async (form: Form & { readonly mode: Mode }, from: number): Promise<void> => {
    const { mode, ...own } = form;
    const { agent, service, events, refused } = goalRig(own, { kind });
    const model = modelWithout(form.dialect, service.fake.fetch);
    const prepareStep = ({ stepNumber }: { stepNumber: number }): object => (stepNumber >= from ? { model } : {});
    const said = await say(agent, mode, 'use get_weather', { prepareStep });
    const views = service.views();
    expect(views.length).toBeGreaterThan(from);
    for (const { isNative, deferred, eager } of views.slice(from)) {
      expect([isNative, deferred]).toEqual([false, []]);
      expect(eager).toEqual(expect.arrayContaining(['own_tool', 'search_tools']));
      expect(eager).not.toContain('filler_1');
    }
    expect(said.text).toBe('done');
    // `model` may be taken before or after the processor has its say.
    expect(events.filter(({ type }) => type === 'native-off').length).toBeGreaterThan(0);
    expect(refused()).toEqual([]);
  };

  const byDialect = (dialect: Form['dialect']) => FORMS_AND_MODES.filter((form) => form.dialect === dialect);
  const of = (dialect: Form['dialect']) => [
    ...byDialect(dialect).map((form) => ({ ...form, from: 0 })),
    ...byDialect(dialect).map((form) => ({ ...form, from: 1 })),
  ];

  it.each(of('openai'))('gets load mode from step $from on: $dialect $execution, $mode', ({ from, ...form }) =>
    run(form, from),
  );

  it.each(of('anthropic'))('gets load mode from step $from on: $dialect $execution, $mode', ({ from, ...form }) =>
    run(form, from),
  );
});

describe('activeTools of the caller of a DurableAgent', () => {
  it.each(FORMS_AND_MODES)(
    'restrict neither the search nor the catalog: $dialect $execution, $mode',
    async ({ mode, ...form }) => {
      const rigs = KINDS.map((one) => goalRig(form, { kind: one }));
      for (const { agent, service, refused } of rigs) {
        expect((await say(agent, 'stream', 'use get_weather', { activeTools: [] })).text).toBe('done');
        expect((await say(agent, mode, 'use send_email', { activeTools: ['own_tool'] })).text).toBe('done');
        const isOwn = service.views().map(({ eager }) => eager.includes('own_tool'));
        expect(isOwn).toEqual(service.views().map(({ asked }) => asked === 'use send_email'));
        expect(refused()).toEqual([]);
      }
      if (mode === 'stream' && form.execution !== 'append')
        expect(rigs[0]?.service.bodies()).toEqual(rigs[1]?.service.bodies());
    },
  );
});

function modelWithout(dialect: Form['dialect'], fetch: typeof globalThis.fetch): unknown {
  return dialect === 'anthropic'
    ? anthropic4.createAnthropic({ apiKey: 'x', fetch })('claude-3-5-haiku-20241022')
    : openai4.createOpenAI({ apiKey: 'x', fetch }).responses('gpt-4.1');
}
