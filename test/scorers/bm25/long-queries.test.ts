import { bm25Scorer } from 'mastra-tool-search';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { NameFits } from '../../../src/scorers/bm25/name-fits.ts';
import { Tally } from '../../../src/scorers/bm25/tally.ts';
import { TermIndex } from '../../../src/scorers/bm25/term-index.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { catalog, document } from '../../fixtures/tools.ts';
import { namesOf } from '../scorer-contract.ts';

const names = (query: string) => namesOf(bm25Scorer(), catalog, query);

const AROUND = [
  'Hi there! As I told Maria on Tuesday, the review was moved to 10:30, since the people of the weather office had no time.',
  'Our partners are tired of waiting, and nobody in the Lisbon office knows why it takes so long. My number is 48213.',
];

describe('a long query', () => {
  it.each([
    { request: 'rename a folder', found: 'move_file' },
    { request: 'cancel a meeting event', found: 'calendarDeleteEvent' },
    { request: 'comment on an issue', found: 'github_add_issue_comment' },
    { request: 'scale the deployment', found: 'k8s_scale_deployment' },
  ])('finds $found for the sentence that asks for it: $request', async ({ request, found }) => {
    const [before, after] = AROUND;
    for (const query of [
      `${before} Could you please ${request}? ${after}`,
      `${before} ${after} I need to ${request}.`,
      `${request}. ${before} ${after}`,
    ]) {
      expect((await names(query))[0], query).toBe(found);
    }
  });

  it('finds the tools of several sentences', async () => {
    const query =
      'Look up the exchange rate of euros in dollars for our report. Then translate the text of the summary into French, as it is for Paris. Finally transfer the money to the bank account of our customer.';
    expect([...(await names(query)).slice(0, 3)].sort()).toEqual([
      'bank_transfer',
      'currency-convert',
      'translateText',
    ]);
  });

  it('finds what one sentence of many words asks for by all of them', async () => {
    const documents = [document('read_heron', 'Reads a heron.'), document('paint_stork', 'Paints a stork in oil.')];
    const query =
      'paint one stork with bright oil colours beside blue water under grey clouds near green trees above brown stones';
    expect((await namesOf(bm25Scorer(), documents, query))[0]).toBe('paint_stork');
  });

  it('counts a number for less than a word', async () => {
    const documents = [document('list_404', 'Lists 404 pages.'), document('list_herons', 'Lists herons and others.')];
    expect((await namesOf(bm25Scorer(), documents, 'list herons 404'))[0]).toBe('list_herons');
  });
});

describe('the work for a long query', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const REQUESTS = [
    'rename the folder',
    'cancel a meeting event',
    'comment on the pull request',
    'scale the deployment',
  ];
  /** Many sentences of the same words. */
  const LONG = Array.from({ length: 80 }, (_, n) => `${REQUESTS[n % 4]} ${REQUESTS[(n >> 2) % 4]}.`).join(' ');

  it('looks for each word once, in however many sentences it stands', async () => {
    const index = await bm25Scorer().index(catalog);
    const looked = vi.spyOn(TermIndex.prototype, 'addFrequencies');
    await index.search(parseQuery(`${REQUESTS.join(' and ')}. ${REQUESTS.join(' or ')}`));
    const ofShort = looked.mock.calls.length;
    expect(ofShort).toBeGreaterThan(0);
    const other = await bm25Scorer().index(catalog);
    looked.mockClear();
    await other.search(parseQuery(LONG.slice(0, 2_000)));
    // What stands beside a word may differ: a compound, a phrase.
    expect(looked.mock.calls.length).toBeLessThan(2 * ofShort);
  });

  it('looks for nothing again when the query comes again, phrases included', async () => {
    const index = await bm25Scorer().index(catalog);
    await index.search(parseQuery(LONG));
    const looked = vi.spyOn(TermIndex.prototype, 'addFrequencies');
    await index.search(parseQuery(LONG));
    expect(looked).not.toHaveBeenCalled();
  });

  it('scores a bounded number of sentences', async () => {
    const index = await bm25Scorer().index(catalog);
    const scored = vi.spyOn(NameFits.prototype, 'with');
    const added = vi.spyOn(Tally.prototype, 'add');
    const work = async (text: string): Promise<{ sentences: number; sums: number }> => {
      scored.mockClear();
      added.mockClear();
      await index.search(parseQuery(text));
      return { sentences: scored.mock.calls.length, sums: added.mock.calls.length };
    };
    const short = await work(`${REQUESTS.join('. ')}. Please ${AROUND[1]}`);
    const long = await work(LONG.slice(0, 1_800) + AROUND[1]);
    // All of it, and each sentence by itself.
    expect(short.sentences).toBe(1 + REQUESTS.length + 2);
    expect(long.sentences).toBe(1 + 16);
    expect(long.sums).toBeLessThan(5 * short.sums);
  });
});
