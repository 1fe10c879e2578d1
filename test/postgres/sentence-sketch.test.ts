import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SentenceSketch } from '../../src/postgres/sentence-sketch.ts';
import { SentenceCounts } from '../../src/scorers/bm25/tool-words.ts';

it('calls the same sentences boilerplate as the counts of all sentences', () => {
  const sentence = fc.constantFrom(...Array.from({ length: 6 }, (_, at) => `Sentence ${at}.`));
  fc.assert(
    fc.property(fc.array(fc.array(sentence, { maxLength: 4 }), { maxLength: 40 }), (tools) => {
      const sketch = new SentenceSketch();
      const exact = new SentenceCounts();
      for (const sentences of tools) {
        sketch.add(sentences);
        exact.add(sentences);
        expect(sketch.distinctive(sentences)).toEqual(exact.distinctive(sentences));
      }
    }),
    { numRuns: 20 },
  );
});

it('takes hardly a sentence of a hundred thousand for one that was met nine times', () => {
  const sketch = new SentenceSketch();
  const all = Array.from({ length: 100_000 }, (_, at) => `This tool does thing number ${at}.`);
  for (const sentence of all) sketch.add([sentence]);
  expect(sketch.distinctive(all)).toHaveLength(all.length);
});
