import { funnel, parseEvents } from 'mastra-tool-search/evaluate';
import { expect, it } from 'vitest';

it('reads one event a line, and counts the lines that are none', () => {
  const text =
    '\uFEFF{"type":"miss","called":"a"}\r\n\n  \n{"type":"miss","called":"b"}\nnull\n5\n[]\n{"type":5}\n{"time":1,"ty';
  const { events, broken } = parseEvents(text);
  expect(events).toEqual([
    { type: 'miss', called: 'a' },
    { type: 'miss', called: 'b' },
  ]);
  expect(broken).toBe(5);
  expect(funnel(events).misses.lost).toBe(2);
});

it('keeps events of types that a later version may have', () => {
  expect(parseEvents('{"type":"later"}')).toEqual({ events: [{ type: 'later' }], broken: 0 });
});

it('reads nothing from nothing', () => {
  expect(parseEvents('')).toEqual({ events: [], broken: 0 });
});
