import { getEventListeners } from 'node:events';
import type { ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../../meta-tools/session.ts';
import { tool, toolRecord } from '../../support/harness.ts';
import { systemText } from '../../support/scripted-model.ts';
import { classified, classifierOf, questions, SUNNY, sure, tools, WRITE } from './classified.ts';
import { CHATS, inThread, MODES, office } from './office.ts';

describe.each(MODES)('a classifier in %s', (mode) => {
  it('loads the tools of its choice before the first model call, besides what is loaded', async () => {
    const { say, told, decisions } = classified(sure);
    expect(await say(SUNNY, inThread('t'), mode)).toEqual([['get_weather', 'list_holidays']]);
    expect(await say(WRITE, inThread('t'), mode)).toEqual([['get_weather', 'list_holidays', 'send_email']]);
    expect(await say(CHATS, inThread('t'), mode)).toEqual([['get_weather', 'list_holidays', 'send_email']]);
    const first = { tools: ['get_weather', 'list_holidays'], choice: 'outside', probability: 0.9 };
    expect(told[0]).toEqual({ ...first, abstained: false });
    expect(decisions()[0]).toEqual(first);
  });
});

describe('a classifier', () => {
  it('is asked once about a message of a thread, with the options for its provider', async () => {
    const providerOptions = { scripted: { effort: 'low' } };
    const { say, asked, told } = classified(sure, { preselect: { providerOptions } });
    for (const thread of ['a', 'a', 'b']) expect((await say(SUNNY, inThread(thread)))[0]).toHaveLength(2);
    expect(asked).toEqual(Array(2).fill({ state: SUNNY, providerOptions }));
    expect(told).toHaveLength(2);
  });

  it('is asked once by runs of a thread at the same time', async () => {
    const { say, asked } = classified(sure);
    await Promise.all([say(SUNNY, inThread('t')), say(SUNNY, inThread('t'))]);
    expect(asked).toHaveLength(1);
  });

  it('is asked for all runs that wait, and given up only when all are aborted', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    let answer = (): void => {};
    const classifier = {
      questions,
      evaluate: ({ abortSignal }: { abortSignal?: AbortSignal }) =>
        new Promise<object>((resolve, reject) => {
          signals.push(abortSignal);
          answer = () => resolve({ answers: { domain: { choice: 'mail' } } });
          abortSignal?.addEventListener('abort', () => reject(abortSignal.reason as Error));
        }),
    };
    const { say, told } = classified({}, { preselect: { classifier: classifier as never } });
    /** Whether all runs have come as far as the one that asked: each then listens to its signal. */
    const areAlike = (all: readonly AbortController[]): boolean =>
      new Set(all.map(({ signal }) => getEventListeners(signal, 'abort').length)).size === 1;
    const aborts = [1, 2, 3].map(() => new AbortController());
    const runs = aborts.map(async ({ signal }) =>
      say(WRITE, { ...inThread('t'), abortSignal: signal }).catch(() => []),
    );
    await expect.poll(() => signals).toHaveLength(1);
    await expect.poll(() => areAlike(aborts)).toBe(true);
    aborts[0]?.abort();
    await runs[0];
    expect(signals[0]?.aborted).toBe(false);
    answer();
    const [, second, third] = await Promise.all(runs);
    expect([...second!, ...third!].some((sent) => sent.includes('send_email'))).toBe(true);
    expect(signals).toHaveLength(1);
    expect(told).toEqual([{ choice: 'mail', tools: ['send_email'], abstained: false }]);

    const more = [1, 2].map(() => new AbortController());
    const given = more.map(async ({ signal }) => say(SUNNY, { ...inThread('t'), abortSignal: signal }).catch(() => []));
    await expect.poll(() => signals).toHaveLength(2);
    await expect.poll(() => areAlike(more)).toBe(true);
    for (const abort of more) abort.abort();
    await Promise.all(given);
    expect(signals[1]?.aborted).toBe(true);
    const last = say(SUNNY, inThread('t'));
    await expect.poll(() => signals).toHaveLength(3);
    answer();
    expect(await last).toEqual([['send_email']]);
  });

  it('suggests the tools of its choice in call mode, the same over all steps, and loads none', async () => {
    const added: string[] = [];
    const storage = {
      get: () => [],
      clear: () => {},
      add: (_: string, names: readonly string[]) => void added.push(...names),
    };
    const { agent, model, told } = classified(sure, { mode: 'call', storage });
    await agent.generate(SUNNY, inThread('t'));
    for (let turn = 0; turn < 2; turn++) await agent.generate(SUNNY, inThread('t'));
    const texts = model.calls.map(({ prompt }) => systemText(prompt));
    expect(texts[0]).toMatch(/"get_weather".*"list_holidays"/s);
    expect(new Set(texts).size).toBe(1);
    expect(told[0]?.tools).toEqual(['get_weather', 'list_holidays']);
    expect(added).toEqual([]);
  });

  it('suggests at most twenty tools in call mode', async () => {
    const names = Array.from({ length: 25 }, (_, n) => `tool_${n}`);
    const many = toolRecord(...names.map((name) => tool(name)));
    const preselect = { tools: { ...tools, mail: names } };
    const { agent, model } = classified(sure, { mode: 'call', tools: { ...office(), ...many }, preselect });
    await agent.generate(WRITE, inThread('t'));
    expect(systemText(model.calls[0]!.prompt).match(/"name":"tool_/g)).toHaveLength(20);
  });

  it('is asked once over the steps of a request by hand, whose arguments have nothing in common but the thread', async () => {
    const { classifier, asked } = classifierOf(sure);
    const first = new Session({ tools: office(), preselect: { classifier, question: 'domain', tools } });
    for (const session of [first, new Session({} as never, { processor: first.processor })]) {
      session.messageList.add({ role: 'user', content: SUNNY }, 'input');
      expect(await session.sent()).toEqual(['get_weather', 'list_holidays']);
    }
    expect(asked).toHaveLength(1);
  });

  const filter: ToolSearchFilter = ({ toolName, phase }) => phase !== 'load' || toolName === 'create_invoice';
  it.each<[why: string, verdict: { choice: string; probability: number }, reason: string, rights?: ToolSearchFilter]>([
    ['unsure', { choice: 'mail', probability: 0.5 }, 'below-threshold'],
    ['sure that no tool is needed', { choice: 'none', probability: 0.9 }, 'no-tools-for-choice'],
    ['for tools that are denied', { choice: 'mail', probability: 0.9 }, 'tools-filtered-out', filter],
  ])('abstains where it is %s', async (_, verdict, reason, rights) => {
    const { say, told, decisions } = classified({ [WRITE]: verdict }, rights ? { filter: rights } : {});
    expect(await say(WRITE, inThread('t'))).toEqual([[]]);
    expect(told).toEqual([{ ...verdict, tools: [], abstained: true, reason }]);
    expect(decisions()).toEqual([{ ...verdict, tools: [], reason }]);
  });

  it('abstains where it gives no answer', async () => {
    const silent = { questions, evaluate: async () => ({ answers: {} }) };
    const { say, told } = classified({}, { preselect: { classifier: silent } });
    expect(await say(WRITE, inThread('t'))).toEqual([[]]);
    expect(told).toEqual([{ tools: [], abstained: true, reason: 'no-answer' }]);
  });

  it('is believed without a probability, and with one from minProbability on', async () => {
    const plain = classified({ [WRITE]: { choice: 'mail' } });
    expect(await plain.say(WRITE, inThread('t'))).toEqual([['send_email']]);
    const low = classified({ [WRITE]: { choice: 'mail', probability: 0.4 } }, { preselect: { minProbability: 0.4 } });
    expect(await low.say(WRITE, inThread('t'))).toEqual([['send_email']]);
  });

  it('loads what the load phase permits, and sends what the active phase permits', async () => {
    const allowed: ToolSearchFilter = ({ toolName, phase }) =>
      (phase !== 'load' || toolName !== 'get_weather') && (phase !== 'active' || toolName !== 'list_holidays');
    const { say, told } = classified(sure, { filter: allowed });
    expect(await say(SUNNY, inThread('t'))).toEqual([[]]);
    expect(told[0]?.tools).toEqual(['list_holidays']);
  });

  it('is not asked where there is no text', async () => {
    const { agent, asked, told } = classified(sure);
    await agent.generate([
      { role: 'user', content: [{ type: 'image', image: 'data:image/png;base64,AA==' }] },
    ] as never);
    expect([asked, told]).toEqual([[], []]);
  });
});
