// How well tools are found, here and elsewhere, side by side in one run: npm run bench:retrieval
import { writeFileSync } from 'node:fs';
import { bm25Scorer, wordsAndMeaningScorer } from '../../../src/index.ts';
import { coldStarts, coldTable } from '../cold/measure.ts';
import { optionsOf, type Section, section } from '../report.ts';
import { CONTESTANTS, ELSEWHERE, ON_REQUEST } from './contestants.ts';
import { endpointContestants, speedOf } from './endpoint.ts';
import { fitReport } from './fit.ts';
import { LOG, learningTable, measureLearning } from './learning.ts';
import { type Contestant, measure } from './measure.ts';
import { type MeasuredSet, rankingOf, reliabilityTables } from './ranking.ts';
import { type LabelledSet, pastedSets, setsIn, taskSets, unlabelledTools } from './sets.ts';
import { measureSizes } from './sizes.ts';
import { judge, type VerdictEntry, verdictFigures, verdictTables } from './verdict.ts';
import { trialsOf } from './verdict-trials.ts';

const namesOf = (contestants: readonly Contestant[]): string => contestants.map(({ name }) => name).join(', ');

const USAGE = `npm run bench:retrieval -- [options]
  --sets FOLDER    all sets in this folder, instead of the one that comes with the project
  --scorers A,B    only these: ${namesOf(CONTESTANTS)};
                   and, only when named: ${namesOf([...ON_REQUEST, ...ELSEWHERE])}
  --split          also the sets that are tuned on and those held out apart, as listed in sets.ts
  --pasted         in place of each set: its queries inside pasted messages, and the tasks behind them where it has any
  --reliability    how often results are relevant, by the confidence they are given
  --verdict        how often it is said that nothing fits, where it is true and where not: what fits is removed from the
                   catalogs, and queries of other sets are put to them
  --embeddings URL --model NAME
                   bm25 beside this model behind an OpenAI-compatible endpoint, as embedding-server.py is: alone, in
                   hybrids; and the time that it takes. A key comes from EMBEDDINGS_API_KEY
  --shares A,B     the shares of meaning in the hybrids; without it 0.15, the default, and 0.4
  --learning       what learning from use changes for words, and for words and meaning, in place of the ranking; with
                   --poison N, where one of the users of a shared scope has N false uses after the very queries; with
                   --noise PART, where so many uses are of a wrong tool; with --most N, with N requests of a tool
  --sizes          nDCG@10 in catalogs of 10 to 10,000 tools, of core and ours, in place of the ranking
  --cold           what the first search of a new process takes, beside core's, in place of the ranking: bench:cold
  --all            the ranking with --split, --reliability and --verdict, also of the scorers that embed; --pasted;
                   --learning; and --cold. Tens of minutes with many sets
  --fit            instead of the report: the confidences of scorers that give evidence fitted anew, and how they do on
                   sets that they are not fitted on
  --json FILE      all tables of the report, as JSON`;

/** Whose curve by the size of the catalog is measured. */
const SIZED: readonly string[] = ['core', 'bm25'];

const options = optionsOf(USAGE, {
  ...{ sets: undefined, scorers: undefined, json: undefined, embeddings: undefined, model: undefined },
  ...{ shares: '0.15,0.4', split: false, pasted: false, reliability: false, verdict: false },
  ...{ most: 'Infinity', noise: '0', poison: '0' },
  ...{ learning: false, sizes: false, cold: false, all: false, fit: false },
});
const { all, embeddings: url, model } = options;
if (url !== undefined && model === undefined) throw new Error('--embeddings needs a --model.');
const endpoint = url === undefined || model === undefined ? undefined : { url, model };
const contestants = contestantsOf();
const named = setsIn(options.sets);
const sets = options.pasted && !all ? named.flatMap(pastedSets) : named;

if (options.fit) {
  const trials = trialsOf(sets.flatMap((set) => [set, ...taskSets(set)]));
  for (const contestant of contestants) console.log(await fitReport(contestant, trials));
} else {
  const sections: Section[] = [];
  const report = (more: readonly Section[]): void => {
    for (const one of more) console.log(section(one));
    sections.push(...more);
  };
  if (all || !(options.learning || options.sizes || options.cold)) {
    const measured = await measuredSets(sets);
    report(rankingOf(measured, all || options.split));
    if (all || options.reliability) report(reliabilityTables(measured));
    if (all || options.verdict) report(verdictTables(await verdicts()));
    if (endpoint) console.log(`${await speedOf(endpoint, sets[0]!)}\n`);
  }
  if (all) {
    console.log('Pasted messages, and the tasks behind queries\n');
    report(rankingOf(await measuredSets(sets.flatMap(pastedSets)), false));
  }
  if (all || options.learning) {
    const entries = [];
    const log = { ...LOG, most: Number(options.most), noise: Number(options.noise), poison: Number(options.poison) };
    for (const set of sets) {
      entries.push(await measureLearning(set, bm25Scorer(), { ...log, meaning: false }));
      entries.push(await measureLearning(set, wordsAndMeaningScorer(), log));
    }
    report([learningTable(entries)]);
  }
  if (options.sizes) {
    const asked = options.scorers === undefined ? contestants.filter(({ name }) => SIZED.includes(name)) : contestants;
    report([await measureSizes(asked, sets, unlabelledTools(options.sets))]);
  }
  if (all || options.cold) report([coldTable(await coldStarts({}))]);
  if (options.json) writeFileSync(options.json, `${JSON.stringify(sections, null, 2)}\n`);
  for (const contestant of contestants) contestant.end?.();
}

async function measuredSets(some: readonly LabelledSet[]): Promise<readonly MeasuredSet[]> {
  const measured: MeasuredSet[] = [];
  for (const set of some) {
    const runs = [];
    for (const contestant of contestants) {
      console.error(`${set.name}: ${contestant.name}`);
      runs.push(await measure(contestant, set));
    }
    measured.push({ set, runs });
  }
  return measured;
}

async function verdicts(): Promise<readonly VerdictEntry[]> {
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

function contestantsOf(): readonly Contestant[] {
  const known = [...CONTESTANTS, ...ON_REQUEST, ...ELSEWHERE];
  const wanted = (options.scorers ?? (endpoint && !all ? 'bm25' : namesOf(CONTESTANTS))).split(/, */);
  const unknown = wanted.filter((name) => !known.some((contestant) => contestant.name === name));
  if (unknown.length > 0) throw new Error(`There is no scorer "${unknown.join('", "')}".\n${USAGE}`);
  const chosen = known.filter(({ name }) => wanted.includes(name));
  if (!endpoint) return all ? [...new Set([...chosen, ...ON_REQUEST])] : chosen;
  return [...chosen, ...endpointContestants(endpoint, sharesIn(options.shares))];
}

function sharesIn(list: string): readonly number[] {
  const shares = list === '' ? [] : list.split(',').map(Number);
  if (shares.every((share) => share > 0 && share <= 1)) return shares;
  throw new Error(`"${list}" is no list of shares.\n${USAGE}`);
}
