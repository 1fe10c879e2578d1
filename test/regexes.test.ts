import { analyse } from 'scslre';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../src/scorers/words/query.ts';
import { clean } from '../src/util/text.ts';
import { splitIdentifier, words } from '../src/util/words.ts';
import { Session } from './meta-tools/session.ts';
import { tool, toolRecord } from './support/agent.ts';
import { isLinear } from './support/growth.ts';
import { regexesInSource, regexOf } from './support/regexes.ts';

/** A beginning, what is repeated, and an end. */
type Shape = readonly [start: string, unit: string, end: string];

/** What many expressions stumble over. */
const USUAL: readonly Shape[] = ['a', '-', '"', ' ', '\u0301', '+'].map((unit) => ['x', unit, 'x']);

const textOf = ([start, unit, end]: Shape, length: number): string =>
  start + unit.repeat(Math.ceil(length / unit.length)) + end;

/** Where an expression may take more than linear time: going back in a text, and trying it from each place of the text. */
function doubtsOf(literal: string): { backtracking: readonly string[]; moving: readonly Shape[] } {
  const { reports } = analyse(regexOf(literal), { assumeRejectingSuffix: true });
  const unitsOf = (isMoving: boolean): string[] =>
    reports.filter(({ type }) => (type === 'Move') === isMoving).map(({ character }) => character.pick);
  return {
    backtracking: unitsOf(false),
    moving: unitsOf(true).flatMap(
      (unit) =>
        [
          ['', unit, ''],
          ['', unit, '\0'],
          ['x', unit, 'x'],
        ] as Shape[],
    ),
  };
}

/** Tried, cut at its matches, and cut out, whichever of these src does. */
async function isLinearFor(
  literal: string,
  shapes: readonly Shape[],
  { length = 2_000, attempts = 4 } = {},
): Promise<boolean> {
  const regex = regexOf(literal);
  const all = new RegExp(regex, regex.global ? regex.flags : `${regex.flags}g`);
  for (const shape of shapes) {
    for (const apply of [
      (text: string) => text.search(regex),
      (text: string) => text.replace(all, ''),
      (text: string) => text.split(regex),
    ]) {
      const texts = new Map<number, string>();
      const work = (length: number): unknown => {
        const text = texts.get(length) ?? textOf(shape, length);
        texts.set(length, text);
        return apply(text);
      };
      if (!(await isLinear(work, { length, attempts }))) return false;
    }
  }
  return true;
}

describe('a regular expression of src', () => {
  const literals = [...new Set(regexesInSource().map(({ text }) => text))];

  it('is made at its first use where it has classes of Unicode, as those make an import slow', () => {
    expect(literals.length).toBeGreaterThan(40);
    expect(regexesInSource().filter(({ text, isLazy }) => text.includes(String.raw`\p{`) && !isLazy)).toEqual([]);
  });

  it.each(literals)('takes time that grows with its input, not with the square of it: %s', async (literal) => {
    const { backtracking, moving } = doubtsOf(literal);
    expect(backtracking).toEqual([]);
    expect(await isLinearFor(literal, [...moving, ...USUAL])).toBe(true);
  });

  it.each([
    { what: 'the end of a pattern', length: 1_000, literal: '/[^\\p{L}\\p{N}]+$/u' },
    { what: 'quotes at both ends', length: 1_000, literal: `/^["'\`]+|["'\`]+$/g` },
    {
      what: 'punctuation at both ends',
      length: 1_000,
      literal: '/^[^\\p{L}\\p{M}\\p{N}_+]+|[^\\p{L}\\p{M}\\p{N}_+#]+$/gu',
    },
    { what: 'marks behind a letter', length: 300, literal: '/(?<=\\p{Script=Latin}\\p{Mn}*)\\p{Mn}/gu' },
  ])('is told from one that grows with the square: $what', async ({ literal, length }) => {
    expect(await isLinearFor(literal, doubtsOf(literal).moving, { length, attempts: 1 })).toBe(false);
  });

  it('is told from one that goes back', () => {
    expect(['/(?:a+)+b/', '/\\d*\\w+!/'].map((literal) => doubtsOf(literal).backtracking)).toEqual([['a'], ['0']]);
  });
});

describe('text that a model or a user writes', () => {
  const tools = toolRecord(tool('read_file', 'Read a file.'), tool('send_email', 'Send an email.'));
  const texts: readonly { what: string; shape: Shape }[] = [
    { what: 'separators in a pattern', shape: ['a', '-', 'a*'] },
    { what: 'words in a pattern', shape: ['', 'a-', '*'] },
    { what: 'quotes in a select:', shape: ['select:x', '"', 'x'] },
    { what: 'names in a select:', shape: ['select:', 'a,', ''] },
    { what: 'patterns in a select:', shape: ['select:', 'a-*,', ''] },
    { what: 'plus signs', shape: ['', '+', 'a'] },
    { what: 'required words', shape: ['', '+a ', ''] },
    { what: 'punctuation', shape: ['a', '!', 'a'] },
    { what: 'marks of Latin', shape: ['a', '\u0301', ''] },
    { what: 'marks out of order', shape: ['a', '\u0301\u0323\u0345', ''] },
    { what: 'marks of Hebrew', shape: ['א', '\u05b0\u05bc', ''] },
    { what: 'changes of case', shape: ['', 'aA', ''] },
    { what: 'words without spaces', shape: ['', '天气', ''] },
  ];
  const options = { length: 12_500, noise: 5 };

  it.each(texts)('takes meta-tools and search() time that grows with its length: $what', async ({ shape }) => {
    const session = new Session({ tools });
    const { tools: sent } = await session.step();
    const ways: ((text: string) => unknown)[] = [
      (query) => sent['search_tools']?.execute?.({ query } as never, {} as never),
      (toolName) => sent['load_tool']?.execute?.({ toolName } as never, {} as never),
      (text) => session.processor.search(text),
    ];
    for (const way of ways) expect(await isLinear((length) => way(textOf(shape, length)), options)).toBe(true);
  });

  it.each(texts)(
    'takes parseQuery(), words(), splitIdentifier() and clean() time that grows with its length: $what',
    async ({ shape }) => {
      for (const read of [parseQuery, words, splitIdentifier, (text: string) => clean(text, 100)]) {
        expect(await isLinear((length) => read(textOf(shape, length)), { length: 2_500, noise: 1 })).toBe(true);
      }
    },
  );
});
