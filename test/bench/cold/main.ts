// A first search in a new process beside @mastra/core's, of the built package: npm run bench:cold
// All options: npm run bench:cold -- --help
import path from 'node:path';
import { parseArgs } from 'node:util';
import { beyondBars } from './bars.ts';
import { coldStarts, SIZES } from './cold.ts';
import { coldReport } from './report.ts';

const USAGE = `npm run bench:cold -- [options]
  --sizes A,B     so many tools instead of ${SIZES.join(',')}
  --catalog DIR   a folder that holds tools.jsonl, or "generated"
  --queries FILE  JSON lines with a "query" each, or "generated"
  --rounds N      so many processes each, instead of 3 to 15
  --beside DIR    another built package, as "other"
  --check         ends with 1 where a bar is not met`;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: SIZES.join(',') },
    catalog: { type: 'string' },
    queries: { type: 'string' },
    rounds: { type: 'string' },
    beside: { type: 'string' },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else await main();

async function main(): Promise<void> {
  const { catalog, queries, rounds, beside } = values;
  const cold = await coldStarts({
    ...{ catalog, queries },
    sizes: values.sizes.split(',').map(Number),
    rounds: rounds === undefined ? undefined : Number(rounds),
    beside: beside === undefined ? undefined : path.resolve(beside, 'index.js'),
  });
  console.log(coldReport(cold));
  if (values.check && beyondBars(cold.figures).length > 0) process.exitCode = 1;
}
