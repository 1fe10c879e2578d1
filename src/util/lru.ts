/** A map with limits of its size and its weight. It drops the least recently used entry first, and never the newest. */
export class Lru<Value> {
  readonly #max: number;
  readonly #maxWeight: number;
  readonly #weigh: (value: Value) => number;
  readonly #entries = new Map<string, Value>();
  #weight = 0;

  constructor(max: number, maxWeight: number = Number.POSITIVE_INFINITY, weigh: (value: Value) => number = () => 0) {
    this.#max = max;
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#delete(key);
    this.#entries.set(key, value);
    this.#weight += this.#weigh(value);
    for (const oldest of this.#entries.keys()) {
      const isFull = this.#entries.size > this.#max || this.#weight > this.#maxWeight;
      if (!isFull || oldest === key) break;
      this.#delete(oldest);
    }
  }

  /** Deletes the entry of a key if it still has this value. */
  drop(key: string, value: Value | undefined): void {
    if (this.#entries.get(key) === value) this.#delete(key);
  }

  /** Returns the most recently used values, newest first. Does not count as a use. */
  newest(count: number): Value[] {
    return [...this.#entries.values()].slice(-count).reverse();
  }

  #delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(value);
  }
}
