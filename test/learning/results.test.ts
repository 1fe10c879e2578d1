// What was learned, in the results of searches.
import {
  bm25Scorer,
  type LearningOptions,
  type Rerank,
  type ToolScorer,
  ToolSearchProcessor,
  tieredScorer,
} from 'mastra-tool-search';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { expect, it } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';
import { contextOf, learnedStore } from './learned-store.ts';

const request = { requestContext: contextOf('ann'), explain: true };
const learned = async (query: string, name: string): Promise<LearningOptions> => ({
  store: await learnedStore(query, name),
  halfLife: Number.POSITIVE_INFINITY,
});

const office = toolRecord(
  tool('send_invoice', 'Sends an invoice to a customer.'),
  tool('create_invoice', 'Creates an invoice for a customer.'),
  tool('list_customers', 'Lists the customers.'),
  tool('get_weather', 'The weather of a city.'),
  tool('delete_invoice', 'Deletes an invoice.'),
  tool('send_email', 'Sends an email to somebody.'),
  tool('send_letter_customer', 'Sends letters.'),
);
it.each(['send an invoice to the customer', 'invoice to send', 'customer letter'])(
  'use takes no confidence from what it passes: %s',
  async (query) => {
    const plain = await new ToolSearchProcessor({ tools: office }).search(query, request);
    expect(plain.length).toBeGreaterThan(1);
    for (const { name } of plain.slice(1)) {
      const learning = await learned(query, name);
      const lifted = await new ToolSearchProcessor({ tools: office, learning }).search(query, request);
      expect(lifted.some(({ byUse = 0 }) => byUse > 0)).toBe(true);
      for (const { name: other, confidence = 0 } of plain.filter((found) => found.name !== name)) {
        const after = lifted.find((found) => found.name === other)?.confidence ?? 0;
        expect(after, `${other} after use of ${name}`).toBeGreaterThanOrEqual(confidence);
      }
    }
  },
);

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
];

it.each(scorers)('a lift is no share of the score of a forbidden tool: %s', async (_, scorer) => {
  const visible = [tool('weather_report', 'Forecast.'), tool('a_report', 'A report of the weather.')];
  const hidden = tool('city_weather_report_map_all', 'City weather report.');
  const query = 'weather report city map all';
  const learning = await learned(query, 'a_report');
  const filter = ({ toolName }: { toolName: string }): boolean => !toolName.startsWith('city');
  const search = { scorer: scorer() };
  const filtered = new ToolSearchProcessor({ tools: toolRecord(...visible, hidden), filter, search, learning });
  const without = new ToolSearchProcessor({ tools: toolRecord(...visible), search, learning });
  expect(await filtered.search(query, request)).toEqual(await without.search(query, request));
});

const tools = toolRecord(
  tool('send_invoice', 'Sends an invoice to a customer.'),
  tool('create_invoice', 'Creates an invoice for a customer.'),
  tool('delete_invoice', 'Deletes an invoice of a customer.'),
);
const query = 'invoice of a customer';
const found = async (rerank?: Rerank) => {
  const learning = await learned(query, 'send_invoice');
  return new ToolSearchProcessor({ tools, learning, search: rerank ? { rerank } : {} }).search(query, request);
};

it('hands search.rerank what was learned, without saying so, and keeps it where that fails', async () => {
  let given: Parameters<Rerank>[0] = [];
  const results = await found((matches) => {
    given = matches;
    return matches.toReversed();
  });
  const lifted = await found();
  expect(lifted[0]).toMatchObject({ name: 'send_invoice', byUse: expect.any(Number) });
  expect(given).toEqual(lifted.map(({ name, score }) => ({ name, score })));
  expect(results.map(({ name }) => name)).toEqual(lifted.map(({ name }) => name).reverse());
  const failing = await found(() => {
    throw new Error('down');
  });
  expect(failing).toEqual(lifted);
});
