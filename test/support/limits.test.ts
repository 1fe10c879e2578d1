import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** What makes a test depend on how busy the machine is, and what it does instead. */
const HURRIED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bvi\.wait(?:For|Until)\(/, 'expect.poll, which waits longer than a second'],
  [/\bvi\.getTimerCount\(/, 'ownTimers, which counts no timers of other work'],
  [
    /^ *\}, \d{1,2}_?\d{0,3}\);|expect\.poll\([^\n]*\{ timeout: \d/m,
    'no limit of its own: those of vitest.config.ts end what hangs',
  ],
  [
    /\bpreselect: true(?![^\n]*timeouts)[^\n]*\}\)/,
    'timeouts.preselect, as the default may be too short for a busy machine',
  ],
];

/** Refused options run nothing, and benchmarks measure the defaults. */
const files = globSync('test/**/*.test.ts').filter((file) => !/^test\/(bench|options|support\/limits)/.test(file));

it.each(HURRIED)('no test has %s: write %s', (pattern) => {
  expect(files.length).toBeGreaterThan(200);
  expect(files.filter((file) => pattern.test(readFileSync(file, 'utf8')))).toEqual([]);
});
