import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { RunReporter } from './test/support/run-reporter.ts';

const source = (file: string): string => fileURLToPath(new URL('./src/', import.meta.url)) + file;

// Processes that tests start read Mastra and TypeScript as an earlier one compiled it: a third of their time.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('./node_modules/.cache/node-compile-cache', import.meta.url),
);

/** What takes long: browsers, databases, embedders, processes that begin and end, and every rule in every mode and form. */
const WIDE = [
  ...['bench', 'examples', 'inspect', 'modes', 'native', 'postgres', 'restart', 'semantic', 'workbench/cli'].map(
    (folder) => `test/${folder}/**/*.test.ts`,
  ),
  ...['agent/refused-tools', 'behaviour/pairs'].map((file) => `test/${file}.test.ts`),
];

/** The part of the tests to run, `'unit'` or `'wide'`: each test is in one of them. By default all. */
const part = process.env['TEST_PART'];

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [
      { find: /^mastra-tool-search$/, replacement: source('index.ts') },
      { find: /^mastra-tool-search\/([a-z-]+)$/, replacement: source('entries/$1.ts') },
    ],
  },
  test: {
    include: part === 'wide' ? WIDE : ['test/**/*.test.ts'],
    exclude: part === 'unit' ? WIDE : [],
    globalSetup: ['test/support/temporary-folder.ts'],
    setupFiles: ['test/support/events.ts', 'test/support/real-timers.ts'],
    retry: 0,
    // Each worker reads Mastra once, not once a file: a third of the time. What a test changes, it puts back.
    isolate: false,
    // All processors: much of the time is spent waiting for servers and child processes.
    maxWorkers: '100%',
    // Real servers, child processes and models take their time on a busy machine: the limits end what hangs, no more.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    silent: 'passed-only',
    reporters: ['minimal', new RunReporter()],
  },
});

export default config;
