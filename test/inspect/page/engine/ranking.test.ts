import { describe, expect, it } from 'vitest';
import { Engine } from '../../../../src/inspect/page/engine/engine.ts';
import { bm25Scorer } from '../../../../src/scorers/bm25/bm25.ts';
import { dataOf, realTools } from './data.ts';
import { simpleProcessor } from './processor.ts';

const engine = new Engine(dataOf(realTools));

describe('a ranking of the page', () => {
  it.each([
    'create an issue',
    'upload a file to the bucket and share it with somebody',
    'kuberntes pods',
    'github_create_issue',
    'water the plants on the balcony',
  ])('shows for "%s" what a search of the processor shows, with its confidence', async (query) => {
    const results = await simpleProcessor(realTools).search(query);
    const { tools } = await engine.rank(query, 'bm25', 50);
    const shown = tools.filter(({ fate }) => fate === 'shown');
    expect(shown.map(({ name, score, confidence }) => ({ name, score, confidence }))).toEqual(
      results.map(({ name, score, confidence }) => ({ name, score, confidence })),
    );
  });

  it('tells the fate of each tool: shown, of the tail, or below what is shown', async () => {
    const { tools } = await engine.rank('create an issue', 'bm25', 50);
    expect(tools.slice(5).every(({ fate }) => fate === 'below')).toBe(true);
    const { tools: few } = await engine.rank('github_create_issue', 'bm25', 50);
    expect(few.slice(0, 5).map(({ fate }) => fate)).toContain('shown');
  });

  it('explains each tool, and says that probably nothing fits where so it is', async () => {
    const { tools, isWeak, likelihood } = await engine.rank('create an issue', 'bm25', 3);
    expect(tools[0]?.explanation?.words.map(({ word }) => word)).toEqual(['create', 'issue']);
    expect({ isWeak, isLikely: (likelihood ?? 0) > 0.5 }).toEqual({ isWeak: false, isLikely: true });
    expect(await engine.rank('water the plants on the balcony', 'bm25', 3)).toMatchObject({ isWeak: true });
  });

  it('says what each word earns a tool where the scorer explains nothing', async () => {
    const { tools, isWeak } = await engine.rank('create issue', 'tiered', 1);
    expect(tools[0]?.explanation?.words).toMatchObject([
      { word: 'create', score: 10, fields: { 'a part of the name': 10 } },
      { word: 'issue', score: 10 },
    ]);
    expect(tools[0]?.score).toBe(20);
    expect(isWeak).toBe(undefined);
  });

  it('takes a list of names as it is', async () => {
    const ranking = await engine.rank('select:github_create_issue,no_such_tool', 'bm25', 50);
    expect(ranking).toMatchObject({ isSelection: true, names: ['github_create_issue'], count: 1 });
  });

  it('finds nothing for an empty query', async () => {
    expect(await engine.rank(' ', 'bm25', 50)).toMatchObject({ tools: [], count: 0 });
  });

  it('ranks as the scorer does, beyond what it explains', async () => {
    const { names, count } = await engine.rank('list files', 'bm25', 5);
    const { documents } = await import('./processor.ts');
    const index = await bm25Scorer().index(documents(realTools));
    const matches = await index.search({ text: 'list files', keywords: ['list', 'files'], required: [] });
    expect(names).toEqual(matches.slice(0, 1_000).map(({ name }) => name));
    expect(count).toBe(matches.length);
  });
});
