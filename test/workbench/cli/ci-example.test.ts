import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CodeBlock, codeBlocks, read } from '../../docs/pages.ts';
import { READ_TYPESCRIPT } from '../../support/new-process.ts';
import { MAIN, withFiles } from './command.ts';

const library = fileURLToPath(new URL('../../../src/entries/evaluate.ts', import.meta.url));
const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** `npx` as it is where everything is installed already: the command from its source, servers from their packages. */
const NPX = `#!/bin/sh
[ "$1" = -y ] && shift
name="$1"; shift
case "$name" in
  mastra-tool-search) exec "${process.execPath}" ${READ_TYPESCRIPT.join(' ')} "${MAIN}" "$@" ;;
  *) exec "${process.execPath}" "${packages}/\${name%@*}/dist/index.js" "$@" ;;
esac`;

/** The blocks of a section of a page. */
function blocksIn(page: string, heading: string): readonly CodeBlock[] {
  const text = read(page);
  const lines = text.split('\n');
  const start = lines.indexOf(heading) + 1;
  const length = lines.slice(start).findIndex((line) => line.startsWith('## '));
  return codeBlocks(page, text).filter(({ line }) => line > start && line < start + length);
}

/** The commands of a workflow, as GitHub runs them. */
function commandsOf(workflow: string): readonly string[] {
  const steps = workflow.matchAll(/^ {6}- run: (?:>-\n((?: {10}.*\n?)+)|(.*)$)/gm);
  return Array.from(steps, ([, folded, line = '']) => folded?.trim().split(/\n */).join(' ') ?? line);
}

const [mcp, cases, once, workflow] = blocksIn('docs/command.md', '## In CI').map(({ code }) => code);

interface Shell {
  readonly folder: string;
  /** Runs a line as a CI does, and returns its exit code. */
  run(line: string): Promise<number>;
}

/** A folder with the files that the page prints, and nothing else. */
function withPage<Result>(work: (shell: Shell) => Promise<Result>): Promise<Result> {
  const files = { 'mcp.json': mcp, 'cases.jsonl': cases, 'bin/npx': NPX, 'bin/npm': '#!/bin/sh\nexit 0' };
  return withFiles(files, (folder) => {
    const bin = path.join(folder, 'bin');
    for (const name of ['npx', 'npm']) chmodSync(path.join(bin, name), 0o755);
    const env = {
      ...process.env,
      PATH: `${bin}${path.delimiter}${process.env['PATH']}`,
      GITHUB_STEP_SUMMARY: path.join(folder, 'summary.md'),
    };
    const run = (line: string): Promise<number> =>
      promisify(execFile)('bash', ['-eo', 'pipefail', '-c', line], { cwd: folder, env }).then(
        () => 0,
        ({ code }: { code: number }) => code,
      );
    return work({ folder, run });
  });
}

describe('the example for a CI', () => {
  it('runs as it is printed, from files that it writes itself', () =>
    withPage(async ({ folder, run }) => {
      for (const line of once?.trim().split('\n') ?? []) expect([line, await run(line)]).toEqual([line, 0]);
      const lines = commandsOf(workflow ?? '');
      expect(lines).toHaveLength(4);
      for (const line of lines) expect([line, await run(line)]).toEqual([line, 0]);
      expect(readFileSync(path.join(folder, 'summary.md'), 'utf8')).toContain('All gates hold.');
      const { runs } = JSON.parse(readFileSync(path.join(folder, 'tools.sarif'), 'utf8'));
      const [{ locations, message }] = runs[0].results;
      const { artifactLocation, region } = locations[0].physicalLocation;
      expect(artifactLocation.uri).toBe('tools.json');
      const line = readFileSync(path.join(folder, 'tools.json'), 'utf8').split('\n')[region.startLine - 1];
      expect(line).toContain(`"name": "${message.text.split(':')[0]}"`);
    }));

  it('fails where tools become harder to find', () =>
    withPage(async ({ folder, run }) => {
      for (const line of once?.trim().split('\n') ?? []) await run(line);
      const file = path.join(folder, 'tools.json');
      const written = JSON.parse(readFileSync(file, 'utf8'));
      const worse = written.tools.filter(({ name }: { name: string }) => name !== 'files_move_file');
      const renamed = { name: 'files_move_file', inputSchema: { type: 'object' }, description: 'Make it.' };
      writeFileSync(file, JSON.stringify({ tools: [...worse, renamed] }));
      const gate = commandsOf(workflow ?? '').find((line) => line.includes(' eval ')) ?? '';
      expect(await run(gate)).toBe(1);
    }));
});

describe('the code for a CI in docs/evaluate.md', () => {
  const blocks = blocksIn('docs/evaluate.md', '## In CI').filter(({ language }) => language === 'ts');
  beforeAll(() => expect(blocks.length).toBeGreaterThan(0));

  it('runs as it is printed, over the list and the baseline of the command', () =>
    withPage(async ({ folder, run }) => {
      for (const line of (once ?? '').trim().split('\n')) expect(await run(line)).toBe(0);
      for (const [at, { code }] of blocks.entries()) {
        const name = `ci-${at}.mts`;
        writeFileSync(
          path.join(folder, name),
          code.replaceAll("'mastra-tool-search/evaluate'", JSON.stringify(library)),
        );
        const ran = await run(`"${process.execPath}" ${READ_TYPESCRIPT.join(' ')} ${name} 2> ${name}.txt`);
        const said = readFileSync(path.join(folder, `${name}.txt`), 'utf8');
        // What fails ends it with 1.
        expect([said.includes('    at '), ran]).toEqual([false, said === '' ? 0 : 1]);
      }
    }));
});
