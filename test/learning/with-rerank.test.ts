import { expect, it } from 'vitest';
import { type Rerank, ToolSearchProcessor } from '../../src/index.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { contextOf, learnedStore } from './learned-store.ts';

const tools = toolRecord(
  tool('send_invoice', 'Sends an invoice to a customer.'),
  tool('create_invoice', 'Creates an invoice for a customer.'),
  tool('delete_invoice', 'Deletes an invoice of a customer.'),
);
const query = 'invoice of a customer';
const request = { requestContext: contextOf('ann'), explain: true };
const found = (rerank?: Rerank) => {
  const learning = { store: learnedStore(query, 'send_invoice'), halfLife: Number.POSITIVE_INFINITY };
  return new ToolSearchProcessor({ tools, learning, search: rerank ? { rerank } : {} }).search(query, request);
};

it('hands search.rerank what was learned, without saying so', async () => {
  let given: Parameters<Rerank>[0] = [];
  const results = await found((matches) => {
    given = matches;
    return matches.toReversed();
  });
  const learned = await found();
  expect(learned[0]).toMatchObject({ name: 'send_invoice', byUse: expect.any(Number) });
  expect(given).toEqual(learned.map(({ name, score }) => ({ name, score })));
  expect(results.map(({ name }) => name)).toEqual(learned.map(({ name }) => name).reverse());
});

it('keeps what was learned where search.rerank fails', async () => {
  const results = await found(() => {
    throw new Error('down');
  });
  expect(results).toEqual(await found());
});
