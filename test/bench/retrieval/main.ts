// How well tools are found, here and elsewhere, side by side in one run: npm run bench:retrieval
// All options: npm run bench:retrieval -- --help
import { bench } from './bench.ts';

try {
  console.log(await bench(process.argv.slice(2), console.error));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
