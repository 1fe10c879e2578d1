import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { READ_TYPESCRIPT } from '../support/new-process.ts';
import { type CodeBlock, codeBlocks, fileNameOf, read } from './pages.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The commands of a shell block that was run. */
export interface RunBlock {
  readonly line: number;
  readonly commands: readonly string[];
  /** What the page says that they print: its comments. */
  readonly said: readonly string[];
  readonly printed: readonly string[];
}

/** A page that was run, in a folder that is there until it is removed. */
export interface RunPage {
  readonly blocks: readonly RunBlock[];
  /** The text of a file that is there now. */
  file(name: string): string;
  remove(): void;
}

/**
 * Does what a page says, from its top, in a fresh folder: writes the files that its blocks of TypeScript show, and runs its
 * shell blocks. Nothing is fetched: what `npm install` names is linked from node_modules. `examples/support/openai-stand-in.ts`
 * answers in place of OpenAI.
 *
 * @param packed - The folder of this package, as it is installed.
 */
export async function runPage(page: string, packed: string): Promise<RunPage> {
  const home = mkdtempSync(path.join(tmpdir(), 'page-'));
  const folder = path.join(home, 'office');
  const env = await environment(path.join(home, 'bin'));
  mkdirSync(folder);
  const remove = (): void => rmSync(home, { recursive: true, force: true });
  const blocks: RunBlock[] = [];
  try {
    for (const block of codeBlocks(page, read(page))) {
      const name = fileNameOf(block);
      if (name !== undefined) writeFileSync(path.join(folder, name), `${block.code}\n`);
      else if (block.language === 'sh') blocks.push(await runBlock(block, { folder, packed, env }));
      else throw new Error(`${page}:${block.line}: the block is neither a file nor for the shell`);
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { blocks, remove, file: (name) => readFileSync(path.join(folder, name), 'utf8') };
}

interface Where {
  readonly folder: string;
  readonly packed: string;
  readonly env: NodeJS.ProcessEnv;
}

async function runBlock({ line, code }: CodeBlock, { folder, packed, env }: Where): Promise<RunBlock> {
  const lines = code.split('\n');
  for (const name of lines.flatMap(packagesOf)) install(name, folder, packed);
  const { stdout } = await run('bash', ['-e', '-c', code], { cwd: folder, env, timeout: 200_000 });
  return {
    line,
    commands: lines.filter((each) => !each.startsWith('#')),
    said: lines.filter((each) => each.startsWith('# ')).map((each) => each.slice(2)),
    // Of `node --test` without the times, as any Node prints it.
    printed: stdout.split('\n').map((each) => each.replace(/^ok \d+ - /, '✔ ').replace(/ \([\d.]+ms\)$/, '')),
  };
}

function packagesOf(command: string): readonly string[] {
  const [, names] = /^npm install (.+)$/.exec(command) ?? [];
  return names?.split(' ').filter((name) => !name.startsWith('-')) ?? [];
}

/** Links a package of node_modules into a folder; copies this one, which then finds its dependencies beside it. */
function install(name: string, folder: string, packed: string): void {
  const to = path.join(folder, 'node_modules', name);
  if (existsSync(to)) return;
  mkdirSync(path.dirname(to), { recursive: true });
  if (name === 'mastra-tool-search') {
    cpSync(packed, to, { recursive: true });
    const { dependencies = {} } = JSON.parse(readFileSync(path.join(packed, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const dependency of Object.keys(dependencies)) install(dependency, folder, packed);
    return;
  }
  const from = path.join(root, 'node_modules', name);
  if (!existsSync(from)) throw new Error(`${name} is not in node_modules`);
  symlinkSync(from, to);
}

/** This Node, an npm that installs nothing, an npx that fetches nothing, and no OpenAI. */
async function environment(bin: string): Promise<NodeJS.ProcessEnv> {
  const { PATH = '', OPENAI_API_KEY: _, ...env } = process.env;
  mkdirSync(bin);
  for (const name of ['npm', 'npx']) {
    const { stdout } = await run('bash', ['-c', `command -v ${name}`]);
    const script = `#!/bin/sh\n[ "$1" = install ] || npm_config_offline=true exec "${stdout.trim()}" "$@"\n`;
    writeFileSync(path.join(bin, name), script, { mode: 0o755 });
  }
  const standIn = new URL('../../examples/support/openai-stand-in.ts', import.meta.url);
  return {
    ...env,
    PATH: [bin, path.dirname(process.execPath), PATH].join(path.delimiter),
    NODE_OPTIONS: [...READ_TYPESCRIPT, `--import=${standIn.href}`].join(' '),
  };
}
