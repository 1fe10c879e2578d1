import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { all, narrowed, type Probe, probeOf, quoted, requiredBy } from '../../src/postgres/candidates.ts';
import type { KnownWords } from '../../src/postgres/counts.ts';
import { askedWords } from '../../src/scorers/bm25/candidates.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { anyText } from '../support/any-text.ts';
import { describeDatabases } from './databases.ts';

const asked = (text: string) => askedWords(parseQuery(text).keywords, () => true);
const knownOf = (counts: Readonly<Record<string, number>>, total = 1_000_000): KnownWords => ({
  ...{ total, ofAll: total, wanted: new Set(), statistics: { documents: total, averageLengths: {}, stems: new Map() } },
  countOf: (lexeme) => counts[lexeme] ?? 0,
  guessesOf: (word) => (word === 'wether' ? ['weather'] : []),
});
const probe = (text: string, known: KnownWords): Probe | undefined => probeOf(asked(text), known);

describe('a probe', () => {
  it('never looks for a common word alone, where a rarer one is there', () => {
    const known = knownOf({
      get: 200_000,
      '=get': 80_000,
      weather: 3_000,
      '=weather': 400,
      citi: 20_000,
      '=citi': 900,
    });
    const { queries = [] } = probe('get weather city', known) ?? {};
    expect(queries.length).toBeGreaterThan(0);
    for (const query of queries) expect(query).toMatch(/^'=weather'|^'=?citi' & |^'=?weather' & /);
  });

  it('looks for any of its words in a small catalog', () => {
    const known = knownOf({ send: 800, email: 300, mail: 40 }, 3_000);
    const { queries = [] } = probe('send email', known) ?? {};
    expect(queries).toHaveLength(1);
    for (const root of ['send', 'email', 'mail']) expect(queries[0]).toContain(quoted(root));
    expect(queries[0]).not.toContain('&');
  });

  it('has few queries, however long the query is', () => {
    const list = Array.from({ length: 60 }, (_, at) => `word${String.fromCharCode(97 + (at % 26))}${at}x`);
    const counts = Object.fromEntries(
      list.flatMap((word, at) => [
        [word, 500 * (at + 1)],
        [`=${word}`, 50 * (at + 1)],
      ]),
    );
    const { queries = [], levels = [] } = probe(list.join(' '), knownOf(counts)) ?? {};
    expect(queries.length).toBeLessThanOrEqual(24);
    expect(queries.join('').length).toBeLessThan(30_000);
    expect(levels.length).toBeLessThan(10);
  });

  it('looks for a rare word alone beside words whose lists are longer to read, and for nothing twice', () => {
    const known = knownOf({ zebra: 300, json: 90_000, format: 80_000, '=json': 2_000 });
    expect(probe('zebra json format', known)?.queries).toContain("'zebra'");
    expect(probe('zebra json format', known)?.queries.filter((query) => query.includes("'zebra'"))).toHaveLength(1);
    const rarer = knownOf({ zebra: 3_000, json: 9_000, format: 8_000, '=json': 2_000 });
    expect(probe('zebra json format', rarer)?.queries).not.toContain("'zebra'");
  });

  it('looks for what a word may mean that no document has', () => {
    const { queries = [] } = probe('wether', knownOf({ weather: 10 })) ?? {};
    expect(queries.join(' ')).toContain("'weather'");
  });

  it('is none, where no document has a word', () => {
    expect(probe('xylophone', knownOf({ weather: 10 }))).toBeUndefined();
  });

  it('looks for the most telling word, where even that is common', () => {
    const { queries = [] } = probe('files', knownOf({ file: 300_000, '=file': 90_000 })) ?? {};
    expect(queries).toEqual(["'=file'"]);
  });
});

describe('what is required', () => {
  const known = knownOf({ weather: 10, mail: 5, email: 7 });
  it('is nothing, a query for each word, or cannot be', () => {
    expect(requiredBy([], known)).toBe('');
    expect(requiredBy(asked('weather'), known)).toBe("('weather')");
    expect(requiredBy(asked('wether'), known)).toBe("('weather')");
    expect(requiredBy(asked('weather xylophone'), known)).toBeUndefined();
  });

  it('narrows each query, as the tenant does', () => {
    expect(narrowed(["'a'", "'b' | 'c'"], '@x', "('d')")).toEqual([
      "'@x' & ('d') & ('a')",
      "'@x' & ('d') & ('b' | 'c')",
    ]);
    expect(narrowed(["'a'"], undefined, '')).toEqual(["'a'"]);
  });
});

describeDatabases('a lexeme in a query', (database) => {
  it('stands for itself, whatever is in it', async () => {
    const lexeme = fc
      .oneof(
        anyText(),
        fc.string({ unit: fc.constantFrom("'", '\\', '&', '|', '!', '(', ':', '*', ' ', 'a'), minLength: 1 }),
      )
      .map((text) => Buffer.from(text.replaceAll('\0', '')).toString().slice(0, 200))
      .filter((text) => text !== '' && Buffer.from(text).toString() === text);
    await fc.assert(
      fc.asyncProperty(lexeme, lexeme, async (one, other) => {
        const [row] = await database.rows(
          `SELECT array_to_tsvector(ARRAY[$1, $2]) @@ $3::tsquery AS both, array_to_tsvector(ARRAY[$1]) @@ $3::tsquery AS one,
          array_to_tsvector(ARRAY[$1]) @@ $4::tsquery AS alone`,
          [one, other, all([one, other]), all([one])],
        );
        expect(row).toEqual({ both: true, one: one === other, alone: true });
      }),
      { numRuns: 200 },
    );
  });
});
