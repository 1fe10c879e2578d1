import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sentences, sentencesOf } from '../../../src/scorers/bm25/sentences.ts';
import { document } from '../../fixtures/tools.ts';

function counted(times: number, ...sentences: string[]): Sentences {
  const all = new Sentences();
  for (let tool = 0; tool < times; tool++) all.add(sentences);
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

describe('what is distinctive', () => {
  it('is what no more than eight tools say', () => {
    expect(counted(8, 'a', 'b').distinctive(['a', 'b'])).toEqual(['a', 'b']);
    expect(counted(9, 'a').distinctive(['a', 'b', 'a'])).toEqual(['b']);
    expect(new Sentences().distinctive(['a'])).toEqual(['a']);
  });

  it('counts a tool once that says it twice', () => {
    expect(counted(5, 'a', 'a').distinctive(['a'])).toEqual(['a']);
  });

  it('knows words out of JavaScript as sentences like any other', () => {
    expect(new Sentences().distinctive(['constructor', '__proto__'])).toEqual(['constructor', '__proto__']);
    expect(counted(9, 'constructor').distinctive(['constructor', '__proto__'])).toEqual(['__proto__']);
  });
});

describe('sentences after a change', () => {
  /** The tools before it, which of them are gone, and those that have come. */
  const changing = (before: readonly string[][], gone: readonly number[], added: readonly string[][]) => {
    const base = new Sentences();
    for (const list of before) base.add(list);
    const marks = Uint8Array.from(before, (_, tool) => (gone.includes(tool) ? 1 : 0));
    return { base, ...base.after(marks, added) };
  };
  const tools = (count: number, ...list: string[]): string[][] => Array.from({ length: count }, () => list);
  const upTo = (count: number): number[] => [...Array(count).keys()];

  it.each([
    { before: 8, gone: 0, come: 1, changed: upTo(8), why: 'the ninth tool says it' },
    { before: 9, gone: 1, come: 0, changed: upTo(9).slice(1), why: 'the ninth does not any longer' },
    { before: 0, gone: 0, come: 9, changed: [], why: 'nobody that is still there said it before' },
    { before: 4, gone: 0, come: 4, changed: [], why: 'eight tools are not enough' },
    { before: 9, gone: 0, come: 3, changed: [], why: 'it was boilerplate before' },
    { before: 12, gone: 3, come: 0, changed: [], why: 'it still is boilerplate' },
    { before: 12, gone: 12, come: 0, changed: [], why: 'nobody is left to say it' },
    { before: 9, gone: 1, come: 1, changed: [], why: 'another says it in the place of one' },
  ])('are others for the tools $changed: $why', ({ before, gone, come, changed }) => {
    const sentences = changing(tools(before, 'a'), upTo(gone), tools(come, 'a'));
    expect(sentences.changed).toEqual(changed);
    expect(sentences.distinctive(['a', 'b'])).toEqual(before - gone + come > 8 ? ['b'] : ['a', 'b']);
    // What was before stays as it is.
    expect(sentences.base.distinctive(['a'])).toEqual(before > 8 ? [] : ['a']);
  });

  it('count a tool once that says one twice', () => {
    expect(changing(tools(4, 'a', 'a'), [], tools(4, 'a', 'a')).distinctive(['a'])).toEqual(['a']);
    expect(changing(tools(9, 'a', 'b'), [0], tools(1, 'b', 'b')).distinctive(['a', 'b'])).toEqual(['a']);
  });

  it('count as if all had been counted from the start', () => {
    const sentence = fc.constantFrom('a', 'b', 'c', 'constructor');
    const lists = fc.array(fc.array(sentence, { maxLength: 3 }), { maxLength: 30 });
    fc.assert(
      fc.property(lists, lists, fc.array(fc.nat(30)), (before, added, gone) => {
        const sentences = changing(before, gone, added);
        const left = before.filter((_, tool) => !gone.includes(tool));
        const isShared = (all: readonly string[][], one: string): boolean =>
          all.filter((list) => list.includes(one)).length > 8;
        const [all, now] = [
          ['a', 'b', 'c', 'constructor'],
          [...left, ...added],
        ];
        expect(sentences.distinctive(all)).toEqual(all.filter((one) => !isShared(now, one)));
        const isOther = (one: string): boolean => isShared(now, one) !== isShared(before, one);
        const changed = upTo(before.length).filter((tool) => !gone.includes(tool) && before[tool]?.some(isOther));
        expect(sentences.changed).toEqual(changed);
      }),
    );
  });
});
