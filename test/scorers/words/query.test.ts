import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery, querySentences } from '../../../src/scorers/words/query.ts';
import { actionKinds, DELETING, namesAmong, STOPPING } from '../../../src/scorers/words/query-words.ts';
import { stem } from '../../../src/util/words.ts';

describe('a query', () => {
  // A keyword with a + in front is required.
  it.each([
    ['  send\n\temail\u00a0now\u3000 ', 'send email now', 'any white space'],
    ['send, email;now', 'send email now', 'commas and semicolons'],
    ['天气，预报、城市', '天气 预报 城市', 'the commas of other scripts'],
    ['"send email" `send_email` “send” «email»', 'send email send_email send email', 'quotes'],
    ['(send) [email] {now}', 'send email now', 'brackets'],
    ['send email!? ...', 'send email', 'punctuation'],
    ['-send --email #general @team $ref', 'send email general team ref', 'signs in front are no operators'],
    ['c++ c# f#', 'c++ c# f#', 'signs that belong to a name'],
    ['v2.1 e-mail send_email a/b a+b', 'v2.1 e-mail send_email a/b a+b', 'punctuation inside'],
    ['__proto__ _private', '__proto__ _private', 'underscores'],
    ['Email EMAIL email', 'Email EMAIL email', 'as written, each time'],
    ['Überweisung 快递', 'Überweisung 快递', 'letters of any script'],
    ['📧 mail', 'mail', 'emoji are no words'],
    ['+ - * / ++ "" ,,;', '', 'signs alone'],
    [' \n ', '', 'white space alone'],
    ['how to select: this', 'how to select this', 'select: stands at the beginning or is a word'],
    ['selected files', 'selected files', 'a word that begins so'],
    ['+slack send', '+slack send', 'the first is required'],
    ['send,+slack', 'send +slack', 'the last, after a comma'],
    ['"+slack send" (+mail)', '+slack send +mail', 'inside quotes and brackets'],
    ['+"slack" +(mail) ++now', '+slack +mail +now', 'outside of them, or twice'],
    ['+c++ A+ +- code', '+c++ A+ code', 'a plus at the end stays'],
    ['+ slack', 'slack', 'a plus alone belongs to nothing'],
    ['call +15550001111', 'call 15550001111', 'a phone number'],
    ['(+49) 30 +1-555-CALL +50% +3d', '49 30 1-555-CALL 50 3d', 'parts of phone numbers, and changes'],
    ['+📧 mail +📧mail', 'mail +mail', 'an emoji is no word'],
    ['+k8s +_id', '+k8s +_id', 'a word with other signs'],
  ])('%j is read as "%s": %s', (text, expected) => {
    const marked = expected.split(' ').filter((word) => word !== '');
    const required = marked.filter((word) => word.startsWith('+')).map((word) => word.slice(1));
    const keywords = marked.map((word) => word.replace(/^\+/, ''));
    expect(parseQuery(text)).toEqual({ text: text.trim(), keywords, required });
  });

  it.each<[text: string, select: string[], why: string]>([
    [' SELECT : a , b ', ['a', 'b'], 'in capitals, with spaces, in order'],
    ['Select:\na,\nb', ['a', 'b'], 'on lines of their own'],
    ['select:a,b,,a,', ['a', 'b'], 'each once, without empty ones'],
    ['select:"a",\'b\',`c`', ['a', 'b', 'c'], 'without quotes'],
    ['select:+a,github_*,mail.send', ['+a', 'github_*', 'mail.send'], 'nothing else is special'],
    ['select:__proto__,constructor', ['__proto__', 'constructor'], 'names out of JavaScript'],
    ['select:two words', ['two words'], 'spaces inside'],
    ['select:select:a', ['select:a'], 'once'],
  ])('%j selects %j: %s', (text, select) => {
    expect(parseQuery(text)).toEqual({ text: text.trim(), keywords: [], required: [], select });
  });

  it.each(['select:', 'select: ,', 'select:""'])('is empty without names: %j', (text) => {
    expect(parseQuery(text)).toStrictEqual({ text: text.trim(), keywords: [], required: [] });
  });

  it('of any text has keywords with a letter or digit, without white space and commas, the required among them', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc.string({ unit: fc.constantFrom(...'ab_+-#,;:." \n快é。'), maxLength: 40 }),
    );
    fc.assert(
      fc.property(text, (written) => {
        const query = parseQuery(written);
        for (const keyword of query.keywords) {
          expect(keyword).toMatch(/[\p{L}\p{N}]/u);
          expect(keyword).not.toMatch(/[\s,;]|^\+/);
        }
        let from = 0;
        for (const word of query.required) {
          from = query.keywords.indexOf(word, from) + 1;
          expect(from).toBeGreaterThan(0);
        }
        expect(querySentences(query).flat()).toEqual(query.keywords);
        expect(querySentences(query).every((keywords) => keywords.length > 0)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is read however long it is', () => {
    for (const part of ['+', '"', ' ', '+a ', '_', 'a,', '\u0301', 'select:']) {
      expect(parseQuery(part.repeat(50_000)).text.length).toBeLessThanOrEqual(100_000);
    }
  });

  it.each<[text: string, found: string[], why: string]>([
    ['Hello. Send a mail! Why? Now', ['Hello', 'Send a mail', 'Why', 'Now'], 'marks end them'],
    ['a list: send\nmail; read', ['a list', 'send', 'mail', 'read'], 'so do colons and lines'],
    ['mail, calendar, and files', ['mail calendar and files'], 'a comma ends none'],
    ['read v2.1 of a.txt', ['read v2.1 of a.txt'], 'marks inside words are none'],
    ['"Done." (Then: go)', ['Done', 'Then', 'go'], 'quotes and brackets stand around'],
    ['查询天气。 发送邮件', ['查询天气', '发送邮件'], 'the marks of other scripts'],
    ['', [], 'nothing'],
  ])('"%s" has the sentences %j: %s', (text, found) => {
    expect(querySentences(parseQuery(text)).map((keywords) => keywords.join(' '))).toEqual(found);
  });
});

const KNOWN = new Set(['play', 'songs', 'del', 'google', 'doc', 'create', 'max', 'send', 'to']);

it.each([
  ['play songs of Lana Del Rey', ['lana', 'del', 'rey'], 'two of three are unknown'],
  ['Play Lana Del Rey songs', ['lana', 'del', 'rey'], 'the first word of a query is not looked at'],
  ['send mail to Max Mustermann', ['max'], 'a longer word means what it says'],
  ['create a Google Doc', [], 'all are known'],
  ['Lana Del Rey', [], 'titles are written so as a whole'],
  ['play lana del rey', [], 'nothing tells that it is one'],
  ['Del the songs', [], 'it stands alone'],
  ['play DEL REY', [], 'abbreviations are written so'],
  ['', [], 'there are no words'],
])('the short words of a name in "%s" are %j: %s', (query, names) => {
  expect([...namesAmong(parseQuery(query).keywords, (word) => KNOWN.has(word))]).toEqual(names);
});

it('the kinds of action are of a few verbs each, no verb being of two, and know no noun', () => {
  const kinds = [...actionKinds()];
  expect(new Set(kinds.map(([verb]) => verb)).size).toBe(kinds.length);
  expect(new Set(kinds.map(([, kind]) => kind))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
  const kindOf = (word: string) => actionKinds().get(stem(word));
  for (const [one = '', other = ''] of ['list get', 'adds create', 'posting send'].map((pair) => pair.split(' '))) {
    expect([one, kindOf(one) ?? 0]).toEqual([one, kindOf(other)]);
  }
  expect(['removed', 'cancel', 'issue', 'constructor', '__proto__'].map(kindOf)).toEqual([
    ...[DELETING, STOPPING],
    ...[undefined, undefined, undefined],
  ]);
});
