import type { Call, Command, CommandOptions } from '../command.ts';
import { SHELLS, type Shell, scriptFor } from '../completion-scripts.ts';
import { OK } from '../exit-codes.ts';
import { shown } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

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
