import fc from 'fast-check';
import { ToolSearchError } from 'mastra-tool-search';
import { fromDatasetItems, parseCases, toDatasetItems } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';

const names = fc.array(fc.string({ minLength: 1 }));
const anyCase = fc.record(
  {
    id: fc.string(),
    query: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
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
    [
      [{ role: 'user', content: { format: 2, parts: [{ type: 'step-start' }, { type: 'text', text: 'hello' }] } }],
      'hello',
    ],
    [{ role: 'user', content: { format: 2, parts: [], content: 'hello' } }, 'hello'],
    [' hello\n', ' hello\n'],
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
    [{ input: ' ', groundTruth: 'a' }, 'its input has no text'],
    [null, 'got null'],
    [undefined, 'got undefined'],
    [{ input: 7, groundTruth: 'a' }, 'its input has no text'],
    [{ input: [{ role: 'assistant', content: 'x' }], groundTruth: 'a' }, 'its input has no text'],
    [{ input: 'x' }, 'its groundTruth has no "relevant"'],
    [{ input: 'x', groundTruth: { relevant: 'a' } }, 'its groundTruth has no "relevant"'],
    [{ input: 'x', groundTruth: { relevant: ['a'], groups: [7] } }, 'its groundTruth has no "relevant"'],
  ])('are refused where they are no case: %j', (item, why) => {
    const message = `"items[0]" must be a case: an input of text, and the tools in groundTruth; ${why}.`;
    expect(() => fromDatasetItems([item as never])).toThrow(new ToolSearchError('invalid-option', message));
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [{ items: [] }, 'an object'],
    ['text', '"text"'],
  ])('are refused where they are no list: %j', (items, got) => {
    const message = `"items" must be a list of items of a dataset; got ${got}.`;
    expect(() => fromDatasetItems(items as never)).toThrow(new ToolSearchError('invalid-option', message));
  });

  it.each([null, { query: 'x' }, { query: ' ', relevant: ['a'] }, { query: 'x', relevant: 'a' }])(
    'are not made of what is no case: %j',
    (one) => {
      const cases = [{ query: 'y', relevant: [] }, one] as never;
      expect(() => toDatasetItems(cases)).toThrow('"cases[1]" must be a case such as');
      expect(() => toDatasetItems(one as never)).toThrow(ToolSearchError);
    },
  );

  it('are made of whatever evaluate() takes as a case', () => {
    const one = fc.record({ query: fc.string(), relevant: names });
    fc.assert(
      fc.property(one, (made) => {
        const isCase = made.query.trim() !== '';
        if (isCase) expect(fromDatasetItems(toDatasetItems([made]))).toEqual([made]);
        else expect(() => toDatasetItems([made])).toThrow(ToolSearchError);
      }),
    );
  });
});

describe('cases of JSON lines', () => {
  it('are read line by line, empty ones passed over', () => {
    const text = `{"query":"send mail","relevant":["send_email"],"id":"a"}\n\n{"query":"fly","relevant":[]}\r\n`;
    expect(parseCases(text)).toEqual([
      { query: 'send mail', relevant: ['send_email'], id: 'a' },
      { query: 'fly', relevant: [] },
    ]);
    expect(parseCases('')).toEqual([]);
  });

  it('of a log have the tools that were called after a query, any of which will do', () => {
    const called = ['send_email', 'post_message', 'send_email'].map((name) => ({
      query: 'write to Ada',
      called: name,
    }));
    const log = [...called, { query: 'rain?', called: 'get_weather' }].map((line) => JSON.stringify(line)).join('\n');
    expect(parseCases(log)).toEqual([
      {
        query: 'write to Ada',
        relevant: ['send_email', 'post_message'],
        groups: [['send_email', 'post_message']],
      },
      { query: 'rain?', relevant: ['get_weather'], groups: [['get_weather']] },
    ]);
  });

  it.each([
    ['{"query":"a"}', 'is none of them'],
    ['{"query":"","relevant":[]}', 'is none of them'],
    ['{"query":"a","relevant":["x", 1]}', 'is none of them'],
    ['{"query":"a","relevant":[],"groups":["x"]}', 'is none of them'],
    ['null', 'is none of them'],
    ['{"query":', 'is no JSON'],
  ])('are refused with the number of the line: %s', (line, why) => {
    const expected = 'lines such as { "query": "…", "relevant": ["…"] } or { "query": "…", "called": "…" }';
    expect(() => parseCases(`{"query":"a","relevant":[]}\n${line}`)).toThrow(
      new ToolSearchError('invalid-option', `"cases" must be ${expected}; line 2 ${why}.`),
    );
  });
});
