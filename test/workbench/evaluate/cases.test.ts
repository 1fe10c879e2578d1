import { ToolSearchError } from 'mastra-tool-search';
import { parseCases } from 'mastra-tool-search/evaluate';
import { describe, expect, it } from 'vitest';

describe('cases of JSON lines', () => {
  it('are read line by line, empty ones passed over', () => {
    const text = `{"query":"send mail","relevant":["send_email"],"id":"a"}\n\n{"query":"fly","relevant":[]}\r\n`;
    expect(parseCases(text)).toEqual([
      { query: 'send mail', relevant: ['send_email'], id: 'a' },
      { query: 'fly', relevant: [] },
    ]);
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

  it('may be none', () => {
    expect(parseCases('')).toEqual([]);
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
