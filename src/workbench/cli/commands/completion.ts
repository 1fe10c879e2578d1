import { type Call, type Command, type CommandOption, type CommandOptions, NAME } from '../command.ts';
import { OK, shown, UsageError } from '../terminal.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/**
 * The command that writes completions.
 *
 * @param all - the commands and options that there are.
 */
export function completionCommand(all: () => readonly Command[], everywhere: CommandOptions): Command {
  return {
    name: 'completion',
    summary: 'Write completions for a shell.',
    usage: SHELLS.join('|'),
    about: ['They complete commands, options, the values of some, and files.'],
    options: {},
    examples: [
      ['completion bash > ~/.local/share/bash-completion/completions/mastra-tool-search', 'bash'],
      ['completion zsh > ~/.zfunc/_mastra-tool-search', 'zsh'],
      ['completion fish > ~/.config/fish/completions/mastra-tool-search.fish', 'fish'],
    ],
    async run({ positionals, terminal }: Call): Promise<number> {
      const [name = '', extra] = positionals;
      const shell = SHELLS.find((one) => one === name);
      if (!shell) throw new UsageError(`completion takes one of ${SHELLS.join(', ')}; got "${shown(name)}".`);
      if (extra !== undefined) throw new UsageError(`"${shown(extra)}" is one argument too many: one shell at a time.`);
      const commands = all().map(({ name, summary, options }): Completed => {
        return { name, summary, options: Object.entries({ ...options, ...everywhere }) };
      });
      terminal.print({ bash, zsh, fish }[shell](commands));
      return OK;
    },
  };
}

/** What a shell completes of a command: its options, and behind them files, or of `completion` the shells. */
interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly (readonly [name: string, option: CommandOption])[];
}

const ALL_SHELLS = SHELLS.join(' ');

function isFile({ hint = '' }: CommandOption): boolean {
  return hint.includes('FILE');
}

function bash(commands: readonly Completed[]): string {
  const line = (pattern: string, generated: string): string =>
    `    ${pattern}) COMPREPLY=($(compgen ${generated} -- "$word")); return ;;`;
  const lines = commands.flatMap(({ name, options }) => [
    ...options.flatMap(([option, spec]) => {
      if (spec.hint === undefined) return [];
      const words = spec.values || !isFile(spec) ? [`-W '${(spec.values ?? []).join(' ')}'`] : [];
      return [line(`${name}:--${option}:*`, [...words, ...(isFile(spec) ? ['-f'] : [])].join(' '))];
    }),
    line(`${name}:*:-*`, `-W '${options.map(([option]) => `--${option}`).join(' ')}'`),
  ]);
  return `_mastra_tool_search() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  [ "$COMP_CWORD" -gt 1 ] || command=
  case "$command:$before:$word" in
${line(':*', `-W '${commands.map(({ name }) => name).join(' ')} --help --version'`)}
${lines.join('\n')}
${line('completion:*', `-W '${ALL_SHELLS}'`)}
${line('*', '-f')}
  esac
}
complete -o filenames -F _mastra_tool_search ${NAME}`;
}

function zsh(commands: readonly Completed[]): string {
  // A colon ends a name there, and brackets a text.
  const safe = (text: string): string =>
    text.replaceAll("'", "'\\''").replaceAll('[', '\\[').replaceAll(']', '\\]').replaceAll(':', '\\:');
  const cases = commands.map(({ name, options }) => {
    const lines = options.map(([option, spec]) => {
      const action = spec.values ? `(${spec.values.join(' ')})` : isFile(spec) ? '_files' : ' ';
      const value = spec.hint === undefined ? '' : `:${safe(spec.hint.toLowerCase())}:${action}`;
      return `        '${spec.multiple ? '*' : ''}--${option}[${safe(spec.text)}]${value}' \\`;
    });
    const others = name === 'completion' ? `shell:(${ALL_SHELLS})` : 'file:_files';
    return `      ${name})\n      _arguments \\\n${lines.join('\n')}\n        '*:${others}' ;;`;
  });
  return `#compdef ${NAME}
_mastra_tool_search() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    '${name}:${safe(summary)}'`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
compdef _mastra_tool_search ${NAME}`;
}

function fish(commands: readonly Completed[]): string {
  const safe = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const lines = commands.flatMap(({ name, summary, options }) => {
    const within = `complete -c ${NAME} -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c ${NAME} -n __fish_use_subcommand -f -a ${name} -d '${safe(summary)}'`,
      ...(name === 'completion' ? [`${within} -f -a '${ALL_SHELLS}'`] : []),
      ...options.map(([option, spec]) => {
        const values = spec.values ? ` -a '${spec.values.join(' ')}'` : '';
        const value = spec.hint === undefined ? '' : ` -r${isFile(spec) ? ' -F' : ' -f'}${values}`;
        return `${within} -l ${option}${spec.short ? ` -s ${spec.short}` : ''}${value} -d '${safe(spec.text)}'`;
      }),
    ];
  });
  return lines.join('\n');
}
