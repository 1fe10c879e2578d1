// What importing an entry takes beyond @mastra/core and zod, which an app has read before.
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

/** Milliseconds in a fresh process, in which the packages have been imported before. */
export function importTime(file: string, packages: readonly string[]): number {
  const script = `
    for (const name of ${JSON.stringify(['@mastra/core/processors', ...packages])}) await import(name);
    const start = performance.now();
    await import(${JSON.stringify(pathToFileURL(file).href)});
    console.log(performance.now() - start);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }));
}
