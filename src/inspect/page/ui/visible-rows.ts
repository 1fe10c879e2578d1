/** The rows of a long list that are drawn, from the first up to the one before the end. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

/** Rows that are drawn beyond what is seen, so that the focus can move on. */
const BEYOND = 12;

/**
 * The rows to draw of a list of equally high rows.
 *
 * @param scrolled - pixels of the list above what is seen; below zero where it begins further down.
 */
export function visibleRows(count: number, rowHeight: number, scrolled: number, seen: number): RowRange {
  const first = Math.floor(scrolled / rowHeight) - BEYOND;
  const last = Math.ceil((scrolled + seen) / rowHeight) + BEYOND;
  const start = Math.min(Math.max(0, first), Math.max(0, count - 1));
  return { start, end: Math.min(count, Math.max(last, start)) };
}
