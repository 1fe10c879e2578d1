import pc from 'picocolors';
import { clean, ended } from '../../util/text.ts';

/** Exit codes: the checked condition holds, fails, or cannot be determined. */
export const OK = 0;
export const FAILED = 1;
export const WRONG = 2;

/** An invalid or impossible call: the message has the fact, the value and the remedy. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** Default width if no terminal reports one. */
const COLUMNS = 80;
/** Limit of shown characters of one text of a tool. */
const MAX_TEXT = 4_000;

export type Colors = ReturnType<typeof pc.createColors>;

/** Where a command writes results, warnings and progress. */
export interface Terminal {
  readonly columns: number;
  readonly colors: Colors;
  /** Writes a result and a line break. */
  print(text: string): void;
  /** Writes a text that is no result, such as a warning. */
  warn(text: string): void;
  /** Shows the current activity until the next output. Only on a terminal. */
  progress(text: string): void;
  /** The text from stdin. */
  input(): Promise<string>;
  /** Whether stdin is piped, and not a keyboard. */
  readonly hasInput: boolean;
}

export function processTerminal(): Terminal & { flushed(): Promise<void> } {
  const { stdout, stderr, stdin, env } = process;
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader, e.g. `head`, closed the pipe. The exit code stays the one of the command.
      if (error.code === 'EPIPE') return;
      if (stream === stdout)
        stderr.write(
          `error: The output cannot be written: ${ended(shown(error.message))} Make room, or write elsewhere.\n`,
        );
      process.exit(WRONG);
    });
  }
  // picocolors also colours in CI, where the pipe may end in a file.
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

/** Warns of an omission or a doubt in a result. */
export function warning({ colors, warn }: Terminal, message: string): void {
  warn(`${colors.yellow('warning:')} ${message}`);
}

/** Cleans a foreign text for output: one line, without control of the cursor, colours or text direction. */
export function shown(text: string): string {
  return clean(text, MAX_TEXT);
}
