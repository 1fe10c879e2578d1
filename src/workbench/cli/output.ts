import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { ended, messageOf } from '../../kit.ts';
import type { Call } from './command.ts';
import { shown, type Terminal, UsageError } from './terminal.ts';

/** How results are written. @throws UsageError where two formats are asked for. */
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

/** A result for people: headings, texts and tables in the format that is asked for, with a blank line between them. */
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

  /** Adds a sentence, on as many lines as it takes. */
  text(text: string, paint: Paint): void {
    this.add(this.isMarkdown ? text : wrapAnsi(text, this.#terminal.columns).split('\n').map(paint).join('\n'));
  }

  /** Adds a table under a title; nothing without rows. */
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
  /** Whether it takes the room that the others leave, wrapped at words. */
  readonly isWide?: boolean;
  readonly paint?: Paint;
}

export type Cell = string | number;

export function numbers(title: string): Column {
  return { title, isNumber: true };
}

/** Columns between two columns, and the least that a wide one is given. */
const GAP = 2;
const LEAST = 16;
/** The widest that any other column is. What is longer goes on in the next line. */
const MOST = 34;
const NARROWEST = 4;

/** Rows as a table for a terminal, of which no line is wider. Texts are made safe to show. */
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
 * @throws UsageError where its folder is not there, or it is a folder itself.
 */
export function checkWritable(option: string, file: string | undefined): void {
  if (file === undefined) return;
  const name = `--${option} ${shown(file)}`;
  const folder = path.dirname(file);
  if (!existsSync(folder))
    throw new UsageError(`${name}: there is no folder ${shown(folder)}. Make it, or give another file.`);
  if (existsSync(file) && statSync(file).isDirectory()) throw new UsageError(`${name} is a folder. Give a file in it.`);
}

/** @throws UsageError where the file cannot be written. */
export function writeResult(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    throw new UsageError(`${shown(file)} cannot be written: ${ended(shown(messageOf(cause)))}`, { cause });
  }
}
