import { inspect } from 'node:util';
import { suggestionFor } from '../../kit.ts';
import { type Command, type CommandOptions, NAME, readArguments, versionOf } from './command.ts';
import { completionCommand } from './commands/completion.ts';
import { evalCommand } from './commands/eval.ts';
import { inspectCommand } from './commands/inspect.ts';
import { lintCommand } from './commands/lint.ts';
import { listCommand } from './commands/list.ts';
import { searchCommand } from './commands/search.ts';
import { tokensCommand } from './commands/tokens.ts';
import { helpOf, overview } from './help.ts';
import { safeOutput } from './output.ts';
import { OK, shown, type Terminal, UsageError, WRONG } from './terminal.ts';

/** Options of every command. */
export const everywhere: CommandOptions = {
  json: { type: 'boolean', text: 'Write JSON, for programs' },
  markdown: { type: 'boolean', text: 'Write Markdown, as for the summary of a CI run' },
  columns: { type: 'string', hint: 'N', text: 'The width of tables (that of the terminal, else 80)' },
  debug: { type: 'boolean', text: 'Show where an error comes from' },
  help: { type: 'boolean', short: 'h', text: 'Show this' },
};

/** The commands, in the order of the help. */
export const commands: readonly Command[] = [
  listCommand,
  searchCommand,
  evalCommand,
  lintCommand,
  tokensCommand,
  inspectCommand,
  completionCommand(() => commands, everywhere),
];

/** Runs what the arguments say, and returns the exit code. Never throws. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal);
  } catch (error) {
    const { colors } = terminal;
    terminal.warn(`${colors.red('error:')} ${messageOf(error)}`);
    if (args.includes('--debug')) terminal.warn(inspect(error));
    else if (error instanceof UsageError) terminal.warn(colors.dim(`See ${NAME} ${hintOf(args)}--help`));
    return WRONG;
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first = '--help', ...rest] = args;
  if (first === '--version' || first === '-v') {
    terminal.print(versionOf());
    return OK;
  }
  if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    terminal.print(overview(commands, terminal));
    return args.length === 0 ? WRONG : OK;
  }
  const [name = '', ...given] = first === 'help' ? [...rest, '--help'] : args;
  const command = find(name);
  const options: CommandOptions = { ...command.options, ...everywhere };
  // Help is given whatever else stands there.
  if (beforeEnd(given).some((arg) => arg === '--help' || arg === '-h')) {
    terminal.print(helpOf(command, options, terminal));
    return OK;
  }
  const { values, positionals } = readArguments(given, options);
  const columns = values.number('columns', { least: 40, most: 1_000, isWhole: true }) ?? terminal.columns;
  const print = (text: string): void => terminal.print(safeOutput(text));
  return command.run({ values, positionals, terminal: { ...terminal, columns, print } });
}

/** @throws UsageError */
function find(name: string): Command {
  const command = commands.find((one) => one.name === name);
  if (command) return command;
  const names = commands.map((one) => one.name);
  if (name.startsWith('-')) throw new UsageError(`A command comes first: ${names.join(', ')}; got "${shown(name)}".`);
  const meant = suggestionFor(name, names);
  throw new UsageError(
    `There is no command "${shown(name)}".${meant === '' ? ` There are ${names.join(', ')}.` : meant}`,
  );
}

function hintOf([name]: readonly string[]): string {
  return commands.some((one) => one.name === name) ? `${name} ` : '';
}

/** The arguments before `--`. */
function beforeEnd(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? args : args.slice(0, end);
}

/** Lines of an error's message, each as it can be shown. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n').map(shown).join('\n');
}
