import type { Comparison, Evaluation, EvaluationCase, Gates, ScorerEvaluation } from '../../../entries/evaluate.ts';
import { asRecord } from '../../../kit.ts';
import { readJson } from '../catalog/json.ts';
import { catalogOptions, type LoadedCatalog, loadCatalog, readText } from '../catalog/load.ts';
import type { Call, Command } from '../command.ts';
import { evaluationPage } from '../evaluation-page.ts';
import { FAILED, OK } from '../exit-codes.ts';
import { formatOf } from '../output.ts';
import { scorerOption, scorersOf } from '../scorers.ts';
import { shown, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { checkWritable, writeResult } from '../write-file.ts';

/** What a gate's option is a share of, or a number of points: its bounds are those of `failedGates`. */
const SHARES = {
  'min-hit1': 'minHit1',
  'min-recall': 'minRecall',
  'min-mrr': 'minMrr',
  'min-ndcg': 'minNdcg10',
  'max-false-alarms': 'maxFalseAlarms',
  'max-missed-nothings': 'maxMissedNothings',
} as const;

export const evalCommand: Command = {
  name: 'eval',
  summary: 'Measure how well queries find the tools that they should.',
  usage: 'CATALOG [CASES]',
  about: [
    'CASES has a case a line: { "query": "…", "relevant": ["tool"] }, with no tool where nothing fits; or of a log of real use { "query": "…", "called": "tool" }. Left out, they are the "cases" of the module.',
    'Ends with 1 where a gate fails.',
  ],
  options: {
    scorer: { ...scorerOption, multiple: true },
    top: { type: 'string', short: 'n', hint: 'N', text: 'Results that a model is shown (5)' },
    baseline: { type: 'string', hint: 'FILE', isFile: true, text: 'Compare with what --save-baseline wrote' },
    'save-baseline': { type: 'string', hint: 'FILE', isFile: true, text: 'Write the result, for --baseline' },
    'min-hit1': {
      type: 'string',
      hint: 'SHARE',
      text: 'Gate: the first result fits, in this share of the cases at least',
    },
    'min-recall': { type: 'string', hint: 'SHARE', text: 'Gate: the share of needs that what is shown serves' },
    'min-mrr': { type: 'string', hint: 'SHARE', text: 'Gate: the mean of 1 over the place of the first that fits' },
    'min-ndcg': { type: 'string', hint: 'SHARE', text: 'Gate: nDCG@10' },
    'max-false-alarms': { type: 'string', hint: 'SHARE', text: 'Gate: "nothing fits" is said, and something does' },
    'max-missed-nothings': { type: 'string', hint: 'SHARE', text: 'Gate: nothing fits, and it is not said' },
    'max-regression': {
      type: 'string',
      hint: 'POINTS',
      text: 'Gate: nDCG@10 below the baseline, in points of 100 (0)',
    },
    worst: { type: 'string', hint: 'N', text: 'Cases and confusions that are listed (10)' },
    ...catalogOptions,
  },
  examples: [
    ['eval tools.json cases.jsonl', 'figures, worst cases and confusions'],
    ['eval tools.json cases.jsonl --scorer bm25 --scorer tiered', 'two rankings'],
    ['eval tools.json cases.jsonl --save-baseline baseline.json', 'keep what there is'],
    ['eval tools.json cases.jsonl --baseline baseline.json --max-regression 1', 'fail when it gets worse'],
    ['eval tools.ts --min-recall 0.9 --markdown >> "$GITHUB_STEP_SUMMARY"', 'in CI'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { terminal, values } = call;
  const format = formatOf(call);
  const topK = values.number('top', { least: 1, isWhole: true }) ?? 5;
  const worst = values.number('worst', { least: 0, isWhole: true }) ?? 10;
  const gates = gatesOf(call);
  const file = values.text('save-baseline');
  checkWritable('save-baseline', file);
  const { catalog, rest } = await loadCatalog(call, 1);
  const cases = await casesOf(rest, catalog, terminal);
  const { compareEvaluations, evaluate, failedGates } = await import('../../../entries/evaluate.ts');
  const { tools, keywords = {}, groups } = catalog;
  const scorers = await scorersOf(call, catalog);
  const evaluations: Evaluation[] = [];
  for (const [at, scorer] of scorers.entries()) {
    const counts = `${Object.keys(tools).length} tools, ${cases.length} cases`;
    terminal.progress(`Evaluating ${scorer.name} (${at + 1}/${scorers.length}): ${counts}…`);
    evaluations.push(
      await evaluate({ tools, cases, scorers: [scorer], topK, keywords, ...(groups ? { groups } : {}) }),
    );
  }
  const evaluation: Evaluation = {
    ...{ tools: evaluations[0]?.tools ?? 0, topK },
    scorers: numbered(evaluations.flatMap(({ scorers }) => scorers)),
  };
  const { baseline } = gates;
  const comparisons: readonly Comparison[] | undefined = baseline && compareEvaluations(baseline, evaluation);
  const failures = failedGates(evaluation, gates);
  const result = { catalog: catalog.title, evaluation, ...(comparisons ? { comparisons } : {}), failures };
  const hasGates = Object.keys(gates).length > 0;
  if (file !== undefined) writeResult('save-baseline', file, `${JSON.stringify(evaluation)}\n`);
  terminal.print(
    format === 'json'
      ? JSON.stringify(result, null, 2)
      : evaluationPage({ ...result, hasGates }, worst, format, terminal),
  );
  return failures.length > 0 ? FAILED : OK;
}

/** Results of which each has a name of its own: the second "bm25" is "bm25 2". */
function numbered(scorers: readonly ScorerEvaluation[]): readonly ScorerEvaluation[] {
  const taken = new Set<string>();
  return scorers.map((one) => {
    let name = one.scorer;
    for (let count = 2; taken.has(name); count++) name = `${one.scorer} ${count}`;
    taken.add(name);
    return { ...one, scorer: name };
  });
}

function gatesOf({ values }: Call): Gates {
  const shares = Object.entries(SHARES).flatMap(([option, gate]) => {
    const share = values.number(option, { least: 0, most: 1 });
    return share === undefined ? [] : [[gate, share] as const];
  });
  const file = values.text('baseline');
  const points = values.number('max-regression', { least: 0, most: 100 });
  if (points !== undefined && file === undefined) {
    throw new UsageError('--max-regression needs --baseline FILE, which --save-baseline writes.');
  }
  return {
    ...Object.fromEntries(shares),
    ...(file === undefined ? {} : { baseline: readBaseline(file) }),
    ...(points === undefined ? {} : { maxRegression: points / 100 }),
  };
}

function readBaseline(file: string): Evaluation {
  const value = asRecord(readJson(readText(file), file));
  // As --json writes it, too.
  const evaluation = asRecord(value?.['evaluation']) ?? value;
  const isOne = (one: unknown): boolean =>
    Array.isArray(asRecord(one)?.['cases']) && typeof asRecord(one)?.['scorer'] === 'string';
  const scorers = evaluation?.['scorers'];
  if (Array.isArray(scorers) && scorers.every(isOne)) return evaluation as unknown as Evaluation;
  throw new UsageError(`${shown(file)} is no baseline. Write one with --save-baseline.`);
}

async function casesOf(
  [file]: readonly string[],
  catalog: LoadedCatalog,
  terminal: Terminal,
): Promise<readonly EvaluationCase[]> {
  if (file !== undefined) return (await import('../cases.ts')).readCasesFile(file, terminal);
  if (catalog.cases) return catalog.cases;
  throw new UsageError('Which cases? Give a file with a line for each: { "query": "…", "relevant": ["tool"] }.');
}
