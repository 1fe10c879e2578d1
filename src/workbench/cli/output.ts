import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { ended } from '../../kit.ts';
import type { Call } from './command.ts';
import { shown, type Terminal, UsageError } from './terminal.ts';

/** How results are written. */
export type Format = 'table' | 'json' | 'markdown';

/** A column of a table. */
export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Whether it takes the room that the others leave, wrapped at words. */
  readonly isWide?: boolean;
  readonly paint?: (text: string) => string;
}

export type Cell = string | number;

/** Columns between two columns, and the least that a wide one is given. */
const GAP = 2;
const LEAST = 16;
/** The widest that any other column is. What is longer goes on in the next line. */
const MOST = 34;
const NARROWEST = 4;

/** @throws UsageError where two formats are asked for. */
export function formatOf({ values }: Pick<Call, 'values'>): Format {
  const asked = (['json', 'markdown'] as const).filter((format) => values.flag(format));
  if (asked.length > 1) throw new UsageError('--json and --markdown are two formats. Leave one of them out.');
  return asked[0] ?? 'table';
}

/** Rows as a table for a terminal, of which no line is wider. Texts are made safe to show. */
export function textTable(columns: readonly Column[], rows: readonly (readonly Cell[])[], terminal: Terminal): string {
  const texts = rows.map((row) => columns.map((_, at) => shownCell(row[at])));
  const titles = columns.map(({ title }) => title);
  const widths = widthsOf(columns, [titles, ...texts], terminal.columns);
  const lines = (cells: readonly string[], paints: readonly Column['paint'][]): readonly string[] => {
    const wrapped = cells.map((cell, at) => wrapAnsi(cell, widths[at] ?? 1, { hard: true }).split('\n'));
    const height = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) => {
      const parts = columns.map(({ isNumber }, at) => {
        const part = wrapped[at]?.[line] ?? '';
        const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(part)));
        const painted = part === '' ? '' : (paints[at]?.(part) ?? part);
        return isNumber ? `${space}${painted}` : `${painted}${space}`;
      });
      return parts.join(' '.repeat(GAP)).trimEnd();
    });
  };
  const { dim } = terminal.colors;
  const paints = columns.map(({ paint }) => paint);
  return [
    lines(
      titles,
      columns.map(() => dim),
    ),
    ...texts.map((row) => lines(row, paints)),
  ]
    .flat()
    .join('\n');
}

/** The widths of columns: of what stands there, but for names that are too long, and for what has the room that is left. */
function widthsOf(columns: readonly Column[], rows: readonly (readonly string[])[], room: number): readonly number[] {
  const widest = columns.map((_, at) => rows.reduce((most, row) => Math.max(most, stringWidth(row[at] ?? '')), 1));
  const titles = columns.map(({ title }) => Math.max(...title.split(' ').map((word) => stringWidth(word))));
  const widths = widest.map((width, at) => (columns[at]?.isWide ? 0 : Math.min(width, MOST)));
  const isWide = columns.some((column) => column.isWide);
  const taken = (): number => widths.reduce((sum, width) => sum + width, GAP * (columns.length - 1));
  // Names give way before the wide column has no room at all.
  for (let missing = taken() + (isWide ? LEAST : 0) - room; missing > 0; missing--) {
    // The words of a title are cut last.
    const spare = widths.map((width, at) => (width > (titles[at] ?? 0) ? width : 0));
    const from = Math.max(...spare) > NARROWEST ? spare : widths;
    const longest = from.indexOf(Math.max(...from));
    if ((widths[longest] ?? 0) <= NARROWEST) break;
    widths[longest] = (widths[longest] ?? 0) - 1;
  }
  const left = Math.max(NARROWEST, room - taken());
  return widths.map((width, at) => (columns[at]?.isWide ? Math.min(widest[at] ?? 0, left) : width));
}

function shownCell(cell: Cell | undefined): string {
  return typeof cell === 'number' ? counted(cell) : shown(cell ?? '');
}

/** Rows as a table of Markdown. */
export function markdownTable(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map(({ isNumber }) => (isNumber ? '---:' : '---'))),
    ...rows.map((row) => line(columns.map((_, at) => escaped(shownCell(row[at]))))),
  ].join('\n');
}

/** A text that is no markup in Markdown, and ends no cell. */
export function escaped(text: string): string {
  let safe = '';
  for (const character of shown(text)) safe += '\\`*_[]<>|#&~!'.includes(character) ? `\\${character}` : character;
  return safe;
}

/** Control characters beyond ASCII, and what turns the direction of a line: JSON leaves them as they are. */
const UNSAFE = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** An output with `\u` escapes in place of what a terminal would obey. JSON stays the same value. */
export function safeOutput(text: string): string {
  return text.replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A table in the format that is asked for. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  format: Format,
  terminal: Terminal,
): string {
  return format === 'markdown' ? markdownTable(columns, rows) : textTable(columns, rows, terminal);
}

/** A number with its thousands set apart. */
export function counted(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

/** A count with its noun. */
export function several(count: number, noun: string): string {
  return `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A share as percent. */
export function percent(share: number, digits = 0): string {
  return `${(100 * share).toFixed(digits)} %`;
}

/**
 * Looks, before the work, whether a file can be written at its end.
 *
 * @param option - the option that names the file.
 * @throws UsageError where its folder is not there, or it is a folder itself.
 */
export function checkWritable(option: string, file: string | undefined): void {
  if (file === undefined) return;
  const folder = path.dirname(file);
  if (!existsSync(folder)) {
    throw new UsageError(
      `--${option} ${shown(file)}: there is no folder ${shown(folder)}. Make it, or give another file.`,
    );
  }
  if (existsSync(file) && statSync(file).isDirectory()) {
    throw new UsageError(`--${option} ${shown(file)} is a folder. Give a file in it.`);
  }
}

/** @throws UsageError where the file cannot be written. */
export function writeResult(option: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const why = error instanceof Error ? shown(error.message) : '';
    throw new UsageError(`--${option} ${shown(file)} cannot be written: ${ended(why)} Give another file.`, {
      cause: error,
    });
  }
}
