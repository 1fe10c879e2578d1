import fc from 'fast-check';
import type { ToolDocument } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Bm25Index } from '../../../src/scorers/bm25/bm25.ts';
import { InvertedIndex } from '../../../src/scorers/bm25/inverted-index.ts';
import { type CatalogStatistics, DEFAULT_SETTINGS } from '../../../src/scorers/bm25/settings.ts';
import { withoutBoilerplate } from '../../../src/scorers/bm25/tool-words.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { builtInSynonyms } from '../../../src/scorers/words/thesaurus/synonyms.ts';
import { stem, words } from '../../../src/scorers/words/words.ts';
import { catalog, document } from '../../fixtures/tools.ts';
import { atOnce } from '../at-once.ts';
import { histories, QUERIES } from '../changing-catalogs.ts';
import { statisticsOf } from './statistics-of.ts';

const synonyms = builtInSynonyms();
const whole = (documents: readonly ToolDocument[]): Bm25Index =>
  atOnce(Bm25Index.build(documents, DEFAULT_SETTINGS, synonyms));
const part = (documents: readonly ToolDocument[], statistics: CatalogStatistics): Bm25Index =>
  new Bm25Index(
    atOnce(InvertedIndex.build(documents, DEFAULT_SETTINGS.fields, undefined, statistics.averageLengths)),
    DEFAULT_SETTINGS,
    synonyms,
    statistics,
  );

/** The words that are guessed for the unknown ones of a query; undefined where a guess leaves out a form of its stem. */
function guessedFor(
  text: string,
  documents: readonly ToolDocument[],
): ReadonlyMap<string, readonly string[]> | undefined {
  const index = atOnce(InvertedIndex.build(documents, DEFAULT_SETTINGS.fields));
  const guessed = new Map<string, readonly string[]>();
  for (const word of words(text)) {
    if (index.hasStem(stem(word))) continue;
    const found = index.guesses(word);
    const forms = found.flatMap((each) => index.formsOf(stem(each), ''));
    if (new Set(forms).size > new Set(found).size) return undefined;
    guessed.set(word, found);
  }
  return guessed;
}

/** The stems of each synonym of several words, of what a query says. */
function phrasesFor(text: string): readonly (readonly string[])[] {
  const found = [...synonyms.phrases(words(text))].flatMap((phrase) => phrase.synonyms);
  return found.map(({ stems }) => stems).filter(({ length }) => length > 1);
}

/** Names that rank with their scores, but those that were asked for: they score by the best of the others. */
const rankingOf = (index: Bm25Index, text: string): [string, string][] => {
  const query = parseQuery(text);
  const others = index.search(query).filter(({ name }) => !index.explain(query, name)?.isNamed);
  return others.map(({ name, score }) => [name, score.toPrecision(10)]);
};

const catalogs = fc.tuple(
  histories.map(([first = []]) => first),
  fc.array(fc.nat(99), { minLength: 20, maxLength: 20 }),
);
const asked = fc.oneof(
  fc.constantFrom(...QUERIES),
  fc.uniqueArray(fc.constantFrom(...QUERIES), { minLength: 2, maxLength: 3 }).map((list) => list.join(' ')),
);

describe('an index of a part of a catalog, with the statistics of all of it', () => {
  it('gives each of its documents the score that the index of all gives it', () => {
    fc.assert(
      fc.property(catalogs, asked, fc.integer({ min: 0, max: 100 }), ([documents, dice], text, share) => {
        fc.pre(documents.length > 0);
        const all = whole(documents);
        const guessed = guessedFor(text, documents);
        fc.pre(guessed !== undefined);
        const kept = atOnce(withoutBoilerplate(documents)).filter((_, at) => (dice[at] ?? 0) < share);
        const index = part(kept, statisticsOf(documents, guessed, phrasesFor(text)));
        const names = new Set(kept.map(({ name }) => name));
        expect(rankingOf(index, text)).toEqual(rankingOf(all, text).filter(([name]) => names.has(name)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives them the same confidence, where it has the best ones', () => {
    fc.assert(
      fc.property(catalogs, asked, fc.integer({ min: 0, max: 100 }), ([documents, dice], text, share) => {
        fc.pre(documents.length > 0);
        const all = whole(documents);
        const guessed = guessedFor(text, documents);
        fc.pre(guessed !== undefined);
        const query = parseQuery(text);
        const ranking = all.search(query).map(({ name }) => name);
        // What ranks far behind tells how much of the ranking is noise.
        const kept = atOnce(withoutBoilerplate(documents)).filter(
          ({ name }, at) => ranking.includes(name) || (dice[at] ?? 0) < share,
        );
        const index = part(kept, statisticsOf(documents, guessed, phrasesFor(text)));
        const shown = ranking.slice(0, 5);
        const digits = (list: readonly number[]): string[] => list.map((each) => each.toPrecision(10));
        expect(index.search(query).map(({ name }) => name)).toEqual(ranking);
        expect(digits(index.confidence(query, shown))).toEqual(digits(all.confidence(query, shown)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives the same as the index of all, for a whole catalog of several servers', () => {
    const statistics = statisticsOf(catalog);
    const index = part(atOnce(withoutBoilerplate(catalog)), statistics);
    const all = whole(catalog);
    for (const text of ['get the weather', 'open an issue', 'send a message to a channel', 'list pods', 'read file']) {
      expect(rankingOf(index, text)).toEqual(rankingOf(all, text));
    }
  });

  it('finds nothing by a word that none of its documents has, and everything by the others', () => {
    const documents = [document('read_heron'), document('feed_pelican')];
    const statistics: CatalogStatistics = {
      documents: 1_000,
      averageLengths: { name: 2 },
      stems: new Map([
        ['heron', 10],
        ['stork', 20],
        ['read', 300],
      ]),
    };
    const index = part(documents, statistics);
    const scoreOf = (text: string): number => index.search(parseQuery(text))[0]?.score ?? 0;
    expect(index.search(parseQuery('stork'))).toEqual([]);
    // A word that other documents have is lacking here; one that none has makes no difference.
    expect(scoreOf('heron read stork')).toBeLessThan(scoreOf('heron read'));
    expect(scoreOf('heron read xylophone')).toBeCloseTo(scoreOf('heron read'), 9);
  });
});
