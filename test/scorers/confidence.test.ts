import fc from 'fast-check';
import { bm25Scorer, type ToolIndex, wordsAndMeaningScorer } from 'mastra-tool-search';
import { beforeAll, describe, expect, it } from 'vitest';
import { judgedTogether, likelihoodOfAny } from '../../src/scorers/confidence.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { catalog } from '../fixtures/tools.ts';
import { rated } from './scorer-contract.ts';

describe.each([
  ['bm25Scorer()', () => bm25Scorer()],
  ['wordsAndMeaningScorer()', () => wordsAndMeaningScorer()],
])('the confidence of %s', (_, create) => {
  let index: ToolIndex;
  beforeAll(async () => {
    index = await create().index(catalog);
  });
  const best = async (text: string): Promise<number> => (await rated(index, text)).confidences[0] ?? 0;
  const likelihood = async (text: string): Promise<number> => likelihoodOfAny((await rated(index, text)).confidences);

  it.each(['GitHubCreateIssue', 'github create issue', 'call github_create_issue now'])(
    'is 0.99 for a tool that is named: %s',
    async (query) => {
      const { names, confidences } = await rated(index, query);
      expect([names[0], confidences[0]]).toEqual(['github_create_issue', 0.99]);
    },
  );

  it.each([
    ['create issue', 'make coffee'],
    ['weather forecast', 'weather forecast xylophone marimba'],
    ['send an email', 'send a parcel by courier'],
  ])('says that something fits "%s" rather than "%s"', async (clear, unclear) => {
    expect(await likelihood(clear)).toBeGreaterThan(await likelihood(unclear));
    expect(await best(clear)).toBeGreaterThan(await best(unclear));
  });

  it('lies between 0 and 1, and never rises down the ranking, whatever is asked, and whatever of it is hidden', async () => {
    const words = catalog.flatMap(({ name, description }) => [name, ...description.split(' ')]);
    const asked = fc.array(fc.constantFrom(...words, 'who', 'qqqq', '+list'), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(asked, fc.nat(), async (list, hidden) => {
        const query = parseQuery(list.join(' '));
        const all = (await index.search(query)).map(({ name }) => name);
        const names = all.filter((_, rank) => rank !== hidden % (all.length + 1)).slice(0, 20);
        const confidences = (await index.confidence?.(query, names)) ?? [];
        for (const [rank, confidence] of confidences.entries()) {
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThanOrEqual(confidences[rank - 1] ?? 1);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('the confidence of the default scorer of words', () => {
  let index: ToolIndex;
  beforeAll(async () => {
    index = await bm25Scorer().index(catalog);
  });
  const best = async (text: string): Promise<number> => (await rated(index, text)).confidences[0] ?? 0;

  it.each([
    ['create issue', 'issue'],
    ['delete calendar event', 'event'],
    ['number of replicas', 'number'],
    ['search code', 'search things'],
    ['weather forecast', 'wether forecats'],
    ['send a mail', 'send a parcel'],
  ])('is higher for "%s" than for "%s"', async (clear, unclear) => {
    expect(await best(clear)).toBeGreaterThan(await best(unclear));
  });

  it.each(['make coffee', 'book a xylophone teacher', 'fly to the moon and open the hatch'])(
    'of the first five together is low for "%s"',
    async (query) => expect(likelihoodOfAny((await rated(index, query)).confidences)).toBeLessThan(0.4),
  );

  it('is the same for tools that match equally well', async () => {
    const { names, confidences } = await rated(index, 'k8s', 2);
    expect(names).toEqual(['k8s_list_pods', 'k8s_scale_deployment']);
    expect(confidences[0]).toBe(confidences[1]);
  });

  it('is of the names in their order, as if there were no others, also of a query that was not searched for', async () => {
    const all = (await index.search(parseQuery('weather forecast'))).map(({ name }) => name);
    const [first = '', second = '', ...rest] = all;
    const ratings = async (...names: string[]) =>
      (await index.confidence?.(parseQuery('weather forecast'), names)) ?? [];
    const whole = await ratings(...all);
    expect(whole).toHaveLength(all.length);
    expect(whole[0]).toBe((await rated(index, 'weather forecast')).confidences[0]);
    // Without the best, the second is the best there is.
    expect((await ratings(second, ...rest))[0]).toBeGreaterThan(whole[1] ?? 1);
    expect((await ratings(first, ...rest))[0]).toBeGreaterThanOrEqual(whole[0] ?? 1);
    expect(await ratings()).toEqual([]);
  });

  it('is low, and no error, for names that do not match or do not exist', async () => {
    const names = ['send_email', 'gone', 'constructor'];
    const confidences = (await index.confidence?.(parseQuery('weather'), names)) ?? [];
    expect(confidences).toHaveLength(3);
    for (const confidence of confidences) expect(confidence >= 0 && confidence < 0.1).toBe(true);
  });
});

it('confidences that are judged together come to the likelihood of the verdict, and keep their order', () => {
  const model = { weights: { apart: 1, more: 2 }, intercept: 0 };
  const list = fc.array(fc.double({ min: 0.001, max: 0.99, noNaN: true }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(list, (confidences) => {
      const judged = (more: number) => judgedTogether(confidences, { more }, model);
      const [less, same, more] = [judged(-1), judged(0), judged(1)];
      expect(likelihoodOfAny(less)).toBeLessThanOrEqual(likelihoodOfAny(same));
      expect(likelihoodOfAny(more)).toBeGreaterThanOrEqual(likelihoodOfAny(same));
      expect(likelihoodOfAny(same)).toBeCloseTo(Math.min(0.9999, likelihoodOfAny(confidences)), 3);
      for (const [at, confidence] of more.entries()) {
        expect(confidence >= 0 && confidence < 1).toBe(true);
        const isLess = (confidences[at + 1] ?? 1) < (confidences[at] ?? 0) - 1e-6;
        if (isLess) expect(more[at + 1]).toBeLessThan(confidence);
      }
    }),
  );
});
