// Packs the package and runs flow.mjs and promises.mjs with the oldest peers it promises to work with, and with the newest.
//   node test/compatibility/run.mjs                  the pairs below
//   node test/compatibility/run.mjs 1.68.0 4.1.0     one pair: @mastra/core, zod
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// Without types of its own: a declaration of it may name only what the installed package exports.
const INFERRED = `
import { bm25Scorer, memoryStore, ToolSearchProcessor } from 'mastra-tool-search';
import { redisStore } from 'mastra-tool-search/redis';
export const parts = { bm25Scorer, redisStore, scorer: bm25Scorer(), store: memoryStore() };
export const processor = new ToolSearchProcessor({ tools: {}, search: { scorer: parts.scorer } });
`;
const root = fileURLToPath(new URL('../../', import.meta.url));
const { devDependencies, peerDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const oldestCore = peerDependencies['@mastra/core'].match(/\d+\.\d+\.\d+/)[0];
const newestCore = devDependencies['@mastra/core'];
const zod3 = devDependencies.zod3.replace('npm:zod@', '');
const zod4 = devDependencies.zod;

const [core, zod] = process.argv.slice(2);
const pairs = core
  ? [[core, zod ?? zod4]]
  : [
      [oldestCore, zod3],
      [newestCore, zod4],
    ];

const folder = mkdtempSync(path.join(tmpdir(), 'mastra-tool-search-'));
let failed = 0;
try {
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  const listed = Object.values(JSON.parse(packed.toString()))[0];
  // Each waits for the registry most of the time.
  const outcomes = pairs.map(async ([coreVersion, zodVersion]) => {
    const { ok, output } = await runPair(path.join(folder, listed.filename), coreVersion, zodVersion);
    console.log(`${output}${ok ? 'passed' : 'FAILED'}  @mastra/core ${coreVersion}, zod ${zodVersion}\n`);
    return ok;
  });
  failed = (await Promise.all(outcomes)).filter((ok) => !ok).length;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${pairs.length - failed} of ${pairs.length} pairs passed`);
process.exitCode = failed === 0 ? 0 : 1;

async function runPair(tarball, coreVersion, zodVersion) {
  const project = mkdtempSync(path.join(folder, 'project-'));
  const manifest = {
    private: true,
    type: 'module',
    dependencies: { '@mastra/core': coreVersion, 'mastra-tool-search': `file:${tarball}`, zod: zodVersion },
  };
  writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest));
  for (const file of ['flow.mjs', 'promises.mjs', 'consumer.ts'])
    cpSync(path.join(root, 'test/compatibility', file), path.join(project, file));
  writeFileSync(path.join(project, 'inferred.ts'), INFERRED);
  cpSync(path.join(root, 'test/support/scripted-model.ts'), path.join(project, 'scripted-model.ts'));

  const flags = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'];
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const settings = [
    '--declaration',
    '--outDir',
    'out',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2023',
    '--module',
    'nodenext',
  ];
  let output = '';
  for (const [command, args] of [
    ['npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']],
    [process.execPath, [...flags, 'flow.mjs']],
    [process.execPath, [...flags, 'promises.mjs']],
    [process.execPath, [compiler, ...settings, 'consumer.ts', 'inferred.ts']],
  ]) {
    const ran = await run(command, args, project);
    output += ran.output;
    if (!ran.ok) return { ok: false, output };
  }
  return { ok: true, output };
}

function run(command, args, cwd) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        output += data;
      });
    child.once('error', (error) => resolve({ ok: false, output: `${error.message}\n` }));
    child.once('close', (code) => resolve({ ok: code === 0, output }));
  });
}
