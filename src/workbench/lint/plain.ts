/** Values of a definition that are read: one that makes new objects at each reading has no end. */
const MAX_VALUES = 100_000;

/**
 * The value as plain lists and records, read once: what the rules read later neither throws nor changes. A circle stays one,
 * and functions are left out.
 *
 * @throws what reading it throws, and an error where it has no end.
 */
export function plain(value: unknown): unknown {
  const copies = new Map<object, object>();
  const waiting: object[] = [];
  let count = 0;
  const copyOf = (one: unknown): unknown => {
    count += 1;
    if (count > MAX_VALUES) throw new Error(`it has more than ${MAX_VALUES.toLocaleString('en-US')} values`);
    if (typeof one === 'function') return undefined;
    if (typeof one !== 'object' || one === null) return one;
    let copy = copies.get(one);
    if (!copy) {
      copy = Array.isArray(one) ? [] : {};
      copies.set(one, copy);
      waiting.push(one);
    }
    return copy;
  };
  const whole = copyOf(value);
  for (const one of waiting) {
    const copy = copies.get(one) ?? {};
    for (const key of Object.keys(one)) {
      const inner = copyOf((one as Record<string, unknown>)[key]);
      // Not by an assignment: a key may be `__proto__`.
      if (inner !== undefined)
        Object.defineProperty(copy, key, { value: inner, enumerable: true, writable: true, configurable: true });
    }
  }
  return whole;
}
