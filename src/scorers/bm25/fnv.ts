/** The FNV-1a hash of nothing. */
export const FNV_START: number = 0x811c9dc5 | 0;

/** The hash after one more byte, or unit of a text. */
export function hashOn(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}
