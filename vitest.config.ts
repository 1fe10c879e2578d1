import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** Where to write the results as JSON too, for whoever counts them. */
const report = process.env['TEST_REPORT'];

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: { 'mastra-tool-search': fileURLToPath(new URL('./src/index.ts', import.meta.url)) },
  },
  test: {
    include: ['test/**/*.test.ts'],
    retry: 0,
    // All processors: much of the time is spent waiting for servers and child processes.
    maxWorkers: '100%',
    // Real servers, child processes and models take their time on a busy machine.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});

export default config;
