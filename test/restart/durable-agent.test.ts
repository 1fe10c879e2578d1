import { describe, it } from 'vitest';
import { reasonToSkip, rowsOf, surprisesOver } from './restarts-suite.ts';

const surprisesIn = surprisesOver();

describe.concurrent('a waiting call of a loaded tool of a DurableAgent', () => {
  it.for(rowsOf('DurableAgent'))(
    'goes on as docs/restarts.md says, with $store and process: $process',
    async (row, { expect, skip }) => {
      const reason = reasonToSkip(row);
      if (reason) skip(reason);
      expect(await surprisesIn(row)).toEqual([]);
    },
  );
});
