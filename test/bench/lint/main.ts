import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type LabelledSet, readSet, readSets } from '../retrieval/sets.ts';
import { type Prediction, predict, ratesOf } from './prediction.ts';

const USAGE = `npm run bench:lint -- [options]
  --sets FOLDER    all sets in this folder, instead of the one that comes with the project
  --json FILE      everything, as JSON

How well lint foretells that a query misses: hit@1 of the queries all of whose relevant tools have a finding of a rule
that searches or wants a description, and of the others.`;

const { values } = parseArgs({
  options: { sets: { type: 'string' }, json: { type: 'string' }, help: { type: 'boolean', default: false } },
});

if (values.help) console.log(USAGE);
else {
  const own = fileURLToPath(new URL('../../fixtures/mcp-dev', import.meta.url));
  const sets: readonly LabelledSet[] = values.sets ? readSets(values.sets) : [readSet(own)];
  const all: { readonly set: string; readonly tools: number; readonly predictions: readonly Prediction[] }[] = [];
  print(['set', 'tools', 'flagged', 'queries', 'hit@1', 'with', 'hit@1', 'without', 'hit@1', 'precision', 'AUC']);
  for (const set of sets) {
    const { flagged, predictions } = await predict(set);
    all.push({ set: set.name, tools: set.tools.length, predictions });
    print(row(set.name, set.tools.length, flagged, predictions));
  }
  const together = all.flatMap(({ predictions }) => predictions);
  if (all.length > 1) print(row('all queries', undefined, undefined, together));
  console.log('\nBy rule, over all queries:');
  print(['rule', 'queries', 'hit@1']);
  for (const rule of [...new Set(together.flatMap(({ rules }) => rules))].sort()) {
    const some = together.filter(({ rules }) => rules.includes(rule));
    print([rule, `${some.length}`, percent(ratesOf(some).hit1)]);
  }
  const none = together.filter(({ rules }) => rules.length === 0);
  print(['none of any rule', `${none.length}`, percent(ratesOf(none).hit1)]);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
}

function row(
  name: string,
  tools: number | undefined,
  flagged: number | undefined,
  predictions: readonly Prediction[],
): string[] {
  const { hit1, withFinding, without, auc } = ratesOf(predictions);
  return [
    name,
    ...[tools, flagged].map((figure) => `${figure ?? ''}`),
    ...[`${predictions.length}`, percent(hit1)],
    ...[`${withFinding.queries}`, percent(withFinding.hit1)],
    ...[`${without.queries}`, percent(without.hit1)],
    percent(1 - withFinding.hit1),
    Number.isNaN(auc) ? '' : auc.toFixed(2),
  ];
}

function percent(share: number): string {
  return Number.isNaN(share) ? '' : `${(100 * share).toFixed(1)} %`;
}

function print(cells: readonly string[]): void {
  console.log(`| ${cells.join(' | ')} |`);
}
