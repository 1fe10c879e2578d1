// How well lint foretells that a query misses: npm run bench:lint -- --sets FOLDER
// hit@1 of the queries all of whose relevant tools have a finding of a rule that searches or wants a description, and of
// the others.
import { evaluate, type LintRule, lint } from '../../../src/entries/evaluate.ts';
import { optionsOf, percent, table } from '../report.ts';
import { type LabelledSet, setsIn } from '../retrieval/sets.ts';
import { areaUnderCurve } from '../retrieval/verdict.ts';
import { mean } from '../statistics.ts';

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

const all: Prediction[] = [];
const rows: string[][] = [];
const sets = setsIn(optionsOf('npm run bench:lint -- [--sets FOLDER]', { sets: undefined }).sets);
for (const set of sets) {
  const { flagged, predictions } = await predict(set);
  all.push(...predictions);
  rows.push([set.name, `${set.tools.length}`, `${flagged}`, ...cells(predictions)]);
}
if (sets.length > 1) rows.push(['all queries', '', '', ...cells(all)]);
const heading = [
  'set',
  'tools',
  'flagged',
  'queries',
  'hit@1',
  'with',
  'hit@1',
  'without',
  'hit@1',
  'precision',
  'AUC',
];
console.log(`${table([heading, ...rows])}\n\nBy rule, over all queries:`);
const byRule = [...new Set(all.flatMap(({ rules }) => rules))].sort().map((rule) => {
  return [rule, ...rate(all.filter(({ rules }) => rules.includes(rule)))];
});
const none = ['none of any rule', ...rate(all.filter(({ rules }) => rules.length === 0))];
console.log(table([['rule', 'queries', 'hit@1'], ...byRule, none]));

/** What lint says of each tool of a set, and how the queries for it went. */
async function predict({ tools: labelled, queries }: LabelledSet) {
  const tools = labelled.map(({ id, ...tool }) => ({ ...tool, name: id }));
  const rulesOf = new Map(tools.map(({ name }) => [name, new Set<string>()]));
  const doubtOf = new Map<string, number>();
  for (const { rule, severity, toolName, others = [] } of await lint(tools)) {
    // Of tools that nothing tells apart, each may be the one that is wanted.
    for (const name of rule === 'indistinguishable' ? [toolName, ...others] : [toolName]) rulesOf.get(name)?.add(rule);
    const doubt = FORETELLING.includes(rule) ? (severity === 'error' ? 2 : 1) : 0;
    doubtOf.set(toolName, Math.max(doubtOf.get(toolName) ?? 0, doubt));
  }
  const cases = queries.map(({ id, query, relevant, groups }) => {
    return { id, query, relevant, ...(groups ? { groups } : {}) };
  });
  const [scorer] = (await evaluate({ tools, cases })).scorers;
  const predictions = (scorer?.cases ?? []).map(({ relevant, rank }): Prediction => {
    const [first, ...others] = relevant.map((name) => rulesOf.get(name)!);
    return {
      rules: [...first!].filter((rule) => others.every((rules) => rules.has(rule))),
      doubt: Math.min(...relevant.map((name) => doubtOf.get(name) ?? 0)),
      isHit: rank === 1,
    };
  });
  return { flagged: [...doubtOf.values()].filter((doubt) => doubt > 0).length, predictions };
}

/** Queries and hit rate: of all, of those with a foretelling finding and those without; and how well the doubts tell. */
function cells(predictions: readonly Prediction[]): readonly string[] {
  const withFinding = rate(predictions.filter(({ doubt }) => doubt > 0));
  const without = rate(predictions.filter(({ doubt }) => doubt === 0));
  const doubtsOf = (isHit: boolean): number[] =>
    predictions.filter((prediction) => prediction.isHit === isHit).map(({ doubt }) => doubt);
  const misses = predictions.filter(({ doubt }) => doubt > 0).map(({ isHit }) => Number(!isHit));
  const auc = areaUnderCurve(doubtsOf(false), doubtsOf(true));
  return [
    ...rate(predictions),
    ...withFinding,
    ...without,
    shown(mean(misses)),
    Number.isNaN(auc) ? '' : auc.toFixed(2),
  ];
}

function rate(predictions: readonly Prediction[]): readonly string[] {
  return [`${predictions.length}`, shown(mean(predictions.map(({ isHit }) => Number(isHit))))];
}

function shown(share: number): string {
  return Number.isNaN(share) ? '' : `${percent(share)} %`;
}
