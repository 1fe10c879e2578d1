import { parseArgs } from 'node:util';
import { didYouMean, likeliestNames } from '../../kit.ts';
import type { Call, CommandOptions } from './command.ts';
import { shown } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { Values } from './values.ts';

/** The first of the unknown options, as `--name` or `-n`. */
interface Unknown {
  readonly rawName: string;
  readonly name: string;
}

/**
 * Reads the arguments of a command.
 *
 * @throws UsageError for an unknown option, a value that is missing, and one that there should not be.
 */
export function readArguments(args: readonly string[], options: CommandOptions): Omit<Call, 'terminal'> {
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short === undefined ? {} : { short }) },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options: known,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!option) throw unknownOption(token, options);
    const { rawName } = token;
    if (option.type === 'boolean' && token.value !== undefined) {
      throw new UsageError(`${rawName} takes no value; got "${shown(token.value)}".`);
    }
    // Node takes an option for the value of the one before it.
    const isMissing = token.value === undefined || (!token.inlineValue && isOption(token.value));
    if (option.type === 'string' && isMissing) {
      const hint = option.hint ?? 'VALUE';
      throw new UsageError(`${rawName} needs a value: ${rawName} ${hint}.`);
    }
  }
  const { values, positionals } = parseArgs({ args: [...args], options: known, allowPositionals: true, strict: false });
  return { values: new Values(values), positionals };
}

function isOption(text: string): boolean {
  return text.startsWith('-') && text !== '-' && Number.isNaN(Number(text));
}

function unknownOption({ rawName, name }: Unknown, options: CommandOptions): UsageError {
  const meant = likeliestNames(name, Object.keys(options)).map((option) => `--${option}`);
  return new UsageError(`There is no option ${shown(rawName)}.${didYouMean(meant)}`);
}
