// What a real model does with each way to send the tools of a catalog: npm run bench:model -- --url URL --model NAME
// All options: npm run bench:model -- --help
import { modelBench } from './bench.ts';
import { type Command, commandOf } from './options.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

let command: Command | undefined;
try {
  command = commandOf(process.argv.slice(2));
} catch (error) {
  console.error(`${messageOf(error)} All options: npm run bench:model -- --help`);
  process.exitCode = 2;
}
try {
  if (command) console.log(await modelBench(command, console.error));
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
