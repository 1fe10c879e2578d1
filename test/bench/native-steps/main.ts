// What native mode sends, and what it adds to a step: npm run bench:native-steps
//   -- --requests   the bytes of requests alone
// Exits with 1 where a bar is missed.
import { parseArgs } from 'node:util';
import { textTable } from '../table.ts';
import { type Dialect, measureRequests, type Requests, type Variant, variants } from './requests.ts';
import { missedTimes } from './times.ts';

const SIZES = [100, 1_000, 10_000];
/** Of a request to Anthropic with so many tools, beyond messages and the tools that are always sent. */
const [BAR_SIZE, MOST_BEYOND] = [1_000, 10_000];

const { values } = parseArgs({ options: { requests: { type: 'boolean', default: false } } });
const missed: string[] = [];

for (const dialect of ['anthropic', 'openai'] as const) {
  const rows: string[][] = [];
  for (const size of SIZES) {
    for (const variant of variants)
      rows.push(row(dialect, variant, size, await measureRequests(dialect, variant, size)));
  }
  console.log(
    `${dialect}: KB of the longest request of a conversation, and what a step takes out of the prompt's beginning\n`,
  );
  const heading = [
    '',
    'tools',
    'request',
    'beyond messages and resident tools',
    'lost by loads',
    'unload',
    'revocation',
  ];
  console.log(`${textTable([heading, ...rows])}\n`);
}
if (!values.requests) missed.push(...(await missedTimes()));
for (const bar of missed) console.log(`MISSED: ${bar}`);
process.exitCode = missed.length > 0 ? 1 : 0;

function row(dialect: Dialect, { name }: Variant, size: number, { bytes, beyond, lost }: Requests): string[] {
  if (name === 'append') {
    const what = `${dialect}, append, ${size} tools`;
    // OpenAI has no removal.
    const all = dialect === 'openai' ? lost.load : lost.load + (lost.unload ?? 0) + lost.revocation;
    if (all > 0) missed.push(`${what}: ${all} bytes of the prompt's beginning were lost`);
    if (dialect === 'anthropic' && size === BAR_SIZE && beyond > MOST_BEYOND) {
      missed.push(`${what}: ${beyond} bytes beyond messages and resident tools, and not ${MOST_BEYOND}`);
    }
  }
  const figures = [bytes, beyond, lost.load, lost.unload, lost.revocation];
  return [name, String(size), ...figures.map((value) => (value === undefined ? '–' : (value / 1_000).toFixed(1)))];
}
