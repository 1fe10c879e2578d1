import fc from 'fast-check';
import { ToolSearchError } from 'mastra-tool-search';
import { fromDatasetItems, toDatasetItems } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';

const names = fc.array(fc.string({ minLength: 1 }));
const anyCase = fc.record(
  {
    id: fc.string(),
    query: fc.string({ minLength: 1 }).filter((text) => text.trim() === text && text !== ''),
    relevant: names,
    groups: fc.array(names),
  },
  { requiredKeys: ['query', 'relevant'] },
);

describe('items of a dataset', () => {
  it('come back as the cases that they were made of, also through JSON', () => {
    fc.assert(
      fc.property(fc.array(anyCase), (cases) => {
        expect(fromDatasetItems(JSON.parse(JSON.stringify(toDatasetItems(cases))))).toEqual(cases);
      }),
    );
  });

  it.each([
    ['hello', 'hello'],
    [['first', 'last'], 'last'],
    [{ role: 'user', content: 'hello' }, 'hello'],
    [
      [
        { role: 'user', content: [{ type: 'text', text: 'hello' }, { type: 'image' }] },
        { role: 'assistant', content: 'no' },
      ],
      'hello',
    ],
  ])('have the text of %j', (input, query) => {
    expect(fromDatasetItems([{ input, groundTruth: 'a' }])).toEqual([{ query, relevant: ['a'] }]);
  });

  it.each([
    ['a', ['a']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [{ relevant: ['a'], other: 1 }, ['a']],
  ])('have the tools of %j', (groundTruth, relevant) => {
    expect(fromDatasetItems([{ input: 'x', groundTruth, metadata: { id: 7 } }])).toEqual([{ query: 'x', relevant }]);
  });

  it.each([
    [{ input: 7, groundTruth: 'a' }, 'its input has no text'],
    [{ input: [{ role: 'assistant', content: 'x' }], groundTruth: 'a' }, 'its input has no text'],
    [{ input: 'x' }, 'its groundTruth has no "relevant"'],
    [{ input: 'x', groundTruth: { relevant: 'a' } }, 'its groundTruth has no "relevant"'],
    [{ input: 'x', groundTruth: { relevant: ['a'], groups: [7] } }, 'its groundTruth has no "relevant"'],
  ])('are refused where they are no case: %j', (item, why) => {
    const message = `"items[0]" must be a case: an input of text, and the tools in groundTruth; ${why}.`;
    expect(() => fromDatasetItems([item])).toThrow(new ToolSearchError('invalid-option', message));
  });
});
