import { hash } from 'node:crypto';
import type { ToolMatch, ToolScorer } from '../../../src/index.ts';
import { boosted } from '../../../src/learning/learning.ts';
import { type KeyedQuery, PastQueries } from '../../../src/learning/past-queries.ts';
import { keyedQuery, type Use } from '../../../src/learning/uses.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { MAX_RANKED_ANEW } from '../../../src/search/rerank.ts';
import { runToEnd } from '../../../src/util/time-slices.ts';
import { bootstrap, type Figure } from '../../../src/workbench/evaluate/metrics.ts';
import { percent, type Section } from '../report.ts';
import { grouped, mean } from '../statistics.ts';
import { documentsOf, figuresOf, RESULTS } from './measure.ts';
import { figure, signedInterval } from './ranking.ts';
import { halfOf, type LabelledQuery, type LabelledSet } from './sets.ts';

/** Ways in which each set is divided into a log and a test. */
const SPLITS = 8;
const NOW = 1_790_000_000_000;
const KEY = 'k'.repeat(24);

/** What a log is made of. */
export interface LogOptions {
  /** The share of the requests that are the log. */
  readonly share: number;
  /** Most requests of the log for each tool. */
  readonly most: number;
  /** The share of the uses that are of a tool at random. */
  readonly noise: number;
  /** False uses of one user after the very queries of the test, in a scope that users share. */
  readonly poison: number;
  /** Whether uses keep the meaning of their query. */
  readonly meaning: boolean;
}

export const LOG: LogOptions = { share: 0.7, most: Number.POSITIVE_INFINITY, noise: 0, poison: 0, meaning: true };

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
  readonly scorer: string;
  /** Queries of which a right tool was called in the log. */
  readonly used: Change;
  /** Queries all of whose right tools were never called. */
  readonly never: Change;
  /** The share of queries whose first result is the poisoned tool. */
  readonly poisoned: number;
}

/** nDCG@10 of a query, alone and with what was learned. */
interface Pair {
  readonly id: string;
  readonly alone: number;
  readonly learned: number;
  readonly isPoisoned: boolean;
}

interface Asked {
  readonly query: LabelledQuery;
  readonly asked: KeyedQuery;
  readonly matches: readonly ToolMatch[];
}

/**
 * A share of the queries is a log: each a conversation of its own, whose right tools were called. The others are searched
 * with what that says and without.
 */
export async function measureLearning(
  { name, tools, queries }: LabelledSet,
  scorer: ToolScorer,
  log: LogOptions = LOG,
): Promise<LearningEntry> {
  const index = await scorer.index(documentsOf(tools));
  const all: Asked[] = [];
  for (const query of queries) {
    // As a search does, before it ranks anew.
    const matches = [...(await index.search(parseQuery(query.query)))].slice(0, MAX_RANKED_ANEW);
    all.push({ query, asked: await keyedQuery(query.query, KEY, log.meaning), matches });
  }
  const used: Pair[] = [];
  const never: Pair[] = [];
  for (let split = 0; split < SPLITS; split++) {
    const draw = (what: string): number => partOf(`${name} ${split} ${what}`);
    const isLogged = ({ query }: Asked): boolean => draw(query.id) < log.share;
    const asking = all.filter((asked) => !isLogged(asked));
    const uses = usesOf(all.filter(isLogged), log, draw, tools);
    const called = new Set(uses.map(({ tool }) => tool));
    const evil = tools[Math.floor(draw('evil') * tools.length)]?.id ?? '';
    const voter = 'evil';
    for (const { asked } of asking.slice(0, log.poison)) uses.push({ ...asked, tool: evil, voter, usedAt: NOW });
    const isShared = log.poison > 0;
    const past = new PastQueries(uses, { now: NOW, halfLife: Number.POSITIVE_INFINITY, tools: tools.length, isShared });
    for (const { query, asked, matches } of asking) {
      const learned = boosted(matches, runToEnd(past.boosts(asked)), 1) ?? matches;
      const isPoisoned = log.poison > 0 && learned[0]?.name === evil && matches[0]?.name !== evil;
      const pair = { id: query.id, alone: worth(matches, query), learned: worth(learned, query), isPoisoned };
      (query.relevant.some((tool) => called.has(tool)) ? used : never).push(pair);
    }
  }
  const poisoned = mean([...used, ...never].map(({ isPoisoned }) => (isPoisoned ? 1 : 0)));
  return { set: name, scorer: scorer.name, used: changeOf(used, name), never: changeOf(never, name), poisoned };
}

function usesOf(
  logged: readonly Asked[],
  { most, noise }: LogOptions,
  draw: (what: string) => number,
  tools: LabelledSet['tools'],
): Use[] {
  const counts = new Map<string, number>();
  return logged.flatMap(({ query, asked, matches }) =>
    query.relevant.flatMap((right) => {
      const count = (counts.get(right) ?? 0) + 1;
      if (count > most) return [];
      counts.set(right, count);
      const other = tools[Math.floor(draw(`noise ${query.id}`) * tools.length)]?.id ?? right;
      const tool = draw(`wrong ${query.id}`) < noise ? other : right;
      const wasFirst = matches[0]?.name === tool;
      return [{ ...asked, voter: query.id, tool, usedAt: NOW, wasFirst }];
    }),
  );
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

/** A number from 0 to 1, always the same for a text. */
function partOf(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 8), 16) / 2 ** 32;
}

/** What learning from use changes, set by set, in hundredths of nDCG@10. */
export function learningTable(entries: readonly LearningEntry[]): Section {
  const cells = ({ queries, alone, learned, difference }: Change): readonly string[] =>
    queries === 0 ? ['0', '', '', ''] : [String(queries), percent(alone), percent(learned), signedInterval(difference)];
  const rows = entries.map(({ set, scorer, used, never, poisoned }) => [
    ...[set, scorer, halfOf(set), ...cells(used), ...cells(never)],
    percent(poisoned),
  ]);
  const heading = [
    ...['', 'over', 'half', 'used', 'alone', 'learned', 'change', 'never', 'alone', 'learned', 'change'],
    'poisoned',
  ];
  const title =
    'Learning from use: seven of ten queries are the log, the others are searched; nDCG@10 of queries whose tools were\n' +
    'used in the log, and of those whose tools never were. Poisoned: queries whose first result is the false one, in percent.';
  return { title, rows: [heading, ...rows] };
}
