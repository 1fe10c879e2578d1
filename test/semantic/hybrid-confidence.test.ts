import { bm25Scorer, type ToolDocument, type ToolScorer, tieredScorer } from 'mastra-tool-search';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import { parseQuery, type ToolQuery } from '../../src/scorers/words/query.ts';
import { confidenceWith, type HybridEvidence, similarityIn } from '../../src/semantic/fusion.ts';
import { catalog } from '../fixtures/tools.ts';
import { bagOfWords, modelEmbed } from './embeddings/embedders.ts';

type EvidentIndex = { evidence?(query: ToolQuery, names: readonly string[]): Promise<HybridEvidence[]> };

const meaning = () => semanticScorer({ embed: (texts) => texts.map(bagOfWords), minSimilarity: 0 });

/** The first five of a search, with the confidence of each. */
async function rated(scorer: ToolScorer, text: string, documents: readonly ToolDocument[] = catalog) {
  const index = await scorer.index(documents);
  const query = parseQuery(text);
  const names = (await index.search(query)).slice(0, 5).map(({ name }) => name);
  return { index, query, names, confidences: (await index.confidence?.(query, names)) ?? [] };
}

describe('the confidence of a hybrid', () => {
  it('is one for each name, the highest for the best', async () => {
    for (const text of [
      'create issue',
      'weather in Rome',
      'send a message to the team',
      'k8s pods',
      'zebra crossing',
    ]) {
      const { names, confidences } = await rated(hybridScorer([bm25Scorer(), meaning()]), text);
      expect(confidences).toHaveLength(names.length);
      expect(confidences).toEqual(confidences.toSorted((one, other) => other - one));
      for (const confidence of confidences) expect(confidence > 0 && confidence < 1).toBe(true);
    }
  });

  it('is that of the first part where the others are no meanings, or say nothing', async () => {
    const silent: ToolScorer = { name: 'silent', index: () => ({ search: () => [] }) };
    const down = semanticScorer({ embed: () => Promise.reject(new Error('down')) });
    for (const other of [tieredScorer(), silent, down]) {
      const scorer = hybridScorer([bm25Scorer(), other], { weights: [1, 0.001] });
      const { index, names, query, confidences } = await rated(
        { name: 'quiet', index: (documents) => scorer.index(documents, { report: () => {} }) },
        'create an issue',
      );
      const words = await bm25Scorer().index(catalog);
      expect(index.confidence).toBeTypeOf('function');
      expect(confidences).toEqual(await words.confidence?.(query, names));
    }
  });

  it('is none where the first part has none, or did not answer', async () => {
    const reversed = await hybridScorer([tieredScorer(), bm25Scorer()]).index(catalog);
    expect(reversed.confidence).toBeUndefined();
    const { index } = await bm25Scorer();
    const failing: ToolScorer = {
      name: 'failing',
      async index(documents) {
        const built = await index(documents);
        return { search: () => Promise.reject(new Error('down')), confidence: built.confidence?.bind(built) as never };
      },
    };
    const scorer = hybridScorer([failing, tieredScorer()]);
    const quiet: ToolScorer = { name: 'quiet', index: (documents) => scorer.index(documents, { report: () => {} }) };
    const { names, confidences } = await rated(quiet, 'create issue');
    expect(names).toContain('github_create_issue');
    expect(confidences).toEqual([]);
  });

  it('rates what a request may see by that alone', async () => {
    const visible = catalog.filter((_, position) => position % 2 === 0);
    const scorer = () => hybridScorer([bm25Scorer(), meaning()]);
    const whole = await scorer().index(catalog);
    const part = await whole.restrictedTo?.(new Set(visible.map(({ name }) => name)));
    const alone = await rated(scorer(), 'create an issue', visible);
    const query = parseQuery('create an issue');
    expect((await part?.search(query))?.slice(0, 5).map(({ name }) => name)).toEqual(alone.names);
    const confidences = await part?.confidence?.(query, alone.names);
    for (const [position, confidence] of (confidences ?? []).entries()) {
      expect(confidence).toBeCloseTo(alone.confidences[position] ?? -1, 9);
    }
    expect(confidences).toHaveLength(alone.names.length);
  });

  it('is made of evidence that the bench fits it on', async () => {
    const { index, names, query, confidences } = await rated(
      hybridScorer([bm25Scorer(), meaning()]),
      'create an issue',
    );
    const evidence = (await (index as EvidentIndex).evidence?.(query, names)) ?? [];
    const bySigmoid = evidence.map((each) => confidenceWith(1 / (1 + Math.exp(-each.words)), each.similarity));
    expect(bySigmoid.sort((one, other) => other - one)).toEqual(
      confidences.map((confidence) => expect.closeTo(confidence, 9)),
    );
    expect(await (index as EvidentIndex).evidence?.(parseQuery('slack add reaction'), ['slack_add_reaction'])).toEqual([
      undefined,
    ]);
  });

  it('is as sure of a name as the words are', async () => {
    const { names, confidences } = await rated(hybridScorer([bm25Scorer(), meaning()]), 'slack add reaction');
    expect(names[0]).toBe('slack_add_reaction');
    expect(confidences[0]).toBe(0.99);
  });

  it('with a real model is high for what fits, and low for what does not', async () => {
    const scorer = hybridScorer([bm25Scorer(), semanticScorer({ embed: modelEmbed })]);
    const bestOf = async (text: string) => (await rated(scorer, text)).confidences[0] ?? 0;
    expect(await bestOf('get the weather forecast')).toBeGreaterThan(0.8);
    expect(await bestOf('pastry recipe')).toBeLessThan(0.3);
  });
});

describe('similarity', () => {
  const inRanking = (cosines: readonly number[]) =>
    similarityIn(
      cosines.map((score, place) => ({ name: `t${place}`, score })),
      cosines.slice(0, 50),
    );
  const cosines = Array.from({ length: 60 }, (_, place) => 0.9 / (1 + place / 10));

  it('says the same on any scale of the model', () => {
    const narrow = inRanking(cosines.map((cosine) => 0.7 + cosine / 5));
    const wide = inRanking(cosines);
    for (const name of ['t0', 't3', 't20', 't59', 'not there']) {
      expect(narrow?.(name)).toBeCloseTo(wide?.(name) ?? Number.NaN, 6);
    }
    expect(wide?.('t0')).toBe(1);
    expect(wide?.('t59')).toBe(0);
  });

  it('is unknown of less than ten tools, and bounded where all texts are the same to a model', () => {
    expect(inRanking(cosines.slice(0, 9))).toBeUndefined();
    expect(inRanking(cosines.slice(0, 10))?.('t0')).toBe(1);
    expect(inRanking(cosines.map(() => 0.5))?.('t0')).toBe(0);
    expect(inRanking([0.5004, ...cosines.slice(1).map(() => 0.5)])?.('t0')).toBeCloseTo(0.4, 6);
  });

  it('raises what the words say, and lowers it', () => {
    for (const words of [0, 0.1, 0.5, 0.9, 0.98]) {
      expect(confidenceWith(words, 1)).toBeGreaterThan(confidenceWith(words, 0));
    }
    expect(confidenceWith(0.2, 1)).toBeGreaterThan(0.2);
    expect(confidenceWith(0.8, 0)).toBeLessThan(0.8);
    expect(confidenceWith(0.99, 0)).toBe(0.99);
  });
});
