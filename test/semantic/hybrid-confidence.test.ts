import { bm25Scorer, type ToolDocument, type ToolScorer, tieredScorer } from 'mastra-tool-search';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import { catalog } from '../fixtures/tools.ts';
import { rated } from '../scorers/scorer-contract.ts';
import { bagOfWords } from './embeddings/embedders.ts';

type Evident = { evidence?(query: unknown, names: readonly string[]): Promise<unknown> };

const wordsAndMeaning = (embed = bagOfWords) =>
  hybridScorer([bm25Scorer(), semanticScorer({ embed: (texts) => texts.map(embed), minSimilarity: 0 })]);

describe('the confidence of a hybrid', () => {
  it('is one for each name, the highest for the best', async () => {
    const index = await wordsAndMeaning().index(catalog);
    for (const text of ['create issue', 'weather in Rome', 'message the team', 'zebra crossing']) {
      const { names, confidences } = await rated(index, text);
      expect(confidences).toHaveLength(names.length);
      expect(confidences).toEqual(confidences.toSorted((one, other) => other - one));
      for (const confidence of confidences) expect(confidence > 0 && confidence < 1).toBe(true);
    }
  });

  /** An index that says nothing of its faults. */
  const quiet = (scorer: ToolScorer) => scorer.index(catalog, { report: () => {} });

  it('is that of the first part where the others are no meanings, or say nothing', async () => {
    const silent: ToolScorer = { name: 'silent', index: () => ({ search: () => [] }) };
    const down = semanticScorer({ embed: () => Promise.reject(new Error('down')) });
    const words = await bm25Scorer().index(catalog);
    for (const other of [tieredScorer(), silent, down]) {
      const index = await quiet(hybridScorer([bm25Scorer(), other], { weights: [1, 0.001] }));
      const { names, query, confidences } = await rated(index, 'create an issue');
      expect(confidences).toEqual(await words.confidence?.(query, names));
    }
  });

  it('is none where the first part has none, or did not answer', async () => {
    expect((await quiet(hybridScorer([tieredScorer(), bm25Scorer()]))).confidence).toBeUndefined();
    const index = () => ({ search: () => Promise.reject(new Error('down')), confidence: () => [0.5] });
    const failing = await quiet(hybridScorer([{ name: 'failing', index }, tieredScorer()]));
    const { names, confidences } = await rated(failing, 'create issue');
    expect(names).toContain('github_create_issue');
    expect(confidences).toEqual([]);
  });

  it('rates what a request may see by that alone', async () => {
    const visible = catalog.filter((_, position) => position % 2 === 0);
    const whole = await wordsAndMeaning().index(catalog);
    const part = await whole.restrictedTo?.(new Set(visible.map(({ name }) => name)));
    const alone = await rated(await wordsAndMeaning().index(visible), 'create an issue');
    const { names, confidences } = await rated(part!, 'create an issue');
    expect(names).toEqual(alone.names);
    expect(confidences).toEqual(alone.confidences.map((confidence) => expect.closeTo(confidence, 9)));
  });

  it('is made of evidence that the bench fits it on; meaning is none for a name, of which the words are sure', async () => {
    const index = (await wordsAndMeaning().index(catalog)) as Awaited<ReturnType<typeof quiet>> & Evident;
    const { query, names } = await rated(index, 'create an issue');
    expect(await index.evidence?.(query, names)).toMatchObject({
      each: names.map(() => ({ words: expect.any(Number), similarity: expect.any(Number) })),
      together: { closeness: expect.any(Number) },
    });
    const named = await rated(index, 'slack add reaction', 1);
    expect([named.names, named.confidences]).toEqual([['slack_add_reaction'], [0.99]]);
    expect(await index.evidence?.(named.query, named.names)).toEqual({ each: [undefined], confidences: [0.99] });
  });
});

describe('meaning in the confidence', () => {
  /** What a hybrid with this embedder says of the tools that the words find best. */
  async function confidencesBy(embed: (text: string) => number[], documents: readonly ToolDocument[] = catalog) {
    const words = await rated(await bm25Scorer().index(documents), 'report an issue', 3);
    const by = (await (await wordsAndMeaning(embed).index(documents)).confidence?.(words.query, words.names)) ?? [];
    return { by, byWords: words.confidences };
  }

  it('is the same on any scale of the model', async () => {
    const wide = await confidencesBy(bagOfWords);
    const narrow = await confidencesBy((text) => {
      const vector = bagOfWords(text);
      // All cosines are 0.8 and a fifth of what they were.
      return [...vector, 2 * Math.hypot(...vector)];
    });
    expect(narrow.by).toEqual(wide.by.map((confidence) => expect.closeTo(confidence, 4)));
  });

  it('is unknown of less than ten tools', async () => {
    const few = catalog.filter(({ name }) => name.includes('issue')).slice(0, 9);
    const ten = [...few, ...catalog.filter((tool) => !few.includes(tool)).slice(0, 10 - few.length)];
    const [unknown, known] = [await confidencesBy(bagOfWords, few), await confidencesBy(bagOfWords, ten)];
    expect(unknown.by).toEqual(unknown.byWords);
    expect(known.by).not.toEqual(known.byWords);
  });

  it('raises what the words say of what is close, and lowers it where all texts are the same to a model', async () => {
    const close = await confidencesBy((text) => [text.includes('issue') ? 1 : 0, 0.1]);
    const same = await confidencesBy(() => [1]);
    for (const [place, words] of close.byWords.entries()) {
      expect(close.by[place]).toBeGreaterThan(words);
      expect(same.by[place]).toBeLessThan(words);
    }
  });
});
