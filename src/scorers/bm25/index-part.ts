import { MAX_LENGTH } from './field-counts.ts';
import type { Segment } from './segment.ts';
import { FIELDS, type FieldWeights } from './settings.ts';
import type { CatalogStatistics } from './statistics.ts';

/** A segment of an index. */
export interface IndexPart {
  readonly segment: Segment;
  /** The number of its document 0 in the index. */
  readonly offset: number;
  /** Flags by the number of a document: 1 for one that is gone. */
  readonly gone?: Uint8Array | undefined;
}

/**
 * The weights of one occurrence of a word, by its field, then by the field's length.
 *
 * @param size - count of the documents that are there.
 * @param given - averages of another catalog, which count instead.
 */
export function lengthFactors(
  weights: FieldWeights,
  parts: readonly IndexPart[],
  size: number,
  given?: CatalogStatistics['averageLengths'],
): Float64Array[] {
  const averages = given ? FIELDS.map((key) => given[key] ?? 0) : averageLengths(parts, size);
  return FIELDS.map((key, field) => {
    const { boost, lengthNorm } = weights[key];
    const average = averages[field] ?? 0;
    return Float64Array.from({ length: MAX_LENGTH + 1 }, (_, length) =>
      average === 0 ? 0 : boost / (1 - lengthNorm + (lengthNorm * length) / average),
    );
  });
}

function averageLengths(parts: readonly IndexPart[], size: number): ArrayLike<number> {
  const totals = new Float64Array(FIELDS.length);
  for (const { segment, gone } of parts) {
    for (let id = 0; id < segment.documents.length; id++) {
      if (gone?.[id]) continue;
      for (let field = 0; field < totals.length; field++) {
        totals[field] = (totals[field] ?? 0) + segment.lengthOf(id, field);
      }
    }
  }
  return totals.map((total) => total / size);
}
