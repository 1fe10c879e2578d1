/**
 * The vector at length 1, so that a dot product is the cosine.
 *
 * @throws Error for what has no direction: not a list of numbers, a number that is not finite, nothing but zeros.
 */
export function unitVector(vector: ArrayLike<number>): Float32Array {
  const isList = Array.isArray(vector) || (ArrayBuffer.isView(vector) && !(vector instanceof DataView));
  if (!isList || vector.length === 0) throw new Error('"embed" must return lists of numbers; one of them is none.');
  let squares = 0;
  for (let at = 0; at < vector.length; at++) {
    const value = vector[at];
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new Error(`"embed" returned a vector with ${String(value)} in it.`);
    }
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  if (!(length > 0 && Number.isFinite(length))) throw new Error('"embed" returned a vector without a direction.');
  return Float32Array.from(vector, (value) => value / length);
}

/** The cosine of two unit vectors of one size. */
export function cosine(first: Float32Array, second: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < first.length; at++) sum += (first[at] as number) * (second[at] as number);
  return Math.min(1, Math.max(-1, sum));
}

/** @throws Error when the vectors of one model have different sizes. */
export function checkSize(vector: Float32Array, size: number): void {
  if (vector.length === size) return;
  throw new Error(
    `"embed" returned a vector of ${vector.length} numbers where the others have ${size}. ` +
      'Vectors of one model have one size; give another model another name in "model".',
  );
}
