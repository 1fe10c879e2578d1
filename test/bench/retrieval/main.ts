// How well tools are found, here and elsewhere, side by side in one run: npm run bench:retrieval
// All options: npm run bench:retrieval -- --help
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bm25Scorer } from '../../../src/index.ts';
import { coldReport, coldStarts } from '../cold/measure.ts';
import { CONTESTANTS, ON_REQUEST } from './contestants.ts';
import { type EndpointMeasures, endpointContestants, speedOf } from './endpoint.ts';
import { fitReport } from './fit.ts';
import { learningReport, measureLearning } from './learning.ts';
import { type Contestant, type MeasuredSet, measure } from './measure.ts';
import { type Ranking, type RankingOptions, rankingOf, rankingReport } from './ranking.ts';
import { type LabelledSet, pastedSets, setsIn } from './sets.ts';
import { judge, type VerdictEntry, verdictFigures } from './verdict.ts';
import { trialsOf } from './verdict-trials.ts';

const namesOf = (contestants: readonly Contestant[]): string => contestants.map(({ name }) => name).join(', ');

const USAGE = `npm run bench:retrieval -- [options]
  --sets FOLDER    all sets in this folder, instead of the one that comes with the project
  --scorers A,B    only these: ${namesOf(CONTESTANTS)};
                   and, only when named: ${namesOf(ON_REQUEST)}
  --split          also the sets that are tuned on and those held out apart, as listed in sets.ts
  --pasted         in place of each set: its queries inside pasted messages, and the tasks behind them where it has any
  --reliability    how often results are relevant, by the confidence they are given
  --verdict        how often it is said that nothing fits, where it is true and where not: what fits is removed from the
                   catalogs, and queries of other sets are put to them
  --embeddings URL --model NAME
                   bm25 beside this model behind an OpenAI-compatible endpoint, as embedding-server.py is: alone, in
                   hybrids, reranking; and the time that it takes. A key comes from EMBEDDINGS_API_KEY
  --shares A,B     the shares of meaning in the hybrids; without it 0.15, the default, and 0.4
  --rerank A,B     weights of the model as a reranker of the first 30: a /rerank beside the /embeddings
  --learning       what learning from use changes for bm25Scorer, in place of the ranking
  --cold           what the first search of a new process takes, beside core's, in place of the ranking: bench:cold
  --all            the ranking with --split, --reliability and --verdict, also of the scorers that embed; --pasted;
                   --learning; and --cold. Tens of minutes with many sets
  --fit            instead of the report: the confidences of scorers that give evidence fitted anew, and how they do on
                   sets that they are not fitted on
  --json FILE      everything, as JSON`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

try {
  const { values: options } = parseArgs({
    options: {
      ...{ sets: text, scorers: text, json: text, embeddings: text, model: text, rerank: text },
      shares: { ...text, default: '0.15,0.4' },
      ...{ split: flag, pasted: flag, reliability: flag, verdict: flag, learning: flag, cold: flag, all: flag },
      ...{ fit: flag, help: flag },
    },
  });
  console.log(options.help ? USAGE : await bench(options));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

interface Options extends RankingOptions {
  readonly sets?: string;
  readonly scorers?: string;
  readonly json?: string;
  readonly embeddings?: string;
  readonly model?: string;
  readonly shares: string;
  readonly rerank?: string;
  readonly pasted: boolean;
  readonly verdict: boolean;
  readonly learning: boolean;
  readonly cold: boolean;
  readonly all: boolean;
  readonly fit: boolean;
}

/** Measures what the options ask for, writes the JSON file, and returns what to print. */
async function bench(options: Options): Promise<string> {
  const { all, json, learning, cold } = options;
  const endpoint = endpointOf(options);
  const contestants = contestantsOf(options, endpoint);
  const named = setsIn(options.sets);
  const sets = options.pasted && !all ? named.flatMap(pastedSets) : named;
  const reports: string[] = [];
  if (options.fit) {
    const trials = trialsOf(sets);
    for (const contestant of contestants) reports.push(await fitReport(contestant, trials));
    return reports.join('\n\n');
  }
  const results: object[] = [];
  const add = (report: string, result: object): void => {
    reports.push(report);
    results.push(result);
  };
  if (all || !(learning || cold)) {
    const wanted = all ? { split: true, reliability: true, verdict: true } : options;
    const ranking = await rank(sets, contestants, wanted);
    add(rankingReport(ranking), ranking);
    if (endpoint && sets[0]) reports.push(await speedOf(endpoint, sets[0]));
  }
  if (all) {
    const only = { split: false, reliability: false, verdict: false };
    const pasted = await rank(sets.flatMap(pastedSets), contestants, only);
    add(`Pasted messages, and the tasks behind queries\n\n${rankingReport(pasted)}`, { pasted });
  }
  if (all || learning) {
    const entries = [];
    for (const set of sets) {
      console.error(`${set.name}: learning from use`);
      entries.push(await measureLearning(set, bm25Scorer()));
    }
    add(learningReport(entries), { learning: entries });
  }
  if (all || cold) {
    const starts = await coldStarts({});
    const figures = starts.figures.map(({ size, times }) => ({ size, times: Object.fromEntries(times) }));
    add(coldReport(starts), { cold: { ...starts, figures } });
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(Object.assign({}, ...results), null, 2)}\n`);
  return reports.join('\n\n');
}

async function rank(
  sets: readonly LabelledSet[],
  contestants: readonly Contestant[],
  options: RankingOptions & { readonly verdict: boolean },
): Promise<Ranking> {
  const measured: MeasuredSet[] = [];
  for (const set of sets) {
    const runs = [];
    for (const contestant of contestants) {
      console.error(`${set.name}: ${contestant.name}`);
      runs.push(await measure(contestant, set));
    }
    measured.push({ set, runs });
  }
  const ranking = rankingOf(measured, options);
  return options.verdict ? { ...ranking, verdict: await verdictsOf(sets, contestants) } : ranking;
}

async function verdictsOf(
  sets: readonly LabelledSet[],
  contestants: readonly Contestant[],
): Promise<readonly VerdictEntry[]> {
  const entries: VerdictEntry[] = [];
  for (const trials of trialsOf(sets)) {
    for (const contestant of contestants) {
      console.error(`${trials.set}, what fits removed: ${contestant.name}`);
      const figures = verdictFigures(await judge(contestant, trials));
      entries.push({ set: trials.set, contestant: contestant.name, ...figures });
    }
  }
  return entries;
}

/** @throws Error for an endpoint without a model, and for what is no list of shares. */
function endpointOf({ embeddings: url, model, shares, rerank = '' }: Options): EndpointMeasures | undefined {
  if (url === undefined) return undefined;
  if (model === undefined) throw new Error(`--embeddings needs a --model.\n${USAGE}`);
  const sharesIn = (list: string): readonly number[] => {
    const found = list
      .split(',')
      .filter((entry) => entry.trim() !== '')
      .map(Number);
    if (found.every((share) => share > 0 && share <= 1)) return found;
    throw new Error(`"${list}" is no list of shares.\n${USAGE}`);
  };
  return { url, model, shares: sharesIn(shares), rerankWeights: sharesIn(rerank) };
}

function contestantsOf({ scorers, all }: Options, endpoint: EndpointMeasures | undefined): readonly Contestant[] {
  const list = scorers ?? (endpoint && !all ? 'bm25' : namesOf(CONTESTANTS));
  const known = [...CONTESTANTS, ...ON_REQUEST];
  const wanted = list.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !known.some((contestant) => contestant.name === name));
  if (unknown.length > 0) throw new Error(`There is no scorer "${unknown.join('", "')}".\n${USAGE}`);
  const embedding = endpoint ? endpointContestants(endpoint) : all ? ON_REQUEST : [];
  return [...new Set([...known.filter(({ name }) => wanted.includes(name)), ...embedding])];
}
