// A first search in a new process beside @mastra/core's, of the built package: npm run bench:cold
// All options: npm run bench:cold -- --help
import path from 'node:path';
import { parseArgs } from 'node:util';
import { plainCatalog } from '../speed/catalogs.ts';
import { queriesFor } from '../speed/queries.ts';
import { beyondBars } from './bars.ts';
import { type ColdFigure, coldSearches } from './measure.ts';
import { coldTable } from './report.ts';

/** With the index in a file, by `search.indexCache`. */
const CACHED = 'ours, index saved';
const SIZES = [100, 1_000, 10_000, 50_000];
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
  const catalog = plainCatalog(values.catalog);
  const queries = queriesFor(catalog, values.queries);
  console.log(`Catalog: ${catalog.name}. Queries: ${queries.name}, ${queries.texts.length}. Milliseconds, medians.\n`);
  const others = values.beside === undefined ? [] : [['other', path.resolve(values.beside, 'index.js')] as const];
  const build = path.resolve('dist/index.js');
  const contestants = new Map([['core', undefined], ['ours', build], [CACHED, build], ...others]);
  const cached = new Set([CACHED]);
  const figures: ColdFigure[] = [];
  for (const size of values.sizes.split(',').map(Number)) {
    const rounds = values.rounds === undefined ? roundsFor(size) : Number(values.rounds);
    figures.push(await coldSearches({ catalog, size, queries: queries.texts, contestants, cached, rounds }));
  }
  console.log(coldTable(figures));
  const beyond = beyondBars(figures);
  if (beyond.length > 0) console.log(`\nNot met:\n${beyond.map((line) => `  ${line}`).join('\n')}`);
  if (values.check && beyond.length > 0) process.exitCode = 1;
}

function roundsFor(size: number): number {
  return size <= 1_000 ? 15 : size <= 10_000 ? 7 : 3;
}
