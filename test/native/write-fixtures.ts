/**
 * Writes `fixtures/*.json`: the request bodies of the runs in `requests.test.ts` and `append.test.ts`, without `stream`, which alone differs
 * between `generate` and `stream`. Run it after a change of what is sent, and read the difference:
 *
 *     node test/native/write-fixtures.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

// The sources, as in tests, whether there is a build or not.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'mastra-tool-search' ? import.meta.resolve('../../src/index.ts') : specifier, context),
});
const { executions, fixtureRun, fixtureUrl, packages } = await import('./rig/package-runs.ts');
const { appendFixtureUrl, appendPackages, appendRun, outermost, ways } = await import('./rig/append-runs.ts');

const folder = fileURLToPath(new URL('./fixtures', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const name of packages) {
  for (const execution of executions) {
    const { bodies } = await fixtureRun(name, execution, 'generate');
    const plain = bodies.map(({ stream: _, ...body }) => body);
    writeFileSync(fixtureUrl(name, execution), `${JSON.stringify(plain, null, 2)}\n`);
  }
}
for (const name of appendPackages) {
  for (const way of ways) {
    const plain = outermost(await appendRun(name, way, 'generate')).map(({ stream: _, ...body }) => body);
    writeFileSync(appendFixtureUrl(name, way), `${JSON.stringify(plain, null, 2)}\n`);
  }
}
const biome = fileURLToPath(import.meta.resolve('@biomejs/biome/bin/biome'));
execFileSync(process.execPath, [biome, 'format', '--write', folder]);
