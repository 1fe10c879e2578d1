import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  didYouMean,
  editDistance,
  likeliestNames,
  similarNames,
  spelledAlike,
} from '../../../src/scorers/words/suggest.ts';
import { splitIdentifier } from '../../../src/scorers/words/words.ts';
import { runToEnd } from '../../../src/util/time-slices.ts';

/** The names of the likeliest kind. */
function likeliest(unknown: string, names: Iterable<string>): readonly string[] {
  return runToEnd(similarNames(unknown, names))[0] ?? [];
}

const NAMES = ['send_email', 'get_weather', 'github_create_issue', 'list_files', 'create_calendar_event'];

describe('a suggestion for a wrong name', () => {
  it.each([
    { wrong: 'get_weather', why: 'it is right' },
    { wrong: 'getWeather', why: 'camel case' },
    { wrong: 'GetWeather', why: 'Pascal case' },
    { wrong: 'GET_WEATHER', why: 'capitals' },
    { wrong: 'get-weather', why: 'a hyphen' },
    { wrong: 'get.weather', why: 'a dot' },
    { wrong: 'get weather', why: 'a space' },
    { wrong: 'getweather', why: 'no separator' },
    { wrong: '  get_weather\n', why: 'space around it' },
    { wrong: '"get_weather"', why: 'quotes around it' },
    { wrong: '`get_weather`', why: 'code marks around it' },
    { wrong: 'get_weather()', why: 'a call' },
    { wrong: 'ｇｅｔ＿ｗｅａｔｈｅｒ', why: 'full-width letters' },
    { wrong: 'functions.get_weather', why: 'the prefix of a chat template' },
    { wrong: 'mcp__weather__get_weather', why: 'the prefix of a server' },
    { wrong: 'default_api.get_weather', why: 'the prefix of an API' },
    { wrong: 'get_weather_v2', why: 'a suffix' },
    { wrong: 'get_weather_forecast', why: 'a word too many' },
    { wrong: 'weather', why: 'a word too few' },
    { wrong: 'get_wether', why: 'a letter too few' },
    { wrong: 'get_weatther', why: 'a letter too many' },
    { wrong: 'get_waether', why: 'two letters swapped' },
    { wrong: 'get_wezther', why: 'a wrong letter' },
    { wrong: 'gte_waether', why: 'two swaps' },
    { wrong: 'weather_get', why: 'another order' },
    { wrong: 'fetch_weather', why: 'another verb' },
    { wrong: 'current_weather', why: 'half of the words' },
  ])('is get_weather for $wrong: $why', ({ wrong }) => {
    expect(likeliest(wrong, NAMES)).toEqual(['get_weather']);
  });

  it.each([
    { wrong: 'createIssue', right: 'github_create_issue' },
    { wrong: 'create_github_issue', right: 'github_create_issue' },
    { wrong: 'sendEmial', right: 'send_email' },
    { wrong: 'send_mail', right: 'send_email' },
    { wrong: 'listFile', right: 'list_files' },
  ])('is $right for $wrong', ({ wrong, right }) => {
    expect(likeliest(wrong, NAMES)[0]).toBe(right);
  });

  it.each([
    { wrong: 'delete_database', why: 'nothing is like it' },
    { wrong: 'xyzzy', why: 'no word' },
    { wrong: '', why: 'nothing was written' },
    { wrong: ' _-. ', why: 'no letters' },
    { wrong: '🧵', why: 'no letters either' },
    { wrong: 'et', why: 'too short to be a part' },
    { wrong: 'a', why: 'one letter' },
    { wrong: 'constructor', why: 'names of objects are just unknown' },
    { wrong: '__proto__', why: 'names of objects are just unknown' },
  ])('does not exist for $wrong: $why', ({ wrong }) => {
    expect(likeliest(wrong, NAMES)).toEqual([]);
  });

  it('may be a tool that is called like a member of objects', () => {
    expect(likeliest('Constructor', ['constructor', 'toString'])).toEqual(['constructor']);
    expect(likeliest('to_string', ['constructor', 'toString'])).toEqual(['toString']);
    expect(likeliest('proto', ['__proto__'])).toEqual(['__proto__']);
  });

  it('may be a name of another script', () => {
    expect(likeliest('获取_天气', ['发送邮件', '获取天气'])).toEqual(['获取天气']);
    expect(likeliest('ПОЛУЧИТЬ_ПОГОДУ', ['получить_погоду', 'послать'])).toEqual(['получить_погоду']);
    expect(likeliest('cafe\u0301_list', ['café_list'])).toEqual(['café_list']);
  });
});

describe('a suggestion is of the likeliest kind alone', () => {
  it.each([
    {
      best: 'the same words, before parts of names',
      wrong: 'getWeather',
      names: ['get_weather_forecast', 'get_weather', 'GetWeather', 'get_wether'],
      suggested: ['GetWeather', 'get_weather'],
    },
    {
      best: 'parts of names, nearest length first, before typos',
      wrong: 'weather',
      names: ['get_weather_forecast', 'wether', 'get_weather', 'weathers'],
      suggested: ['weathers', 'get_weather', 'get_weather_forecast'],
    },
    {
      best: 'typos, fewest first, before words',
      wrong: 'read_fiel',
      names: ['read_mail', 'read_file', 'read_filet', 'read_many_things'],
      suggested: ['read_file', 'read_filet'],
    },
    {
      best: 'words, most shared first',
      wrong: 'list_open_issues',
      names: ['list_all_closed_issues', 'issues_open_list', 'list_users'],
      suggested: ['issues_open_list', 'list_all_closed_issues'],
    },
  ])('with $best', ({ wrong, names, suggested }) => {
    expect(likeliest(wrong, names)).toEqual(suggested);
    expect(likeliest(wrong, [...names].reverse())).toEqual(suggested);
  });

  it('with ties in the order of names', () => {
    expect(likeliest('read', ['read_c', 'read_a', 'read_b'])).toEqual(['read_a', 'read_b', 'read_c']);
  });
});

describe('a suggestion for a long name', () => {
  it('depends on the first 128 characters', () => {
    const head = 'long_'.repeat(26).slice(0, 128);
    expect(likeliest(`${head}${'x'.repeat(10_000)}`, [`${head}tail`, 'other'])).toEqual([`${head}tail`]);
  });

  it('does not exist when nothing is like it', () => {
    expect(likeliest('q'.repeat(100_000), NAMES)).toEqual([]);
  });
});

describe('suggestions for any texts', () => {
  const piece = fc.constantFrom('get', 'Weather', '_', '-', '.', 'é', '天気', '🧵', '\ud800', '\0', ' ', '9', 'ﷺ', 'İ');
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    fc.constantFrom('__proto__', 'constructor', '', ...NAMES),
  );
  const names = fc.uniqueArray(name, { maxLength: 20 });

  it('are known names, each once, without a fault', () => {
    fc.assert(
      fc.property(name, names, (unknown, known) => {
        const suggested = likeliest(unknown, known);
        expect(known).toEqual(expect.arrayContaining([...suggested]));
        expect(new Set(suggested).size).toBe(suggested.length);
      }),
      { numRuns: 500 },
    );
  });

  it('are the same, whatever the order of the catalog', () => {
    fc.assert(
      fc.property(
        name,
        names.chain((known) => fc.tuple(fc.constant(known), fc.shuffledSubarray(known, { minLength: known.length }))),
        (unknown, [known, shuffled]) => {
          expect(likeliest(unknown, shuffled)).toEqual(likeliest(unknown, known));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('include a known name itself where it has a letter or digit', () => {
    fc.assert(
      fc.property(names, (known) => {
        for (const own of known.filter((one) => /[\p{L}\p{N}]/u.test(one.normalize('NFKC')))) {
          expect(likeliest(own, known)).toContain(own);
        }
      }),
    );
  });

  it('are made from any iterable', () => {
    expect(likeliest('getWeather', new Set(NAMES))).toEqual(['get_weather']);
    expect(likeliest('getWeather', new Map(NAMES.map((key) => [key, 1])).keys())).toEqual(['get_weather']);
  });
});

it('similarNames() returns less likely kinds behind the likeliest, for callers who may not see that one', () => {
  const names = ['user_report', 'user_reports', 'report_of_a_user', 'usr_report'];
  expect(runToEnd(similarNames('userReport', names))).toEqual([
    ['user_report'],
    ['user_reports'],
    ['usr_report'],
    ['report_of_a_user'],
  ]);
});

describe('the hint behind the message of an error', () => {
  it('has the likeliest names, at most three', () => {
    const names = ['boost', 'boosts', 'boosted', 'booster', 'fields'];
    expect(likeliestNames('boots', names)).toEqual(['boost', 'boosts']);
    expect(likeliestNames('boost_', ['boost1', 'boost2', 'boost3', 'boost4'])).toHaveLength(3);
    expect(likeliestNames('', names)).toEqual([]);
    expect(likeliestNames('zzz', names)).toEqual([]);
  });

  it('is a question with a space before it, and empty without names', () => {
    expect(didYouMean(['a'])).toBe(' Did you mean "a"?');
    expect(didYouMean(['a', 'b'])).toBe(' Did you mean "a", "b"?');
    expect(didYouMean([])).toBe('');
  });
});

describe('suggest spellings', () => {
  /** The names of the likeliest kind. */
  function alike(unknown: string, names: Iterable<string>): readonly string[] {
    return runToEnd(spelledAlike(unknown, names))[0] ?? [];
  }

  const NAMES = ['get_weather', 'send_email', 'github_create_issue', 'weather', 'listFiles'];

  describe('another spelling of a name', () => {
    it.each([
      { unknown: 'get_weather', meant: 'get_weather', why: 'it is right' },
      { unknown: 'getWeather', meant: 'get_weather', why: 'camel case' },
      { unknown: 'GET_WEATHER', meant: 'get_weather', why: 'capitals' },
      { unknown: 'get-weather', meant: 'get_weather', why: 'a hyphen' },
      { unknown: 'getweather', meant: 'get_weather', why: 'no separator' },
      { unknown: ' `get_weather()`\n', meant: 'get_weather', why: 'code marks around it' },
      { unknown: 'list_files', meant: 'listFiles', why: 'snake case of a camel' },
      { unknown: 'functions.get_weather', meant: 'get_weather', why: 'the prefix of a chat template' },
      { unknown: 'functions.getWeather', meant: 'get_weather', why: 'a prefix and camel case' },
      { unknown: 'mcp.weather.get_weather', meant: 'get_weather', why: 'the prefix of a server' },
      { unknown: 'mcp__github__create_issue', meant: 'github_create_issue', why: 'a prefix before the longer name' },
      { unknown: 'default_api:send-email', meant: 'send_email', why: 'the prefix of an API' },
      { unknown: 'api.weather', meant: 'weather', why: 'one word behind a prefix' },
    ])('is found: $unknown means $meant, $why', ({ unknown, meant }) => {
      expect(alike(unknown, NAMES)).toEqual([meant]);
    });

    it.each([
      { unknown: 'get_wether', why: 'a letter is missing' },
      { unknown: 'email', why: 'only a part of a name' },
      { unknown: 'get_weather_now', why: 'something stands behind the name' },
      { unknown: 'weather_get', why: 'another order' },
      { unknown: 'forgetweather', why: 'a tail has to begin with a word' },
      { unknown: '', why: 'nothing was written' },
      { unknown: ' _-. ', why: 'no letters' },
      { unknown: 'constructor', why: 'names of objects are just unknown' },
      { unknown: '__proto__', why: 'names of objects are just unknown' },
      { unknown: `${'x'.repeat(200)}.get_weather`, why: 'too long a prefix' },
    ])('is not found: $unknown means none, $why', ({ unknown }) => {
      expect(alike(unknown, NAMES)).toEqual([]);
    });
  });

  describe('another spelling of several names', () => {
    it.each([
      { unknown: 'getWeather', names: ['get_weather', 'get-weather', 'send'], why: 'two spellings of the whole' },
      { unknown: 'x.getWeather', names: ['get_weather', 'GET_WEATHER'], why: 'two spellings of the tail' },
    ])('is ambiguous: $unknown, $why', ({ unknown, names }) => {
      expect(alike(unknown, names)).toHaveLength(2);
    });

    it.each([
      { names: ['weather', 'get_weather'], meant: ['get_weather'], why: 'the longer tail says more' },
      { names: ['get_weather', 'weather'], meant: ['get_weather'], why: 'in any order' },
      { names: ['get_weather', 'mcp_get_weather'], meant: ['mcp_get_weather'], why: 'the whole says most' },
    ])('means $meant of $names: $why', ({ names, meant }) => {
      expect(alike('mcp.getWeather', names)).toEqual(meant);
    });
  });

  it('spelledAlike() reads no more than the beginning of a very long name', () => {
    expect(alike('a_'.repeat(500_000), NAMES)).toEqual([]);
  });

  /** Few letters, so that spellings meet. */
  const word = fc.stringMatching(/^[ab]{1,3}$/);
  const identifier = fc.array(word, { minLength: 1, maxLength: 4 });
  const spelling = fc.constantFrom(
    (words: readonly string[]) => words.join('_'),
    (words: readonly string[]) => words.join('-').toUpperCase(),
    (words: readonly string[]) => words.map((one) => one.charAt(0).toUpperCase() + one.slice(1)).join(''),
  );

  it('spelledAlike() agrees with a plain comparison of words', () => {
    fc.assert(
      fc.property(
        identifier,
        spelling,
        fc.uniqueArray(
          identifier.map((words) => words.join('_')),
          { maxLength: 8 },
        ),
        (words, spell, names) => {
          const written = spell(words);
          const asked = splitIdentifier(written);
          const same = names.filter((name) => splitIdentifier(name).join('') === asked.join(''));
          const tails = names
            .map((name) => ({ name, tail: splitIdentifier(name) }))
            .filter(({ tail }) => tail.length < asked.length && `_${asked.join('_')}`.endsWith(`_${tail.join('_')}`));
          const most = Math.max(0, ...tails.map(({ tail }) => tail.length));
          const expected =
            same.length > 0 ? same : tails.filter(({ tail }) => tail.length === most).map(({ name }) => name);
          expect([...alike(written, names)]).toEqual(expected);
        },
      ),
    );
  });

  it('spelledAlike() returns only names that it was given, each once', () => {
    fc.assert(
      fc.property(fc.string(), fc.uniqueArray(fc.string()), (unknown, names) => {
        const found = alike(unknown, names);
        expect(new Set(found).size).toBe(found.length);
        for (const name of found) expect(names).toContain(name);
      }),
    );
  });
});

describe('the edit distance', () => {
  it.each([
    { a: '', b: '', distance: 0, why: 'nothing and nothing' },
    { a: '', b: 'abc', distance: 3, why: 'three insertions' },
    { a: 'abc', b: 'abc', distance: 0, why: 'the same' },
    { a: 'abc', b: 'abd', distance: 1, why: 'a replacement' },
    { a: 'abc', b: 'ab', distance: 1, why: 'a deletion' },
    { a: 'abc', b: 'xabc', distance: 1, why: 'an insertion in front' },
    { a: 'abc', b: 'acb', distance: 1, why: 'a swap of neighbours' },
    { a: 'abc', b: 'cba', distance: 2, why: 'a swap of those that are not' },
    { a: 'ca', b: 'abc', distance: 3, why: 'what was swapped is not edited again' },
    { a: 'kitten', b: 'sitting', distance: 3, why: 'the textbook' },
    { a: 'schedule', b: 'shcedule', distance: 1, why: 'a usual slip' },
  ])('of "$a" and "$b" is $distance: $why', ({ a, b, distance }) => {
    expect(editDistance(a, b, 10)).toBe(distance);
  });

  it.each([
    { a: 'abc', b: 'xyz', max: 2 },
    { a: 'a', b: 'abcd', max: 2 },
    { a: 'abc', b: 'abd', max: 0 },
    { a: '', b: 'a', max: 0 },
  ])('of "$a" and "$b" is above $max', ({ a, b, max }) => {
    expect(editDistance(a, b, max)).toBeUndefined();
  });
});

/** The whole matrix, without any early end. */
function naive(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 0; i <= a.length; i++) {
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) {
        rows[i]![j] = i + j;
        continue;
      }
      const edits = [
        rows[i - 1]![j]! + 1,
        rows[i]![j - 1]! + 1,
        rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      ];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) edits.push(rows[i - 2]![j - 2]! + 1);
      rows[i]![j] = Math.min(...edits);
    }
  }
  return rows[a.length]![b.length]!;
}

const text = fc.string({ unit: fc.constantFrom(...'abc'), maxLength: 9 });

describe('the edit distance of any two words', () => {
  it('is that of the full matrix up to the bound, and none above it', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 10 }), (a, b, max) => {
        const expected = naive(a, b);
        expect(editDistance(a, b, max)).toBe(expected <= max ? expected : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is that of the full matrix for any characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.string({ unit: 'binary', maxLength: 12 }),
        (a, b) => {
          expect(editDistance(a, b, 50)).toBe(naive(a, b));
        },
      ),
    );
  });

  it('is the same in both directions', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 5 }), (a, b, max) => {
        expect(editDistance(a, b, max)).toBe(editDistance(b, a, max));
      }),
    );
  });
});
