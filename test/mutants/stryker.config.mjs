import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * `npm run test:mutants` changes the rules of src one by one (a condition turned round, a call left out: a mutant), and
 * runs the tests that reach the change. A mutant that no test fails of has survived: the rule is not tested, or the
 * change is none. The survivors and the kill rate of each file are printed.
 *
 * It covers what decides which tools a request sees and loads: filter, loaded, the loads of meta-tools, find, query,
 * hybrid. All of it, some 2,000 mutants, takes about an hour on two idle processors. One room takes minutes:
 *
 *     npm run test:mutants -- --mutate 'src/loaded/*.ts'
 *
 * Several patterns stand with commas between them, so a pattern has no braces.
 */

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
  mutate: [
    'src/filter/*.ts',
    'src/loaded/*.ts',
    'src/meta-tools/load*.ts',
    'src/meta-tools/missed-calls.ts',
    'src/search/find.ts',
    'src/scorers/words/*.ts',
    'src/semantic/hybrid.ts',
  ],
  // What runs when a module is read, such as a list of words, would need all tests for each change.
  ignoreStatic: true,
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 10_000,
  timeoutFactor: 3,
  reporters: ['progress-append-only', 'clear-text'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  tempDirName: join(tmpdir(), 'mastra-tool-search-mutants'),
};
