import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { commands, everywhere } from '../../../src/workbench/cli/command-line.ts';
import { SHELLS } from '../../../src/workbench/cli/commands/completion.ts';
import { inProcess, withFiles } from './command.ts';

/** What bash completes behind these words. */
async function completed(cwd: string, ...words: string[]): Promise<readonly string[]> {
  const { stdout } = await inProcess(['completion', 'bash']);
  const script = `${stdout}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mastra_tool_search; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = execFileSync('bash', ['-c', script, 'bash', 'mastra-tool-search', ...words], { cwd, encoding: 'utf8' });
  return said
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

it('completes in bash: commands, options, their values, files', () =>
  withFiles({ 'tools.json': '[]', 'cases.jsonl': '' }, async (cwd) => {
    const names = commands.map(({ name }) => name);
    expect(await completed(cwd, '')).toEqual([...names, '--help', '--version'].sort());
    expect(await completed(cwd, 'se')).toEqual(['search']);
    expect(await completed(cwd, 'search', '--sco')).toEqual(['--scorer']);
    expect(await completed(cwd, 'search', '--scorer', 't')).toEqual(['tiered', 'tools.json']);
    expect(await completed(cwd, 'eval', 'tools.json', 'c')).toEqual(['cases.jsonl']);
    expect(await completed(cwd, 'eval', '--baseline', 'c')).toEqual(['cases.jsonl']);
    expect(await completed(cwd, 'search', '--top', '')).toEqual([]);
    expect(await completed(cwd, 'completion', '')).toEqual([...SHELLS].sort());
  }));

it.each(SHELLS)('writes for %s every command with every option', async (shell) => {
  const { code, stdout } = await inProcess(['completion', shell]);
  expect(code).toBe(0);
  for (const { name, options } of commands) {
    expect(stdout).toContain(name);
    for (const option of Object.keys({ ...options, ...everywhere })) {
      expect(stdout).toContain(shell === 'fish' ? `-l ${option} ` : `--${option}`);
    }
  }
});

it('refuses another shell', async () => {
  const { code, stderr } = await inProcess(['completion', 'tcsh']);
  expect([code, stderr.split('\n')[0]]).toEqual([2, 'error: completion takes one of bash, zsh, fish; got "tcsh".']);
});
