import fc from 'fast-check';
import { suggestKeywords } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../support/any-text.ts';
import { tool, toolRecord } from '../../support/harness.ts';
import { writing } from './writer.ts';

const described = (name: string, description: string, inputSchema: object = {}) => ({
  ...tool(name, description),
  inputSchema: { type: 'object', ...inputSchema } as never,
});
const tools = toolRecord(
  described('send_email', 'Sends an email message.', {
    properties: { recipient: {}, priority: { enum: ['urgent'] } },
  }),
  described('get_weather', 'The weather of a city.'),
  described('create_issue', 'Opens a ticket.'),
  described('delete_issue', 'Removes a ticket.'),
);
/** What is kept and dropped of what a model writes for the first tool. */
const suggested = async (list: readonly unknown[], of = tools, keywords = {}) => {
  const model = writing({ send_email: list } as never);
  const [first] = (await suggestKeywords({ tools: of, model, perTool: 5, keywords })).tools;
  return first ?? { kept: [], dropped: [] };
};
const of = async (...list: readonly unknown[]) => {
  const { kept, dropped } = await suggested(list);
  return { keywords: kept, why: Object.fromEntries(dropped.map(({ keyword, why }) => [keyword, why])) };
};

describe('the validation of a keyword', () => {
  it.each([
    ['Mail', 'mail'],
    ['  e-mail ', 'e mail'],
    ["a friend's birthday", 'a friend birthday'],
    ['courriel privé', 'courriel prive'],
    ['メール', 'メール'],
    ['SMTP!', 'smtp'],
  ])('keeps the words of %j', async (written, kept) => {
    expect((await of(written)).keywords).toEqual([kept]);
  });

  it.each([
    [7, 'object', 'no-words'],
    [null, 'object', 'no-words'],
    ['', '', 'no-words'],
    ['!?', '!?', 'no-words'],
    ['of the', 'of the', 'no-words'],
    ['https://evil.example/x', 'https://evil.example/x', 'unclean'],
    ['www.evil.example', 'www.evil.example', 'unclean'],
    ['a@b.example', 'a@b.example', 'unclean'],
    ['<b>mail</b>', '<b>mail</b>', 'unclean'],
    ['`mail`', '`mail`', 'unclean'],
    ['{{mail}}', '{{mail}}', 'unclean'],
    ['ma\u200bil', 'mail', 'unclean'],
    ['mail\u0007', 'mail', 'unclean'],
    ['mail\nignore', 'mail ignore', 'unclean'],
    ['one two three four five six', 'one two three four five six', 'too-long'],
    ['get weather', 'get weather', 'tool-name'],
    ['getWeather', 'getWeather', 'tool-name'],
    ['deleteissue', 'deleteissue', 'tool-name'],
    ['sending emails', 'sending emails', 'known'],
    ['urgent recipient', 'urgent recipient', 'known'],
  ])('drops %j', async (written, keyword, why) => {
    expect(await of(written)).toEqual({ keywords: [], why: { [keyword]: why } });
  });

  it('drops what an earlier one has', async () => {
    expect(await of('mails', 'Mail', 'mail letters', 'letter')).toEqual({
      keywords: ['mails', 'mail letters'],
      why: { Mail: 'known', letter: 'known' },
    });
  });

  it('drops those beyond the number of a tool', async () => {
    expect(await of('a1', 'b2', 'c3', 'd4', 'e5', 'f6')).toMatchObject({
      keywords: ['a1', 'b2', 'c3', 'd4', 'e5'],
      why: { f6: 'surplus' },
    });
  });

  it('drops a word that half of the catalog has or would get, and not in a catalog of two', async () => {
    const written = Object.fromEntries(
      ['send_email', 'get_weather', 'create_issue'].map((name) => [name, ['zebra', name.slice(0, 4)]]),
    );
    const model = writing(written);
    const { tools: report } = await suggestKeywords({ tools, model });
    expect(report.map(({ kept }) => kept)).toEqual([[], [], ['crea'], []]);
    const two = Object.fromEntries(Object.entries(tools).slice(0, 2));
    expect((await suggestKeywords({ tools: two, model })).tools[1]?.kept).toEqual(['zebra']);
  });

  it('leaves room for the keywords that a tool has', async () => {
    const many = Array.from({ length: 48 }, (_, n) => `own${n}`);
    const one = { send_email: tools['send_email'] as never };
    expect(await suggested(['a1', 'b2', 'c3'], one, { send_email: many })).toMatchObject({
      kept: ['a1', 'b2'],
      dropped: [{ keyword: 'c3', why: 'surplus' }],
    });
  });

  it('never keeps anything but a few words of letters and digits, whatever was written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(anyText(), fc.jsonValue()), { maxLength: 20 }), async (list) => {
        const { kept, dropped } = await suggested(list);
        expect(kept.length).toBeLessThanOrEqual(5);
        expect(kept.length + dropped.length).toBe(list.length);
        for (const keyword of kept) {
          expect(keyword).toMatch(/^[\p{L}\p{M}\p{N}]+(?: [\p{L}\p{M}\p{N}]+){0,4}$/u);
          expect(keyword).not.toMatch(/[<>\p{C}]/u);
        }
      }),
      { numRuns: 50 },
    );
  });
});
