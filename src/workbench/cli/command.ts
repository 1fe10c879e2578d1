import { createRequire } from 'node:module';
import { shown, type Terminal, UsageError } from './terminal.ts';

export const NAME = 'mastra-tool-search';

export function packageVersion(): string {
  const { version } = createRequire(import.meta.url)(`${NAME}/package.json`) as { version: string };
  return version;
}

/** An option of a command, for the parser and for the help. */
export interface CommandOption {
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder of the value in the help. An option without a hint takes no value. */
  readonly hint?: string;
  readonly values?: readonly string[];
  readonly text: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** A command, for the parser and for the help. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The arguments after the name, as `CATALOG [QUERY…]`. */
  readonly usage: string;
  readonly about: readonly string[];
  readonly options: CommandOptions;
  readonly examples: readonly (readonly [line: string, says: string])[];
  run(call: Call): Promise<number>;
}

export interface Call {
  readonly positionals: readonly string[];
  readonly values: Values;
  readonly terminal: Terminal;
}

export class Values {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  flag(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string | undefined {
    return this.texts(name)[0];
  }

  texts(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** @throws UsageError for a value that is no number within these bounds. */
  number(name: string, least: number, most: number = Number.POSITIVE_INFINITY, what = 'a number'): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = text.trim() === '' ? Number.NaN : Number(text);
    const isKind = what === 'a number' ? Number.isFinite(value) : Number.isInteger(value);
    if (isKind && value >= least && value <= most) return value;
    const range = most === Number.POSITIVE_INFINITY ? `of ${least} or more` : `from ${least} to ${most}`;
    throw new UsageError(`--${name} must be ${what} ${range}; got "${shown(text)}".`);
  }

  /** @throws UsageError for a value that is no whole number within these bounds. */
  whole(name: string, least: number, most?: number): number | undefined {
    return this.number(name, least, most, 'a whole number');
  }

  /** @throws UsageError for a value that is not one of the list. */
  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const text = this.text(name);
    const choice = choices.find((one) => one === text);
    if (text === undefined || choice !== undefined) return choice;
    throw new UsageError(`--${name} must be one of ${choices.join(', ')}; got "${shown(text)}".`);
  }
}
