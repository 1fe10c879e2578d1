// What native mode sends, and what it adds to a step: npm run bench:native-steps
// Exits with 1 where a bar is missed.
import { optionsOf, table } from '../report.ts';
import { measureRequests, type VariantName, variants } from './requests.ts';
import { missedTimes } from './times.ts';

/** Bytes of a request to Anthropic with 1,000 tools, beyond messages and the tools that are always sent. */
const MOST_BEYOND = 10_000;

const options = optionsOf('npm run bench:native-steps -- [--requests: the bytes of requests alone]', {
  requests: false,
});
const missed: string[] = [];
for (const dialect of ['anthropic', 'openai'] as const) {
  const rows: string[][] = [];
  for (const size of [100, 1_000, 10_000]) {
    for (const name of Object.keys(variants) as VariantName[]) {
      const { bytes, beyond, lost } = await measureRequests(dialect, name, size);
      // OpenAI has no removal.
      const ofAppend = dialect === 'openai' ? lost.load : lost.load + (lost.unload ?? 0) + lost.revocation;
      if (name === 'append' && ofAppend > 0)
        missed.push(`${dialect}, append, ${size} tools: ${ofAppend} bytes of the prompt's beginning were lost`);
      if (name === 'append' && dialect === 'anthropic' && size === 1_000 && beyond > MOST_BEYOND)
        missed.push(`append: ${beyond} bytes beyond messages and resident tools, not ${MOST_BEYOND}`);
      const figures = [bytes, beyond, lost.load, lost.unload, lost.revocation];
      const cells = figures.map((value) => (value === undefined ? '–' : (value / 1_000).toFixed(1)));
      rows.push([name, String(size), ...cells]);
    }
  }
  console.log(
    `${dialect}: KB of the longest request of a conversation, and what a step takes out of the prompt's beginning\n`,
  );
  const lost = ['lost by loads', 'unload', 'revocation'];
  console.log(`${table([['', 'tools', 'request', 'beyond messages and resident tools', ...lost], ...rows])}\n`);
}
if (!options.requests) missed.push(...(await missedTimes()));
for (const bar of missed) console.log(`MISSED: ${bar}`);
process.exitCode = missed.length > 0 ? 1 : 0;
