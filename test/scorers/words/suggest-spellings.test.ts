import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spelledAlike } from '../../../src/scorers/words/suggest.ts';
import { splitIdentifier } from '../../../src/scorers/words/words.ts';
import { runToEnd } from '../../../src/util/time-slices.ts';

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
