import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, likeliestNames, similarNames, spelledAlike } from '../../src/util/suggest.ts';
import { runToEnd } from '../../src/util/time-slices.ts';

/** The names of the likeliest kind. */
const likeliest = (unknown: string, names: Iterable<string>) => runToEnd(similarNames(unknown, names))[0] ?? [];
const alike = (unknown: string, names: Iterable<string>) => runToEnd(spelledAlike(unknown, names))[0] ?? [];

const NAMES = ['send_email', 'get_weather', 'github_create_issue', 'list_files', 'create_calendar_event'];

describe('a suggestion for a wrong name', () => {
  it.each([
    ['getWeather', 'camel case'],
    ['GET_WEATHER', 'capitals'],
    ['getweather', 'no separator'],
    ['  `get_weather()`\n', 'a call, in code marks'],
    ['ｇｅｔ＿ｗｅａｔｈｅｒ', 'full-width letters'],
    ['mcp__weather__get_weather', 'the prefix of a server'],
    ['get_weather_forecast', 'a word too many'],
    ['weather', 'a word too few'],
    ['get_wether', 'a letter too few'],
    ['get_weatther', 'a letter too many'],
    ['get_wezther', 'a wrong letter'],
    ['gte_waether', 'two swaps'],
    ['weather_get', 'another order'],
    ['current_weather', 'half of the words'],
  ])('%j is get_weather: %s', (wrong) => {
    expect(likeliest(wrong, NAMES)).toEqual(['get_weather']);
  });

  it.each([
    ['createIssue', 'github_create_issue', NAMES],
    ['create_github_issue', 'github_create_issue', NAMES],
    ['sendEmial', 'send_email', NAMES],
    ['send_mail', 'send_email', NAMES],
    ['Constructor', 'constructor', ['constructor', 'toString']],
    ['proto', '__proto__', ['__proto__']],
    ['获取_天气', '获取天气', ['发送邮件', '获取天气']],
    ['ПОЛУЧИТЬ_ПОГОДУ', 'получить_погоду', ['получить_погоду', 'послать']],
    ['cafe\u0301_list', 'café_list', ['café_list']],
  ])('%s is %s', (wrong, right, names) => {
    expect(likeliest(wrong, new Set(names))[0]).toBe(right);
  });

  it.each(['delete_database', 'xyzzy', '', ' _-. ', '🧵', 'et', 'a', 'constructor', '__proto__', 'q'.repeat(100_000)])(
    'does not exist for %j, which nothing is like',
    (wrong) => {
      expect(likeliest(wrong, NAMES)).toEqual([]);
    },
  );

  it.each([
    {
      best: 'the same words, before parts of names',
      wrong: 'getWeather',
      names: ['get_weather_forecast', 'get_weather', 'GetWeather', 'get_wether'],
      suggested: ['GetWeather', 'get_weather'],
    },
    {
      best: 'parts of names, nearest length first, before typos, ties by name',
      wrong: 'weather',
      names: ['get_weather_forecast', 'wether', 'set_weather', 'get_weather', 'weathers'],
      suggested: ['weathers', 'get_weather', 'set_weather', 'get_weather_forecast'],
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
  ])('is of the likeliest kind alone: $best', ({ wrong, names, suggested }) => {
    expect(likeliest(wrong, names)).toEqual(suggested);
    expect(likeliest(wrong, names.toReversed())).toEqual(suggested);
  });

  it('is no name without letters, and depends on the first 128 characters', () => {
    expect(likeliest('a', ['__', 'other'])).toEqual([]);
    const head = 'long_'.repeat(26).slice(0, 128);
    expect(likeliest(`${head}${'x'.repeat(10_000)}`, [`${head}tail`, 'other'])).toEqual([`${head}tail`]);
  });

  it('has less likely kinds behind the likeliest, for callers who may not see that one', () => {
    const names = ['user_report', 'user_reports', 'report_of_a_user', 'usr_report'];
    const kinds = [['user_report'], ['user_reports'], ['usr_report'], ['report_of_a_user']];
    expect(runToEnd(similarNames('userReport', names))).toEqual(kinds);
  });

  it('is of known names, each once, whatever their order; a name with a letter or digit is its own', () => {
    const piece = fc.constantFrom(
      'get',
      'Weather',
      '_',
      '-',
      '.',
      'é',
      '天気',
      '🧵',
      '\ud800',
      '\0',
      ' ',
      '9',
      'ﷺ',
      'İ',
    );
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
      fc.constantFrom('__proto__', 'constructor', '', ...NAMES),
    );
    fc.assert(
      fc.property(name, fc.uniqueArray(name, { maxLength: 20 }), (unknown, known) => {
        for (const suggested of [likeliest(unknown, known), alike(unknown, known)]) {
          expect(known).toEqual(expect.arrayContaining([...suggested]));
          expect(new Set(suggested).size).toBe(suggested.length);
        }
        expect(likeliest(unknown, known.toReversed())).toEqual(likeliest(unknown, known));
        if (/[\p{L}\p{N}]/u.test(unknown.normalize('NFKC'))) {
          expect(likeliest(unknown, [unknown, ...known])).toContain(unknown);
        }
      }),
      { numRuns: 500 },
    );
  });
});

it('the hint behind the message of an error has the likeliest names, at most three', () => {
  expect(likeliestNames('boots', ['boost', 'boosts', 'boosted', 'booster', 'fields'])).toEqual(['boost', 'boosts']);
  expect(likeliestNames('boost_', ['boost1', 'boost2', 'boost3', 'boost4'])).toHaveLength(3);
  expect(likeliestNames('zzz', ['boost'])).toEqual([]);
  expect([didYouMean([]), didYouMean(['a', 'b'])]).toEqual(['', ' Did you mean "a", "b"?']);
});

describe('another spelling of a name', () => {
  const WEATHER = ['get_weather', 'send_email', 'github_create_issue', 'weather', 'listFiles'];
  it.each([
    ['getweather', ['get_weather'], WEATHER, 'no separator'],
    [' `get_weather()`\n', ['get_weather'], WEATHER, 'code marks around it'],
    ['list_files', ['listFiles'], WEATHER, 'snake case of a camel'],
    ['functions.getWeather', ['get_weather'], WEATHER, 'a prefix and camel case'],
    ['mcp__github__create_issue', ['github_create_issue'], WEATHER, 'a prefix before the longer name'],
    ['api.weather', ['weather'], WEATHER, 'one word behind a prefix'],
    ['get_wether', [], WEATHER, 'a letter is missing'],
    ['email', [], WEATHER, 'only a part of a name'],
    ['get_weather_now', [], WEATHER, 'something stands behind the name'],
    ['weather_get', [], WEATHER, 'another order'],
    ['forgetweather', [], WEATHER, 'a tail has to begin with a word'],
    [' _-. ', [], WEATHER, 'no letters'],
    ['constructor', [], WEATHER, 'names of objects are just unknown'],
    [`${'x'.repeat(200)}.get_weather`, [], WEATHER, 'too long a prefix'],
    ['a_'.repeat(500_000), [], WEATHER, 'far too long'],
    ['getWeather', ['get_weather', 'get-weather'], ['get_weather', 'get-weather', 'send'], 'two of the whole'],
    ['x.getWeather', ['get_weather', 'GET_WEATHER'], ['get_weather', 'GET_WEATHER'], 'two of the tail'],
    ['mcp.getWeather', ['mcp_get_weather'], ['get_weather', 'mcp_get_weather'], 'the whole says most'],
  ])('%.40j means %j', (unknown, meant, names) => {
    expect(alike(unknown, names)).toEqual(meant);
  });
});
