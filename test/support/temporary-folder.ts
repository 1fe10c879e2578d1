import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What Node itself keeps in the folder for temporary files. */
const OF_NODE = ['node-compile-cache'];

/**
 * Gives all tests of a run a folder for temporary files, and removes it behind them. What a test left in it fails the
 * run: each test removes its own.
 */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'mastra-tool-search-tests-'));
  // PostgreSQL runs as another user than root, and has its folder inside.
  chmodSync(folder, 0o711);
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  return () => {
    const left = readdirSync(folder).filter((name) => !OF_NODE.includes(name));
    rmSync(folder, { recursive: true, force: true });
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    if (left.length > 0) throw new Error(`Tests left files behind: ${left.slice(0, 10).join(', ')}`);
  };
}
