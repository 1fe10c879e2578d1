import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bm25Scorer } from '../../../src/index.ts';
import { coldStarts } from '../cold/cold.ts';
import { coldReport } from '../cold/report.ts';
import { type BenchOptions, benchOptions, USAGE } from './bench-options.ts';
import type { Contestant } from './contestant.ts';
import { BASELINE } from './contestants.ts';
import { speedOf } from './endpoint-contestants.ts';
import { type LearningEntry, measureLearning } from './learning/measure.ts';
import { learningReport } from './learning/report.ts';
import { measure, type Run } from './measure.ts';
import { pastedSets } from './pasted.ts';
import { markdownReport, textReport } from './report.ts';
import { type MeasuredSet, type Results, resultsOf } from './results.ts';
import { withServers } from './servers.ts';
import { type LabelledSet, readSet, readSets } from './sets.ts';
import { fitReport } from './verdict/fit.ts';
import { figuresOf, judge, type VerdictEntry } from './verdict/judge.ts';
import { trialsOf } from './verdict/trials.ts';

type Progress = (line: string) => void;

/** Measures what the command line's arguments ask for, and returns what to print. */
export async function bench(args: readonly string[], progress: Progress): Promise<string> {
  const options = benchOptions(args);
  if (options.isHelp) return USAGE;
  const { contestants, markdown, parts, endpoint, json } = options;
  const sets = setsOf(options);
  if (options.fit) {
    const trials = trialsOf(sets);
    const reports: string[] = [];
    for (const contestant of contestants) reports.push(await fitReport(contestant, trials));
    return reports.join('\n\n');
  }

  const results: Partial<AllResults>[] = [];
  const reports: string[] = [];
  const add = (report: string, result: Partial<AllResults>): void => {
    reports.push(report);
    results.push(result);
  };
  const rankingReport = markdown ? markdownReport : textReport;
  if (parts.has('ranking')) {
    const ranking = await rankingOf(sets, contestants, options, progress);
    add(rankingReport(ranking), ranking);
    if (endpoint && sets[0]) reports.push(await speedOf(endpoint, sets[0]));
  }
  if (parts.has('pasted')) {
    const only = { ...options, split: false, reliability: false, verdict: false };
    const pasted = await rankingOf(sets.flatMap(pastedSets), contestants, only, progress);
    add(`Pasted messages, and the tasks behind queries\n\n${rankingReport(pasted)}`, { pasted });
  }
  if (parts.has('learning')) {
    const learning = await learningOf(sets, progress);
    add(learningReport(learning, markdown), { learning });
  }
  if (parts.has('cold')) {
    const cold = await coldStarts(options.cold, progress);
    const figures = cold.figures.map(({ size, times }) => ({ size, times: Object.fromEntries(times) }));
    add(coldReport(cold), { cold: { ...cold, figures } });
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(Object.assign({}, ...results), null, 2)}\n`);
  return reports.join('\n\n');
}

/** Everything that a run has measured, as it is written to the JSON file: the ranking at the top. */
interface AllResults extends Results {
  readonly pasted: Results;
  readonly learning: readonly LearningEntry[];
  readonly cold: object;
}

function setsOf({ sets: folder, servers, isPasted }: BenchOptions): readonly LabelledSet[] {
  const own = fileURLToPath(new URL('../../fixtures/mcp-dev', import.meta.url));
  const named = folder === undefined ? [readSet(own)] : readSets(folder);
  const folderOf = (name: string): string => (folder === undefined ? own : path.join(folder, name));
  const listed = servers ? named.flatMap((set) => withServers(set, folderOf(set.name)) ?? []) : named;
  return isPasted ? listed.flatMap(pastedSets) : listed;
}

async function rankingOf(
  sets: readonly LabelledSet[],
  contestants: readonly Contestant[],
  { misses, split, reliability, verdict }: BenchOptions,
  progress: Progress,
): Promise<Results> {
  const measured: MeasuredSet[] = [];
  for (const set of sets) {
    const runs: Run[] = [];
    for (const contestant of contestants) {
      progress(`${set.name}: ${contestant.name}`);
      runs.push(await measure(contestant, set));
    }
    measured.push({ set, runs });
  }
  return {
    ...resultsOf(measured, { baseline: BASELINE.name, misses, split, reliability }),
    ...(verdict ? { verdict: await verdicts(sets, contestants, progress) } : {}),
  };
}

async function learningOf(sets: readonly LabelledSet[], progress: Progress): Promise<readonly LearningEntry[]> {
  const entries: LearningEntry[] = [];
  for (const set of sets) {
    progress(`${set.name}: learning from use`);
    entries.push(await measureLearning(set, bm25Scorer()));
  }
  return entries;
}

async function verdicts(
  sets: readonly LabelledSet[],
  contestants: readonly Contestant[],
  progress: Progress,
): Promise<readonly VerdictEntry[]> {
  const entries: VerdictEntry[] = [];
  for (const trials of trialsOf(sets)) {
    for (const contestant of contestants) {
      progress(`${trials.set}, what fits removed: ${contestant.name}`);
      const figures = figuresOf(await judge(contestant, trials));
      entries.push({ set: trials.set, contestant: contestant.name, ...figures });
    }
  }
  return entries;
}
