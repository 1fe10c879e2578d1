import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolDocument } from '../../../src/catalog/document.ts';
import { words } from '../../../src/scorers/words/words.ts';
import { validate } from '../../../src/workbench/keywords/validation.ts';
import { anyText } from '../../support/any-text.ts';
import { tool } from '../../support/harness.ts';

const documentOf = (name: string, description: string, inputSchema: object = {}) =>
  toolDocument(name, { ...tool(name, description), inputSchema }).document;
const documents = [
  documentOf('send_email', 'Sends an email message.', {
    properties: { recipient: {}, priority: { enum: ['urgent'] } },
  }),
  documentOf('get_weather', 'The weather of a city.'),
  documentOf('create_issue', 'Opens a ticket.'),
  documentOf('delete_issue', 'Removes a ticket.'),
];
const of = (...list: readonly unknown[]) => {
  const { keywords = [], dropped = [] } =
    validate(new Map([['send_email', list]]), documents, 5).get('send_email') ?? {};
  return { keywords, why: Object.fromEntries(dropped.map(({ keyword, why }) => [keyword, why])) };
};

describe('the validation of a keyword', () => {
  it.each([
    ['Mail', 'mail'],
    ['  e-mail ', 'e mail'],
    ["a friend's birthday", 'a friend birthday'],
    ['courriel privé', 'courriel prive'],
    ['メール', 'メール'],
    ['SMTP!', 'smtp'],
  ])('keeps the words of %j', (written, kept) => {
    expect(of(written).keywords).toEqual([kept]);
  });

  it.each([
    [7, 'number', 'no-words'],
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
  ])('drops %j', (written, keyword, why) => {
    expect(of(written)).toEqual({ keywords: [], why: { [keyword]: why } });
  });

  it('drops what an earlier one has', () => {
    expect(of('mails', 'Mail', 'mail letters', 'letter')).toEqual({
      keywords: ['mails', 'mail letters'],
      why: { Mail: 'known', letter: 'known' },
    });
  });

  it('drops those beyond the number of a tool', () => {
    expect(of('a1', 'b2', 'c3', 'd4', 'e5', 'f6')).toMatchObject({
      keywords: ['a1', 'b2', 'c3', 'd4', 'e5'],
      why: { f6: 'surplus' },
    });
  });

  it('drops a word that half of the catalog has or would get, and not in a catalog of two', () => {
    const written = new Map(
      ['send_email', 'get_weather', 'create_issue'].map((name) => [name, ['zebra', name.slice(0, 4)]]),
    );
    const valid = validate(written, documents, 5);
    expect([...valid.values()].map(({ keywords }) => keywords)).toEqual([[], [], ['crea'], []]);
    expect(validate(written, documents.slice(0, 2), 5).get('get_weather')?.keywords).toEqual(['zebra']);
  });

  it('leaves room for the keywords that a tool has', () => {
    const many = Array.from({ length: 48 }, (_, n) => `own${n}`);
    const full = [{ ...(documents[0] as (typeof documents)[0]), keywords: many }];
    expect(validate(new Map([['send_email', ['a1', 'b2', 'c3']]]), full, 5).get('send_email')).toEqual({
      keywords: ['a1', 'b2'],
      dropped: [{ keyword: 'c3', why: 'surplus' }],
    });
  });

  it('never keeps anything but a few words of letters and digits, whatever was written', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyText(), fc.anything()), { maxLength: 20 }), (list) => {
        const { keywords, dropped } = validate(new Map([['send_email', list]]), documents, 5).get('send_email') ?? {
          keywords: [],
          dropped: [],
        };
        expect(keywords.length).toBeLessThanOrEqual(5);
        expect(keywords.length + dropped.length).toBe(list.length);
        for (const keyword of keywords) {
          expect(words(keyword).join(' ')).toBe(keyword);
          expect(keyword.split(' ').length).toBeLessThanOrEqual(5);
          expect(keyword).not.toMatch(/[<>\p{C}]/u);
        }
      }),
    );
  });
});
