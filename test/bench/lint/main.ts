// How well lint foretells that a query misses: npm run bench:lint -- --sets FOLDER
// hit@1 of the queries all of whose relevant tools have a finding of a rule that searches or wants a description, and of
// the others.
import { parseArgs } from 'node:util';
import { evaluate, type LintRule, lint } from '../../../src/entries/evaluate.ts';
import { type LabelledSet, setsIn } from '../retrieval/sets.ts';
import { areaUnderCurve } from '../retrieval/verdict.ts';
import { mean, percent } from '../statistics.ts';

/** The rules whose findings say that a tool is hard to find. */
const FORETELLING: readonly LintRule[] = ['missing-description', 'not-found-by-own-words', 'indistinguishable'];

/** What lint says of the tools that a query wants, and how it went. */
interface Prediction {
  /** The rules of which every relevant tool has a finding. */
  readonly rules: readonly string[];
  /** How bad the worst foretelling finding of the best tool is: 2 an error, 1 a warning, 0 none. */
  readonly doubt: number;
  readonly isHit: boolean;
}

const { values } = parseArgs({ options: { sets: { type: 'string' } } });
const all: Prediction[][] = [];
print(['set', 'tools', 'flagged', 'queries', 'hit@1', 'with', 'hit@1', 'without', 'hit@1', 'precision', 'AUC']);
for (const set of setsIn(values.sets)) {
  const { flagged, predictions } = await predict(set);
  all.push(predictions);
  print([set.name, `${set.tools.length}`, `${flagged}`, ...cells(predictions)]);
}
const together = all.flat();
if (all.length > 1) print(['all queries', '', '', ...cells(together)]);
console.log('\nBy rule, over all queries:');
print(['rule', 'queries', 'hit@1']);
for (const rule of [...new Set(together.flatMap(({ rules }) => rules))].sort()) {
  print([rule, ...rate(together.filter(({ rules }) => rules.includes(rule)))]);
}
print(['none of any rule', ...rate(together.filter(({ rules }) => rules.length === 0))]);

/** What lint says of each tool of a set, and how the queries for it went. */
async function predict({ tools: labelled, queries }: LabelledSet): Promise<{
  readonly flagged: number;
  readonly predictions: Prediction[];
}> {
  const tools = labelled.map(({ id, ...tool }) => ({ ...tool, name: id }));
  const rulesOf = new Map<string, Set<string>>();
  const doubtOf = new Map<string, number>();
  for (const { rule, severity, toolName, others = [] } of await lint(tools)) {
    // Of tools that nothing tells apart, each may be the one that is wanted.
    for (const name of rule === 'indistinguishable' ? [toolName, ...others] : [toolName]) {
      rulesOf.set(name, (rulesOf.get(name) ?? new Set()).add(rule));
      const doubt = FORETELLING.includes(rule) && name === toolName ? (severity === 'error' ? 2 : 1) : 0;
      doubtOf.set(name, Math.max(doubtOf.get(name) ?? 0, doubt));
    }
  }
  const cases = queries.map(({ id, query, relevant, groups }) => {
    return { id, query, relevant, ...(groups ? { groups } : {}) };
  });
  const [scorer] = (await evaluate({ tools, cases })).scorers;
  const predictions = (scorer?.cases ?? []).map(({ relevant, rank }): Prediction => {
    const [first = new Set<string>(), ...others] = relevant.map((name) => rulesOf.get(name) ?? new Set<string>());
    return {
      rules: [...first].filter((rule) => others.every((rules) => rules.has(rule))),
      doubt: Math.min(...relevant.map((name) => doubtOf.get(name) ?? 0)),
      isHit: rank === 1,
    };
  });
  return { flagged: [...doubtOf.values()].filter((doubt) => doubt > 0).length, predictions };
}

/** Queries and hit rate: of all, of those with a foretelling finding and those without; and how well the doubts tell. */
function cells(predictions: readonly Prediction[]): readonly string[] {
  const withFinding = predictions.filter(({ doubt }) => doubt > 0);
  const doubtsOf = (isHit: boolean): number[] =>
    predictions.filter((prediction) => prediction.isHit === isHit).map(({ doubt }) => doubt);
  const auc = areaUnderCurve(doubtsOf(false), doubtsOf(true));
  return [
    ...rate(predictions),
    ...rate(withFinding),
    ...rate(predictions.filter(({ doubt }) => doubt === 0)),
    shown(1 - hit1(withFinding)),
    Number.isNaN(auc) ? '' : auc.toFixed(2),
  ];
}

function rate(predictions: readonly Prediction[]): readonly string[] {
  return [`${predictions.length}`, shown(hit1(predictions))];
}

function hit1(predictions: readonly Prediction[]): number {
  return mean(predictions.map(({ isHit }) => Number(isHit)));
}

function shown(share: number): string {
  return Number.isNaN(share) ? '' : `${percent(share)} %`;
}

function print(row: readonly string[]): void {
  console.log(`| ${row.join(' | ')} |`);
}
