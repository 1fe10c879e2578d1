import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { escaped, markdownTable, textTable } from '../../../src/workbench/cli/output.ts';
import type { Terminal } from '../../../src/workbench/cli/terminal.ts';
import { widest } from './command.ts';

const terminal = (columns: number): Terminal => ({ columns, colors: pc.createColors(false) }) as Terminal;
const columns = [
  { title: '#', isNumber: true },
  { title: 'tool' },
  { title: 'tokens', isNumber: true },
  { title: 'why', isWide: true },
];

describe('textTable', () => {
  it('cuts names before the words of a title', () => {
    const likely = [
      { title: '#' },
      { title: 'tool' },
      { title: 'score' },
      { title: 'likely' },
      { title: 'by', isWide: true },
    ];
    const [head] = textTable(likely, [['1', 'a_rather_long_name', '3.24', '74 %', 'mail']], terminal(40)).split('\n');
    expect(head).toMatch(/^# +tool +score +likely +by$/);
  });

  it('sets numbers to the right, and wraps the wide column at words', () => {
    const rows = [
      [1, 'send_email', 12_345, 'says nothing of who may read what it sends, nor when'],
      [2, 'post', 7, ''],
    ];
    expect(textTable(columns, rows, terminal(50))).toBe(
      [
        '#  tool        tokens  why',
        '1  send_email  12,345  says nothing of who may',
        '                       read what it sends, nor',
        '                       when',
        '2  post             7',
      ].join('\n'),
    );
  });

  it('breaks a long name, and keeps all of it', () => {
    const name = 'q'.repeat(70);
    const text = textTable(columns, [[1, name, 2, 'some words that say why it is so']], terminal(60));
    expect(widest(text)).toBeLessThanOrEqual(60);
    expect([...text].filter((letter) => letter === 'q')).toHaveLength(70);
  });

  it.each([40, 60, 80, 120])('keeps within %d columns, with wide letters too', (width) => {
    const rows = [
      [
        1,
        '天気予報を取得するための道具の名前はとても長い',
        123_456_789,
        '天気予報を取得するための道具の名前はとても長い',
      ],
      [2, 'x'.repeat(200), 1, 'y'.repeat(200)],
      [3, '👩‍👩‍👧‍👦'.repeat(9), 1, 'plain words'],
    ];
    expect(widest(textTable(columns, rows, terminal(width)))).toBeLessThanOrEqual(width);
  });
});

describe('markdownTable', () => {
  it('ends no cell early and makes no markup', () => {
    expect(
      markdownTable([{ title: 'tool' }, { title: 'n', isNumber: true }], [['a|b <i>*c*</i>\n[d](e)', 1_000]]),
    ).toBe('| tool | n |\n| --- | ---: |\n| a\\|b \\<i\\>\\*c\\*\\</i\\> \\[d\\](e) | 1,000 |');
    expect(escaped('`~#&!\\')).toBe('\\`\\~\\#\\&\\!\\\\');
  });
});
