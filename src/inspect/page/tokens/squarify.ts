/** A rectangle in the units of its frame. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Divides a frame into a rectangle for each value, of an area in proportion to it and as near to a square as rows allow
 * (Bruls, Huizing and van Wijk, "Squarified treemaps", 2000). The rectangles are in the order of the values; what is not
 * above 0 has none of the area.
 */
export function squarify(values: readonly number[], frame: Rect): readonly Rect[] {
  const rects: Rect[] = values.map(() => ({ x: frame.x, y: frame.y, width: 0, height: 0 }));
  const order = values.flatMap((value, at) => (value > 0 ? [at] : []));
  order.sort((one, other) => (values[other] ?? 0) - (values[one] ?? 0) || one - other);
  let left = order.reduce((sum, at) => sum + (values[at] ?? 0), 0);
  let free = frame;
  for (let start = 0; start < order.length && left > 0; ) {
    const side = Math.min(free.width, free.height);
    const scale = (free.width * free.height) / left;
    const row = rowFrom(order, start, (at) => (values[at] ?? 0) * scale, side);
    const sum = row.reduce((total, at) => total + (values[at] ?? 0), 0);
    // The last row takes what is there, so that no rounding is left over.
    const isLast = start + row.length === order.length;
    free = place(row, values, sum, isLast ? 1 : sum / left, free, rects);
    left -= sum;
    start += row.length;
  }
  return rects;
}

/** The next row: it grows as long as its longest rectangle gets no longer. */
function rowFrom(
  order: readonly number[],
  start: number,
  areaOf: (at: number) => number,
  side: number,
): readonly number[] {
  const row: number[] = [];
  let worst = Number.POSITIVE_INFINITY;
  let sum = 0;
  const [largest = 0] = order.slice(start, start + 1).map(areaOf);
  for (let next = start; next < order.length; next++) {
    const at = order[next] ?? 0;
    const area = areaOf(at);
    const grown = sum + area;
    const ratio = Math.max((side * side * largest) / (grown * grown), (grown * grown) / (side * side * area));
    if (row.length > 0 && !(ratio <= worst)) break;
    worst = ratio;
    sum = grown;
    row.push(at);
  }
  return row;
}

/** Lays a row along the shorter side of what is free, and returns what is free then. */
function place(
  row: readonly number[],
  values: readonly number[],
  sum: number,
  share: number,
  free: Rect,
  rects: Rect[],
): Rect {
  const isColumn = free.width >= free.height;
  const depth = (isColumn ? free.width : free.height) * share;
  const side = isColumn ? free.height : free.width;
  let passed = 0;
  for (const at of row) {
    const from = (side * passed) / sum;
    passed += values[at] ?? 0;
    const length = (side * passed) / sum - from;
    rects[at] = isColumn
      ? { x: free.x, y: free.y + from, width: depth, height: length }
      : { x: free.x + from, y: free.y, width: length, height: depth };
  }
  return isColumn
    ? { ...free, x: free.x + depth, width: free.width - depth }
    : { ...free, y: free.y + depth, height: free.height - depth };
}
