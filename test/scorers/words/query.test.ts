import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery, querySentences } from '../../../src/scorers/words/query.ts';

describe('the keywords of a query', () => {
  it.each([
    { text: 'send email', keywords: ['send', 'email'], why: 'in order' },
    { text: '  send\n\temail\u00a0now\u3000 ', keywords: ['send', 'email', 'now'], why: 'any white space' },
    { text: 'send, email;now', keywords: ['send', 'email', 'now'], why: 'commas and semicolons' },
    { text: '"send email"', keywords: ['send', 'email'], why: 'quotes' },
    { text: '`send_email`', keywords: ['send_email'], why: 'a name in backticks' },
    { text: '“send” «email»', keywords: ['send', 'email'], why: 'quotes of other languages' },
    { text: '(send) [email] {now}', keywords: ['send', 'email', 'now'], why: 'brackets' },
    { text: 'send email!? ...', keywords: ['send', 'email'], why: 'punctuation' },
    { text: '-send --email', keywords: ['send', 'email'], why: 'a hyphen in front is no operator' },
    { text: '#general @team $ref', keywords: ['general', 'team', 'ref'], why: 'signs in front' },
    { text: 'c++ c# f#', keywords: ['c++', 'c#', 'f#'], why: 'signs that belong to a name' },
    {
      text: 'v2.1 e-mail send_email a/b',
      keywords: ['v2.1', 'e-mail', 'send_email', 'a/b'],
      why: 'punctuation inside',
    },
    { text: '__proto__ _private', keywords: ['__proto__', '_private'], why: 'underscores' },
    { text: 'Email EMAIL email', keywords: ['Email', 'EMAIL', 'email'], why: 'as written, each time' },
    { text: 'Überweisung ausführen', keywords: ['Überweisung', 'ausführen'], why: 'letters beyond ASCII' },
    { text: '快递 查询', keywords: ['快递', '查询'], why: 'letters of another script' },
    { text: '📧 mail', keywords: ['mail'], why: 'emoji are no words' },
    { text: '+ - * / ++ "" ,,;', keywords: [], why: 'signs alone' },
    { text: '', keywords: [], why: 'nothing' },
    { text: ' \n ', keywords: [], why: 'white space alone' },
    {
      text: 'how to select: this',
      keywords: ['how', 'to', 'select', 'this'],
      why: 'select: stands at the beginning or is a word',
    },
    { text: 'selected files', keywords: ['selected', 'files'], why: 'a word that begins so' },
  ])('are $keywords in $text: $why', ({ text, keywords }) => {
    expect(parseQuery(text)).toEqual({ text: text.trim(), keywords, required: [] });
  });

  it('end at the commas of other scripts', () => {
    expect(parseQuery('天气，预报、城市').keywords).toEqual(['天气', '预报', '城市']);
  });
});

describe('the required words of a query', () => {
  it.each([
    { text: '+slack send', keywords: ['slack', 'send'], required: ['slack'], why: 'the first' },
    { text: 'send +slack', keywords: ['send', 'slack'], required: ['slack'], why: 'the last' },
    { text: '+slack +send', keywords: ['slack', 'send'], required: ['slack', 'send'], why: 'both' },
    { text: 'send,+slack', keywords: ['send', 'slack'], required: ['slack'], why: 'after a comma' },
    { text: '"+slack send"', keywords: ['slack', 'send'], required: ['slack'], why: 'inside quotes' },
    { text: '(+slack) send', keywords: ['slack', 'send'], required: ['slack'], why: 'inside brackets' },
    { text: '++slack', keywords: ['slack'], required: ['slack'], why: 'twice is once' },
    { text: '+c++ code', keywords: ['c++', 'code'], required: ['c++'], why: 'a plus at the end stays' },
    { text: 'a+b c', keywords: ['a+b', 'c'], required: [], why: 'a plus inside is none' },
    { text: '+ slack', keywords: ['slack'], required: [], why: 'a plus alone belongs to nothing' },
    { text: '+', keywords: [], required: [], why: 'a plus alone' },
    { text: 'call +15550001111', keywords: ['call', '15550001111'], required: [], why: 'a phone number' },
    { text: '(+49) 30 +1-555-CALL', keywords: ['49', '30', '1-555-CALL'], required: [], why: 'parts of phone numbers' },
    { text: 'raise by +50% +3d', keywords: ['raise', 'by', '50', '3d'], required: [], why: 'a change' },
    { text: 'c++ A+ +- ++ mail', keywords: ['c++', 'A+', 'mail'], required: [], why: 'signs that begin no word' },
    { text: '+📧 mail +📧mail', keywords: ['mail', 'mail'], required: ['mail'], why: 'an emoji is no word' },
    { text: '+k8s +_id', keywords: ['k8s', '_id'], required: ['k8s', '_id'], why: 'a word with other signs' },
  ])('are $required in $text: $why', ({ text, keywords, required }) => {
    expect(parseQuery(text)).toEqual({ text, keywords, required });
  });

  it.each(['+"slack" send', "+'slack' send", '+(slack) send', '+`slack` send'])('have no quotes left in %s', (text) => {
    expect(parseQuery(text)).toMatchObject({ keywords: ['slack', 'send'], required: ['slack'] });
  });
});

describe('a select: query', () => {
  it.each([
    { text: 'select:a,b', select: ['a', 'b'], why: 'in order' },
    { text: 'select: a , b ', select: ['a', 'b'], why: 'with spaces' },
    { text: ' SELECT : a', select: ['a'], why: 'in capitals, with a space' },
    { text: 'Select:\na,\nb', select: ['a', 'b'], why: 'on lines of their own' },
    { text: 'select:a,b,a', select: ['a', 'b'], why: 'each once' },
    { text: 'select:a,,b,', select: ['a', 'b'], why: 'without empty ones' },
    { text: 'select:"a",\'b\',`c`', select: ['a', 'b', 'c'], why: 'without quotes' },
    { text: 'select:mail.send', select: ['mail.send'], why: 'with characters of any kind' },
    { text: 'select:+a', select: ['+a'], why: 'a plus is nothing special' },
    { text: 'select:github_*', select: ['github_*'], why: 'and neither is an asterisk' },
    { text: 'select:__proto__,constructor', select: ['__proto__', 'constructor'], why: 'names out of JavaScript' },
    { text: 'select:two words', select: ['two words'], why: 'spaces inside' },
    { text: 'select:select:a', select: ['select:a'], why: 'once' },
  ])('reads $select from $text: $why', ({ text, select }) => {
    expect(parseQuery(text)).toEqual({ text: text.trim(), keywords: [], required: [], select });
  });

  it.each(['select:', 'select: ', 'select:,', 'select:""'])('is an empty query without names: %j', (text) => {
    expect(parseQuery(text)).toEqual({ text: text.trim(), keywords: [], required: [] });
    expect(parseQuery(text)).not.toHaveProperty('select');
  });
});

describe('a query of any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.string({ unit: fc.constantFrom(...'ab_+-#,;:" \n快é'), maxLength: 40 }),
  );

  it('has keywords with a letter or digit, without white space and commas', () => {
    fc.assert(
      fc.property(text, (query) => {
        for (const keyword of parseQuery(query).keywords) {
          expect(keyword).toMatch(/[\p{L}\p{N}]/u);
          expect(keyword).not.toMatch(/[\s,;]/);
          expect(keyword).not.toMatch(/^\+/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('has required words that are keywords too, in the same order', () => {
    fc.assert(
      fc.property(text, (query) => {
        const { keywords, required } = parseQuery(query);
        let from = 0;
        for (const word of required) {
          const at = keywords.indexOf(word, from);
          expect(at).toBeGreaterThanOrEqual(0);
          from = at + 1;
        }
      }),
    );
  });

  it('has the plain words that it was made of as keywords', () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    fc.assert(
      fc.property(fc.array(fc.record({ word, isRequired: fc.boolean() }), { maxLength: 6 }), (list) => {
        const query = list.map((part) => (part.isRequired ? `+${part.word}` : part.word)).join(' ');
        expect(parseQuery(query)).toEqual({
          text: query,
          keywords: list.map((part) => part.word),
          required: list.filter((part) => part.isRequired && /^[a-z]/.test(part.word)).map((part) => part.word),
        });
      }),
    );
  });

  it('is read however long it is', () => {
    for (const part of ['+', '"', ' ', 'a', '+a ', '_', 'a,', '\u0301', 'select:']) {
      expect(parseQuery(part.repeat(50_000)).text.length).toBeGreaterThanOrEqual(0);
    }
  });
});

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
