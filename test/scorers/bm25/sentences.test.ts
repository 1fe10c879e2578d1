import { describe, expect, it } from 'vitest';
import { SentenceCounts, sentencesOf } from '../../../src/scorers/bm25/tool-words.ts';
import { document } from '../../fixtures/tools.ts';

function counted(times: number, ...sentences: string[]): SentenceCounts {
  const all = new SentenceCounts();
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
    expect(new SentenceCounts().distinctive(['a'])).toEqual(['a']);
  });

  it('counts a tool once that says it twice', () => {
    expect(counted(5, 'a', 'a').distinctive(['a'])).toEqual(['a']);
  });

  it('knows words out of JavaScript as sentences like any other', () => {
    expect(new SentenceCounts().distinctive(['constructor', '__proto__'])).toEqual(['constructor', '__proto__']);
    expect(counted(9, 'constructor').distinctive(['constructor', '__proto__'])).toEqual(['__proto__']);
  });
});
