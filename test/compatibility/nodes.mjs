/**
 * Runs the unit tests on the oldest and the newest Node that is supported; `npm test` runs them on the one between:
 * `node test/compatibility/nodes.mjs [--divide] [vitest's arguments]`. Each is installed from npm into a temporary folder.
 * With `--divide` each test file runs on one of them only, which takes half the time, and rankings and the providers' formats
 * are left out: they read texts alone. What runs in Chromium or in a PostgreSQL is the same for every Node, and always left
 * out, as are the tests of benches.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSIONS = ['22.13.1', '26'];
const vitestArguments = process.argv.slice(2).filter((argument) => argument !== '--divide');
const divides = process.argv.includes('--divide');

const root = fileURLToPath(new URL('../..', import.meta.url));
const elsewhere = globSync('test/**/*.test.ts', { cwd: root }).filter(
  (file) =>
    (divides ? ['bench', 'scorers', 'native'] : ['bench']).some((folder) => file.split(path.sep)[1] === folder) ||
    /useChromium\(\)|describeDatabases\(/.test(readFileSync(path.join(root, file), 'utf8')),
);
const run = (program, args, options) => spawnSync(program, args, { stdio: 'inherit', ...options }).status === 0;

/** The program of that version, or undefined where it cannot be installed. */
function install(version, folder) {
  // npm runs no script of a package that is not named here.
  const project = { private: true, dependencies: { node: version }, allowScripts: { node: true } };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(project));
  const isThere = run('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: folder });
  return isThere ? path.join(folder, 'node_modules', 'node', 'bin', 'node') : undefined;
}

/** Runs the tests on that version; programs that they start run on it, too. */
function test(version, position) {
  const folder = mkdtempSync(path.join(tmpdir(), `node-${version}-`));
  try {
    const node = install(version, folder);
    if (!node) return false;
    console.log(`\nUnit tests on Node ${version}`);
    const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const part = divides ? [`--shard=${position + 1}/${VERSIONS.length}`] : [];
    const without = elsewhere.map((file) => `--exclude=${file}`);
    return run(node, [vitest, 'run', ...part, ...without, ...vitestArguments], { cwd: root, env });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Ends at the first that fails, so that the report is that one's.
process.exit(VERSIONS.every(test) ? 0 : 1);
