import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bm25Scorer } from '../../../src/index.ts';
import type { Contestant } from './contestant.ts';
import { BASELINE, CONTESTANTS, ON_REQUEST } from './contestants.ts';
import { type EndpointMeasures, endpointContestants, speedOf } from './endpoint-contestants.ts';
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

export const USAGE: string = `npm run bench:retrieval -- [options]
  --sets FOLDER    all sets in this folder, instead of the one that comes with the project
  --scorers A,B    only these: ${names(CONTESTANTS)};
                   and, only when named: ${names(ON_REQUEST)}
  --split          also the sets that are tuned on and those held out apart, as listed in split.ts
  --servers        tools by the names that their servers gave them, and the servers beside them, as MCP clients tell
                   them: for sets with sources.json
  --pasted         in place of each set: its queries inside pasted messages, and the tasks behind them where it has any
  --misses         the queries whose first five results leave something out
  --reliability    how often results are relevant, by the confidence they are given
  --verdict        how often it is said that nothing fits, where it is true and where not: what fits is removed from the
                   catalogs, and queries of other sets are put to them
  --embeddings URL --model NAME
                   bm25 beside this model behind an OpenAI-compatible endpoint, as embedding-server.py is: alone, in
                   hybrids, reranking; and the time that it takes. A key comes from EMBEDDINGS_API_KEY
  --shares A,B     the shares of meaning in the hybrids; without it 0.15, the default, and 0.4
  --rerank A,B     weights of the model as a reranker of the first 30: a /rerank beside the /embeddings
  --vectors FOLDER where the vectors are kept, so that each text is embedded once
  --learning       what learning from use changes for bm25Scorer, in place of everything else
  --fit            instead of the report: the confidences of scorers that give evidence fitted anew, and how they do on
                   sets that they are not fitted on
  --markdown       one table in Markdown instead of the whole report
  --json FILE      everything, as JSON`;

/** Measures every contestant on every set, with the command line's arguments, and returns what to print. */
export async function bench(args: readonly string[], progress: (line: string) => void): Promise<string> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sets: { type: 'string' },
      scorers: { type: 'string' },
      split: { type: 'boolean', default: false },
      servers: { type: 'boolean', default: false },
      pasted: { type: 'boolean', default: false },
      misses: { type: 'boolean', default: false },
      reliability: { type: 'boolean', default: false },
      verdict: { type: 'boolean', default: false },
      embeddings: { type: 'string' },
      model: { type: 'string' },
      shares: { type: 'string', default: '0.15,0.4' },
      rerank: { type: 'string' },
      vectors: { type: 'string' },
      learning: { type: 'boolean', default: false },
      fit: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return USAGE;
  const own = fileURLToPath(new URL('../../fixtures/mcp-dev', import.meta.url));
  const named = values.sets === undefined ? [readSet(own)] : readSets(values.sets);
  const folderOf = (name: string): string => (values.sets === undefined ? own : path.join(values.sets, name));
  const listed = values.servers ? named.flatMap((set) => withServers(set, folderOf(set.name)) ?? []) : named;
  const sets = values.pasted ? listed.flatMap(pastedSets) : listed;
  if (values.learning) return learningReport(await learningOf(sets, progress));
  const endpoint = endpointOf(values);
  const contestants = [
    ...chosen(values.scorers ?? (endpoint && 'bm25')),
    ...(endpoint ? endpointContestants(endpoint) : []),
  ];

  if (values.fit) {
    const trials = trialsOf(sets);
    const reports: string[] = [];
    for (const contestant of contestants) reports.push(await fitReport(contestant, trials));
    return reports.join('\n\n');
  }

  const measured: MeasuredSet[] = [];
  for (const set of sets) {
    const runs: Run[] = [];
    for (const contestant of contestants) {
      progress(`${set.name}: ${contestant.name}`);
      runs.push(await measure(contestant, set));
    }
    measured.push({ set, runs });
  }

  const { misses, split, reliability } = values;
  const verdict = values.verdict ? { verdict: await verdicts(sets, contestants, progress) } : {};
  const results: Results = {
    ...resultsOf(measured, { baseline: BASELINE.name, misses, split, reliability }),
    ...verdict,
  };
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
  const report = values.markdown ? markdownReport(results) : textReport(results);
  const [first] = sets;
  return endpoint && first ? `${report}\n\n${await speedOf(endpoint, first)}` : report;
}

/** @throws Error for an endpoint without a model, and for what is no list of shares. */
function endpointOf(values: {
  readonly embeddings?: string | undefined;
  readonly model?: string | undefined;
  readonly shares: string;
  readonly rerank?: string | undefined;
  readonly vectors?: string | undefined;
}): EndpointMeasures | undefined {
  const { embeddings: url, model, vectors } = values;
  if (url === undefined) return undefined;
  if (model === undefined) throw new Error(`--embeddings needs a --model.\n${USAGE}`);
  const sharesOf = (list = ''): readonly number[] => {
    const shares = list
      .split(',')
      .filter((entry) => entry.trim() !== '')
      .map(Number);
    if (shares.some((share) => !(share > 0 && share <= 1)))
      throw new Error(`"${list}" is no list of shares.\n${USAGE}`);
    return shares;
  };
  const measures = { url, model, shares: sharesOf(values.shares), rerankWeights: sharesOf(values.rerank) };
  return vectors === undefined ? measures : { ...measures, vectors };
}

async function learningOf(
  sets: readonly LabelledSet[],
  progress: (line: string) => void,
): Promise<readonly LearningEntry[]> {
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
  progress: (line: string) => void,
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

function chosen(list: string | undefined): readonly Contestant[] {
  if (list === undefined) return CONTESTANTS;
  const all = [...CONTESTANTS, ...ON_REQUEST];
  const wanted = list.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !all.some((contestant) => contestant.name === name));
  if (unknown.length > 0) throw new Error(`There is no scorer "${unknown.join('", "')}".\n${USAGE}`);
  return all.filter(({ name }) => wanted.includes(name));
}

function names(contestants: readonly Contestant[]): string {
  return contestants.map(({ name }) => name).join(', ');
}
