import { Classifier } from '@mastra/core/classifier';
import type { ChoosingPreselectOptions, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { call, tool, toolRecord } from '../../support/agent.ts';
import { systemText } from '../../support/scripted-model.ts';
import { inThread, inTurns, MODES, office, officeWith } from './office.ts';

const consoleWarn = vi.spyOn(console, 'warn');
beforeEach(() => {
  consoleWarn.mockReset().mockImplementation(() => {});
});
afterEach(() => {
  consoleWarn.mockReset();
});

type Choose = ChoosingPreselectOptions['choose'];

const t = inThread('t');
const OUTSIDE = ['get_weather', 'list_holidays'];
const choosing = (choose: Choose, options: Partial<ToolSearchProcessorOptions> = {}, ...more: []) =>
  officeWith({ preselect: { choose }, ...options }, inTurns(), ...more);

describe.each(MODES)('preselect by a function in %s', (mode) => {
  it('sends what it names with each model call of the run, and loads what is called', async () => {
    const choose: Choose = (_, { text }) => (text.includes('sunny') ? OUTSIDE : []);
    const { say, decisions } = officeWith({ preselect: { choose } }, inTurns([call('get_weather')]));
    expect(await say('Will it be sunny?', t, mode)).toEqual([OUTSIDE, OUTSIDE]);
    expect(await say('Write to Ada.', t, mode)).toEqual([['get_weather']]);
    expect(decisions()).toEqual([{ tools: OUTSIDE }, { tools: [], reason: 'no-match' }]);
  });
});

describe('preselect by a function', () => {
  it('asks once a run, with the messages, the text of the last one and the request', async () => {
    const asked: object[] = [];
    const choose: Choose = (messages, { text, requestContext, abortSignal }) => {
      asked.push({ last: messages.at(-1)?.role, text, user: requestContext?.get('user'), signal: abortSignal.aborted });
      return ['send_email'];
    };
    const { say } = officeWith({ preselect: { choose } }, inTurns([call('send_email'), call('send_email')]));
    await say('Write to Ada.', t);
    expect(asked).toEqual([{ last: 'user', text: 'Write to Ada.', user: undefined, signal: false }]);
  });

  it('lets a classifier of Mastra choose', async () => {
    const criteria = { outside: 'Weather and holidays', none: 'Needs no tools' };
    const model = {
      ...{ specificationVersion: 'v4', provider: 'scripted', modelId: 'scripted', supportedQuestionTypes: ['choice'] },
      doEvaluate: async ({ state }: { state: unknown }) => {
        const choice = String(state).includes('sunny') ? 'outside' : 'none';
        return { answers: { domain: { type: 'choice', choice } }, usage: {}, warnings: [] };
      },
    };
    const questions = { domain: { type: 'choice', criteria } } as const;
    const classifier = new Classifier({ id: 'needs', model: model as never, questions });
    const { say } = choosing(async (_, { text, abortSignal }) => {
      const { answers } = await classifier.evaluate({ state: text, abortSignal });
      return answers.domain.choice === 'outside' ? OUTSIDE : [];
    });
    expect(await say('Will it be sunny?', t)).toEqual([OUTSIDE]);
    expect(await say('Explain recursion.', t)).toEqual([[]]);
  });

  it('sends what the load and the active phase permit, and does not tell what is denied from what is unknown', async () => {
    const filter = ({ toolName, phase }: { toolName: string; phase: string }) =>
      (phase !== 'load' || toolName !== 'get_weather') && (phase !== 'active' || toolName !== 'list_holidays');
    const { say, decisions } = choosing(() => [...OUTSIDE, 'send_email'], { filter });
    expect(await say('Will it be sunny?', t)).toEqual([['send_email']]);
    expect(decisions()).toMatchObject([{ tools: expect.not.arrayContaining(['get_weather']) }]);
    const told = ['get_weather', 'no_such_tool'].map(async (name) => {
      const one = choosing(() => [name], { filter });
      await one.say('Will it be sunny?', t);
      return one.decisions();
    });
    expect(await Promise.all(told)).toEqual(Array(2).fill([{ tools: [], reason: 'no-match' }]));
  });

  it('takes bare names, each tool once, and leaves out what is there', async () => {
    const tools = toolRecord(tool('mail_send_email', 'Send an email.'), tool('get_weather', 'Weather.'));
    const { say, decisions } = choosing(() => ['send_email', 'mail_send_email', 'get_weather'], {
      ...{ tools, alwaysLoaded: ['get_weather'] },
    });
    expect((await say('Write to Ada.', t))[0]?.sort()).toEqual(['get_weather', 'mail_send_email']);
    expect(decisions()).toEqual([{ tools: ['mail_send_email'] }]);
    const pinned = choosing(() => ['get_weather'], { tools, alwaysLoaded: ['get_weather'] });
    await pinned.say('Will it be sunny?', t);
    expect(pinned.decisions()).toEqual([{ tools: [], reason: 'already-there' }]);
  });

  it('only suggests in call mode, at most twenty, the same over all steps', async () => {
    const names = Array.from({ length: 25 }, (_, n) => `tool_${n}`);
    const tools = { ...office(), ...toolRecord(...names.map((name) => tool(name))) };
    const { say, model } = choosing(() => names, { mode: 'call', tools });
    await say('Write to Ada.', t);
    expect(systemText(model.calls.at(-1)!.prompt).match(/"name":"tool_/g)).toHaveLength(20);
  });

  it.each<[what: string, choose: Choose, reason: string, error: unknown]>([
    ['throws', () => Promise.reject(new Error('no model')), 'failed', new Error('no model')],
    [
      'throws at once',
      () => {
        throw new Error('no model');
      },
      'failed',
      new Error('no model'),
    ],
    ['returns no names', () => 'send_email' as never, 'failed', expect.any(TypeError)],
    ['returns a list of others', () => [7] as never, 'failed', expect.any(TypeError)],
    ['is late', () => new Promise(() => {}), 'timeout', undefined],
  ])('lets the run go on where it %s', async (_, choose, reason, error) => {
    const { say, decisions } = choosing(choose, { timeouts: { preselect: 30 } });
    expect(await say('Write to Ada.', t)).toEqual([[]]);
    expect(decisions()).toEqual([{ tools: [], reason, ...(error === undefined ? {} : { error }) }]);
    expect(consoleWarn).toHaveBeenCalledWith(expect.stringContaining('preselect'));
  });

  it.each(['the run', 'the time'])('aborts its signal when %s is over', async (what) => {
    const run = new AbortController();
    let signal: AbortSignal | undefined;
    const choose: Choose = (_, about) => {
      signal = about.abortSignal;
      if (what === 'the run') setTimeout(() => run.abort());
      return new Promise(() => {});
    };
    const { say } = choosing(choose, { timeouts: { preselect: what === 'the run' ? 60_000 : 30 } });
    await say('Write to Ada.', { ...t, abortSignal: run.signal }).catch(() => {});
    expect(signal?.aborted).toBe(true);
  });
});
