// How often the right tool is there before the first model call: npm run bench:preselect -- --sets FOLDER
// The thresholds were chosen on the even messages of each set; the odd ones were only measured.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readSet, readSets } from '../retrieval/sets.ts';
import { textTable } from '../retrieval/table.ts';
import { measureDelay } from './delay.ts';
import { measurePreselect, type Share } from './measure.ts';

const { values } = parseArgs({
  options: { sets: { type: 'string' }, confidence: { type: 'string' }, most: { type: 'string' } },
});
const own = fileURLToPath(new URL('../../fixtures/mcp-dev', import.meta.url));
const sets = values.sets === undefined ? [readSet(own)] : readSets(values.sets);
const options = {
  ...(values.confidence === undefined ? {} : { minConfidence: Number(values.confidence) }),
  ...(values.most === undefined ? {} : { maxTools: Number(values.most) }),
};

const cells = ({ any, needs, definitions }: Share): string[] => [
  (100 * any).toFixed(1),
  (100 * needs).toFixed(1),
  definitions.toFixed(2),
];
const rows: string[][] = [];
for (const set of sets) {
  const { messages, even, odd, all, milliseconds } = await measurePreselect(set, options);
  const times = [milliseconds.median, milliseconds.p99].map((time) => time.toFixed(1));
  rows.push([set.name, `${messages}`, ...cells(all), ...cells(even), ...cells(odd), ...times]);
}
const columns = ['right %', 'needs %', 'definitions'];
console.log('right: a tool that serves the message is sent; needs: the share of its needs that are served.\n');
const heads = [...columns, ...columns.map((name) => `even: ${name}`), ...columns.map((name) => `odd: ${name}`)];
console.log(textTable([['set', 'messages', ...heads, 'median ms', 'p99 ms'], ...rows]));

const [first] = sets;
if (first) {
  const delays = await measureDelay(first);
  console.log(`\nMilliseconds by which it delays a run over 10,000 tools (those of ${first.name}, again and again):\n`);
  const lines = delays.map(({ state, median, most }) => [`index ${state}`, median.toFixed(1), most.toFixed(1)]);
  console.log(textTable([['', 'median', 'most'], ...lines]));
}
