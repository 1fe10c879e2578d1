import { evaluate, type LintRule, lint } from '../../../src/entries/evaluate.ts';
import { meanOf } from '../../../src/workbench/evaluate/bootstrap.ts';
import type { LabelledSet } from '../retrieval/sets.ts';

/** The rules whose findings say that a tool is hard to find. */
const FORETELLING: readonly LintRule[] = ['missing-description', 'not-found-by-own-words', 'indistinguishable'];

/** A query, what lint says of the tools that it wants, and how it went. */
export interface Prediction {
  readonly query: string;
  /** The rules of which every relevant tool has a finding. */
  readonly rules: readonly string[];
  /** How bad the worst foretelling finding of the best tool is: 2 an error, 1 a warning, 0 none. */
  readonly doubt: number;
  readonly isHit: boolean;
}

/** What lint says of each tool of a set, and how the queries for it went. */
export async function predict({
  tools: labelled,
  queries,
}: LabelledSet): Promise<{ readonly flagged: number; readonly predictions: readonly Prediction[] }> {
  const tools = labelled.map(({ id, ...tool }) => ({ ...tool, name: id }));
  const rulesOf = new Map<string, Set<string>>();
  const doubtOf = new Map<string, number>();
  for (const { rule, severity, toolName, others = [] } of await lint(tools)) {
    // Of tools that nothing tells apart, each may be the one that is wanted.
    for (const name of rule === 'indistinguishable' ? [toolName, ...others] : [toolName]) {
      rulesOf.set(name, (rulesOf.get(name) ?? new Set()).add(rule));
      const doubt = FORETELLING.includes(rule) && name === toolName ? (severity === 'error' ? 2 : 1) : 0;
      doubtOf.set(name, Math.max(doubtOf.get(name) ?? 0, doubt));
    }
  }
  const cases = queries.map(({ id, query, relevant, groups }) => ({
    id,
    query,
    relevant,
    ...(groups ? { groups } : {}),
  }));
  const [scorer] = (await evaluate({ tools, cases })).scorers;
  const predictions = (scorer?.cases ?? []).map(({ query, relevant, rank }): Prediction => {
    const [first = new Set<string>(), ...others] = relevant.map((name) => rulesOf.get(name) ?? new Set<string>());
    return {
      query,
      rules: [...first].filter((rule) => others.every((rules) => rules.has(rule))),
      doubt: Math.min(...relevant.map((name) => doubtOf.get(name) ?? 0)),
      isHit: rank === 1,
    };
  });
  return { flagged: [...doubtOf.values()].filter((doubt) => doubt > 0).length, predictions };
}

interface Rate {
  readonly queries: number;
  /** NaN where there are none. */
  readonly hit1: number;
}

/** The hit rates of queries with a foretelling finding and of those without. */
export function ratesOf(predictions: readonly Prediction[]): {
  readonly hit1: number;
  readonly withFinding: Rate;
  readonly without: Rate;
  /** How often, of a miss and a hit, lint doubts the miss more; a half where it doubts both alike. */
  readonly auc: number;
} {
  const rate = (some: readonly Prediction[]): Rate => ({
    queries: some.length,
    hit1: meanOf(some.map(({ isHit }) => Number(isHit))),
  });
  const [misses, hits] = [predictions.filter(({ isHit }) => !isHit), predictions.filter(({ isHit }) => isHit)];
  const share = (some: readonly Prediction[], doubt: number): number =>
    some.filter((prediction) => prediction.doubt === doubt).length / some.length;
  let auc = 0;
  for (const doubt of [0, 1, 2]) {
    for (const other of [0, 1, 2]) {
      const worth = doubt > other ? 1 : doubt === other ? 0.5 : 0;
      auc += worth * share(misses, doubt) * share(hits, other);
    }
  }
  return {
    hit1: rate(predictions).hit1,
    withFinding: rate(predictions.filter(({ doubt }) => doubt > 0)),
    without: rate(predictions.filter(({ doubt }) => doubt === 0)),
    auc,
  };
}
