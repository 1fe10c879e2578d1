import { type Call, type Command, type CommandOption, type CommandOptions, NAME } from '../command.ts';
import { OK, shown, UsageError } from '../terminal.ts';

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
      const shell: Shell | undefined = SHELLS.find((one) => one === name);
      if (!shell) throw new UsageError(`completion takes one of ${SHELLS.join(', ')}; got "${shown(name)}".`);
      if (extra !== undefined) throw new UsageError(`"${shown(extra)}" is one argument too many: one shell at a time.`);
      terminal.print(scriptFor(shell, all(), everywhere));
      return OK;
    },
  };
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The script by which a shell completes the command. */
export function scriptFor(shell: Shell, commands: readonly Command[], everywhere: CommandOptions): string {
  const all = commands.map((command) => ({ ...command, options: { ...command.options, ...everywhere } }));
  return { bash, zsh, fish }[shell](all);
}

/** The values of an option, for a shell. */
function valuesOf({ values = [] }: CommandOption): string {
  return values.join(' ');
}

/** The first words after `completion`. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = { completion: SHELLS };

function bash(commands: readonly Command[]): string {
  const values = commands.flatMap(({ name, options }) =>
    Object.entries(options).flatMap(([option, spec]) => {
      if (spec.type === 'boolean') return [];
      const words = spec.values ? `-W '${valuesOf(spec)}' ` : '';
      const files = spec.isFile ? '-f ' : '';
      return [
        `    ${name}:--${option}) COMPREPLY=($(compgen ${words}${files || (words ? '' : "-W '' ")}-- "$word")); return ;;`,
      ];
    }),
  );
  const options = commands.map(
    (command) => `      ${command.name}) COMPREPLY=($(compgen -W '${namesOf(command)}' -- "$word")) ;;`,
  );
  const words = commands.map(({ name }) => name).join(' ');
  const first = Object.entries(ARGUMENTS).map(
    ([name, list]) => `    ${name}) COMPREPLY=($(compgen -W '${list.join(' ')}' -- "$word")) ;;`,
  );
  return `_mastra_tool_search() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${words} --help --version' -- "$word"))
    return
  fi
  case "$command:$before" in
${values.join('\n')}
  esac
  if [ "\${word#-}" != "$word" ]; then
    case "$command" in
${options.join('\n')}
    esac
    return
  fi
  case "$command" in
${first.join('\n')}
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _mastra_tool_search ${NAME}`;
}

function namesOf({ options }: Command): string {
  return Object.keys(options)
    .map((option) => `--${option}`)
    .join(' ');
}

function zsh(commands: readonly Command[]): string {
  // A colon ends a name there, and brackets a text.
  const safe = (text: string): string =>
    text.replaceAll("'", "'\\''").replaceAll('[', '\\[').replaceAll(']', '\\]').replaceAll(':', '\\:');
  const action = (spec: CommandOption): string => (spec.values ? `(${valuesOf(spec)})` : spec.isFile ? '_files' : ' ');
  const cases = commands.map(({ name, options }) => {
    const lines = Object.entries(options).map(([option, spec]) => {
      const star = spec.multiple ? '*' : '';
      const value = spec.type === 'string' ? `:${safe((spec.hint ?? 'value').toLowerCase())}:${action(spec)}` : '';
      return `        '${star}--${option}[${safe(spec.text)}]${value}' \\`;
    });
    const words = ARGUMENTS[name];
    return `      ${name})\n      _arguments \\\n${lines.join('\n')}\n        '*:${words ? `shell:(${words.join(' ')})` : 'file:_files'}' ;;`;
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

function fish(commands: readonly Command[]): string {
  const safe = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const lines = commands.flatMap(({ name, summary, options }) => {
    const within = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c ${NAME} -n __fish_use_subcommand -f -a ${name} -d '${safe(summary)}'`,
      ...(ARGUMENTS[name] ? [`complete -c ${NAME} ${within} -f -a '${ARGUMENTS[name].join(' ')}'`] : []),
      ...Object.entries(options).map(([option, spec]) => {
        const values = spec.values ? ` -a '${valuesOf(spec)}'` : '';
        const value = spec.type === 'string' ? ` -r${spec.isFile ? ' -F' : ' -f'}${values}` : '';
        const short = spec.short ? ` -s ${spec.short}` : '';
        return `complete -c ${NAME} ${within} -l ${option}${short}${value} -d '${safe(spec.text)}'`;
      }),
    ];
  });
  return lines.join('\n');
}
