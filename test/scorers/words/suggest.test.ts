import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, likeliestNames, similarNames } from '../../../src/scorers/words/suggest.ts';
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
