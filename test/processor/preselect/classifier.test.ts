import { getEventListeners } from 'node:events';
import { Classifier } from '@mastra/core/classifier';
import { Mastra } from '@mastra/core/mastra';
import type { PreselectDecision } from 'mastra-tool-search';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session } from '../../meta-tools/session.ts';
import { tool, toolRecord } from '../../support/harness.ts';
import { systemText } from '../../support/scripted-model.ts';
import { CHATS, inThread, MODES, office, officeWith } from './office.ts';

const consoleWarn = vi.spyOn(console, 'warn');
beforeEach(() => {
  consoleWarn.mockReset().mockImplementation(() => {});
});
afterEach(() => {
  consoleWarn.mockReset();
});

const questions = {
  domain: {
    type: 'choice',
    criteria: { outside: 'Weather and holidays', mail: 'Sending mail', none: 'Needs no tools' },
  },
  urgent: { type: 'boolean' },
} as const;
const tools = { outside: ['get_weather', 'list_holidays'], mail: ['send_email'], none: [] };

type Verdict = { choice: string; probability?: number } | Error | 'never';

/** A real classifier over a model that answers each message as told, else with `none`. */
function classifierOf(verdicts: Record<string, Verdict>) {
  const asked: object[] = [];
  const doEvaluate = async ({ state, providerOptions }: { state: unknown; providerOptions?: unknown }) => {
    asked.push({ state, providerOptions });
    const verdict = verdicts[String(state)] ?? { choice: 'none', probability: 0.9 };
    if (verdict === 'never') return new Promise(() => {});
    if (verdict instanceof Error) throw verdict;
    const { choice, probability } = verdict;
    const rest = (1 - (probability ?? 0)) / 2;
    const all = Object.fromEntries(Object.keys(tools).map((name) => [name, name === choice ? probability : rest]));
    const domain = { type: 'choice', choice, ...(probability === undefined ? {} : { probabilities: all }) };
    return { answers: { domain, urgent: { type: 'boolean', probability: 0.5 } }, usage: {}, warnings: [] };
  };
  const supportedQuestionTypes = ['choice', 'boolean'];
  const model = { specificationVersion: 'v4', provider: 'scripted', modelId: 'scripted', supportedQuestionTypes };
  return { classifier: new Classifier({ id: 'needs', model: { ...model, doEvaluate } as never, questions }), asked };
}

/** An agent whose classifier decides so; options, of preselect those that differ. */
function classified(verdicts: Record<string, Verdict>, options: object = {}, preselect: object = {}) {
  const { classifier, asked } = classifierOf(verdicts);
  const told: PreselectDecision[] = [];
  const onPreselect = (decision: PreselectDecision): void => void told.push(decision);
  const given = { classifier, question: 'domain', tools, onPreselect, ...preselect };
  return { ...officeWith({ preselect: given, ...options } as never), asked, told };
}

/** A classifier that answers as told, whatever it is asked. */
const answering = (domain: unknown) => ({ classifier: { questions, evaluate: async () => ({ answers: { domain } }) } });

const t = inThread('t');
const SUNNY = 'Will it be sunny?';
const WRITE = 'Write to Ada.';
const MAIL = { choice: 'mail', probability: 0.8 };
const sure: Record<string, Verdict> = { [SUNNY]: { choice: 'outside', probability: 0.9 }, [WRITE]: MAIL };
const OUTSIDE = ['get_weather', 'list_holidays'];

describe.each(MODES)('a classifier in %s', (mode) => {
  it('loads the tools of its choice before the first model call, besides what is loaded', async () => {
    const { say, told, decisions } = classified(sure);
    expect(await say(SUNNY, t, mode)).toEqual([OUTSIDE]);
    for (const text of [WRITE, CHATS]) expect(await say(text, t, mode)).toEqual([[...OUTSIDE, 'send_email']]);
    const first = { tools: OUTSIDE, choice: 'outside', probability: 0.9 };
    expect([told[0], decisions()[0]]).toEqual([{ ...first, abstained: false }, first]);
  });
});

describe('a classifier', () => {
  it('is asked once about a message of a thread, also by runs at the same time, with options of its provider', async () => {
    const providerOptions = { scripted: { effort: 'low' } };
    const { say, asked, told } = classified(sure, {}, { providerOptions });
    await Promise.all([say(SUNNY, t), say(SUNNY, t)]);
    expect(asked).toHaveLength(1);
    for (const thread of ['t', 'b']) expect((await say(SUNNY, inThread(thread)))[0]).toHaveLength(2);
    expect(asked).toEqual(Array(2).fill({ state: SUNNY, providerOptions }));
    expect(told).toHaveLength(2);
  });

  it('is asked for all runs that wait, and given up only when all are aborted', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    let answer = (): void => {};
    const evaluate = ({ abortSignal }: { abortSignal?: AbortSignal }) =>
      new Promise<object>((resolve, reject) => {
        signals.push(abortSignal);
        answer = () => resolve({ answers: { domain: { choice: 'mail' } } });
        abortSignal?.addEventListener('abort', () => reject(abortSignal.reason as Error));
      });
    const { say, told } = classified({}, {}, { classifier: { questions, evaluate } });
    /** Runs that all have come as far as the one that asked: each then listens to its signal. */
    const begin = async (text: string, aborts: readonly AbortController[], asked: number) => {
      const runs = aborts.map(({ signal }) => say(text, { ...t, abortSignal: signal }).catch(() => []));
      const listeners = () => aborts.map(({ signal }) => getEventListeners(signal, 'abort').length);
      await expect.poll(() => signals).toHaveLength(asked);
      await expect.poll(() => new Set(listeners()).size).toBe(1);
      return runs;
    };
    const aborts = [1, 2, 3].map(() => new AbortController());
    const runs = await begin(WRITE, aborts, 1);
    aborts[0]?.abort();
    await runs[0];
    expect(signals[0]?.aborted).toBe(false);
    answer();
    const [, second, third] = await Promise.all(runs);
    expect([...second!, ...third!].some((sent) => sent.includes('send_email'))).toBe(true);
    expect(signals).toHaveLength(1);
    expect(told).toEqual([{ choice: 'mail', tools: ['send_email'], abstained: false }]);

    const more = [1, 2].map(() => new AbortController());
    const given = await begin(SUNNY, more, 2);
    for (const abort of more) abort.abort();
    await Promise.all(given);
    expect(signals[1]?.aborted).toBe(true);
    const last = say(SUNNY, t);
    await expect.poll(() => signals).toHaveLength(3);
    answer();
    expect(await last).toEqual([['send_email']]);
  });

  it('suggests the tools of its choice in call mode, at most twenty, the same over all steps, and loads none', async () => {
    const add = vi.fn();
    const names = Array.from({ length: 25 }, (_, n) => `tool_${n}`);
    const many = toolRecord(...names.map((name) => tool(name)));
    const options = { mode: 'call', tools: { ...office(), ...many }, storage: { get: () => [], clear: () => {}, add } };
    const { say, model, told } = classified(sure, options, { tools: { ...tools, mail: names } });
    for (let turn = 0; turn < 3; turn++) await say(SUNNY, t);
    const texts = model.calls.map(({ prompt }) => systemText(prompt));
    expect(texts[0]).toMatch(/"get_weather".*"list_holidays"/s);
    expect(new Set(texts).size).toBe(1);
    expect(told[0]?.tools).toEqual(OUTSIDE);
    await say(WRITE, t);
    expect(systemText(model.calls.at(-1)!.prompt).match(/"name":"tool_/g)).toHaveLength(20);
    expect(add).not.toHaveBeenCalled();
  });

  it('is asked once over the steps of a request by hand, whose arguments have nothing in common but the thread', async () => {
    const { classifier, asked } = classifierOf(sure);
    const first = new Session({ tools: office(), preselect: { classifier, question: 'domain', tools } });
    for (const session of [first, new Session({} as never, { processor: first.processor })]) {
      session.messageList.add({ role: 'user', content: SUNNY }, 'input');
      expect(await session.sent()).toEqual(OUTSIDE);
    }
    expect(asked).toHaveLength(1);
  });

  it('is told the beginning of a huge message, with no half of a character, and not asked without a text', async () => {
    const { say, asked, told, agent } = classified(sure);
    await say(`  ${'x'.repeat(7_999)}\u{1f600}${'y'.repeat(100_000)}`, t);
    expect(asked).toMatchObject([{ state: 'x'.repeat(7_999) }]);
    const image = { type: 'image', image: 'data:image/png;base64,AA==' };
    await agent.generate([{ role: 'user', content: [image] }] as never);
    expect([asked.length, told.length]).toEqual([1, 1]);
  });

  it('loads what the load phase permits, and sends what the active phase permits', async () => {
    const filter = ({ toolName, phase }: { toolName: string; phase: string }) =>
      (phase !== 'load' || toolName !== 'get_weather') && (phase !== 'active' || toolName !== 'list_holidays');
    const { say, told } = classified(sure, { filter });
    expect(await say(SUNNY, t)).toEqual([[]]);
    expect(told[0]?.tools).toEqual(['list_holidays']);
  });
});

describe('the verdict of a classifier', () => {
  const noMail = { filter: ({ toolName }: { toolName: string }) => toolName !== 'send_email' };
  const long = { choice: expect.stringMatching(/^x{61}\.{3}$/) };
  const sent = ['send_email'];
  const unsure = { choice: 'mail', probability: 0.5 };
  const noTools = { choice: 'none', probability: 0.9 };
  const unknown = { ...long, reason: 'no-tools-for-choice' };
  const late = { timeouts: { preselect: 30 } };
  const failed = (error: unknown) => ({ reason: 'classifier-error', error });

  it.each<[what: string, verdict: Verdict | undefined, decision: object, options?: object, preselect?: object]>([
    ['is believed without a probability', { choice: 'mail' }, { choice: 'mail', tools: sent }],
    ['is believed from minProbability on', unsure, { ...unsure, tools: sent }, {}, { minProbability: 0.5 }],
    ['may be unsure', unsure, { ...unsure, reason: 'below-threshold' }],
    ['may be that no tool is needed', noTools, { ...noTools, reason: 'no-tools-for-choice' }],
    ['may be for tools that are denied', MAIL, { ...MAIL, reason: 'tools-filtered-out' }, noMail],
    ['may be none', undefined, { reason: 'no-answer' }, {}, answering(undefined)],
    [
      'may be none of the choices, told by its beginning',
      undefined,
      unknown,
      {},
      answering({ choice: 'x'.repeat(1e5) }),
    ],
    ['may be an error', new Error('no model'), failed(new Error('no model'))],
    ['may never come', 'never', failed(expect.any(Error)), late],
  ])('%s', async (_, verdict, decision, options, preselect) => {
    const { say, told, decisions } = classified(verdict ? { [WRITE]: verdict } : {}, options, preselect);
    const { error, ...rest } = { tools: [], ...decision } as { tools: string[]; error?: unknown };
    expect(await say(WRITE, t)).toEqual([rest.tools]);
    expect(decisions()).toEqual([error === undefined ? rest : { ...rest, error }]);
    expect(told).toEqual([{ ...rest, abstained: rest.tools.length === 0 }]);
    if (verdict instanceof Error) expect(consoleWarn).toHaveBeenCalledWith(expect.stringContaining('no model'));
  });

  it.each([...[Number.NaN, 85, -0.1, 'high', null].map((mail) => ({ mail })), [0.9], 0.9])(
    'is not believed with a probability that is none: %j',
    async (probabilities) => {
      const { say, told, decisions } = classified({}, {}, answering({ choice: 'mail', probabilities }));
      expect(await say(WRITE, t)).toEqual([[]]);
      expect(told).toEqual([{ tools: [], abstained: true, reason: 'classifier-error' }]);
      expect(decisions()).toEqual([{ tools: [], ...failed(expect.any(RangeError)) }]);
    },
  );

  it('is asked for again the next time where it failed', async () => {
    const verdicts: Record<string, Verdict> = { [WRITE]: new Error('no model') };
    const { say } = classified(verdicts);
    expect(await say(WRITE, t)).toEqual([[]]);
    verdicts[WRITE] = MAIL;
    expect(await say(WRITE, t)).toEqual([['send_email']]);
  });

  it.each([true, false])('holds though onPreselect fails (at once: %s)', async (isAtOnce) => {
    const fault = new Error('no log');
    const onPreselect = () => {
      if (isAtOnce) throw fault;
      return Promise.reject(fault);
    };
    const { say, decisions } = classified(sure, {}, { onPreselect });
    expect(await say(WRITE, t)).toEqual([['send_email']]);
    expect(decisions()).toEqual([{ tools: ['send_email'], ...MAIL, ...(isAtOnce ? { error: fault } : {}) }]);
  });
});

describe('the id of a classifier', () => {
  const { classifier } = classifierOf(sure);
  it.each<[why: string, mastra: object | undefined, says: string | undefined, preselect?: object]>([
    ['is looked up with Mastra', { classifiers: { any: classifier } }, undefined],
    ['is an error without a Mastra instance', undefined, "classifier 'needs'"],
    ['is an error where it is not registered', {}, 'needs'],
    [
      'is an error where that has other choices',
      ...([{ classifiers: { any: classifier } }, 'Missing: outside,none'] as const),
      { tools: { mail: ['send_email'] } },
    ],
  ])('%s', async (_, mastra, says, preselect = {}) => {
    const { agent, say, decisions } = classified({}, {}, { classifier: 'needs', ...preselect });
    if (mastra) new Mastra({ agents: { agent }, logger: false, ...mastra } as never);
    expect(await say(WRITE, t)).toEqual([says === undefined ? ['send_email'] : []]);
    const [{ error, reason }] = decisions() as [{ error?: Error; reason?: string }];
    if (says !== undefined)
      expect([reason, error?.message]).toEqual(['classifier-error', expect.stringContaining(says)]);
  });
});
