import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolDocument } from '../../src/catalog/document.ts';
import { lexemesOf, tenantLexeme } from '../../src/postgres/words.ts';
import { FIELDS } from '../../src/scorers/bm25/settings.ts';
import { PROSE, sentencesOf, toolWords } from '../../src/scorers/bm25/tool-words.ts';
import { isStopWord, MAX_WORD, stem } from '../../src/scorers/words/words.ts';
import { cut } from '../../src/util/text.ts';
import { runToEnd } from '../../src/util/time-slices.ts';
import { anyText } from '../support/any-text.ts';
import { describeDatabases } from './databases.ts';

const document = (name: string, description = '', rest: Partial<ToolDocument> = {}): ToolDocument => ({
  ...{ name, description, title: '', server: '', keywords: [], parameters: [] },
  ...rest,
});
const wordsOf = (documents: readonly ToolDocument[], tenant = '') => runToEnd(lexemesOf(tenant, documents));

describe('the words of documents', () => {
  it('are stems with the best weight of the fields that have them, and the lexeme of the tenant', () => {
    const [found] = wordsOf(
      [
        document('list_issues', 'Lists the open issues. Sorted by dates.', {
          title: 'Open tickets',
          parameters: [{ name: 'issueDate', description: 'A date.', values: ['ascending'] }],
        }),
      ],
      'acme',
    );
    expect(found?.words.split(' ').sort()).toEqual(
      [
        `'${tenantLexeme('acme')}':1D`,
        ...["'ascend':1D", "'date':1D", "'issu':1A", "'list':1A", "'listissu':1A"],
        ...["'=issu':1A", "'=list':1A", "'=listissu':1A", "'open':1B", "'sort':1D", "'ticket':1B"],
      ].sort(),
    );
    expect(found?.lengths).toEqual([3, 0, 2, 3, 2, 2, 2, 0]);
  });

  it('are those that the ranking reads, and as many', () => {
    const documents = fc.array(
      fc.record({
        name: anyText(),
        description: anyText(),
        title: anyText(),
        keyword: anyText(),
        parameter: anyText(),
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(documents, (list) => {
        const all = list.map(({ name, description, title, keyword, parameter }) =>
          document(name, description, {
            title,
            keywords: [keyword],
            parameters: [{ name: parameter, description: parameter, values: [] }],
          }),
        );
        for (const [id, { words, lengths }] of wordsOf(all).entries()) {
          const { fields } = toolWords(all[id] as ToolDocument, sentencesOf(all[id] as ToolDocument));
          const counted = FIELDS.map((field) =>
            fields[field]
              .map((word) => cut(word, MAX_WORD).toLowerCase())
              .filter((word) => !PROSE.has(field) || !isStopWord(word)),
          );
          expect(lengths).toEqual(counted.map((list) => new Set(list).size));
          const roots = new Set([tenantLexeme(''), ...counted.flat().map(stem)]);
          expect(
            words
              .split(' ')
              .map((each) => each.slice(1, each.lastIndexOf("'")))
              .filter((lexeme) => !lexeme.startsWith('='))
              .sort(),
          ).toEqual([...roots].sort());
        }
      }),
      { numRuns: 200 },
    );
  });
});

describeDatabases('the literal of words', ({ rows }) => {
  it('is one that PostgreSQL reads, whatever a tool is called', async () => {
    await fc.assert(
      fc.asyncProperty(anyText(), async (text) => {
        const [found] = wordsOf([document('tool', text, { keywords: [text] })]);
        const [read] = await rows('SELECT tsvector_to_array($1::tsvector) AS words', [found?.words]);
        expect(read?.['words']).toHaveLength(found?.words.split(' ').length ?? 0);
      }),
      { numRuns: 100 },
    );
  });

  it('of the largest document is far from the bounds of PostgreSQL', async () => {
    let count = 0;
    const distinct = (length: number): string =>
      Array.from({ length: length / 4 }, () =>
        String.fromCodePoint(0x10480 + (count % 30), 0x10480 + (++count % 29)),
      ).join(' ');
    const parameters = Array.from({ length: 200 }, () => {
      return {
        name: distinct(128),
        description: distinct(1000),
        values: Array.from({ length: 50 }, () => distinct(128)),
      };
    });
    const keywords = Array.from({ length: 50 }, () => distinct(100));
    const [found] = wordsOf([document('tool', distinct(4_000), { parameters, keywords, title: distinct(200) })]);
    expect(Buffer.byteLength(found?.words ?? '')).toBeLessThan(200_000);
    const [read] = await rows('SELECT length($1::tsvector) AS words', [found?.words]);
    expect(read?.['words']).toBeGreaterThan(100);
  });
});
