import { hit, ndcg, recall } from '../../../src/workbench/evaluate/metrics.ts';
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
