import fc from 'fast-check';
import { bm25Scorer, type ToolIndex } from 'mastra-tool-search';
import { beforeAll, describe, expect, it } from 'vitest';
import { judgedTogether, likelihoodOfAny } from '../../../src/scorers/confidence.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { catalog } from '../../fixtures/tools.ts';

describe('the confidence of the default scorer', () => {
  let index: ToolIndex;
  beforeAll(async () => {
    index = await bm25Scorer().index(catalog);
  });

  async function rated(text: string, count = 5): Promise<{ names: string[]; confidences: readonly number[] }> {
    const query = parseQuery(text);
    const names = (await index.search(query)).slice(0, count).map(({ name }) => name);
    return { names, confidences: (await index.confidence?.(query, names)) ?? [] };
  }
  const best = async (text: string): Promise<number> => (await rated(text)).confidences[0] ?? 0;

  it.each(['github_create_issue', 'GitHubCreateIssue', 'github create issue', 'call github_create_issue now'])(
    'is 0.99 for a tool that is named: %s',
    async (query) => {
      const { names, confidences } = await rated(query);
      expect(names[0]).toBe('github_create_issue');
      expect(confidences[0]).toBe(0.99);
      for (const other of confidences.slice(1)) expect(other).toBeLessThan(0.5);
    },
  );

  it.each([
    ['create issue', 'make coffee'],
    ['create issue', 'issue'],
    ['delete calendar event', 'event'],
    ['weather forecast', 'weather'],
    ['weather forecast', 'weather forecast xylophone marimba'],
    ['number of replicas', 'number'],
    ['search code', 'search things'],
    ['weather forecast', 'wether forecats'],
    ['send a mail', 'send a parcel'],
  ])('is higher for "%s" than for "%s"', async (clear, unclear) => {
    expect(await best(clear)).toBeGreaterThan(await best(unclear));
  });

  it.each(['make coffee', 'book a xylophone teacher', 'fly to the moon and open the hatch'])(
    'of the first five together is low for "%s"',
    async (query) => {
      const { confidences } = await rated(query);
      expect(1 - confidences.reduce((none, confidence) => none * (1 - confidence), 1)).toBeLessThan(0.4);
    },
  );

  it('never rises down the ranking, whatever is asked, and whatever of it is hidden', async () => {
    const words = catalog.flatMap(({ name, description }) => [name, ...description.split(' ')]);
    const asked = fc.array(fc.constantFrom(...words, 'who', 'qqqq'), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(asked, fc.nat(), async (list, hidden) => {
        const query = parseQuery(list.join(' '));
        const all = (await index.search(query)).map(({ name }) => name);
        const names = all.filter((_, rank) => rank !== hidden % (all.length + 1)).slice(0, 10);
        const confidences = (await index.confidence?.(query, names)) ?? [];
        for (const [rank, confidence] of confidences.entries()) {
          expect(confidence).toBeLessThanOrEqual(confidences[rank - 1] ?? 1);
        }
      }),
    );
  });

  it('is the same for tools that match equally well', async () => {
    const { names, confidences } = await rated('k8s', 2);
    expect(names).toEqual(['k8s_list_pods', 'k8s_scale_deployment']);
    expect(confidences[0]).toBe(confidences[1]);
  });

  it('is of the names in their order, as if there were no others', async () => {
    const query = parseQuery('weather forecast');
    const all = (await index.search(query)).map(({ name }) => name);
    const [first = '', second = '', ...rest] = all;
    const ratings = async (...names: string[]) => (await index.confidence?.(query, names)) ?? [];
    const whole = await ratings(...all);
    const behind = await ratings(second, ...rest);
    expect(whole).toHaveLength(all.length);
    // Without the best, the second is the best there is.
    expect(behind[0]).toBeGreaterThan(whole[1] ?? 1);
    expect((await ratings(first, ...rest))[0]).toBeGreaterThanOrEqual(whole[0] ?? 1);
    expect(await ratings()).toEqual([]);
  });

  it('is of a query object that was never searched for as well', async () => {
    const [{ name = '' } = {}] = await index.search(parseQuery('weather forecast'));
    const fresh = await index.confidence?.(parseQuery('weather forecast'), [name]);
    expect(fresh).toEqual((await rated('weather forecast', 1)).confidences);
  });

  it('is low, and no error, for names that do not match or do not exist', async () => {
    for (const confidence of (await index.confidence?.(parseQuery('weather'), [
      'send_email',
      'gone',
      'constructor',
    ])) ?? [1]) {
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThan(0.1);
    }
  });

  it('lies between 0 and 1 whatever is asked', async () => {
    const word = fc.constantFrom('weather', 'create', 'issue', 'repo', 'file', 'qqqq', 'the', 'send_email', '+list');
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 8 }), async (list) => {
        for (const confidence of (await rated(list.join(' '), 20)).confidences) {
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe('confidences that are judged together', () => {
  const model = { weights: { apart: 1, more: 2 }, intercept: 0 };
  const list = fc.array(fc.double({ min: 0.001, max: 0.99, noNaN: true }), { minLength: 1, maxLength: 5 });

  it('come to the likelihood of the verdict, and keep their order', () => {
    fc.assert(
      fc.property(list, (confidences) => {
        const [less, same, more] = [-1, 0, 1].map((value) => judgedTogether(confidences, { more: value }, model)) as [
          readonly number[],
          readonly number[],
          readonly number[],
        ];
        expect(likelihoodOfAny(less)).toBeLessThanOrEqual(likelihoodOfAny(same));
        expect(likelihoodOfAny(more)).toBeGreaterThanOrEqual(likelihoodOfAny(same));
        const apart = Math.min(0.9999, likelihoodOfAny(confidences));
        expect(likelihoodOfAny(same)).toBeCloseTo(apart, 3);
        for (const [at, confidence] of more.entries()) {
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThan(1);
          const next = at + 1;
          const isLess = confidences[next]! < confidences[at]! - 1e-6;
          if (isLess) expect(more[next]).toBeLessThan(confidence);
        }
      }),
    );
  });
});
