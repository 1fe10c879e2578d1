import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Side } from '../contestants.ts';
import { type Figure, MEASURES } from '../figures.ts';
import type { Subject } from '../subject.ts';

const CHILD = fileURLToPath(new URL('../heap-child.ts', import.meta.url));

/** What a child process measures, as its only argument in JSON. */
export interface HeapOrder {
  readonly side: Side;
  readonly size: number;
  readonly catalog: string;
  readonly queries: string;
}

/** @param source - where the subject's catalog and queries are from. */
export async function heap(
  subject: Subject,
  source: Pick<HeapOrder, 'catalog' | 'queries'>,
): Promise<readonly Figure[]> {
  const sides: Partial<Record<Side, number>> = {};
  for (const { side } of subject.contestants) {
    const order: HeapOrder = { side, size: subject.tools.length, ...source };
    const child = await promisify(execFile)(process.execPath, ['--expose-gc', CHILD, JSON.stringify(order)]);
    sides[side] = Number(child.stdout);
  }
  return [{ measure: MEASURES.heap, catalog: subject.catalog, ...sides }];
}
