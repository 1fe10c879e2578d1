/** A map of at most `max` entries: the one that was not used for longest makes room. */
export class Lru<Value> {
  readonly #max: number;
  readonly #entries = new Map<string, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#max && !oldest.done) this.#entries.delete(oldest.value);
  }

  /** Deletes the entry if it still is this value. */
  drop(key: string, value: Value): void {
    if (this.#entries.get(key) === value) this.#entries.delete(key);
  }
}
