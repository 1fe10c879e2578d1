// Compiles types.ts against the built package, as users do, with both ways to resolve modules.
//   node test/package/types.mjs                    the compiler of this project
//   node test/package/types.mjs path/to/bin/tsc    other ones
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const own = `${root}node_modules/typescript/bin/tsc`;
const compilers = process.argv.length > 2 ? process.argv.slice(2) : [own];
const ways = [
  ['--module', 'nodenext', '--exactOptionalPropertyTypes', 'true'],
  ['--module', 'nodenext', '--exactOptionalPropertyTypes', 'false'],
  ['--module', 'esnext', '--moduleResolution', 'bundler', '--exactOptionalPropertyTypes', 'true'],
  ['--module', 'esnext', '--moduleResolution', 'bundler', '--exactOptionalPropertyTypes', 'false'],
];
/** One for each way to resolve modules; all of them for a compiler that is named. */
const chosen = process.argv.length > 2 ? ways : [ways[0], ways[3]];

const settings = '--noEmit --strict --skipLibCheck --target es2023 --types node --pretty false'.split(' ');
const results = await Promise.all(compilers.flatMap((compiler) => chosen.map((way) => compile(compiler, way))));
for (const { title, output, isFine } of results) if (!isFine) console.error(`FAILED  ${title}\n${output}`);
const failed = results.filter(({ isFine }) => !isFine).length;
console.log(`types: ${results.length - failed} of ${results.length} ways to compile passed`);
process.exitCode = failed === 0 ? 0 : 1;

function compile(compiler, way) {
  // Without the settings of this project, which newer compilers want to be told.
  return run(compiler, [...settings, ...way, '--ignoreConfig', 'test/package/types.ts']).then((result) =>
    result.output.includes("Unknown compiler option '--ignoreConfig'")
      ? run(compiler, [...settings, ...way, 'test/package/types.ts'])
      : result,
  );
}

function run(compiler, args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [compiler, ...args], { cwd: root });
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    child.stderr.on('data', (data) => {
      output += data;
    });
    child.on('close', (code) => resolve({ title: [compiler, ...args].join(' '), output, isFine: code === 0 }));
  });
}
