import { inspect } from 'node:util';
import { CommanderError, InvalidArgumentError, Option, Command as Parser } from 'commander';
import { type Command, type CommandOption, type CommandOptions, NAME, packageVersion, Values } from './command.ts';
import { applyCommand } from './commands/apply.ts';
import { evalCommand } from './commands/eval.ts';
import { inspectCommand } from './commands/inspect.ts';
import { learnCommand } from './commands/learn.ts';
import { lintCommand } from './commands/lint.ts';
import { listCommand } from './commands/list.ts';
import { pinCommand } from './commands/pin.ts';
import { searchCommand } from './commands/search.ts';
import { serveCommand } from './commands/serve.ts';
import { tokensCommand } from './commands/tokens.ts';
import { safeOutput } from './output.ts';
import { OK, shown, type Terminal, UsageError, WRONG } from './terminal.ts';

const everywhere: CommandOptions = {
  json: { text: 'Write JSON, for programs' },
  markdown: { text: 'Write Markdown, as for the summary of a CI run' },
  columns: { hint: 'N', text: 'The width of tables (that of the terminal, else 80)' },
  debug: { text: 'Show where an error comes from' },
  help: { short: 'h', text: 'Show this' },
};

export const commands: readonly Command[] = [
  listCommand,
  searchCommand,
  evalCommand,
  lintCommand,
  tokensCommand,
  inspectCommand,
  applyCommand,
  learnCommand,
  pinCommand,
  serveCommand,
];

/** Runs the command of the arguments, and returns the exit code. Never throws. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const { colors } = terminal;
  let code = OK;
  const parser = parserOf(terminal, (exitCode) => (code = exitCode));
  try {
    if (args.length === 0) {
      parser.outputHelp();
      return WRONG;
    }
    await parser.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    const isUsage = error instanceof CommanderError;
    // commander throws for --help and --version, too.
    if (isUsage && error.exitCode === 0) return OK;
    const isUnknown = isUsage && error.code === 'commander.help';
    const said = error instanceof Error ? error.message.replace('error: ', '') : String(error);
    const message = isUnknown ? `unknown command '${args[1]}'` : said;
    terminal.warn(`${colors.red('error:')} ${message.split('\n').map(shown).join('\n')}`);
    const command = commands.some(({ name }) => name === args[0]) ? `${args[0]} ` : '';
    if (args.includes('--debug')) terminal.warn(inspect(error));
    else if (isUsage || error instanceof UsageError) terminal.warn(colors.dim(`See ${NAME} ${command}--help`));
    return WRONG;
  }
}

const ABOUT =
  'Search, measure and check the tools of an agent, as Mastra agents with mastra-tool-search see them. No model is called, and no tool runs.';
const CATALOGS = `CATALOG is one of:
  tools.json         a list of tools, or what tools/list of an MCP server
                     returns; - for stdin
  tools.ts           a module that exports tools: by default, or as "tools"
  mcp.json           MCP servers, as Claude, Cursor and VS Code configure them;
                     "list" asks them once
  --mcp "npx -y …"   an MCP server by its command or its URL; may be repeated

mastra-tool-search COMMAND --help says more, with examples.
Exit codes: 0 it holds, 1 it does not, 2 it cannot be told.`;

/** @param done - receives the exit code of the command that ran. */
function parserOf(terminal: Terminal, done: (exitCode: number) => void): Parser {
  const { colors } = terminal;
  const root = new Parser(NAME)
    .description(ABOUT)
    .usage('COMMAND CATALOG […]')
    .version(packageVersion(), '-v, --version', 'Show the version')
    .helpCommand('help [COMMAND]', 'Show the help of a command')
    .addHelpText('after', `\n${CATALOGS}`)
    .configureHelp({ styleTitle: (title) => colors.bold(title), subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      // Errors are thrown, and printed in the form of all errors.
      writeErr: () => {},
      getOutHelpWidth: () => terminal.columns,
      getOutHasColors: () => true,
    })
    .addHelpOption(optionOf('help', { short: 'h', text: 'Show this' }))
    .exitOverride();
  for (const { name, summary, usage, about, options, examples, run } of commands) {
    const shownExamples = examples.flatMap(([line, says]) => [`  ${colors.dim(`# ${says}`)}`, `  ${NAME} ${line}`]);
    const command = root
      .command(name)
      .summary(summary)
      .description([summary, ...about].join('\n\n'))
      .usage(usage)
      .argument('[words...]')
      .addHelpText('after', `\n${colors.bold('Examples:')}\n${shownExamples.join('\n')}`)
      .configureHelp({ visibleArguments: () => [] });
    const parsed = Object.entries({ ...options, ...everywhere }).map(
      ([long, option]) => [long, optionOf(long, option)] as const,
    );
    for (const [long, option] of parsed)
      if (long === 'help') command.addHelpOption(option);
      else command.addOption(option);
    command.action(async (positionals: readonly string[]) => {
      const given = parsed.filter(([, option]) => command.getOptionValueSource(option.attributeName()) === 'cli');
      const values = new Values(
        new Map(
          given.map(([long, option]) => [long, [command.getOptionValue(option.attributeName())].flat().map(String)]),
        ),
      );
      const columns = values.whole('columns', 40, 1_000) ?? terminal.columns;
      const print = (text: string): void => terminal.print(safeOutput(text));
      done(await run({ values, positionals, terminal: { ...terminal, columns, print } }));
    });
  }
  return root;
}

function optionOf(name: string, { short, hint, text, values, multiple }: CommandOption): Option {
  const flags = `${short === undefined ? '' : `-${short}, `}--${name}${hint === undefined ? '' : ` <${hint}>`}`;
  const about = `${text}${values ? `: ${values.join(', ')}` : ''}${multiple ? '; may be repeated' : ''}`;
  const option = new Option(flags, about);
  if (hint === undefined) return option;
  return option.argParser((value: string, before: unknown) => {
    // The next option is no value of this one; a negative number, and "-" for stdin, are values.
    if (value.startsWith('-') && value !== '-' && Number.isNaN(Number(value)))
      throw new InvalidArgumentError('It needs a value.');
    return multiple && Array.isArray(before) ? [...before, value] : multiple ? [value] : value;
  });
}
