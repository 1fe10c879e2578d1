import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf } from '../../../../src/inspect/page/search/excerpt.ts';
import { isLit, litBy, NOTHING_LIT, segmentsOf } from '../../../../src/inspect/page/search/highlight.ts';
import { bm25Scorer } from '../../../../src/scorers/bm25/bm25.ts';
import { parseQuery } from '../../../../src/scorers/words/query.ts';
import { document } from '../../../fixtures/tools.ts';
import { anyText } from '../../../support/any-text.ts';

/** A text with brackets around what a query lights up in it, as the default scorer explains the match. */
async function lit(query: string, text: string, name = 'a_tool'): Promise<string> {
  const index = await bm25Scorer().index([document(name, text), document('other', 'Something else.')]);
  const explanation = await index.explain?.(parseQuery(query), name);
  return marked(text, litBy(explanation));
}

function marked(text: string, words: ReturnType<typeof litBy>): string {
  return segmentsOf(text, words)
    .map((segment) => (segment.by ? `[${segment.text}]` : segment.text))
    .join('');
}

describe('the words that a query lights up', () => {
  it.each([
    ['issue', 'Create an issue.', 'Create an [issue].', 'is there'],
    ['issue', 'List issues of a project.', 'List [issues] of a project.', 'is there in another form'],
    ['list issues', 'Lists issue templates.', '[Lists] [issue] templates.', 'are there in other forms'],
    ['email', 'Use sendEmail for that.', 'Use send[Email] for that.', 'is a part of an identifier'],
    ['github', 'Everything on GitHub.', 'Everything on [GitHub].', 'is one word with two capitals'],
    ['pr', 'Merge a pull request.', 'Merge a [pull] [request].', 'has a synonym of two words'],
    ['kuberntes', 'Pods of Kubernetes.', 'Pods of [Kubernetes].', 'is misspelt'],
    ['creer', 'Créer un billet.', '[Créer] un billet.', 'is written without its accent'],
    ['天气', '查询城市天气。', '查询城市[天气]。', 'is of a script without spaces'],
    ['banana', 'Create an issue.', 'Create an issue.', 'is not there'],
  ])('%s: in "%s" %s, as it %s', async (query, text, expected) => {
    expect(await lit(query, text)).toBe(expected);
  });

  it('are two where the index has them as one', async () => {
    const index = await bm25Scorer().index([document('add_web_hook', 'Adds it.'), document('other')]);
    const explanation = await index.explain?.(parseQuery('webhook'), 'add_web_hook');
    expect(marked('add_web_hook', litBy(explanation))).toBe('add_[web_hook]');
  });

  it('say how they were found', async () => {
    const index = await bm25Scorer().index([document('a', 'Merge a pull request.'), document('b')]);
    const explanation = await index.explain?.(parseQuery('pr merg'), 'a');
    const bys = segmentsOf('Merge a pull request', litBy(explanation)).map(({ by }) => by);
    expect(bys).toEqual(['form', undefined, 'synonym', undefined, 'synonym'].map((by) => by as never));
  });

  it('are letters within words where a scorer looks for letters, unless they are but one or two', () => {
    const points = [
      { word: 'Mail', points: 5 },
      { word: 'a', points: 2 },
      { word: 'zebra', points: 0 },
    ];
    expect(marked('Emails a zebra', litBy(undefined, points))).toBe('E[mail]s [a] zebra');
  });

  it('leave every text as it is', () => {
    fc.assert(
      fc.property(anyText(), fc.array(anyText(), { maxLength: 3 }), (text, wanted) => {
        const points = wanted.map((word) => ({ word, points: 2 }));
        const words = { words: new Map(wanted.map((word) => [word, 'word' as const])), letters: [] };
        for (const each of [litBy(undefined, points), words, NOTHING_LIT]) {
          expect(
            segmentsOf(text, each)
              .map((segment) => segment.text)
              .join(''),
          ).toBe(text);
        }
      }),
    );
  });
});

describe('an excerpt', () => {
  const by = 'word' as const;

  it('is the whole of a short text', () => {
    const segments = [{ text: 'Create an ' }, { text: 'issue', by }];
    expect(excerptOf(segments)).toBe(segments);
  });

  it('is the beginning of a long one where what is lit up is there, or nothing is', () => {
    expect(excerptOf([{ text: 'issue', by }, { text: 'x'.repeat(500) }])).toEqual([
      { text: 'issue', by },
      { text: 'x'.repeat(215) },
      { text: ' … ' },
    ]);
    expect(excerptOf([{ text: 'x'.repeat(500) }])).toEqual([{ text: 'x'.repeat(220) }, { text: ' … ' }]);
  });

  it('has the first place that is lit up further down', () => {
    const excerpt = excerptOf([{ text: 'x'.repeat(400) }, { text: 'issue', by }, { text: 'y'.repeat(400) }]);
    expect(isLit(excerpt)).toBe(true);
    expect(excerpt.map(({ text }) => text.length).reduce((sum, length) => sum + length)).toBeLessThan(240);
  });
});
