// A first search in a new process beside @mastra/core's, of the built package: npm run bench:cold
import { optionsOf, section } from '../report.ts';
import { beyondBars, coldStarts, coldTable, SIZES } from './measure.ts';

const USAGE = `npm run bench:cold -- [options]
  --sizes A,B     so many tools instead of ${SIZES}
  --catalog DIR   a folder that holds tools.jsonl, instead of the set that comes with the project
  --queries FILE  JSON lines with a "query" each
  --check         ends with 1 where a bar is not met`;

const options = optionsOf(USAGE, { sizes: SIZES, catalog: undefined, queries: undefined, check: false });
const figures = await coldStarts(options);
console.log(section(coldTable(figures)));
if (options.check && beyondBars(figures).length > 0) process.exitCode = 1;
