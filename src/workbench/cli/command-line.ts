import { inspect } from 'node:util';
import { wrapAnsi } from 'fast-wrap-ansi';
import { suggestionFor } from '../../kit.ts';
import { type Command, type CommandOption, type CommandOptions, NAME, readArguments, versionOf } from './command.ts';
import { applyCommand } from './commands/apply.ts';
import { completionCommand } from './commands/completion.ts';
import { evalCommand } from './commands/eval.ts';
import { inspectCommand } from './commands/inspect.ts';
import { lintCommand } from './commands/lint.ts';
import { listCommand } from './commands/list.ts';
import { searchCommand } from './commands/search.ts';
import { tokensCommand } from './commands/tokens.ts';
import { safeOutput } from './output.ts';
import { OK, shown, type Terminal, UsageError, WRONG } from './terminal.ts';

/** Options of every command. */
export const everywhere: CommandOptions = {
  json: { text: 'Write JSON, for programs' },
  markdown: { text: 'Write Markdown, as for the summary of a CI run' },
  columns: { hint: 'N', text: 'The width of tables (that of the terminal, else 80)' },
  debug: { text: 'Show where an error comes from' },
  help: { short: 'h', text: 'Show this' },
};

/** The commands, in the order of the help. */
export const commands: readonly Command[] = [
  listCommand,
  searchCommand,
  evalCommand,
  lintCommand,
  tokensCommand,
  inspectCommand,
  applyCommand,
  completionCommand(() => commands, everywhere),
];

/** Runs what the arguments say, and returns the exit code. Never throws. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal);
  } catch (error) {
    const { colors } = terminal;
    const message = error instanceof Error ? error.message : String(error);
    terminal.warn(`${colors.red('error:')} ${message.split('\n').map(shown).join('\n')}`);
    const command = commands.some(({ name }) => name === args[0]) ? `${args[0]} ` : '';
    if (args.includes('--debug')) terminal.warn(inspect(error));
    else if (error instanceof UsageError) terminal.warn(colors.dim(`See ${NAME} ${command}--help`));
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
    terminal.print(overview(terminal));
    return args.length === 0 ? WRONG : OK;
  }
  const [name = '', ...given] = first === 'help' ? [...rest, '--help'] : args;
  const command = find(name);
  const options: CommandOptions = { ...command.options, ...everywhere };
  const end = given.indexOf('--');
  // Help is given whatever else stands there.
  if (given.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h')) {
    terminal.print(helpOf(command, options, terminal));
    return OK;
  }
  const { values, positionals } = readArguments(given, options);
  const columns = values.whole('columns', 40, 1_000) ?? terminal.columns;
  const print = (text: string): void => terminal.print(safeOutput(text));
  return command.run({ values, positionals, terminal: { ...terminal, columns, print } });
}

/** @throws UsageError */
function find(name: string): Command {
  const command = commands.find((one) => one.name === name);
  if (command) return command;
  const names = commands.map((one) => one.name);
  if (name.startsWith('-')) throw new UsageError(`A command comes first: ${names.join(', ')}; got "${shown(name)}".`);
  const others = suggestionFor(name, names) || ` There are ${names.join(', ')}.`;
  throw new UsageError(`There is no command "${shown(name)}".${others}`);
}

const CATALOGS = [
  ['tools.json', 'a list of tools, or what tools/list of an MCP server returns; - for stdin'],
  ['tools.ts', 'a module that exports tools: by default, or as "tools"'],
  ['mcp.json', 'MCP servers, as Claude, Cursor and VS Code configure them; "list" asks them once'],
  ['--mcp "npx -y …"', 'an MCP server by its command or its URL; may be repeated'],
] as const;

/** What the command says without another. */
function overview({ colors, columns }: Terminal): string {
  return [
    'Search, measure and check the tools of an agent, as Mastra agents with',
    'mastra-tool-search see them. No model is called, and no tool runs.',
    '',
    `${colors.bold('Usage:')} mastra-tool-search COMMAND CATALOG […]`,
    '',
    colors.bold('Commands:'),
    ...pairs(
      commands.map(({ name, summary }) => [name, summary] as const),
      columns,
    ),
    '',
    colors.bold('CATALOG is one of:'),
    ...pairs(CATALOGS, columns),
    '',
    'mastra-tool-search COMMAND --help says more, with examples.',
    'Exit codes: 0 it holds, 1 it does not, 2 it cannot be told.',
  ].join('\n');
}

function helpOf(
  { name, summary, usage, about, examples }: Command,
  options: CommandOptions,
  { colors, columns }: Terminal,
): string {
  return [
    wrapAnsi(summary, columns),
    '',
    `${colors.bold('Usage:')} mastra-tool-search ${name} ${usage}`,
    ...about.flatMap((paragraph) => ['', wrapAnsi(paragraph, columns)]),
    '',
    colors.bold('Options:'),
    ...pairs(Object.entries(options).map(described), columns),
    ...(examples.length > 0 ? ['', colors.bold('Examples:')] : []),
    ...examples.flatMap(([line, says]) => [`  ${colors.dim(`# ${says}`)}`, `  mastra-tool-search ${line}`]),
  ].join('\n');
}

/** An option as the help lists it: how it is written, and what it does. */
function described([name, { short, hint, text, values, multiple }]: [string, CommandOption]): [string, string] {
  return [
    `${short === undefined ? '' : `-${short}, `}--${name}${hint === undefined ? '' : ` ${hint}`}`,
    `${text}${values ? `: ${values.join(', ')}` : ''}${multiple ? '; may be repeated' : ''}`,
  ];
}

/** Lines of two columns, of which the first is at most a third: what is wider stands on a line of its own. */
function pairs(rows: readonly (readonly [left: string, right: string])[], columns: number): string[] {
  const most = Math.floor(columns / 3);
  const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= most), 0) + 2;
  const indent = ' '.repeat(2 + width);
  return rows.flatMap(([left, right]) => {
    const lines = wrapAnsi(right, columns - indent.length).split('\n');
    const [first = '', ...others] = left.length > most ? ['', ...lines] : lines;
    return [`  ${left.padEnd(width)}${first}`.trimEnd(), ...others.map((line) => `${indent}${line}`)];
  });
}
