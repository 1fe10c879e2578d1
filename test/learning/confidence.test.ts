import { expect, it } from 'vitest';
import { ToolSearchProcessor } from '../../src/index.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { contextOf, learnedStore } from './learned-store.ts';

const tools = toolRecord(
  tool('send_invoice', 'Sends an invoice to a customer.'),
  tool('create_invoice', 'Creates an invoice for a customer.'),
  tool('list_customers', 'Lists the customers.'),
  tool('get_weather', 'The weather of a city.'),
  tool('delete_invoice', 'Deletes an invoice.'),
  tool('send_email', 'Sends an email to somebody.'),
  tool('export_invoice_report', 'Exports a report.'),
  tool('pay_bill', 'Pays a bill.'),
  tool('send_letter_customer', 'Sends letters.'),
);
const request = { requestContext: contextOf('ann'), explain: true };

it.each([
  'send an invoice to the customer',
  'invoice to send',
  'invoice customer',
  'create an invoice',
  'customer letter',
])('use takes no confidence from what it passes: %s', async (query) => {
  const plain = await new ToolSearchProcessor({ tools }).search(query, request);
  expect(plain.length).toBeGreaterThan(1);
  for (const { name } of plain.slice(1)) {
    const learning = { store: learnedStore(query, name), halfLife: Number.POSITIVE_INFINITY };
    const lifted = await new ToolSearchProcessor({ tools, learning }).search(query, request);
    expect(lifted.some(({ byUse = 0 }) => byUse > 0)).toBe(true);
    for (const { name: other, confidence = 0 } of plain.filter((found) => found.name !== name)) {
      const after = lifted.find((found) => found.name === other)?.confidence ?? 0;
      expect(after, `${other} after use of ${name}`).toBeGreaterThanOrEqual(confidence);
    }
  }
});
