// A first search in a new process beside @mastra/core's, of the built package: npm run bench:cold
// All options: npm run bench:cold -- --help
import { parseArgs } from 'node:util';
import { beyondBars, coldReport, coldStarts, SIZES } from './measure.ts';

const USAGE = `npm run bench:cold -- [options]
  --sizes A,B     so many tools instead of ${SIZES.join(',')}
  --catalog DIR   a folder that holds tools.jsonl, or "generated"
  --queries FILE  JSON lines with a "query" each, or "generated"
  --rounds N      so many processes each, instead of 3 to 15
  --check         ends with 1 where a bar is not met`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({
  options: {
    ...{ sizes: { ...text, default: SIZES.join(',') }, catalog: text, queries: text, rounds: text },
    ...{ check: flag, help: flag },
  },
});

if (values.help) console.log(USAGE);
else {
  const { catalog, queries, rounds } = values;
  const sizes = values.sizes.split(',').map(Number);
  const cold = await coldStarts({ sizes, catalog, queries, rounds: rounds === undefined ? undefined : Number(rounds) });
  console.log(coldReport(cold));
  if (values.check && beyondBars(cold).length > 0) process.exitCode = 1;
}
