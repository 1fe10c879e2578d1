import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { suggestionFor } from '../../kit.ts';
import { shown, type Terminal, UsageError } from './terminal.ts';

/** The name of the command, and of the package. */
export const NAME = 'mastra-tool-search';

export function versionOf(): string {
  const { version } = createRequire(import.meta.url)(`${NAME}/package.json`) as { version: string };
  return version;
}

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

/**
 * Reads the arguments of a command.
 *
 * @throws UsageError for an unknown option, a value that is missing, and one that there should not be.
 */
export function readArguments(args: readonly string[], options: CommandOptions): Omit<Call, 'terminal'> {
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  const positionals: string[] = [];
  const values = new Map<string, (string | true)[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) {
      const meant = suggestionFor(name, Object.keys(options), '--');
      throw new UsageError(`There is no option ${shown(rawName)}.${meant}`);
    }
    if (option.type === 'boolean' && value !== undefined) {
      throw new UsageError(`${rawName} takes no value; got "${shown(value)}".`);
    }
    // Node takes an option for the value of the one before it.
    const isMissing = value === undefined || (!token.inlineValue && isOption(value));
    if (option.type === 'string' && isMissing) {
      throw new UsageError(`${rawName} needs a value: ${rawName} ${option.hint ?? 'VALUE'}.`);
    }
    // Of an option that is given once, the last one counts.
    values.set(name, [...((option.multiple && values.get(name)) || []), value ?? true]);
  }
  return { values: new Values(values), positionals };
}

function isOption(text: string): boolean {
  return text.startsWith('-') && text !== '-' && Number.isNaN(Number(text));
}

/** The bounds of a number. */
export interface Bounds {
  readonly least: number;
  readonly most?: number;
  readonly isWhole?: boolean;
}

/** The options of one call. */
export class Values {
  readonly #values: ReadonlyMap<string, readonly (string | true)[]>;

  constructor(values: ReadonlyMap<string, readonly (string | true)[]>) {
    this.#values = values;
  }

  flag(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string | undefined {
    return this.texts(name)[0];
  }

  texts(name: string): readonly string[] {
    return (this.#values.get(name) ?? []).filter((value) => value !== true);
  }

  /** @throws UsageError for what is no number within its bounds. */
  number(name: string, { least, most = Number.POSITIVE_INFINITY, isWhole = false }: Bounds): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = text.trim() === '' ? Number.NaN : Number(text);
    const isFine = Number.isFinite(value) && value >= least && value <= most && (!isWhole || Number.isInteger(value));
    if (isFine) return value;
    const what = isWhole ? 'a whole number' : 'a number';
    const range = most === Number.POSITIVE_INFINITY ? `of ${least} or more` : `from ${least} to ${most}`;
    throw new UsageError(`--${name} must be ${what} ${range}; got "${shown(text)}".`);
  }

  /** @throws UsageError for a value that is not one of the list. */
  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const text = this.text(name);
    const choice = choices.find((one) => one === text);
    if (text === undefined || choice !== undefined) return choice;
    throw new UsageError(`--${name} must be one of ${choices.join(', ')}; got "${shown(text)}".`);
  }
}
