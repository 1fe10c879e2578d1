import { defineConfig } from 'tsup';

const config: ReturnType<typeof defineConfig> = defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  target: 'node22',
  dts: true,
  clean: true,
});

export default config;
