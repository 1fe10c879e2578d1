import { defineConfig } from 'tsup';

const config: ReturnType<typeof defineConfig> = defineConfig({
  entry: ['src/index.ts', 'src/entries/*.ts'],
  format: ['esm', 'cjs'],
  // One copy of what entries share, so that a ToolSearchError is one class, and chunks for what is imported when needed.
  splitting: true,
  target: 'node22',
  dts: true,
  clean: true,
});

export default config;
