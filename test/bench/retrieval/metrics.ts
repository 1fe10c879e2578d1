import type { LabelledQuery } from './sets.ts';

/** The figures of one ranking, each from 0 to 1. */
export interface Figures {
  /** Whether the first result is relevant. */
  readonly hit1: number;
  /** The share of needs that the first five results serve. */
  readonly recall5: number;
  /** Discounted gain of the first ten results. */
  readonly ndcg10: number;
}

export type Metric = keyof Figures;

export const METRICS: readonly Metric[] = ['hit1', 'recall5', 'ndcg10'];

/** `ranked` are names, best first, each once. */
export function figuresOf(ranked: readonly string[], query: LabelledQuery): Figures {
  return {
    hit1: hit(ranked, query.relevant, 1),
    recall5: recall(ranked, query.groups ?? query.relevant.map((name) => [name]), 5),
    ndcg10: ndcg(ranked, query.relevant, 10),
  };
}

/** 1 when one of the first `depth` results is relevant, else 0. */
export function hit(ranked: readonly string[], relevant: readonly string[], depth: number): number {
  return ranked.slice(0, depth).some((name) => relevant.includes(name)) ? 1 : 0;
}

/** The share of the groups of which at least one tool is among the first `depth` results. */
export function recall(ranked: readonly string[], groups: readonly (readonly string[])[], depth: number): number {
  const found = new Set(ranked.slice(0, depth));
  return groups.filter((group) => group.some((name) => found.has(name))).length / groups.length;
}

/** Normalised discounted cumulative gain: relevant counts 1, over a ranking that begins with relevant tools only. */
export function ndcg(ranked: readonly string[], relevant: readonly string[], depth: number): number {
  const wanted = new Set(relevant);
  let gain = 0;
  for (const [position, name] of ranked.slice(0, depth).entries()) if (wanted.has(name)) gain += discount(position);
  let ideal = 0;
  for (let position = 0; position < Math.min(depth, wanted.size); position++) ideal += discount(position);
  return gain / ideal;
}

function discount(position: number): number {
  return 1 / Math.log2(position + 2);
}
