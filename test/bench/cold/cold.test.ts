import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { beyondBars } from './bars.ts';
import { coldStarts } from './cold.ts';
import { coldReport } from './report.ts';

it('a cold start is measured for core and for the package', async () => {
  const build = fileURLToPath(new URL('../../../src/index.ts', import.meta.url));
  const progress: string[] = [];
  const options = { sizes: [12], catalog: 'generated', queries: 'generated', rounds: 1, build };
  const cold = await coldStarts(options, (line) => progress.push(line));
  expect(progress).toEqual(['cold start: 12 tools']);
  const [figure] = cold.figures;
  expect([...(figure?.times.keys() ?? [])]).toEqual(['core', 'ours']);
  for (const times of figure?.times.values() ?? []) {
    expect(times.cold).toBeGreaterThanOrEqual(times.search);
    expect(times.p99).toBeGreaterThanOrEqual(times.p50);
    expect(times.coldCpu).toBeGreaterThan(0);
  }
  const report = coldReport(cold);
  expect(report).toMatch(/\| 12 \| ours \| [\d.]+ \|/);
  for (const line of beyondBars(cold.figures)) expect(report).toContain(line);
});
