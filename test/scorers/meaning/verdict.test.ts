import { type ToolIndex, wordsAndMeaningScorer } from 'mastra-tool-search';
import { beforeAll, describe, expect, it } from 'vitest';
import { likelihoodOfAny } from '../../../src/scorers/confidence.ts';
import { catalog } from '../../fixtures/tools.ts';
import { rated } from '../scorer-contract.ts';

describe('the confidence of words and meaning', () => {
  let index: ToolIndex;
  beforeAll(async () => {
    index = await wordsAndMeaningScorer().index(catalog);
  });
  const likelihood = async (text: string): Promise<number> => likelihoodOfAny((await rated(index, text)).confidences);

  it.each(['GitHubCreateIssue', 'call github_create_issue now'])(
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
    ['create an issue', 'create an issue in Bitbucket'],
  ])('says that something fits "%s" rather than "%s"', async (clear, unclear) => {
    expect(await likelihood(clear)).toBeGreaterThan(await likelihood(unclear));
  });

  it('lies between 0 and 1, and never rises down the ranking', async () => {
    for (const query of ['create issue', 'weather', 'qqqq', 'which repository is ours', 'Wetter morgen']) {
      const { confidences } = await rated(index, query);
      for (const [rank, confidence] of confidences.entries()) {
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(confidences[rank - 1] ?? 1);
      }
    }
  });
});
