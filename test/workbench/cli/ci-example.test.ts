import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
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

it('the examples for a CI run as they are printed, from files that they write themselves, and fail where tools get worse', () =>
  withPage(async ({ folder, run }) => {
    const written = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
    for (const line of once?.trim().split('\n') ?? []) expect([line, await run(line)]).toEqual([line, 0]);
    const lines = commandsOf(workflow ?? '');
    expect(lines).toHaveLength(4);
    for (const line of lines) expect([line, await run(line)]).toEqual([line, 0]);
    expect(written('summary.md')).toContain('All gates hold.');
    const [{ locations, message }] = JSON.parse(written('tools.sarif')).runs[0].results;
    const { artifactLocation, region } = locations[0].physicalLocation;
    expect(artifactLocation.uri).toBe('tools.json');
    const found = written('tools.json').split('\n')[region.startLine - 1];
    expect(found).toContain(`"name": "${message.text.split(':')[0]}"`);

    const blocks = blocksIn('docs/evaluate.md', '## In CI').filter(({ language }) => language === 'ts');
    expect(blocks.length).toBeGreaterThan(0);
    for (const [at, { code }] of blocks.entries()) {
      const name = `ci-${at}.mts`;
      writeFileSync(path.join(folder, name), code.replaceAll("'mastra-tool-search/evaluate'", JSON.stringify(library)));
      const ran = await run(`"${process.execPath}" ${READ_TYPESCRIPT.join(' ')} ${name} 2> ${name}.txt`);
      // What fails ends it with 1.
      const said = written(`${name}.txt`);
      expect([said.includes('    at '), ran]).toEqual([false, said === '' ? 0 : 1]);
    }

    const { tools } = JSON.parse(written('tools.json'));
    const others = tools.filter(({ name }: { name: string }) => name !== 'files_move_file');
    const worse = { name: 'files_move_file', inputSchema: { type: 'object' }, description: 'Make it.' };
    writeFileSync(path.join(folder, 'tools.json'), JSON.stringify({ tools: [...others, worse] }));
    expect(await run(lines.find((line) => line.includes(' eval ')) ?? '')).toBe(1);
  }));
