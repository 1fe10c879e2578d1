import type { CaseResult } from '../../../workbench/evaluate/measure.ts';

/** A case that a tool has to do with. */
export interface ToolCase {
  readonly id: string;
  readonly query: string;
  /** Whether the tool is one that the case wants. */
  readonly isWanted: boolean;
  /** The place of the tool, from 1 on; undefined where it is not among the first ten. */
  readonly place: number | undefined;
  /** The place before the edits, where it is another. */
  readonly before?: { readonly place: number | undefined };
}

/** The cases that want a tool, or find it among their first ten: those that want it first, then the best places. */
export function casesOf(
  name: string,
  cases: readonly CaseResult[],
  before: readonly CaseResult[] = cases,
): readonly ToolCase[] {
  const placeIn = (result: CaseResult | undefined): number | undefined => {
    const place = result?.found.indexOf(name) ?? -1;
    return place < 0 ? undefined : place + 1;
  };
  const about = cases.flatMap((result, at): readonly ToolCase[] => {
    const place = placeIn(result);
    const then = placeIn(before[at]);
    const isWanted = result.relevant.includes(name);
    if (!isWanted && place === undefined && then === undefined) return [];
    const { id, query } = result;
    return [{ id, query, isWanted, place, ...(then === place ? {} : { before: { place: then } }) }];
  });
  const rank = ({ place }: ToolCase): number => place ?? Number.POSITIVE_INFINITY;
  return about.toSorted(
    (one, other) => Number(other.isWanted) - Number(one.isWanted) || compare(rank(one), rank(other)),
  );
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
