/** Counts of a word in the fields, up to 15 each: four bits for each field of {@link FIELDS}, the first one lowest. */
export type FieldCounts = number;

export const BITS = 4;
export const MAX_COUNT: number = 2 ** BITS - 1;
/** Words of the longest field; longer ones count as this long. */
export const MAX_LENGTH = 255;

/** The counts of one field alone. */
export function onlyIn(counts: FieldCounts, field: number): FieldCounts {
  return (counts & (MAX_COUNT << (field * BITS))) >>> 0;
}
