import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitIdentifier, words } from '../../../src/scorers/words/words.ts';

describe('the words of an identifier', () => {
  it.each([
    { name: 'send_email', expected: ['send', 'email'], why: 'snake_case' },
    { name: 'send-email', expected: ['send', 'email'], why: 'kebab-case' },
    { name: 'mail.send/now:2', expected: ['mail', 'send', 'now', '2'], why: 'dots, slashes, colons' },
    {
      name: 'mcp__slack__send_message',
      expected: ['mcp', 'slack', 'send', 'message'],
      why: 'the separator of MCP names',
    },
    { name: 'sendEmail', expected: ['send', 'email'], why: 'camelCase' },
    { name: 'SendEmail', expected: ['send', 'email'], why: 'PascalCase' },
    { name: 'SEND_EMAIL', expected: ['send', 'email'], why: 'capitals' },
    { name: 'getHTTPHeaders', expected: ['get', 'http', 'headers'], why: 'an acronym in the middle' },
    { name: 'HTTPServer', expected: ['http', 'server'], why: 'an acronym at the start' },
    { name: 'parseURL', expected: ['parse', 'url'], why: 'an acronym at the end' },
    { name: 'k8s_list_pods', expected: ['k8s', 'list', 'pods'], why: 'digits stay with their letters' },
    { name: 'base64Encode', expected: ['base64', 'encode'], why: 'a capital after a digit' },
    { name: 's3UploadV2', expected: ['s3', 'upload', 'v2'], why: 'digits at the end of a word' },
    { name: 'listS3Buckets', expected: ['list', 's3', 'buckets'], why: 'a letter and a digit' },
    { name: 'überweisungAusführen', expected: ['uberweisung', 'ausfuhren'], why: 'letters beyond ASCII' },
    { name: 'ДобавитьЗадачу', expected: ['добавить', 'задачу'], why: 'another alphabet has capitals too' },
    { name: '', expected: [], why: 'nothing' },
    { name: '__--..', expected: [], why: 'separators alone' },
    { name: '📧_send', expected: ['send'], why: 'emoji separate' },
    { name: '__proto__', expected: ['proto'], why: 'nothing special' },
  ])('are $expected in "$name": $why', ({ name, expected }) => {
    expect(splitIdentifier(name)).toEqual(expected);
  });

  it('are the same for every spelling of a name', () => {
    const part = fc.string({ unit: fc.constantFrom(...'abcxyz'), minLength: 2, maxLength: 6 });
    const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const [first = '', ...rest] = parts;
        const spellings = [
          parts.join('_'),
          parts.join('-'),
          parts.join('__').toUpperCase(),
          parts.map(capital).join(''),
        ];
        for (const name of [...spellings, first + rest.map(capital).join('')]) {
          expect(splitIdentifier(name)).toEqual(parts);
        }
      }),
    );
  });

  it('are together the letters and digits of the name', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/), (name) => {
        expect(splitIdentifier(name).join('')).toBe(name.replace(/[_-]/g, '').toLowerCase());
      }),
    );
  });
});

describe('the words of a text', () => {
  it.each([
    { text: 'Send an email, now!', expected: ['send', 'an', 'email', 'now'], why: 'punctuation separates' },
    {
      text: 'call getWeather first',
      expected: ['call', 'get', 'weather', 'first'],
      why: 'an identifier is taken apart',
    },
    { text: 'call send_email first', expected: ['call', 'send', 'email', 'first'], why: 'so is one in snake_case' },
    {
      text: 'a GitHub repository',
      expected: ['a', 'github', 'repository'],
      why: 'a word with a capital inside stays one',
    },
    { text: 'PostgreSQL and k8s', expected: ['postgresql', 'and', 'k8s'], why: 'so do these' },
    { text: '  \n\t ', expected: [], why: 'white space alone' },
    {
      text: 'Zürich ZÜRICH Zu\u0308rich',
      expected: ['zurich', 'zurich', 'zurich'],
      why: 'accents of Latin letters do not count',
    },
    { text: 'Việt e\u0301\u0323\u0308x', expected: ['viet', 'ex'], why: 'nor do several of one letter' },
    {
      text: `א${'\u05b0'.repeat(40)}ב`,
      expected: [`א${'\u05b0'.repeat(30)}ב`],
      why: 'marks beyond the thirtieth of a letter are left out',
    },
    { text: 'ｅｍａｉｌ ﬁle', expected: ['email', 'file'], why: 'full-width letters and ligatures' },
    { text: '2026-01-31', expected: ['2026', '01', '31'], why: 'digits are words' },
    { text: 'погода в Риме', expected: ['погода', 'в', 'риме'], why: 'another alphabet' },
    { text: 'मौसम की जानकारी', expected: ['मौसम', 'की', 'जानकारी'], why: 'vowel signs belong to their letters' },
    { text: 'mail\u0000to\u200byou', expected: ['mail', 'to', 'you'], why: 'control characters separate' },
    { text: 'x\ud800y', expected: ['x', 'y'], why: 'half a character separates' },
  ])('are $expected in "$text": $why', ({ text, expected }) => {
    expect(words(text)).toEqual(expected);
  });

  it.each([
    { text: '查询快递包裹', word: '快递', why: 'Chinese' },
    { text: '電車の時刻表', word: '電車', why: 'Japanese' },
    { text: 'พยากรณ์อากาศ', word: 'อากาศ', why: 'Thai' },
  ])('include $word in "$text", which has no spaces: $why', ({ text, word }) => {
    expect(words(text)).toContain(word);
  });

  it('are lower-case, not empty and without separators, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const word of [...words(text), ...splitIdentifier(text)]) {
          expect(word).toMatch(/^[\p{L}\p{M}\p{N}]+$/u);
          expect(word).toBe(word.toLowerCase());
        }
      }),
      { numRuns: 500 },
    );
  });

  it('have themselves as their words', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aBcXyZ019 _-.äÖéж'), maxLength: 60 });
    fc.assert(
      fc.property(letters, (text) => {
        const found = words(text);
        expect(words(found.join(' '))).toEqual(found);
        const split = splitIdentifier(text);
        expect(splitIdentifier(split.join('_'))).toEqual(split);
      }),
    );
  });

  it('are the same for composed and decomposed characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        expect(words(text.normalize('NFD'))).toEqual(words(text.normalize('NFC')));
      }),
    );
  });

  it('are of bounded number and length in a huge text', () => {
    const many = words('word '.repeat(200_000));
    expect(many.length).toBeGreaterThan(100);
    expect(many.length).toBeLessThan(50_000);
    for (const [word = ''] of [words('x'.repeat(1_000_000)), words('快'.repeat(10_000))]) {
      expect(word.length).toBeLessThanOrEqual(64);
    }
  });

  it('are cut between characters, never inside one', () => {
    expect(words(`a${'𐌰'.repeat(40)}`).join('')).not.toMatch(/\p{Cs}/u);
  });
});

describe('possessives and contractions', () => {
  it.each([
    { text: "the user's calendar", found: 'the user calendar', why: 'a possessive' },
    { text: 'the user\u2019s calendar', found: 'the user calendar', why: 'a typographic apostrophe' },
    { text: "what's new, it's I'm we'll you've she'd they're", found: 'what new it i we you she they', why: 'verbs' },
    { text: "don't can't won't isn\u2019t DON'T", found: 'do is do', why: 'negations' },
    { text: "users' 'tasks' rock 'n' roll", found: 'users tasks rock n roll', why: 'quotes stay separators' },
    { text: "l'article O'Brien's d'accord", found: 'l article o brien d accord', why: 'letters before it, and a name' },
    { text: "Zoë's Café's", found: 'zoe cafe', why: 'letters beyond ASCII' },
  ])('of "$text" are "$found": $why', ({ text, found }) => {
    expect(words(text).join(' ')).toBe(found);
  });
});

describe('the fast path for ASCII', () => {
  it('finds the same words as the rules of Unicode', () => {
    const ascii = fc.stringMatching(/^[ -~\n]{0,60}$/);
    fc.assert(
      fc.property(ascii, (text) => {
        // One letter beyond ASCII takes the text the other way.
        expect(words(`${text} я`)).toEqual([...words(text), 'я']);
        expect(splitIdentifier(`${text} я`)).toEqual([...splitIdentifier(text), 'я']);
      }),
      { numRuns: 1_000 },
    );
  });
});
