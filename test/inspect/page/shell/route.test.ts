import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashOf, readRoute } from '../../../../src/inspect/page/shell/route.ts';

it.each([
  ['', { view: 'overview', name: '', settings: [] }],
  ['#/confusions?a=b', { view: 'cases', name: '', settings: [['a', 'b']] }],
  ['#', { view: 'overview', name: '', settings: [] }],
  ['#/cases', { view: 'cases', name: '', settings: [] }],
  ['#/tools/send_email', { view: 'tools', name: 'send_email', settings: [] }],
  [
    '#/search?q=a+b&other=tiered',
    {
      view: 'search',
      name: '',
      settings: [
        ['q', 'a b'],
        ['other', 'tiered'],
      ],
    },
  ],
  ['#/tools/%E0%A4%A', { view: 'tools', name: '%E0%A4%A', settings: [] }],
])('reads the address %s', (hash, { view, name, settings }) => {
  expect(readRoute(hash)).toEqual({ view, name, settings: new Map(settings as [string, string][]) });
});

it('comes to the same place that it made the address of', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(
      fc.constantFrom('overview', 'tools', 'a b', 'ü/?'),
      fc.string({ unit: 'grapheme' }),
      text,
      (view, name, query) => {
        expect(readRoute(hashOf(view, name, { query, empty: '' }))).toEqual({
          ...{ view, name },
          settings: new Map([['query', query]]),
        });
      },
    ),
  );
});

it('has no address for half a character', () => {
  expect(hashOf('tools', '\ud800')).toBe('#/tools/');
});
