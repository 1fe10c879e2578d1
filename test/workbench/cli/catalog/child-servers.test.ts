import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { command, type Ran, type RunOptions, withFiles } from '../command.ts';

const HANGS = `
  import { writeFileSync } from 'node:fs';
  process.stdin.resume();
  setInterval(() => {}, 1000);
  writeFileSync(process.argv[2], String(process.pid));`;
const files = {
  'plain.mjs': HANGS,
  'stubborn.mjs': `for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});${HANGS}`,
  'broken.mjs': `
    import { existsSync } from 'node:fs';
    setInterval(() => existsSync('plain.pid') && existsSync('stubborn.pid') && process.exit(3), 100);`,
};

/** Runs the command with two servers that never answer: one ends when it is asked to, the other does not. */
async function withServers(args: readonly string[], interruption: (cwd: string) => RunOptions): Promise<Ran> {
  return withFiles(files, async (cwd) => {
    const servers = ['plain', 'stubborn'].flatMap((name) => ['--mcp', `node ${name}.mjs ${name}.pid`]);
    const ran = await command(['search', ...servers, ...args, 'x'], { cwd, ...interruption(cwd) });
    for (const name of ['plain', 'stubborn']) {
      const pid = Number(readFileSync(path.join(cwd, `${name}.pid`), 'utf8'));
      await expect.poll(() => isAlive(pid)).toBe(false);
    }
    return ran;
  });
}

const whenBothRun = (cwd: string): readonly string[] =>
  ['plain', 'stubborn'].map((name) => path.join(cwd, `${name}.pid`));

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('leaves no server behind when it is broken off by %s', async (signal, code) => {
  const ran = await withServers([], (cwd) => ({ interruptWhen: whenBothRun(cwd), signals: [signal] }));
  expect(ran).toEqual({ code, stdout: '', stderr: '' });
});

it('kills servers at once when it is broken off a second time', async () => {
  const ran = await withServers([], (cwd) => ({ interruptWhen: whenBothRun(cwd), signals: ['SIGINT', 'SIGINT'] }));
  expect(ran).toEqual({ code: 130, stdout: '', stderr: '' });
});

it('leaves no server behind when it ends because of another', async () => {
  const { code, stderr } = await withServers(['--strict', '--mcp', 'node broken.mjs'], () => ({}));
  expect(code).toBe(2);
  expect(stderr).toContain('cannot be asked for its tools');
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
