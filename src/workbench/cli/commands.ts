import type { Command, CommandOptions } from './command.ts';
import { completionCommand } from './commands/completion.ts';
import { evalCommand } from './commands/eval.ts';
import { inspectCommand } from './commands/inspect.ts';
import { lintCommand } from './commands/lint.ts';
import { listCommand } from './commands/list.ts';
import { searchCommand } from './commands/search.ts';
import { tokensCommand } from './commands/tokens.ts';

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
