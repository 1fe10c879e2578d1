import { bm25Scorer, type ToolDocument, type ToolScorer, tieredScorer } from 'mastra-tool-search';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import { parseQuery, type ToolQuery } from '../../src/scorers/words/query.ts';
import { catalog } from '../fixtures/tools.ts';
import { bagOfWords, modelEmbed } from './embeddings/embedders.ts';

type EvidentIndex = { evidence?(query: ToolQuery, names: readonly string[]): Promise<unknown> };

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
    for (const text of ['create issue', 'weather in Rome', 'message the team', 'k8s pods', 'zebra crossing']) {
      const { names, confidences } = await rated(hybridScorer([bm25Scorer(), meaning()]), text);
      expect(confidences).toHaveLength(names.length);
      expect(confidences).toEqual(confidences.toSorted((one, other) => other - one));
      for (const confidence of confidences) expect(confidence > 0 && confidence < 1).toBe(true);
    }
  });

  /** Says nothing of its faults. */
  const quiet = (scorer: ToolScorer): ToolScorer => ({
    name: 'quiet',
    index: (documents) => scorer.index(documents, { report: () => {} }),
  });

  it('is that of the first part where the others are no meanings, or say nothing', async () => {
    const silent: ToolScorer = { name: 'silent', index: () => ({ search: () => [] }) };
    const down = semanticScorer({ embed: () => Promise.reject(new Error('down')) });
    const words = await bm25Scorer().index(catalog);
    for (const other of [tieredScorer(), silent, down]) {
      const scorer = quiet(hybridScorer([bm25Scorer(), other], { weights: [1, 0.001] }));
      const { index, names, query, confidences } = await rated(scorer, 'create an issue');
      expect(index.confidence).toBeTypeOf('function');
      expect(confidences).toEqual(await words.confidence?.(query, names));
    }
  });

  it('is none where the first part has none, or did not answer', async () => {
    const reversed = await hybridScorer([tieredScorer(), bm25Scorer()]).index(catalog);
    expect(reversed.confidence).toBeUndefined();
    const failing: ToolScorer = {
      name: 'failing',
      index: () => ({
        search: () => Promise.reject(new Error('down')),
        confidence: (_, names) => names.map(() => 0.5),
      }),
    };
    const { names, confidences } = await rated(quiet(hybridScorer([failing, tieredScorer()])), 'create issue');
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
    const { index, names, query } = await rated(hybridScorer([bm25Scorer(), meaning()]), 'create an issue');
    const piece = { words: expect.any(Number), similarity: expect.any(Number) };
    expect(await (index as EvidentIndex).evidence?.(query, names)).toMatchObject({
      each: names.map(() => piece),
      together: { closeness: expect.any(Number) },
    });
  });

  it('is as sure of a name as the words are, of which meaning is no evidence', async () => {
    const scorer = hybridScorer([bm25Scorer(), meaning()]);
    const { index, query, names, confidences } = await rated(scorer, 'slack add reaction');
    expect([names[0], confidences[0]]).toEqual(['slack_add_reaction', 0.99]);
    const evidence = await (index as EvidentIndex).evidence?.(query, names.slice(0, 1));
    expect(evidence).toEqual({ each: [undefined], confidences: [0.99] });
  });

  it('with a real model is high for what fits, and low for what does not', async () => {
    const scorer = hybridScorer([bm25Scorer(), semanticScorer({ embed: modelEmbed })]);
    const bestOf = async (text: string) => (await rated(scorer, text)).confidences[0] ?? 0;
    expect(await bestOf('get the weather forecast')).toBeGreaterThan(0.8);
    expect(await bestOf('pastry recipe')).toBeLessThan(0.3);
  });
});

describe('meaning in the confidence', () => {
  /** What a hybrid with this embedder says of the tools that the words find, without the embedder's order. */
  async function confidencesBy(embed: (text: string) => number[], documents: readonly ToolDocument[] = catalog) {
    const part = semanticScorer({ embed: (texts) => texts.map(embed), minSimilarity: 0 });
    const index = await hybridScorer([bm25Scorer(), part], { weights: [1, 0.0001] }).index(documents);
    const words = await bm25Scorer().index(documents);
    const query = parseQuery('report an issue');
    await index.search(query);
    const names = (await words.search(query)).slice(0, 3).map(({ name }) => name);
    return { by: await index.confidence?.(query, names), byWords: await words.confidence?.(query, names) };
  }

  it('is the same on any scale of the model', async () => {
    const wide = await confidencesBy(bagOfWords);
    const narrow = await confidencesBy((text) => {
      const vector = bagOfWords(text);
      // All cosines are 0.8 and a fifth of what they were.
      return [...vector, 2 * Math.hypot(...vector)];
    });
    for (const [place, confidence] of (wide.by ?? []).entries()) expect(narrow.by?.[place]).toBeCloseTo(confidence, 4);
  });

  it('is unknown of less than ten tools', async () => {
    const few = catalog.filter(({ name }) => name.includes('issue')).slice(0, 9);
    const { by, byWords } = await confidencesBy(bagOfWords, few);
    expect(by).toEqual(byWords);
    const ten = [...few, ...catalog.filter((tool) => !few.includes(tool)).slice(0, 10 - few.length)];
    const known = await confidencesBy(bagOfWords, ten);
    expect(known.by).not.toEqual(known.byWords);
  });

  it('raises what the words say of what is close, and lowers it where all texts are the same to a model', async () => {
    const close = await confidencesBy((text) => [text.includes('issue') ? 1 : 0, 0.1]);
    const same = await confidencesBy(() => [1]);
    for (const [place, words] of (close.byWords ?? []).entries()) {
      expect(close.by?.[place]).toBeGreaterThan(words);
      expect(same.by?.[place]).toBeLessThan(words);
    }
  });
});
