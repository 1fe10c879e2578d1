import type { ViteUserConfig } from 'vitest/config';
import main from '../../vitest.config.ts';

const { resolve, test } = main;

/** The tests that mutants run against: those of the mutated rooms, and of agents that search and load. */
const config: ViteUserConfig = {
  ...(resolve ? { resolve } : {}),
  test: {
    ...test,
    include: [
      'test/{filter,loaded,meta-tools,search,scorers/words}/**/*.test.ts',
      'test/processor/{request,*search*}.test.ts',

      'test/semantic/hybrid*.test.ts',
      'test/agent/{caps,filter-waits,flow,hidden-names,load-on-miss,searches-in-vain}.test.ts',
    ],
    // Random catalogs by the hundred, and a count of looks at the clock.
    exclude: ['test/filter/hidden-tools.test.ts', 'test/meta-tools/event-loop.test.ts'],
    silent: true,
    reporters: ['minimal'],
  },
};

export default config;
