import { hash } from 'node:crypto';
import type { ToolMatch, ToolScorer } from '../../../src/index.ts';
import { Associations } from '../../../src/learning/associations.ts';
import { boosted } from '../../../src/learning/learning.ts';
import { learnedWords } from '../../../src/learning/uses.ts';
import { learningOptions } from '../../../src/options/learning.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { MAX_RANKED_ANEW } from '../../../src/search/rerank.ts';
import { runToEnd } from '../../../src/util/time-slices.ts';
import { bootstrap, type Figure } from '../../../src/workbench/evaluate/metrics.ts';
import { percent, type Section, signed } from '../report.ts';
import { grouped, mean } from '../statistics.ts';
import { documentsOf, figuresOf, RESULTS } from './measure.ts';
import { figure, signedInterval } from './ranking.ts';
import { halfOf, type LabelledQuery, type LabelledSet } from './sets.ts';

/** Ways in which each set is divided into a log and a test. */
const SPLITS = 8;
const NOW = 1_790_000_000_000;

/** What learning changed for some queries, in nDCG@10. */
interface Change {
  /** Queries that were measured, each at most once a split. */
  readonly queries: number;
  readonly alone: number;
  readonly learned: number;
  readonly difference: Figure;
}

export interface LearningEntry {
  readonly set: string;
  /** Queries of which a right tool was called in the log. */
  readonly used: Change;
  /** Queries all of whose right tools were never called. */
  readonly never: Change;
}

/** nDCG@10 of a query, alone and with what was learned. */
interface Pair {
  readonly id: string;
  readonly alone: number;
  readonly learned: number;
}

/**
 * Half of the queries are a log: each a conversation of its own, whose right tools were called. The other half is searched
 * with what that says and without.
 */
export async function measureLearning(
  { name, tools, queries }: LabelledSet,
  scorer: ToolScorer,
): Promise<LearningEntry> {
  const index = await scorer.index(documentsOf(tools));
  const all: { query: LabelledQuery; words: readonly string[]; matches: readonly ToolMatch[] }[] = [];
  for (const query of queries) {
    // As a search does, before it ranks anew.
    const matches = (await index.search(parseQuery(query.query))).slice(0, MAX_RANKED_ANEW);
    all.push({ query, words: learnedWords(query.query), matches });
  }
  const weight = learningOptions.weight.default;
  const used: Pair[] = [];
  const never: Pair[] = [];
  for (let split = 0; split < SPLITS; split++) {
    const [log, test] = [true, false].map((wanted) =>
      all.filter(({ query }) => isEven(`${name} ${query.id} ${split}`) === wanted),
    ) as [typeof all, typeof all];
    const uses = log.flatMap(({ query, words, matches }) =>
      query.relevant.map((tool) => {
        const wasFirst = matches[0]?.name === tool;
        return { words: [...words].sort(), voter: query.id, tool, usedAt: NOW, wasFirst };
      }),
    );
    const called = new Set(uses.map(({ tool }) => tool));
    const associations = new Associations(uses, NOW, Number.POSITIVE_INFINITY);
    for (const { query, words, matches } of test) {
      const votes = runToEnd(associations.votes(words));
      const learned = votes.size === 0 ? matches : (boosted(matches, votes, weight) ?? matches);
      const pair = { id: query.id, alone: worth(matches, query), learned: worth(learned, query) };
      (query.relevant.some((tool) => called.has(tool)) ? used : never).push(pair);
    }
  }
  return { set: name, used: changeOf(used, name), never: changeOf(never, name) };
}

function worth(matches: readonly ToolMatch[], query: LabelledQuery): number {
  const names = matches.slice(0, RESULTS).map(({ name }) => name);
  return figuresOf(names, query).ndcg10;
}

/** The mean, with an interval over the queries: a query that is measured in several splits is one. */
function changeOf(pairs: readonly Pair[], seed: string): Change {
  const ofQueries = [...grouped(pairs, ({ id }) => id).values()];
  const differences = ofQueries.map((some) => mean(some.map(({ alone, learned }) => learned - alone)));
  return {
    queries: ofQueries.length,
    alone: mean(pairs.map(({ alone }) => alone)),
    learned: mean(pairs.map(({ learned }) => learned)),
    difference: figure(bootstrap(differences, seed)),
  };
}

/** As good as a coin, and always the same. */
function isEven(text: string): boolean {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 1), 16) % 2 === 0;
}

/** Sets with fewer queries on a side say little of it, and are left out of the means. */
const MIN_QUERIES = 25;

/** What learning from use changes, set by set, in hundredths of nDCG@10. */
export function learningTable(entries: readonly LearningEntry[]): Section {
  const cells = ({ queries, alone, learned, difference }: Change): readonly string[] =>
    queries === 0 ? ['0', '', '', ''] : [String(queries), percent(alone), percent(learned), signedInterval(difference)];
  const meanOf = (side: 'used' | 'never'): string => {
    const some = entries.map((entry) => entry[side]).filter(({ queries }) => queries >= MIN_QUERIES);
    return signed(mean(some.map(({ difference }) => difference.mean)));
  };
  const rows = entries.map(({ set, used, never }) => [set, halfOf(set), ...cells(used), ...cells(never)]);
  const means = ['the mean', '', '', '', '', meanOf('used'), '', '', '', meanOf('never')];
  const heading = ['', 'half', 'used', 'alone', 'learned', 'change', 'never', 'alone', 'learned', 'change'];
  const title =
    'Learning from use: half of the queries are the log, the other half is searched; nDCG@10 of queries whose tools were\n' +
    `used in the log, and of those whose tools never were. Means are over sets with ${MIN_QUERIES} queries and more.`;
  return { title, rows: [heading, ...rows, ...(entries.length > 1 ? [means] : [])] };
}
