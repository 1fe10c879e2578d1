import { expect, it } from 'vitest';
import { hybridScorer, rerankingScorer, semanticScorer } from '../../src/entries/semantic.ts';
import { bm25Scorer, type ToolScorer, ToolSearchProcessor, tieredScorer } from '../../src/index.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { contextOf, learnedStore } from './learned-store.ts';

const embed = async (texts: readonly string[]): Promise<number[][]> =>
  texts.map((text) => [text.includes('city') ? 1 : 0.5, 0.4, text.includes('weather') ? 1 : 0.2]);
/** Its scores depend on no other tool, so that its index has no `restrictedTo`. */
const own: ToolScorer = {
  name: 'own',
  index: (documents) => ({
    search: ({ keywords }) =>
      documents
        .map(({ name }) => ({ name, score: keywords.filter((word) => name.includes(word)).length }))
        .filter(({ score }) => score > 0)
        .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1)),
  }),
};
const scorers: readonly [string, () => ToolScorer][] = [
  ['bm25', () => bm25Scorer()],
  ['tiered', () => tieredScorer()],
  ['own', () => own],
  ['semantic', () => semanticScorer({ embed })],
  ['hybrid', () => hybridScorer([tieredScorer(), semanticScorer({ embed })])],
  ['reranking', () => rerankingScorer(tieredScorer(), { rerank: (_, candidates) => candidates.map(() => 1) })],
];

it.each(scorers)('a lift is no share of the score of a forbidden tool: %s', async (_, scorer) => {
  const visible = [tool('weather_report', 'Forecast.'), tool('a_report', 'A report of the weather.')];
  const hidden = tool('city_weather_report_map_all', 'City weather report.');
  const query = 'weather report city map all';
  const learning = { store: learnedStore(query, 'a_report'), halfLife: Number.POSITIVE_INFINITY };
  const request = { requestContext: contextOf('ann'), explain: true };
  const filter = ({ toolName }: { toolName: string }): boolean => !toolName.startsWith('city');
  const search = { scorer: scorer() };
  const filtered = new ToolSearchProcessor({ tools: toolRecord(...visible, hidden), filter, search, learning });
  const without = new ToolSearchProcessor({ tools: toolRecord(...visible), search, learning });
  expect(await filtered.search(query, request)).toEqual(await without.search(query, request));
});
