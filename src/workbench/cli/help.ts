import type { Command, CommandOption, CommandOptions } from './command.ts';
import type { Terminal } from './terminal.ts';

/** Columns between what is told and what is said of it. */
const GAP = 2;

/** What the command says without another. */
export function overview(commands: readonly Command[], { colors, columns }: Terminal): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const);
  return [
    'Search, measure and check the tools of an agent, as Mastra agents with',
    'mastra-tool-search see them. No model is called, and no tool runs.',
    '',
    `${colors.bold('Usage:')} mastra-tool-search COMMAND CATALOG […]`,
    '',
    colors.bold('Commands:'),
    ...pairs(rows, columns),
    '',
    colors.bold('CATALOG is one of:'),
    ...pairs(CATALOGS, columns),
    '',
    'mastra-tool-search COMMAND --help says more, with examples.',
    'Exit codes: 0 it holds, 1 it does not, 2 it cannot be told.',
  ].join('\n');
}

const CATALOGS = [
  ['tools.json', 'a list of tools, or what tools/list of an MCP server returns; - for stdin'],
  ['tools.ts', 'a module that exports tools: by default, or as "tools"'],
  ['mcp.json', 'MCP servers, as Claude, Cursor and VS Code configure them; "list" asks them once'],
  ['--mcp "npx -y …"', 'an MCP server by its command or its URL; may be repeated'],
] as const;

/** What the command says of one command. */
export function helpOf(command: Command, options: CommandOptions, { colors, columns }: Terminal): string {
  const { name, summary, usage, about, examples } = command;
  const rows = Object.entries(options).map(([option, spec]) => [labelOf(option, spec), textOf(spec)] as const);
  return [
    ...wrapped(summary, columns),
    '',
    `${colors.bold('Usage:')} mastra-tool-search ${name} ${usage}`,
    ...about.flatMap((paragraph) => ['', ...wrapped(paragraph, columns)]),
    '',
    colors.bold('Options:'),
    ...pairs(rows, columns),
    ...(examples.length > 0 ? ['', colors.bold('Examples:')] : []),
    ...examples.flatMap(([line, says]) => [`  ${colors.dim(`# ${says}`)}`, `  mastra-tool-search ${line}`]),
  ].join('\n');
}

function labelOf(name: string, { type, short, hint }: CommandOption): string {
  const value = type === 'string' ? ` ${hint ?? 'VALUE'}` : '';
  return `${short === undefined ? '' : `-${short}, `}--${name}${value}`;
}

function textOf({ text, values, multiple = false }: CommandOption): string {
  const listed = values === undefined ? '' : `: ${values.join(', ')}`;
  return `${text}${listed}${multiple ? '; may be repeated' : ''}`;
}

/** Lines of two columns. What is wide stands on a line of its own. */
function pairs(rows: readonly (readonly [left: string, right: string])[], columns: number): string[] {
  const most = Math.floor(columns / 3);
  const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= most), 0) + GAP;
  const indent = ' '.repeat(GAP + width);
  return rows.flatMap(([left, right]) => {
    const lines = wrapped(right, columns - indent.length);
    if (left.length > most) return [`  ${left}`, ...lines.map((line) => `${indent}${line}`)];
    return lines.map((line, at) => (at === 0 ? `  ${left.padEnd(width)}${line}` : `${indent}${line}`));
  });
}

/** The words of a text, on lines of so many columns. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
