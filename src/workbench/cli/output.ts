import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { messageOf } from '../../errors.ts';
import { ended } from '../../util/text.ts';
import type { Call } from './command.ts';
import { shown, type Terminal, UsageError } from './terminal.ts';

/** The output format. @throws UsageError if two formats are asked for. */
export function formatOf({ values }: Call): 'table' | 'json' | 'markdown' {
  const asked = (['json', 'markdown'] as const).filter((format) => values.flag(format));
  if (asked.length > 1) throw new UsageError('--json and --markdown are two formats. Leave one of them out.');
  return asked[0] ?? 'table';
}

export function printResult(call: Call, json: object, write: (page: Page) => void): void {
  const format = formatOf(call);
  const page = new Page(format === 'markdown', call.terminal);
  if (format !== 'json') write(page);
  call.terminal.print(format === 'json' ? JSON.stringify(json, null, 2) : page.toString());
}

/** A result for people: headings, texts and tables in the requested format, with a blank line between them. */
export class Page {
  readonly isMarkdown: boolean;
  readonly #terminal: Terminal;
  readonly #parts: string[] = [];

  constructor(isMarkdown: boolean, terminal: Terminal) {
    this.isMarkdown = isMarkdown;
    this.#terminal = terminal;
  }

  heading(
    text: string,
    { level = '###', paint = this.#terminal.colors.bold }: { readonly level?: string; readonly paint?: Paint } = {},
  ): void {
    this.add(this.isMarkdown ? `${level} ${escaped(text)}` : paint(shown(text)));
  }

  /** Adds a text, wrapped to the width of the terminal. */
  text(text: string, paint: Paint): void {
    this.add(this.isMarkdown ? text : wrapAnsi(text, this.#terminal.columns).split('\n').map(paint).join('\n'));
  }

  /** Adds a table with an optional title; adds nothing if there are no rows. */
  table(columns: readonly Column[], rows: readonly (readonly Cell[])[], title?: string): void {
    if (rows.length === 0) return;
    if (title !== undefined) this.add(title);
    this.add(this.isMarkdown ? markdownTable(columns, rows) : textTable(columns, rows, this.#terminal));
  }

  add(written: string): void {
    this.#parts.push(written);
  }

  toString(): string {
    return this.#parts.join('\n\n');
  }
}

type Paint = (text: string) => string;

export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Whether the column takes the room that the others leave, wrapped at words. */
  readonly isWide?: boolean;
  readonly paint?: Paint;
}

export type Cell = string | number;

export function numbers(title: string): Column {
  return { title, isNumber: true };
}

/** Characters between two columns, and the least width of a wide column. */
const GAP = 2;
const LEAST = 16;
/** The greatest width of any other column; longer texts wrap. */
const MOST = 34;
const NARROWEST = 4;

/** Formats rows as a table that fits the terminal. Texts are made safe to show. */
export function textTable(columns: readonly Column[], rows: readonly (readonly Cell[])[], terminal: Terminal): string {
  const titles = columns.map(({ title }) => title);
  const texts = [titles, ...rows.map((row) => columns.map((_, at) => shownCell(row[at])))];
  const widths = widthsOf(columns, texts, terminal.columns);
  const lines = texts.flatMap((cells, row) => {
    const wrapped = cells.map((cell, at) => wrapAnsi(cell, widths[at] ?? 1, { hard: true }).split('\n'));
    const height = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) => {
      const parts = columns.map(({ isNumber, paint = String }, at) => {
        const part = wrapped[at]?.[line] ?? '';
        const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(part)));
        const painted = part === '' ? '' : (row === 0 ? terminal.colors.dim : paint)(part);
        return isNumber ? `${space}${painted}` : `${painted}${space}`;
      });
      return parts.join(' '.repeat(GAP)).trimEnd();
    });
  });
  return lines.join('\n');
}

/** The widths of columns: the widest cell, at most MOST; a wide column gets the remaining room. */
function widthsOf(columns: readonly Column[], rows: readonly (readonly string[])[], room: number): readonly number[] {
  const widest = columns.map((_, at) => rows.reduce((most, row) => Math.max(most, stringWidth(row[at] ?? '')), 1));
  const titles = columns.map(({ title }) => Math.max(...title.split(' ').map((word) => stringWidth(word))));
  const widths = widest.map((width, at) => (columns[at]?.isWide ? 0 : Math.min(width, MOST)));
  const isWide = columns.some((column) => column.isWide);
  const taken = (): number => widths.reduce((sum, width) => sum + width, GAP * (columns.length - 1));
  // Other columns shrink until the wide column has its least width.
  for (let missing = taken() + (isWide ? LEAST : 0) - room; missing > 0; missing--) {
    // Columns wider than the longest word of their title shrink first.
    const spare = widths.map((width, at) => (width > (titles[at] ?? 0) ? width : 0));
    const from = Math.max(...spare) > NARROWEST ? spare : widths;
    const longest = from.indexOf(Math.max(...from));
    if ((widths[longest] ?? 0) <= NARROWEST) break;
    widths[longest] = (widths[longest] ?? 0) - 1;
  }
  const left = Math.max(NARROWEST, room - taken());
  return widths.map((width, at) => (columns[at]?.isWide ? Math.min(widest[at] ?? 0, left) : width));
}

export function markdownTable(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map(({ isNumber }) => (isNumber ? '---:' : '---'))),
    ...rows.map((row) => line(columns.map((_, at) => escaped(shownCell(row[at]))))),
  ].join('\n');
}

function shownCell(cell: Cell | undefined): string {
  return typeof cell === 'number' ? counted(cell) : shown(cell ?? '');
}

/** Escapes a text for Markdown, so that it is no markup and ends no table cell. */
export function escaped(text: string): string {
  let safe = '';
  for (const character of shown(text)) safe += '\\`*_[]<>|#&~!'.includes(character) ? `\\${character}` : character;
  return safe;
}

/** Control characters beyond ASCII and bidirectional controls, which JSON leaves unescaped. */
const UNSAFE = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Replaces characters that a terminal would obey with `\u` escapes; JSON keeps the same value. */
export function safeOutput(text: string): string {
  return text.replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function counted(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

export function several(count: number, noun: string): string {
  return `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function percent(share: number, digits = 0): string {
  return `${(100 * share).toFixed(digits)} %`;
}

/**
 * Checks, before the work, that the file of an option can be written after it.
 *
 * @throws UsageError if its folder is missing, or the file is itself a folder.
 */
export function checkWritable(option: string, file: string | undefined): void {
  if (file === undefined) return;
  const name = `--${option} ${shown(file)}`;
  const folder = path.dirname(file);
  if (!existsSync(folder))
    throw new UsageError(`${name}: there is no folder ${shown(folder)}. Make it, or give another file.`);
  if (existsSync(file) && statSync(file).isDirectory()) throw new UsageError(`${name} is a folder. Give a file in it.`);
}

/** @throws UsageError if the file cannot be written. */
export function writeResult(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    throw new UsageError(`${shown(file)} cannot be written: ${ended(shown(messageOf(cause)))}`, { cause });
  }
}
