import { bm25Scorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import type { ToolDocument } from '../../../src/catalog/document.ts';
import { DEFAULT_SETTINGS } from '../../../src/scorers/bm25/settings.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { document } from '../../fixtures/tools.ts';

/** Tools whose descriptions answer all queries alike, and of whose names no query says anything. */
const documents = ['one', 'one_two', 'one_two_three'].map((name) =>
  document(`${name}_stranger`, 'Blue herons, grey wombats, red pelicans.'),
);

/** The scores of the tools, each as a share of the first one's. */
async function sharesFor(query: string, list: readonly ToolDocument[] = documents): Promise<readonly number[]> {
  const found = await (await bm25Scorer().index(list)).search(parseQuery(query));
  const scores = new Map(found.map(({ name, score }) => [name, score]));
  const first = scores.get(list[0]?.name ?? '') ?? 0;
  return list.map(({ name }) => (scores.get(name) ?? 0) / first);
}

describe('a short query', () => {
  const { stranger } = DEFAULT_SETTINGS;

  it.each(['herons', 'blue herons', 'grey wombats pelicans', 'blue herons grey wombats'])(
    'lowers a tool by each word of its name that "%s" does not ask for',
    async (query) => {
      const [, second, third] = await sharesFor(query);
      expect(second).toBeCloseTo((1 + 2 * stranger) / (1 + 3 * stranger), 9);
      expect(third).toBeCloseTo((1 + 2 * stranger) / (1 + 4 * stranger), 9);
    },
  );

  it('does not count stop words', async () => {
    expect((await sharesFor('the blue herons and the grey wombats'))[1]).toBeLessThan(1);
  });

  it('is one of at most four words: longer ones tell a task, in other words than names', async () => {
    expect(await sharesFor('blue herons grey wombats pelicans')).toEqual([1, 1, 1]);
  });

  it('counts no word of a name for which it has a synonym', async () => {
    const list = ['red_image_stranger', 'red_heron_stranger'].map((name) => document(name, 'Photographs of wombats.'));
    const [image = 0, heron = 0] = await sharesFor('picture', [...list]);
    expect(heron).toBeLessThan(image);
  });
});
