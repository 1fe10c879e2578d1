import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginningOf, STEMS, splitIdentifier, stem, words } from '../../../src/util/words.ts';

describe('the words of an identifier', () => {
  it.each([
    ['mcp__slack-send.message/now:2', 'mcp slack send message now 2', 'separators'],
    ['SendEmail', 'send email', 'PascalCase'],
    ['getHTTPHeaders', 'get http headers', 'an acronym in the middle'],
    ['HTTPServer', 'http server', 'an acronym at the start'],
    ['parseURL', 'parse url', 'an acronym at the end'],
    ['k8s_list_pods', 'k8s list pods', 'digits stay with their letters'],
    ['base64Encode', 'base64 encode', 'a capital after a digit'],
    ['s3UploadV2', 's3 upload v2', 'digits at the end of a word'],
    ['listS3Buckets', 'list s3 buckets', 'a letter and a digit'],
    ['überweisungAusführen', 'uberweisung ausfuhren', 'letters beyond ASCII'],
    ['ДобавитьЗадачу', 'добавить задачу', 'another alphabet has capitals too'],
    ['ПарсингHTTPOтвета', 'парсинг http oтвета', 'and acronyms'],
    ['__--..', '', 'separators alone'],
    ['📧_send', 'send', 'emoji separate'],
    ['__proto__', 'proto', 'nothing special'],
  ])('of "%s" are "%s": %s', (name, expected) => {
    expect(splitIdentifier(name).join(' ')).toBe(expected);
  });
});

describe('the words of a text', () => {
  it.each([
    ['Send an email, now!', 'send an email now', 'punctuation separates'],
    ['call getWeather first', 'call get weather first', 'an identifier is taken apart'],
    ['a GitHub PostgreSQL and k8s', 'a github postgresql and k8s', 'a word with a capital inside stays one'],
    ['  \n\t ', '', 'white space alone'],
    ['Zürich ZÜRICH Zu\u0308rich', 'zurich zurich zurich', 'accents of Latin letters do not count'],
    ['Việt e\u0301\u0323\u0308x', 'viet ex', 'nor do several of one letter'],
    [`א${'\u05b0'.repeat(40)}ב`, `א${'\u05b0'.repeat(30)}ב`, 'marks beyond the thirtieth are left out'],
    ['ｅｍａｉｌ ﬁle', 'email file', 'full-width letters and ligatures'],
    ['2026-01-31', '2026 01 31', 'digits are words'],
    ['погода в Риме', 'погода в риме', 'another alphabet'],
    ['मौसम की जानकारी', 'मौसम की जानकारी', 'vowel signs belong to their letters'],
    ['mail\u0000to\u200byou x\ud800y', 'mail to you x y', 'control and half characters separate'],
    ['查询快递包裹', '查询 快递 包裹', 'Chinese has no spaces'],
    ['พยากรณ์อากาศ', 'พยากรณ์ อากาศ', 'nor has Thai'],
    ['call getWeather 快递', 'call get weather 快递', 'an identifier beside Chinese'],
    ['GitHub 快递 v2', 'github 快递 v2', 'a word with a capital inside beside Chinese'],
    ['快递API查询', '快递 api 查询', 'letters between signs'],
    ['ΟΔΟΣ ΣΑΣ', 'οδος σας', 'the last letter of each Greek word, not of the text'],
    ['ÜBER_ŒUVRE', 'uber œuvre', 'capitals beyond ASCII'],
    ['⚠️Deletes ⚠️Löscht', 'deletes loscht', 'right behind a coloured sign'],
    ["the user's and the owner\u2019s", 'the user and the owner', 'possessives'],
    ["what's new, it's I'm we'll you've she'd they're", 'what new it i we you she they', 'contractions'],
    ["don't can't won't isn\u2019t DON'T", 'do is do', 'negations'],
    ["users' 'tasks' rock 'n' roll", 'users tasks rock n roll', 'quotes stay separators'],
    ["l'article O'Brien's d'accord", 'l article o brien d accord', 'letters before it, and a name'],
    ["Zoë's Café's", 'zoe cafe', 'possessives beyond ASCII'],
  ])('"%s" are "%s": %s', (text, expected) => {
    expect(words(text).join(' ')).toBe(expected);
  });

  it('are lower-case, not empty and without separators, and have themselves as their words, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const word of [...words(text), ...splitIdentifier(text)]) {
          expect(word).toMatch(/^[\p{L}\p{M}\p{N}]+$/u);
          expect(word).toBe(word.toLowerCase());
        }
      }),
      { numRuns: 300 },
    );
    const letters = fc.string({ unit: fc.constantFrom(...'aBcXyZ019 _-.äÖéж'), maxLength: 60 });
    fc.assert(
      fc.property(letters, (text) => {
        expect(words(words(text).join(' '))).toEqual(words(text));
        expect(splitIdentifier(splitIdentifier(text).join('_'))).toEqual(splitIdentifier(text));
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

  it('are found by the fast path for ASCII as by the rules of Unicode', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~\n]{0,60}$/), (text) => {
        // One letter beyond ASCII takes the text the other way.
        expect(words(`${text} я`)).toEqual([...words(text), 'я']);
        expect(splitIdentifier(`${text} я`)).toEqual([...splitIdentifier(text), 'я']);
      }),
      { numRuns: 500 },
    );
  });

  it.each([...'—→…“•✅📧©\u00a0─\u200b', '👩‍💻'])(
    'stand on both sides of %s, in English and beside other letters',
    (sign) => {
      for (const text of [`send${sign}mail`, `send ${sign} mail`]) {
        for (const read of [words, splitIdentifier]) {
          expect(read(text)).toEqual(['send', 'mail']);
          expect(read(`${text} я`)).toEqual(['send', 'mail', 'я']);
        }
      }
    },
  );

  it('are of bounded number and length in a huge text of any script, and cut between characters', () => {
    const many = words('word '.repeat(200_000)).length;
    expect(many > 100 && many < 50_000).toBe(true);
    const long = ['x', 'ä', 'ж', '快', 'อ', '𐌰'].map((letter) => letter.repeat(500)).join(' ');
    expect(words(long).length).toBeGreaterThanOrEqual(6);
    for (const word of [...words(long), ...splitIdentifier(long), ...words('x'.repeat(1_000_000))]) {
      expect(word.length).toBeLessThanOrEqual(64);
    }
    expect(words(`a${'𐌰'.repeat(40)}`).join('')).not.toMatch(/\p{Cs}/u);
  });

  /** Words of scripts that write with spaces, and what stands between them. */
  const spaced = fc
    .array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom(
            'getWeather',
            'GitHub',
            'HTTPUrl',
            'k8s',
            '2026',
            'Zürich',
            'ŒUVRE',
            'погода',
            'ΟΔΟΣ',
            'मौसम',
          ),
          fc.constantFrom('שלום', 'مرحبا', 'x'.repeat(70), 'ÜBER'.repeat(20), '½', 'ﬁle', 'İstanbul', 'ß'),
          fc.string({ unit: fc.constantFrom(...'aBcXyZ019äÖéжЩ'), minLength: 1, maxLength: 8 }),
        ),
        fc.constantFrom(' ', ', ', '_', '-', '. ', '\n', '📧', '—'),
      ),
      { maxLength: 10 },
    )
    .map((pieces) => pieces.map(([word, end]) => word + end).join(''));

  it('of several scripts are those of its parts, each by its own rules', () => {
    fc.assert(
      fc.property(spaced, fc.constantFrom('快', '電車', 'อากาศ', '한국어'), (text, other) => {
        expect(words(`${other} ${text}`)).toEqual([...words(other), ...words(text)]);
        expect(words(`${text} ${other}`)).toEqual([...words(text), ...words(other)]);
        expect(splitIdentifier(`${text} ${other}`)).toEqual([...splitIdentifier(text), ...splitIdentifier(other)]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the stem', () => {
  it.each([
    ['translate translates translating translation translations', 'verb and noun'],
    ['query queries', 'plural in -ies'],
    ['schedule scheduled scheduling', 'a silent e'],
    ['commit commits committed committing', 'a doubled letter'],
    ['add adds added adding', 'an exception: added is no ad'],
    ['index indexes indices', 'an exception: an irregular plural'],
    ['customer customers', 'an exception and its plural'],
    ['constructor constructors', 'a word that every object has as a key'],
  ])('is the same for %s: %s', (forms) => {
    expect(new Set(forms.split(' ').map(stem)).size).toBe(1);
  });

  it.each(
    `email mail; create delete; list listen; file filter; news new; general generate; marketing market; university universe;
    customer custom; organization organize; author authorize; conversion conversation; activity activate; settings set`
      .split(/;\s+/)
      .map((pair) => pair.split(' ')),
  )('differs for %s and %s', (first = '', second = '') => {
    expect(stem(first)).not.toBe(stem(second));
  });

  it.each(['k8s', 's3', 'as', 'überweisungen', 'задачи', '快递', 'aed', ''])(
    'leaves "%s" as it is: no English, or too short',
    (word) => expect(stem(word)).toBe(word),
  );

  it('is the same also after very many other words, which must not grow the memory', () => {
    const before = stem('translations');
    for (let n = 0; n < 60_000; n++) stem(`w${n.toString(26).replace(/\d/g, 'x')}`);
    expect([stem('translations'), stem('news')]).toEqual([before, 'news']);
  });

  it('of the first word of a group of exceptions is that word, and no other word has two', () => {
    for (const root of new Set(STEMS.map(([, each]) => each))) expect(stem(root)).toBe(stem(stem(root)));
    expect(new Set(STEMS.map(([word]) => word)).size).toBe(STEMS.length);
  });

  it('is not empty, hardly longer than the word, and begins as the word does', () => {
    const holds = (word: string): boolean => {
      const found = stem(word);
      return found !== '' && found.length <= word.length + 1 && word.startsWith(beginningOf(found));
    };
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const short = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
    expect([...short, ...STEMS.map(([exception]) => exception)].filter((word) => !holds(word))).toEqual([]);
    const ends = 'ing ed eed ies sses es s y ly ational izer ement e'.split(' ');
    const begin = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(begin, fc.array(fc.constantFrom(...ends), { maxLength: 3 }), (first, rest) =>
        holds(first + rest.join('')),
      ),
      { numRuns: 1_000 },
    );
  });
});
