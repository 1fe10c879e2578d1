// Documents for a smaller catalog, as the whole one has them.
import type { LabelledTool } from '../retrieval/sets.ts';
import type { Documents } from './documents.ts';

/** A sample that the labelled tools fill more of has none of them on purpose. */
const LABELLED_SHARE = 4;

/**
 * So many of the first `total` documents: evenly from all over them, and where there is room, behind the first `labelled`,
 * which are those that queries ask for.
 */
export function* sample(
  documents: Documents,
  size: number,
  { total, labelled }: { readonly total: number; readonly labelled: number },
): Generator<LabelledTool, void, undefined> {
  const first = size >= labelled * LABELLED_SHARE ? labelled : 0;
  yield* documents.take(first);
  const rest = size - first;
  for (let at = 0; at < rest; at++) yield documents.at(first + Math.floor((at * (total - first)) / rest));
}
