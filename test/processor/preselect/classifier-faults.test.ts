import { Mastra } from '@mastra/core/mastra';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { classified, classifierOf, questions, sure, type Verdict, WRITE } from './classified.ts';
import { inThread } from './office.ts';

const consoleWarn = vi.spyOn(console, 'warn');
beforeEach(() => {
  consoleWarn.mockReset().mockImplementation(() => {});
});
afterEach(() => {
  consoleWarn.mockReset();
});

describe('a run goes on without', () => {
  it('a classifier that fails, and asks it again the next time', async () => {
    const verdicts: Record<string, Verdict> = { [WRITE]: new Error('no model') };
    const { say, told, decisions } = classified(verdicts);
    expect(await say(WRITE, inThread('t'))).toEqual([[]]);
    expect(told).toEqual([{ tools: [], abstained: true, reason: 'classifier-error' }]);
    expect(decisions()).toEqual([{ tools: [], reason: 'classifier-error', error: new Error('no model') }]);
    expect(consoleWarn).toHaveBeenCalledWith(expect.stringContaining('no model'));
    verdicts[WRITE] = { choice: 'mail' };
    expect(await say(WRITE, inThread('t'))).toEqual([['send_email']]);
  });

  it('a classifier that never answers', async () => {
    const { say, told } = classified({ [WRITE]: 'never' }, { timeouts: { preselect: 30 } });
    expect(await say(WRITE, inThread('t'))).toEqual([[]]);
    expect(told[0]?.reason).toBe('classifier-error');
  });

  it.each([true, false])('an onPreselect that fails (at once: %s)', async (isAtOnce) => {
    const fault = new Error('no log');
    const onPreselect = () => {
      if (isAtOnce) throw fault;
      return Promise.reject(fault);
    };
    const { say, decisions } = classified(sure, { preselect: { onPreselect } });
    const error = isAtOnce ? { error: fault } : {};
    expect(await say(WRITE, inThread('t'))).toEqual([['send_email']]);
    expect(decisions()).toEqual([{ tools: ['send_email'], choice: 'mail', probability: 0.8, ...error }]);
  });
});

describe('the answer of a classifier', () => {
  it.each([
    ...[Number.NaN, 85, -0.1, 'high', null].map((mail) => ({ probabilities: { mail } })),
    ...[[0.9], 0.9].map((probabilities) => ({ probabilities })),
  ])('is not believed with a probability that is none: $probabilities', async ({ probabilities }) => {
    const classifier = {
      questions,
      evaluate: async () => ({ answers: { domain: { choice: 'mail', probabilities } } }),
    };
    const { say, told, decisions } = classified({}, { preselect: { classifier: classifier as never } });
    expect(await say(WRITE, inThread('t'))).toEqual([[]]);
    expect(told).toEqual([{ tools: [], abstained: true, reason: 'classifier-error' }]);
    expect(decisions()).toEqual([{ tools: [], reason: 'classifier-error', error: expect.any(RangeError) }]);
  });
});

describe('the id of a classifier', () => {
  it('is looked up with Mastra', async () => {
    const { classifier } = classifierOf(sure);
    const made = classified({}, { preselect: { classifier: 'needs' } });
    new Mastra({ agents: { agent: made.agent }, classifiers: { any: classifier }, logger: false } as never);
    expect(await made.say(WRITE, inThread('t'))).toEqual([['send_email']]);
  });

  it.each([
    { why: 'without a Mastra instance', register: false, says: "classifier 'needs'" },
    { why: 'that is not registered', register: true, says: 'needs' },
  ])('$why is an error that says so', async ({ register, says }) => {
    const made = classified({}, { preselect: { classifier: 'needs' } });
    if (register) new Mastra({ agents: { agent: made.agent }, logger: false });
    expect(await made.say(WRITE, inThread('t'))).toEqual([[]]);
    expect(made.decisions()).toEqual([{ tools: [], reason: 'classifier-error', error: expect.any(Error) }]);
    expect(String((made.decisions()[0] as { error: Error }).error)).toContain(says);
  });

  it('of one with other choices is an error that says so', async () => {
    const { classifier } = classifierOf(sure);
    const made = classified({}, { preselect: { classifier: 'needs', tools: { mail: ['send_email'] } } });
    new Mastra({ agents: { agent: made.agent }, classifiers: { any: classifier }, logger: false } as never);
    expect(await made.say(WRITE, inThread('t'))).toEqual([[]]);
    expect(String((made.decisions()[0] as { error: Error }).error)).toContain('Missing: outside,none');
  });
});

it('a classifier is told the beginning of a huge message, with no half of a character', async () => {
  const { say, asked } = classified(sure);
  await say(`  ${'x'.repeat(7_999)}\u{1f600}${'y'.repeat(5_000_000)}`, inThread('t'));
  expect(asked.map(({ state }) => state)).toEqual(['x'.repeat(7_999)]);
});

it('a choice that is none of the question is told by its beginning', async () => {
  const { classifier } = classifierOf({});
  const evaluate = async () => ({ answers: { domain: { type: 'choice', choice: 'x'.repeat(5_000_000) } } });
  const odd = { questions: classifier.questions, evaluate };
  const { say, told, decisions } = classified(sure, { preselect: { classifier: odd } });
  await say(WRITE, inThread('t'));
  const choice = expect.stringMatching(/^x{61}\.{3}$/);
  expect(told).toEqual([{ tools: [], abstained: true, choice, reason: 'no-tools-for-choice' }]);
  expect(decisions()).toEqual([{ tools: [], choice, reason: 'no-tools-for-choice' }]);
});
