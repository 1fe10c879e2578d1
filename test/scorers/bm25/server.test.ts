import { bm25Scorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import type { ToolDocument } from '../../../src/catalog/document.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { document } from '../../fixtures/tools.ts';
import { namesOf } from '../scorer-contract.ts';

const names = (documents: readonly ToolDocument[], query: string): Promise<readonly string[]> =>
  namesOf(bm25Scorer(), documents, query);

/** Tools of a server, without its name in theirs. */
const toolsOf = (server: string, instructions?: string, prefix = ''): ToolDocument[] =>
  ['send', 'list', 'remove'].map((verb) =>
    document(`${prefix}${verb}_${server.length}`, `Can ${verb} messages.`, { server, instructions }),
  );

describe('the server of a tool', () => {
  const documents = [...toolsOf('slack'), ...toolsOf('discord'), ...toolsOf('teams42', undefined, 'x')];

  it('lifts its tools where the query names it', async () => {
    expect((await names(documents, 'send a message in slack'))[0]).toBe('send_5');
    expect((await names(documents, 'send a message in discord'))[0]).toBe('send_7');
  });

  it('tells nothing apart where all tools are of one', async () => {
    const one = [...toolsOf('slack'), document('slack_status', 'Shows slack.', { server: 'slack' })];
    expect((await names(one, 'remove slack messages'))[0]).toBe('remove_5');
  });
});

describe('what the server says of all its tools', () => {
  const shop = 'An online shop: parcels, refunds and vouchers.';
  const documents = [
    ...toolsOf('shop', shop),
    ...toolsOf('slack'),
    ...toolsOf('discord'),
    document('find_refund', 'Finds a refund.'),
  ];

  it('finds them', async () => {
    expect(await names(documents, 'vouchers')).toEqual(['list_4', 'send_4', 'remove_4']);
  });

  it('counts less than what a tool itself says', async () => {
    expect(await names(documents, 'refund')).toEqual(['find_refund', 'list_4', 'send_4', 'remove_4']);
  });

  it('tells tools with the same words apart', async () => {
    expect((await names(documents, 'send a message about a parcel'))[0]).toBe('send_4');
  });

  it('does not make a word common: its tools weigh as before', async () => {
    const scoreOf = async (instructions?: string): Promise<number | undefined> => {
      const index = await bm25Scorer().index([
        document('find_refund', 'Finds a refund.'),
        ...toolsOf('shop', instructions),
        ...toolsOf('slack'),
        ...toolsOf('discord'),
      ]);
      return (await index.search(parseQuery('refund')))[0]?.score;
    };
    expect(await scoreOf(shop)).toBe(await scoreOf());
  });

  it('says nothing where it is said of most tools', async () => {
    expect(await names([...toolsOf('shop', shop), document('wave', 'Waves.')], 'vouchers')).toEqual([]);
  });

  it('satisfies no required word', async () => {
    expect(await names(documents, '+vouchers message')).toEqual([]);
  });

  it('is explained', async () => {
    const index = await bm25Scorer().index(documents);
    const query = parseQuery('vouchers');
    expect(await index.explain?.(query, 'send_4')).toMatchObject({
      words: [{ word: 'vouchers', found: '', by: 'server', fields: {} }],
    });
  });
});
