import { bm25Scorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import type { IncrementalIndex } from '../../../src/scorers/scorer.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { actionKinds, DELETING, STOPPING } from '../../../src/scorers/words/query-words.ts';
import { stem } from '../../../src/scorers/words/words.ts';
import { document } from '../../fixtures/tools.ts';
import { namesOf } from '../scorer-contract.ts';

describe('the kinds of action', () => {
  it('are of a few verbs each, no verb being of two', () => {
    const kinds = [...actionKinds()];
    expect(new Set(kinds.map(([verb]) => verb)).size).toBe(kinds.length);
    expect(new Set(kinds.map(([, kind]) => kind))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
  });

  it.each([
    ['list', 'get'],
    ['adds', 'create'],
    ['posting', 'send'],
    ['removed', 'deletes'],
  ])('have %s and %s in one', (one, other) => {
    expect(actionKinds().get(stem(one))).toBeDefined();
    expect(actionKinds().get(stem(one))).toBe(actionKinds().get(stem(other)));
  });

  it('are known by number where one matters', () => {
    expect(actionKinds().get(stem('delete'))).toBe(DELETING);
    expect(actionKinds().get(stem('cancel'))).toBe(STOPPING);
  });

  it('know no noun', () => {
    for (const noun of ['issue', 'weather', 'constructor', '__proto__']) {
      expect(actionKinds().get(stem(noun))).toBeUndefined();
    }
  });
});

describe('tools for one thing', () => {
  // Of the same length, and with the same words but for the verb.
  const documents = ['read', 'make', 'edit', 'drop', 'copy', 'stop'].map((verb) =>
    document(`shop_${verb}_invoice`, 'Of a customer.'),
  );

  it.each([
    { query: 'look up an invoice', first: 'shop_read_invoice', why: 'reads' },
    {
      query: 'enumerate the invoice of a customer',
      first: 'shop_read_invoice',
      why: 'reads, by a word that no tool has',
    },
    { query: 'register the invoice of a customer', first: 'shop_make_invoice', why: 'makes one' },
    { query: 'patch the invoice of a customer', first: 'shop_edit_invoice', why: 'changes it' },
    { query: 'discard the invoice of a customer', first: 'shop_drop_invoice', why: 'deletes it' },
    { query: 'transfer the invoice of a customer', first: 'shop_copy_invoice', why: 'moves it' },
    { query: 'suspend the invoice of a customer', first: 'shop_stop_invoice', why: 'stops it' },
    { query: 'Rechnung löschen', first: 'shop_drop_invoice', why: 'deletes it, in German' },
  ])('are told apart by the verb of "$query": $first $why', async ({ query, first }) => {
    expect((await namesOf(bm25Scorer(), documents, query))[0]).toBe(first);
  });

  it('keep their order where the query has no verb, but for the one that deletes', async () => {
    const index = await bm25Scorer().index(documents);
    const found = await index.search(parseQuery('invoice of a customer'));
    expect(found).toHaveLength(6);
    expect(new Set(found.slice(0, 5).map(({ score }) => score)).size).toBe(1);
    expect(found[5]).toEqual({ name: 'shop_drop_invoice', score: expect.closeTo((found[0]?.score ?? 0) / 2) });
  });

  // The other tool is of another kind too: of two that are equal, the alphabet prefers this one.
  it.each([
    { query: 'delete that invoice', why: 'a verb for deleting' },
    { query: 'get rid of that invoice', why: 'a phrase for it' },
    { query: 'Rechnung löschen', why: 'one in German' },
    { query: 'cancel that invoice', why: 'a verb for ending' },
    { query: 'delte that invoice', why: 'a verb for deleting, misspelled' },
  ])('keep what deletes for "$query": $why', async ({ query }) => {
    const known = [document('shop_delete_invoice', 'Invoices.'), document('shop_edit_invoice', 'Invoices.')];
    expect((await namesOf(bm25Scorer(), known, query))[0]).toBe('shop_delete_invoice');
  });

  it('gain and lose a tenth, half for deleting unasked, and nothing where the name has no verb', async () => {
    // Neither word of the query is in a name: the verb alone makes the difference.
    const named = ['shop_show_ledger', 'shop_edit_ledger', 'shop_drop_ledger', 'shop_blue_ledger'].map((name) =>
      document(name, 'Wombats.'),
    );
    const index = await bm25Scorer({ synonyms: [] }).index(named);
    const found = await index.search(parseQuery('enumerate wombats'));
    const scores = new Map(found.map(({ name, score }) => [name, score]));
    const plain = scores.get('shop_blue_ledger') ?? 0;
    expect(scores.get('shop_show_ledger')).toBeCloseTo(1.1 * plain);
    expect(scores.get('shop_edit_ledger')).toBeCloseTo(0.9 * plain);
    expect(scores.get('shop_drop_ledger')).toBeCloseTo(0.5 * plain);
  });

  it('are told apart as well when they have come later', async () => {
    const index = (await bm25Scorer().index(documents.slice(1))) as IncrementalIndex;
    const updated = await index.update?.(documents.slice(0, 1), []);
    const [first] = (await updated?.search(parseQuery('enumerate the invoice of a customer'))) ?? [];
    expect(first?.name).toBe('shop_read_invoice');
  });
});
