import { shown } from './terminal.ts';
import { UsageError } from './usage-error.ts';

type Value = string | boolean | readonly (string | boolean)[] | undefined;

/** The bounds of a number. */
export interface Bounds {
  readonly least: number;
  readonly most?: number;
  readonly isWhole?: boolean;
}

/** The options of one call. */
export class Values {
  readonly #values: Readonly<Record<string, Value>>;

  constructor(values: Readonly<Record<string, Value>>) {
    this.#values = values;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    if (Array.isArray(value)) return value.filter((item): item is string => typeof item === 'string');
    return typeof value === 'string' ? [value] : [];
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
