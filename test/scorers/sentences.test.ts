import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sentences, sentencesOf } from '../../src/scorers/sentences.ts';
import { document } from '../fixtures/tools.ts';

function counted(times: number, ...sentences: string[]): Sentences {
  const all = new Sentences();
  for (let tool = 0; tool < times; tool++) all.count(sentences, 1);
  return all;
}

describe('the sentences of a description', () => {
  it.each([
    { text: '', expected: [], why: 'there is nothing' },
    { text: ' \n ', expected: [], why: 'there is only white space' },
    { text: 'Reads birds', expected: ['Reads birds'], why: 'an end is not needed' },
    {
      text: 'Reads. Writes! Sings? Flies',
      expected: ['Reads.', 'Writes!', 'Sings?', 'Flies'],
      why: 'all these end one',
    },
    { text: 'Version 2.1 of a.b', expected: ['Version 2.1 of a.b'], why: 'a dot inside a word ends none' },
    { text: 'Reads\n\n  - writes \n', expected: ['Reads', '- writes'], why: 'lines are sentences' },
    { text: '查询。返回！好', expected: ['查询。', '返回！', '好'], why: 'Chinese has no space behind the end' },
  ])('"$text" are $expected, as $why', ({ text, expected }) => {
    expect(sentencesOf(document('a', text))).toEqual(expected);
  });
});

describe('what is telling', () => {
  it('is what no more than eight tools say', () => {
    expect(counted(8, 'a', 'b').telling(['a', 'b'])).toEqual(['a', 'b']);
    expect(counted(9, 'a').telling(['a', 'b', 'a'])).toEqual(['b']);
    expect(new Sentences().telling(['a'])).toEqual(['a']);
  });

  it('counts a tool once that says it twice', () => {
    expect(counted(5, 'a', 'a').telling(['a'])).toEqual(['a']);
  });

  it('knows words out of JavaScript as sentences like any other', () => {
    expect(new Sentences().telling(['constructor', '__proto__'])).toEqual(['constructor', '__proto__']);
    expect(counted(9, 'constructor').telling(['constructor', '__proto__'])).toEqual(['__proto__']);
  });
});

describe('sentences over others', () => {
  const over = (base: Sentences, by: 1 | -1, times: number, ...list: string[]): Sentences => {
    const sentences = new Sentences(base);
    for (let tool = 0; tool < times; tool++) sentences.count(list, by);
    return sentences;
  };

  it.each([
    { before: 8, by: 1, times: 1, changed: ['a'], why: 'the ninth tool says it' },
    { before: 9, by: -1, times: 1, changed: ['a'], why: 'the ninth does not any longer' },
    { before: 0, by: 1, times: 9, changed: ['a'], why: 'nobody said it before' },
    { before: 0, by: 1, times: 8, changed: [], why: 'eight tools are not enough' },
    { before: 9, by: 1, times: 3, changed: [], why: 'it was boilerplate before' },
    { before: 12, by: -1, times: 3, changed: [], why: 'it still is boilerplate' },
  ] as const)('have changed $changed: $why', ({ before, by, times, changed }) => {
    const base = counted(before, 'a');
    const sentences = over(base, by, times, 'a');
    expect(sentences.changed).toEqual(changed);
    const isShared = before + by * times > 8;
    expect(sentences.telling(['a', 'b'])).toEqual(isShared ? ['b'] : ['a', 'b']);
    // The base stays as it is.
    expect(base.telling(['a'])).toEqual(before > 8 ? [] : ['a']);
  });

  it('have changed nothing when what was done was undone', () => {
    const sentences = over(counted(8, 'a'), 1, 1, 'a');
    sentences.count(['a'], -1);
    expect(sentences.changed).toEqual([]);
  });

  it('have changed all boilerplate where there is no base', () => {
    expect(counted(9, 'a', 'b').changed).toEqual(['a', 'b']);
  });

  it('can be copied, and the copy goes its own way', () => {
    const first = over(counted(8, 'a'), 1, 1, 'a');
    const copy = first.copy();
    copy.count(['a'], -1);
    copy.count(['a'], -1);
    expect([first.changed, copy.changed]).toEqual([['a'], []]);
    expect([first.telling(['a']), copy.telling(['a'])]).toEqual([[], ['a']]);
  });

  it('of a copy are over the same base', () => {
    const copy = over(counted(9, 'a', 'b'), -1, 1, 'b').copy();
    expect([copy.telling(['a', 'b']), copy.changed]).toEqual([['b'], ['b']]);
  });

  it('count as if all had been counted from the start', () => {
    const sentence = fc.constantFrom('a', 'b', 'c');
    const tools = fc.array(fc.array(sentence, { maxLength: 3 }), { maxLength: 30 });
    fc.assert(
      fc.property(tools, tools, fc.nat(30), (before, added, gone) => {
        const base = new Sentences();
        for (const list of before) base.count(list, 1);
        const sentences = new Sentences(base);
        for (const list of before.slice(0, gone)) sentences.count(list, -1);
        for (const list of added) sentences.count(list, 1);
        const now = [...before.slice(gone), ...added];
        const shared = (tools: readonly string[][]): string[] =>
          ['a', 'b', 'c'].filter((one) => tools.filter((list) => list.includes(one)).length > 8);
        expect(sentences.telling(['a', 'b', 'c'])).toEqual(['a', 'b', 'c'].filter((one) => !shared(now).includes(one)));
        const changed = ['a', 'b', 'c'].filter((one) => shared(now).includes(one) !== shared(before).includes(one));
        expect([...sentences.changed].sort()).toEqual(changed);
      }),
    );
  });
});
