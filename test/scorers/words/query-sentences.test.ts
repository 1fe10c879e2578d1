import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery, querySentences } from '../../../src/scorers/words/query.ts';

const sentences = (text: string) => querySentences(parseQuery(text)).map((keywords) => keywords.join(' '));

describe('the sentences of a query', () => {
  it.each([
    { text: 'Hello. Send a mail! Why? Now', found: ['Hello', 'Send a mail', 'Why', 'Now'], why: 'marks end them' },
    { text: 'send a mail', found: ['send a mail'], why: 'one' },
    { text: 'a list: send\nmail; read', found: ['a list', 'send', 'mail', 'read'], why: 'so do colons and lines' },
    { text: 'mail, calendar, and files', found: ['mail calendar and files'], why: 'a comma ends none' },
    { text: 'read v2.1 of a.txt', found: ['read v2.1 of a.txt'], why: 'marks inside words are none' },
    { text: '"Done." (Then: go)', found: ['Done', 'Then', 'go'], why: 'quotes and brackets stand around' },
    { text: '查询天气。 发送邮件', found: ['查询天气', '发送邮件'], why: 'the marks of other scripts' },
    { text: '', found: [], why: 'nothing' },
  ])('of "$text" are $found: $why', ({ text, found }) => {
    expect(sentences(text)).toEqual(found);
  });

  it('have all keywords in order', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab.:+" \n。é'), maxLength: 40 });
    fc.assert(
      fc.property(text, (raw) => {
        const query = parseQuery(raw);
        expect(querySentences(query).flat()).toEqual(query.keywords);
        expect(querySentences(query).every((keywords) => keywords.length > 0)).toBe(true);
      }),
    );
  });
});
