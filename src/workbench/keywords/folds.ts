import { hash } from 'node:crypto';
import type { ReadCase } from '../evaluate/cases.ts';

const FOLDS = 5;

/** The fold of each case. Cases with one query are in one fold, and the same cases always in the same folds. */
export function foldsOf(cases: readonly ReadCase[]): readonly number[] {
  const keyOf = ({ query }: ReadCase): string => hash('sha256', query.trim().toLowerCase(), 'hex');
  const keys = [...new Set(cases.map(keyOf))].sort();
  const place = new Map(keys.map((key, at) => [key, at % FOLDS]));
  return cases.map((one) => place.get(keyOf(one)) ?? 0);
}
