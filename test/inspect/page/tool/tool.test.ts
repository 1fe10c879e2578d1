import { describe, expect, it } from 'vitest';
import { casesOf } from '../../../../src/inspect/page/tool/cases-of-tool.ts';
import { differenceText, keywordsSnippet, lineChanges } from '../../../../src/inspect/page/tool/change-text.ts';
import { filterTools, type ToolFilter } from '../../../../src/inspect/page/tool/tool-filter.ts';

const tools = [
  { name: 'github_create_issue', description: 'One.', group: 'github' },
  { name: 'send_email', description: 'Two.', group: 'mail' },
  { name: 'create_draft', description: 'Three.', group: 'mail' },
];
const filter: ToolFilter = { text: '', isEdited: false, order: 'catalog' };
const namesOf = (parts: Partial<ToolFilter>) =>
  filterTools(
    tools,
    { ...filter, ...parts },
    new Map([['send_email', { description: 'New.' }]]),
    new Map([
      ['send_email', 5],
      ['create_draft', 9],
    ]),
  ).map(({ name }) => name);

describe('the list of tools', () => {
  it.each([
    [{}, ['github_create_issue', 'send_email', 'create_draft']],
    [{ text: 'CREATE' }, ['github_create_issue', 'create_draft']],
    [{ text: 'mail create' }, ['create_draft']],
    [{ isEdited: true }, ['send_email']],
    [{ order: 'name' }, ['create_draft', 'github_create_issue', 'send_email']],
    [{ order: 'tokens' }, ['create_draft', 'send_email', 'github_create_issue']],
  ] as const)('with %j has %j', (parts, names) => {
    expect(namesOf(parts)).toEqual(names);
  });
});

describe('a change to be copied', () => {
  it('is the option of the processor for keywords', () => {
    const snippet = keywordsSnippet([
      ['send_email', { keywords: ['letter'], description: 'New.' }],
      ['create_draft', { description: 'New.' }],
    ]);
    expect(JSON.parse(snippet ?? '')).toEqual({ search: { keywords: { send_email: ['letter'] } } });
    expect(keywordsSnippet([['a', { description: 'New.' }]])).toBe(undefined);
  });

  it('is a difference of lines', () => {
    const tool = { name: 'send_email', description: 'Send it.\nAt once.\nSurely.', keywords: ['mail'] };
    expect(differenceText(tool, { description: 'Send it.\nSoon.\nSurely.', keywords: ['mail', 'letter'] })).toBe(
      [
        '--- send_email',
        '+++ send_email',
        '@@ description @@',
        ' Send it.',
        '-At once.',
        '+Soon.',
        ' Surely.',
        '@@ keywords @@',
        ' mail',
        '+letter',
        '',
      ].join('\n'),
    );
    expect(differenceText(tool, {})).toBe('');
  });

  it.each([
    ['', 'a', ['+a']],
    ['a', '', ['-a']],
    ['a\nb', 'a', [' a', '-b']],
    ['a\na', 'a\na\na', [' a', ' a', '+a']],
    ['same', 'same', [' same']],
  ])('from %j to %j is %j', (before, after, lines) => {
    expect(lineChanges(before, after)).toEqual(lines);
  });
});

describe('the cases of a tool', () => {
  const result = (id: string, relevant: readonly string[], ...found: string[]) => ({ id, query: id, relevant, found });

  it('are those that want it, and those that find it, with its places', () => {
    const cases = [
      result('finds', ['x'], 'x', 'send_email'),
      result('neither', ['x'], 'x'),
      result('misses', ['send_email'], 'x'),
      result('wants', ['send_email'], 'send_email', 'x'),
    ];
    expect(casesOf('send_email', cases)).toEqual([
      { id: 'wants', query: 'wants', isWanted: true, place: 1 },
      { id: 'misses', query: 'misses', isWanted: true, place: undefined },
      { id: 'finds', query: 'finds', isWanted: false, place: 2 },
    ]);
  });

  it('say where it stood before the edits', () => {
    const [now, before] = [[result('a', [], 'x')], [result('a', [], 'x', 'send_email')]];
    expect(casesOf('send_email', now, before)).toMatchObject([{ place: undefined, before: { place: 2 } }]);
    expect(casesOf('send_email', before, now)).toMatchObject([{ place: 2, before: { place: undefined } }]);
  });
});
