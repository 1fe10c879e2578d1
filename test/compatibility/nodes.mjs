/**
 * Runs the tests on the oldest and the newest Node that is supported; `npm test` runs them on the one between:
 * `node test/compatibility/nodes.mjs [--divide] [vitest's arguments]`. Each is installed from npm into a temporary folder.
 * With `--divide`, as in CI, only the tests run that lean on Node: on files, processes, threads, sockets and streams. Each file
 * of them runs on one of the two. The others compute, and every Node does that alike. What runs in Chromium or in a
 * PostgreSQL is the same for every Node, and always left out, as are the tests of benches.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSIONS = ['22.13.1', '26'];
const vitestArguments = process.argv.slice(2).filter((argument) => argument !== '--divide');
const divides = process.argv.includes('--divide');

/** What leans on Node. */
const OF_NODE = [
  'agent/{durable-agent,flow,mcp-outages,mcp-servers,store-outage}.test.ts',
  'behaviour/{ai-sdk-ui,inside-mastra,observational-memory,served-over-http}.test.ts',
  '{inspect,learning/stores,loaded/stores,restart,workbench/cli}/**/*.test.ts',
  '{events/traces,examples/http-source,public-api}.test.ts',
].map((pattern) => `test/${pattern}`);

/** Where to write the results, for whoever counts them. */
const report = process.env.TEST_REPORT;

const root = fileURLToPath(new URL('../..', import.meta.url));
const isElsewhere = (file) =>
  ['bench', 'postgres'].some((folder) => file.startsWith(path.join('test', folder, path.sep))) ||
  /useChromium\(\)/.test(readFileSync(path.join(root, file), 'utf8'));
const files = globSync(divides ? OF_NODE : 'test/**/*.test.ts', { cwd: root }).filter((file) => !isElsewhere(file));
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
    const PATH = `${path.dirname(node)}${path.delimiter}${process.env.PATH}`;
    const env = { ...process.env, PATH, ...(report && { TEST_REPORT: path.join(folder, 'report.json') }) };
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const part = divides ? [`--shard=${position + 1}/${VERSIONS.length}`] : [];
    const isFine = run(node, [vitest, 'run', ...part, ...files, ...vitestArguments], { cwd: root, env });
    if (report) addReport(version, env.TEST_REPORT);
    return isFine;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds what the tests came to on one Node to that of the others. */
function addReport(version, file) {
  if (!existsSync(file)) return;
  const { failures, skipped, ...counts } = JSON.parse(readFileSync(file, 'utf8'));
  for (const [what, count] of Object.entries(counts)) sum[what] += count;
  for (const [reason, count] of Object.entries(skipped)) sum.skipped[reason] = (sum.skipped[reason] ?? 0) + count;
  sum.failures.push(...failures.map(({ where, message }) => ({ where: `Node ${version}: ${where}`, message })));
  writeFileSync(report, JSON.stringify(sum));
}

const sum = { passed: 0, failed: 0, notRun: 0, skipped: {}, failures: [] };
const outcomes = VERSIONS.map(test);
process.exit(outcomes.every(Boolean) ? 0 : 1);
