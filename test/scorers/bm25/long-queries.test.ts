import { bm25Scorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
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
