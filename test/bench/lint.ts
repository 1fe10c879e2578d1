// How well lint foretells that a query misses: npm run bench:lint -- --sets FOLDER
// hit@1 of the queries all of whose relevant tools have a finding of a rule that searches or wants a description, and of
// the others.
import { evaluate, type LintRule, lint } from '../../src/entries/evaluate.ts';
import { optionsOf, percent, table } from './report.ts';
import { type LabelledSet, setsIn } from './retrieval/sets.ts';
import { areaUnderCurve } from './retrieval/verdict.ts';
import { mean } from './statistics.ts';

/** The rules whose findings say that a tool is hard to find. */
const FORETELLING: readonly LintRule[] = ['missing-description', 'not-found-by-own-words', 'indistinguishable'];

/** What lint says of the tools that a query wants, and how it went. */
interface Prediction {
  /** How bad the worst foretelling finding of the best tool is: 2 an error, 1 a warning, 0 none. */
  readonly doubt: number;
  readonly isHit: boolean;
}

const all: Prediction[] = [];
const rows: string[][] = [];
const sets = setsIn(optionsOf('npm run bench:lint -- [--sets FOLDER]', { sets: undefined }).sets);
for (const set of sets) {
  const predictions = await predict(set);
  all.push(...predictions);
  rows.push([set.name, ...cells(predictions)]);
}
if (sets.length > 1) rows.push(['all queries', ...cells(all)]);
console.log(table([['set', 'queries', 'hit@1', 'with', 'hit@1', 'without', 'hit@1', 'AUC'], ...rows]));

async function predict({ tools: labelled, queries }: LabelledSet): Promise<readonly Prediction[]> {
  const tools = labelled.map(({ id, ...tool }) => ({ ...tool, name: id }));
  const doubtOf = new Map<string, number>();
  for (const { rule, severity, toolName } of await lint(tools)) {
    const doubt = FORETELLING.includes(rule) ? (severity === 'error' ? 2 : 1) : 0;
    doubtOf.set(toolName, Math.max(doubtOf.get(toolName) ?? 0, doubt));
  }
  const cases = queries.map(({ id, query, relevant }) => ({ id, query, relevant }));
  const [scorer] = (await evaluate({ tools, cases })).scorers;
  return (scorer?.cases ?? []).map(({ relevant, rank }) => {
    return { doubt: Math.min(...relevant.map((name) => doubtOf.get(name) ?? 0)), isHit: rank === 1 };
  });
}

/** Queries and hit rate: of all, of those with a foretelling finding and those without; and how well the doubts tell. */
function cells(predictions: readonly Prediction[]): readonly string[] {
  const groups = [
    predictions,
    predictions.filter(({ doubt }) => doubt > 0),
    predictions.filter(({ doubt }) => doubt === 0),
  ];
  const doubtsOf = (isHit: boolean): number[] =>
    predictions.filter((prediction) => prediction.isHit === isHit).map(({ doubt }) => doubt);
  const auc = areaUnderCurve(doubtsOf(false), doubtsOf(true));
  return [
    ...groups.flatMap((some) => [`${some.length}`, percent(mean(some.map(({ isHit }) => Number(isHit))))]),
    Number.isNaN(auc) ? '' : auc.toFixed(2),
  ];
}
