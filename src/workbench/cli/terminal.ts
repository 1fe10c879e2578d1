import pc from 'picocolors';
import { clean, ended } from '../../kit.ts';

/** Exit codes: what was asked for holds, does not hold, or cannot be told. */
export const OK = 0;
export const FAILED = 1;
export const WRONG = 2;

/** A call that cannot be understood, or cannot be done: the message has the fact, the value and the remedy. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** Columns where no terminal says how many it has. */
const COLUMNS = 80;
/** Characters of one text of a tool that are shown. */
const MAX_TEXT = 4_000;

export type Colors = ReturnType<typeof pc.createColors>;

/** Where a command writes: results, and what is said beside them. */
export interface Terminal {
  readonly columns: number;
  readonly colors: Colors;
  /** Writes a result, with a line break behind it. */
  print(text: string): void;
  /** Says something that is no result, as a warning. */
  warn(text: string): void;
  /** Says what is done now, until something else is said. Only on a terminal. */
  progress(text: string): void;
  /** The text that the process is given. */
  input(): Promise<string>;
  /** Whether there is a text to read, and nobody at a keyboard. */
  readonly hasInput: boolean;
}

export function processTerminal(): Terminal & { flushed(): Promise<void> } {
  const { stdout, stderr, stdin, env } = process;
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader has enough, as `head` has. The exit code says what it would have said.
      if (error.code === 'EPIPE') return;
      if (stream === stdout)
        stderr.write(
          `error: The output cannot be written: ${ended(shown(error.message))} Make room, or write elsewhere.\n`,
        );
      process.exit(WRONG);
    });
  }
  // picocolors colours in CI too, where a file may be at the end of the pipe.
  const { FORCE_COLOR = '' } = env;
  const isForcedOff = FORCE_COLOR === '0' || FORCE_COLOR === 'false';
  const hasColors = pc.isColorSupported && !isForcedOff && (stdout.isTTY || FORCE_COLOR !== '');
  let said = '';
  const clear = (): void => {
    if (said !== '') stderr.write(`\r${' '.repeat(said.length)}\r`);
    said = '';
  };
  return {
    columns: (stdout.isTTY && stdout.columns) || COLUMNS,
    colors: pc.createColors(hasColors),
    hasInput: !stdin.isTTY,
    print(text) {
      clear();
      stdout.write(`${text}\n`);
    },
    warn(text) {
      clear();
      stderr.write(`${text}\n`);
    },
    progress(text) {
      if (!stderr.isTTY) return;
      clear();
      said = text.slice(0, COLUMNS - 1);
      stderr.write(said);
    },
    async input() {
      const parts: Buffer[] = [];
      for await (const part of stdin) parts.push(part as Buffer);
      return Buffer.concat(parts).toString('utf8');
    },
    async flushed() {
      clear();
      await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));
    },
  };
}

/** Says what is left out of a result, or doubtful in it. */
export function warning({ colors, warn }: Terminal, message: string): void {
  warn(`${colors.yellow('warning:')} ${message}`);
}

/** A text from outside as it is shown: one line, without what moves a cursor, changes colours or turns the direction. */
export function shown(text: string): string {
  return clean(text, MAX_TEXT);
}
