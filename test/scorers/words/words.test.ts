import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginningOf, STEMS, splitIdentifier, stem, words } from '../../../src/scorers/words/words.ts';

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

/** Words of scripts that write with spaces, and what stands between them. */
const spaced = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom('getWeather', 'GitHub', 'HTTPUrl', 'k8s', '2026', 'Zürich', 'ŒUVRE', 'погода', 'ΟΔΟΣ', 'मौसम'),
        fc.constantFrom('שלום', 'مرحبا', 'x'.repeat(70), 'ÜBER'.repeat(20), '½', 'ﬁle', 'İstanbul', 'ß'),
        fc.string({ unit: fc.constantFrom(...'aBcXyZ019äÖéжЩ'), minLength: 1, maxLength: 8 }),
      ),
      fc.constantFrom(' ', ', ', '_', '-', '. ', '\n', '📧', '—'),
    ),
    { maxLength: 10 },
  )
  .map((pieces) => pieces.map(([word, end]) => word + end).join(''));

describe('a text of several scripts', () => {
  it('has the words that its parts have, each script by its own rules', () => {
    fc.assert(
      fc.property(spaced, (text) => {
        const alone = words(text);
        const split = splitIdentifier(text);
        for (const other of ['快', '電車', 'อากาศ', '한국어']) {
          expect(words(`${other} ${text}`)).toEqual([...words(other), ...alone]);
          expect(words(`${text} ${other}`)).toEqual([...alone, ...words(other)]);
          expect(splitIdentifier(`${text} ${other}`)).toEqual([...split, ...splitIdentifier(other)]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    { text: 'call getWeather 快递', expected: ['call', 'get', 'weather', '快递'], why: 'an identifier beside Chinese' },
    { text: 'GitHub 快递 v2', expected: ['github', '快递', 'v2'], why: 'a word with a capital inside beside Chinese' },
    { text: '快递API查询', expected: ['快递', 'api', '查询'], why: 'letters between signs' },
    { text: 'ΟΔΟΣ ΣΑΣ', expected: ['οδος', 'σας'], why: 'the last letter of each Greek word, not of the text' },
    { text: 'ÜBER_ŒUVRE', expected: ['uber', 'œuvre'], why: 'capitals beyond ASCII' },
  ])('has the words $expected in "$text": $why', ({ text, expected }) => {
    expect(words(text)).toEqual(expected);
  });

  it.each(['—', '→', '…', '“', '’', '•', '✅', '📧', '👩‍💻', '©', '\u00a0', '─', '\u200b'])(
    'has words on both sides of %s, in English and beside other letters',
    (sign) => {
      for (const text of [`send${sign}mail`, `send ${sign} mail`]) {
        expect([words(text), splitIdentifier(text)]).toEqual([
          ['send', 'mail'],
          ['send', 'mail'],
        ]);
        expect([words(`${text} я`), splitIdentifier(`${text} я`)]).toEqual([
          ['send', 'mail', 'я'],
          ['send', 'mail', 'я'],
        ]);
      }
    },
  );

  it.each([
    { text: '⚠️Deletes', word: 'deletes' },
    { text: '⚠️Löscht', word: 'loscht' },
  ])('has the word right behind a coloured sign: $text', ({ text, word }) => {
    expect(words(text)).toEqual([word]);
  });

  it('has words of bounded length in every script', () => {
    const long = ['x', 'ä', 'ж', '快', 'อ', '𐌰'].map((letter) => letter.repeat(500)).join(' ');
    expect(words(long).length).toBeGreaterThanOrEqual(6);
    for (const word of [...words(long), ...splitIdentifier(long)]) expect(word.length).toBeLessThanOrEqual(64);
  });
});

describe('the stem', () => {
  it.each([
    { forms: ['translate', 'translates', 'translating', 'translation', 'translations'], why: 'verb and noun' },
    { forms: ['issue', 'issues'], why: 'plural' },
    { forms: ['query', 'queries'], why: 'plural in -ies' },
    { forms: ['schedule', 'scheduled', 'scheduling'], why: 'a silent e' },
    { forms: ['commit', 'commits', 'committed', 'committing'], why: 'a doubled letter' },
  ])('is the same for $forms: $why', ({ forms }) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it.each([
    { forms: ['add', 'adds', 'added', 'adding'], why: 'an exception: added is no ad' },
    { forms: ['index', 'indexes', 'indices'], why: 'an exception: an irregular plural' },
    { forms: ['analysis', 'analyses'], why: 'an exception: another one' },
    { forms: ['customer', 'customers'], why: 'an exception and its plural' },
  ])('is the same for $forms: $why', ({ forms }) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it.each([
    ['email', 'mail'],
    ['create', 'delete'],
    ['open', 'close'],
    ['list', 'listen'],
    ['file', 'filter'],
    ['news', 'new'],
    ['general', 'generate'],
    ['generic', 'generate'],
    ['marketing', 'market'],
    ['university', 'universe'],
    ['customer', 'custom'],
    ['organization', 'organize'],
    ['author', 'authorize'],
    ['conversion', 'conversation'],
    ['activity', 'activate'],
    ['presentation', 'present'],
    ['settings', 'set'],
    ['canvas', 'canva'],
    ['indicator', 'indices'],
  ])('differs for %s and %s', (first, second) => {
    expect(stem(first)).not.toBe(stem(second));
  });

  it.each([
    { word: 'k8s', why: 'digits' },
    { word: 's3', why: 'short' },
    { word: 'as', why: 'short' },
    { word: 'überweisungen', why: 'not English' },
    { word: 'задачи', why: 'another alphabet' },
    { word: '快递', why: 'no alphabet' },
    { word: 'aed', why: 'a currency, of which no single letter is the stem' },
    { word: '', why: 'nothing' },
  ])('leaves "$word" as it is: $why', ({ word }) => {
    expect(stem(word)).toBe(word);
  });

  it('of a word that every object has as a key is a stem like any other', () => {
    expect(stem('constructors')).toBe(stem('constructor'));
    expect(stem('constructor')).toMatch(/^construct/);
  });

  it('is the same each time, also after very many other words', () => {
    const before = stem('translations');
    for (let n = 0; n < 60_000; n++) stem(`w${n.toString(26).replace(/\d/g, 'x')}`);
    expect(stem('translations')).toBe(before);
  });

  it('of an exception is the same after very many other words', () => {
    for (let n = 0; n < 60_000; n++) stem(`x${n.toString(26).replace(/\d/g, 'x')}`);
    expect(stem('news')).toBe('news');
  });

  it('of the first word of a group of exceptions is that word, and no other word has two', () => {
    const roots = new Set(STEMS.map(([, root]) => root));
    for (const root of roots) expect(stem(root)).toBe(stem(stem(root)));
    expect(new Set(STEMS.map(([word]) => word)).size).toBe(STEMS.length);
  });

  it('begins as the word does', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const short = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
    for (const word of [...short, ...STEMS.map(([exception]) => exception)]) {
      if (!word.startsWith(beginningOf(stem(word)))) expect.fail(`${word} has the stem ${stem(word)}`);
    }
    const end = fc.constantFrom(
      'ing',
      'ed',
      'eed',
      'ies',
      'sses',
      'es',
      's',
      'y',
      'ly',
      'ational',
      'izer',
      'ement',
      'e',
    );
    const begin = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(begin, fc.array(end, { maxLength: 3 }), (first, rest) => {
        const word = first + rest.join('');
        expect(word.startsWith(beginningOf(stem(word)))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is never empty, and hardly longer than the word', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aeiousnglty'), minLength: 1, maxLength: 12 }), (word) => {
        expect(stem(word)).not.toBe('');
        expect(stem(word).length).toBeLessThanOrEqual(word.length + 1);
      }),
    );
  });
});
