// A catalog in PostgreSQL that no process could hold, beside the index in the process: npm run bench:source
// All options: npm run bench:source -- --help
import { bench } from './bench.ts';

try {
  const { text, isMet } = await bench(process.argv.slice(2), console.error);
  console.log(text);
  if (!isMet) process.exitCode = 1;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
