import { bm25Scorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { bytesOf, MAX_MATCH_BYTES, MatchCache, type WordMatch } from '../../../src/scorers/bm25/match-cache.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { catalog } from '../../fixtures/tools.ts';

/** A match of a word with so many documents. */
function match(word: string, documents = 0): WordMatch {
  const lists = { ids: new Uint32Array(documents), bySynonym: new Uint8Array(documents) };
  const scores = { scores: new Float64Array(documents), covers: new Float64Array(documents) };
  return {
    word,
    ...lists,
    ...scores,
    idf: 0,
    sources: [],
    isFiller: false,
    nameStems: [],
    action: 0,
    asksToDelete: false,
  };
}

/** Counts the matches that are made of the word anew. */
function counted(cache: MatchCache, documents = 0) {
  const matches = cache.ofIndex();
  const made: string[] = [];
  const ask = (word: string): WordMatch =>
    matches(word, (own) => {
      made.push(own);
      return match(own, documents);
    });
  return { ask, made };
}

describe('what is kept of words that were asked for', () => {
  it('weighs at least what it holds, a word that nothing matches included', () => {
    expect(bytesOf(match('qqqq'))).toBeGreaterThan(1_000);
    expect(bytesOf(match('q'.repeat(64))) - bytesOf(match('q'))).toBeGreaterThanOrEqual(2 * 63);
    expect(bytesOf(match('q', 1_000)) - bytesOf(match('q'))).toBeGreaterThanOrEqual(1_000 * (4 + 8 + 8 + 1));
  });

  it('has one bound over all indexes: what one keeps makes room for another', () => {
    const cache = new MatchCache(10 * bytesOf(match('word_0')));
    const [first, second] = [counted(cache), counted(cache)];
    for (let n = 0; n < 10; n++) first.ask(`word_${n}`);
    for (let n = 0; n < 10; n++) first.ask(`word_${n}`);
    expect(first.made).toHaveLength(10);
    for (let n = 0; n < 5; n++) second.ask(`word_${n}`);
    for (let n = 9; n >= 0; n--) first.ask(`word_${n}`);
    expect(first.made.slice(10)).toEqual(['word_4', 'word_3', 'word_2', 'word_1', 'word_0']);
  });

  it('keeps no more unknown words than fit, however many are asked for', () => {
    const cache = new MatchCache();
    const { ask, made } = counted(cache);
    const most = Math.ceil(MAX_MATCH_BYTES / bytesOf(match('unknown_0')));
    for (let n = 0; n < 2 * most; n++) ask(`unknown_${n}`);
    made.length = 0;
    for (let n = 2 * most; n >= 0; n--) ask(`unknown_${n}`);
    expect(made.length).toBeGreaterThan(most);
  });

  it('is of the index that was asked: others have other tools', async () => {
    const scorer = bm25Scorer();
    const [all, few] = [await scorer.index(catalog), await scorer.index(catalog.slice(0, 3))];
    for (const text of ['create', 'weather', 'qqqq', 'create']) {
      expect(await few.search(parseQuery(text))).toEqual(
        await (await bm25Scorer().index(catalog.slice(0, 3))).search(parseQuery(text)),
      );
      expect(await all.search(parseQuery(text))).toEqual(
        await (await bm25Scorer().index(catalog)).search(parseQuery(text)),
      );
    }
  });
});
