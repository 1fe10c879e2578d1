import { hash } from 'node:crypto';
import type { ToolMatch, ToolScorer } from '../../../src/index.ts';
import { Associations } from '../../../src/learning/associations.ts';
import { boosted } from '../../../src/learning/learning.ts';
import { learnedWords, type Use } from '../../../src/learning/uses.ts';
import { learningOptions } from '../../../src/options/learning.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { MAX_RANKED_ANEW } from '../../../src/search/rerank.ts';
import { runToEnd } from '../../../src/util/time-slices.ts';
import { bootstrap, interval } from '../../../src/workbench/evaluate/metrics.ts';
import { mean } from '../statistics.ts';
import { textTable } from '../table.ts';
import { RESULTS } from './measure.ts';
import { figuresOf } from './metrics.ts';
import { documentsOf } from './of-scorer.ts';
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
  readonly difference: { readonly mean: number; readonly low: number; readonly high: number };
}

export interface LearningEntry {
  readonly set: string;
  /** Queries of which a right tool was called in the log. */
  readonly used: Change;
  /** Queries all of whose right tools were never called. */
  readonly never: Change;
}

/** A query with its ranking, and what that is worth. */
interface Ranked {
  readonly query: LabelledQuery;
  readonly words: readonly string[];
  readonly matches: readonly ToolMatch[];
  readonly alone: number;
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
export async function measureLearning(set: LabelledSet, scorer: ToolScorer): Promise<LearningEntry> {
  const index = await scorer.index(documentsOf(set.tools));
  const all: Ranked[] = [];
  for (const query of set.queries) {
    const found = await index.search(parseQuery(query.query));
    // As a search does, before it ranks anew.
    const matches = [...found].slice(0, MAX_RANKED_ANEW);
    all.push({ query, words: learnedWords(query.query), matches, alone: worth(matches, query) });
  }
  const used: Pair[] = [];
  const never: Pair[] = [];
  for (let split = 0; split < SPLITS; split++) {
    const isLogged = ({ query }: Ranked): boolean => isEven(`${set.name} ${query.id} ${split}`);
    const log = all.filter(isLogged);
    const called = new Set(log.flatMap(({ query }) => query.relevant));
    const associations = new Associations(usesOf(log), NOW, Number.POSITIVE_INFINITY);
    for (const one of all) {
      if (isLogged(one)) continue;
      const pair = { id: one.query.id, alone: one.alone, learned: worthWith(associations, one) };
      (one.query.relevant.some((tool) => called.has(tool)) ? used : never).push(pair);
    }
  }
  return { set: set.name, used: changeOf(used, set.name), never: changeOf(never, set.name) };
}

function usesOf(log: readonly Ranked[]): readonly Use[] {
  return log.flatMap(({ query, words, matches }) =>
    query.relevant.map((tool) => {
      const wasFirst = matches[0]?.name === tool;
      return { words: [...words].sort(), voter: query.id, tool, usedAt: NOW, wasFirst };
    }),
  );
}

const { default: weight } = learningOptions.weight;

function worthWith(associations: Associations, { query, words, matches, alone }: Ranked): number {
  const votes = runToEnd(associations.votes(words));
  return votes.size === 0 ? alone : worth(boosted(matches, votes, weight) ?? matches, query);
}

function worth(matches: readonly ToolMatch[], query: LabelledQuery): number {
  const names = matches.slice(0, RESULTS).map(({ name }) => name);
  return figuresOf(names, query).ndcg10;
}

/** The mean, with an interval over the queries: a query that is measured in several splits is one. */
function changeOf(pairs: readonly Pair[], seed: string): Change {
  const byQuery = new Map<string, Pair[]>();
  for (const pair of pairs) byQuery.set(pair.id, [...(byQuery.get(pair.id) ?? []), pair]);
  const ofQueries = [...byQuery.values()];
  const gained = ({ alone, learned }: Pair): number => learned - alone;
  const differences = ofQueries.map((some) => mean(some.map(gained)));
  const estimate = bootstrap(differences, seed);
  const [low, high] = interval(estimate);
  return {
    queries: ofQueries.length,
    alone: mean(pairs.map(({ alone }) => alone)),
    learned: mean(pairs.map(({ learned }) => learned)),
    difference: { mean: estimate.mean, low, high },
  };
}

/** As good as a coin, and always the same. */
function isEven(text: string): boolean {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 1), 16) % 2 === 0;
}

/** Sets with fewer queries on a side say little of it, and are left out of the means. */
const MIN_QUERIES = 25;

/** What learning from use changes, set by set, in hundredths of nDCG@10. */
export function learningReport(entries: readonly LearningEntry[]): string {
  const rows = entries.map(({ set, used, never }) => [set, halfOf(set), ...cells(used), ...cells(never)]);
  const means = [
    'the mean',
    '',
    ...['', '', '', meanOf(entries.map(({ used }) => used))],
    ...['', '', '', meanOf(entries.map(({ never }) => never))],
  ];
  const heading = ['', 'half', 'used', 'alone', 'learned', 'change', 'never', 'alone', 'learned', 'change'];
  return [
    'Learning from use: half of the queries are the log, the other half is searched; nDCG@10 of queries whose tools were',
    `used in the log, and of those whose tools never were. Means are over sets with ${MIN_QUERIES} queries and more.`,
    textTable([heading, ...rows, ...(entries.length > 1 ? [means] : [])]),
  ].join('\n');
}

function cells({ queries, alone, learned, difference: { mean, low, high } }: Change): readonly string[] {
  if (queries === 0) return ['0', '', '', ''];
  return [
    String(queries),
    (100 * alone).toFixed(1),
    (100 * learned).toFixed(1),
    `${signed(mean)} [${signed(low)}, ${signed(high)}]`,
  ];
}

function meanOf(changes: readonly Change[]): string {
  const some = changes.filter(({ queries }) => queries >= MIN_QUERIES);
  return signed(mean(some.map(({ difference }) => difference.mean)));
}

function signed(share: number): string {
  return `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`;
}
