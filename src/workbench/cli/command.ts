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

/** An option of a command, as arguments are read and as the help and completions describe it. */
export interface CommandOption {
  readonly short?: string;
  /** Whether it may be given several times. */
  readonly multiple?: boolean;
  /** What its value is, in the help; of a FILE, shells complete the name. An option without a hint takes no value. */
  readonly hint?: string;
  /** The values that there are, where there are few. */
  readonly values?: readonly string[];
  readonly text: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** A command, as it is run and as the help and completions describe it. */
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
  const types = Object.entries(options).map(([name, { hint, short }]) => {
    return [name, { type: hint === undefined ? 'boolean' : 'string', ...(short ? { short } : {}) }] as const;
  });
  const { tokens } = parseArgs({
    ...{ args: [...args], options: Object.fromEntries(types) },
    ...{ allowPositionals: true, strict: false, tokens: true },
  });
  const positionals: string[] = [];
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) {
      const meant = suggestionFor(name, Object.keys(options), '--');
      throw new UsageError(`There is no option ${shown(rawName)}.${meant}`);
    }
    if (option.hint === undefined && value !== undefined)
      throw new UsageError(`${rawName} takes no value; got "${shown(value)}".`);
    // Node takes an option for the value of the one before it.
    if (option.hint !== undefined && (value === undefined || (!inlineValue && isOption(value))))
      throw new UsageError(`${rawName} needs a value: ${rawName} ${option.hint}.`);
    // Of an option that is given once, the last one counts.
    values.set(name, [...((option.multiple && values.get(name)) || []), value ?? '']);
  }
  return { values: new Values(values), positionals };
}

function isOption(text: string): boolean {
  return text.startsWith('-') && text !== '-' && Number.isNaN(Number(text));
}

/** The options of one call. */
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

  /** @throws UsageError for what is no number within these bounds. */
  number(name: string, least: number, most: number = Number.POSITIVE_INFINITY, what = 'a number'): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = text.trim() === '' ? Number.NaN : Number(text);
    const isKind = what === 'a number' ? Number.isFinite(value) : Number.isInteger(value);
    if (isKind && value >= least && value <= most) return value;
    const range = most === Number.POSITIVE_INFINITY ? `of ${least} or more` : `from ${least} to ${most}`;
    throw new UsageError(`--${name} must be ${what} ${range}; got "${shown(text)}".`);
  }

  /** @throws UsageError for what is no whole number within these bounds. */
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
