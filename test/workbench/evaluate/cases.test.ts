import fc from 'fast-check';
import { ToolSearchError } from 'mastra-tool-search';
import { fromDatasetItems, parseCases, toDatasetItems } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';

const names = fc.array(fc.string({ minLength: 1 }));
const anyCase = fc.record(
  { id: fc.string(), query: fc.string(), relevant: names, groups: fc.array(names) },
  { requiredKeys: ['query', 'relevant'] },
);
const user = (content: unknown) => ({ role: 'user', content });
const text = (of: string) => ({ type: 'text', text: of });
const NO_TEXT = 'its input has no text';
const NO_TOOLS = 'its groundTruth has no "relevant"';

describe('items of a dataset', () => {
  it('come back as the cases that they were made of, also through JSON; a case has a query', () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        if (one.query.trim() === '') expect(() => toDatasetItems([one])).toThrow(ToolSearchError);
        else expect(fromDatasetItems(JSON.parse(JSON.stringify(toDatasetItems([one, one]))))).toEqual([one, one]);
      }),
    );
    for (const one of [null, { query: 'x' }, { query: 'x', relevant: 'a' }] as never[]) {
      expect(() => toDatasetItems([{ query: 'y', relevant: [] }, one])).toThrow('"cases[1]" must be a case such as');
      expect(() => toDatasetItems(one)).toThrow(ToolSearchError);
    }
  });

  it.each([
    ['hello', 'hello'],
    [' hello\n', ' hello\n'],
    [['first', 'last'], 'last'],
    [user('hello'), 'hello'],
    [[user([text('hello'), { type: 'image' }]), { role: 'assistant', content: 'no' }], 'hello'],
    [[user({ format: 2, parts: [{ type: 'step-start' }, text('hello')] })], 'hello'],
    [user({ format: 2, parts: [], content: 'hello' }), 'hello'],
  ])('have the text of %j', (input, query) => {
    for (const groundTruth of ['a', ['a'], { relevant: ['a'], other: 1 }]) {
      const item = { input, groundTruth, metadata: { id: 7 } };
      expect(fromDatasetItems([item])).toEqual([{ query, relevant: ['a'] }]);
    }
  });

  it.each([
    [null, 'got null'],
    [undefined, 'got undefined'],
    [{ input: ' ', groundTruth: 'a' }, NO_TEXT],
    [{ input: 7, groundTruth: 'a' }, NO_TEXT],
    [{ input: [{ role: 'assistant', content: 'x' }], groundTruth: 'a' }, NO_TEXT],
    [{ input: 'x' }, NO_TOOLS],
    [{ input: 'x', groundTruth: { relevant: 'a' } }, NO_TOOLS],
    [{ input: 'x', groundTruth: { relevant: ['a'], groups: [7] } }, NO_TOOLS],
  ])('are refused where they are no case: %j', (item, why) => {
    const message = `"items[0]" must be a case: an input of text, and the tools in groundTruth; ${why}.`;
    expect(() => fromDatasetItems([item as never])).toThrow(new ToolSearchError('invalid-option', message));
  });

  it.each([
    [undefined, 'undefined'],
    [{ items: [] }, 'an object'],
    ['text', '"text"'],
  ])('are refused where they are no list: %j', (items, got) => {
    const message = `"items" must be a list of items of a dataset; got ${got}.`;
    expect(() => fromDatasetItems(items as never)).toThrow(new ToolSearchError('invalid-option', message));
  });
});

describe('cases of JSON lines', () => {
  it('are read line by line; those of a log have the tools that were called after a query, any of which will do', () => {
    const send = { query: 'send mail', relevant: ['send_email'], id: 'a' };
    const fly = { query: 'fly', relevant: [] };
    expect(parseCases(`${JSON.stringify(send)}\n\n${JSON.stringify(fly)}\r\n`)).toEqual([send, fly]);
    expect(parseCases('')).toEqual([]);
    const called = ['send_email', 'post_message', 'send_email'].map((name) => ({ query: 'write', called: name }));
    const log = [...called, { query: 'rain?', called: 'get_weather' }].map((line) => JSON.stringify(line)).join('\n');
    const both = ['send_email', 'post_message'];
    expect(parseCases(log)).toEqual([
      { query: 'write', relevant: both, groups: [both] },
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
