import type { Terminal } from './terminal.ts';
import type { Values } from './values.ts';

/** An option of a command: as Node reads it, and as the help tells of it. */
export interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** Whether it may be given several times. */
  readonly multiple?: boolean;
  /** What its value is, in the help. */
  readonly hint?: string;
  /** The values that there are, where there are few. */
  readonly values?: readonly string[];
  /** Whether its value is a file, for completion. */
  readonly isFile?: boolean;
  readonly text: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** A command, as it is run and as the help and completions tell of it. */
export interface Command {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** What stands behind the name, as `CATALOG [QUERY…]`. */
  readonly usage: string;
  /** Paragraphs of the help, behind the usage. */
  readonly about: readonly string[];
  readonly options: CommandOptions;
  readonly examples: readonly (readonly [line: string, says: string])[];
  /** The exit code. */
  run(call: Call): Promise<number>;
}

/** One call of a command. */
export interface Call {
  readonly positionals: readonly string[];
  readonly values: Values;
  readonly terminal: Terminal;
}
