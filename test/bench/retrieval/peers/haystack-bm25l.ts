import { type Contestant, ranked } from '../contestant.ts';

const K1 = 1.5;
const B = 0.75;
const DELTA = 0.5;

/**
 * Haystack's SearchableToolset (deepset-ai/haystack, haystack/tools/searchable_toolset.py), written from its rules:
 * BM25L with the defaults of InMemoryDocumentStore (since its pull request 10814) over the text "name description", in
 * runs of letters, digits and underscores. A name with underscores is one word.
 */
export const haystackBm25l: Contestant = {
  name: 'haystack',
  async build(tools) {
    const documents = tools.map(({ id, description }) => {
      const words = wordsOf(`${id} ${description}`);
      const counts = new Map<string, number>();
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      return { name: id, counts, length: words.length };
    });
    const containing = new Map<string, number>();
    for (const { counts } of documents)
      for (const word of counts.keys()) containing.set(word, (containing.get(word) ?? 0) + 1);
    // The store's running average counts one document too many.
    const averageLength = documents.reduce((sum, { length }) => sum + length, 0) / (documents.length + 1);

    return async (query) => {
      const weights = [...new Set(wordsOf(query))].flatMap((word) => {
        const count = containing.get(word);
        return count === undefined ? [] : [{ word, idf: Math.log((documents.length + 1) / (count + 0.5)) }];
      });
      return ranked(
        documents.map(({ name, counts, length }) => {
          let score = 0;
          for (const { word, idf } of weights) {
            const frequency = (counts.get(word) ?? 0) / (1 - B + (B * length) / averageLength) + DELTA;
            score += (idf * (1 + K1) * frequency) / (K1 + frequency);
          }
          return { name, score };
        }),
      );
    };
  },
};

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
