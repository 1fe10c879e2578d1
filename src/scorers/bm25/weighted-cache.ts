/** Keeps what was used last, as much as its weights allow. */
export class WeightedCache<Value> {
  readonly #limit: number;
  readonly #weigh: (value: Value) => number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Value>();
  #weight = 0;

  constructor(limit: number, weigh: (value: Value) => number) {
    this.#limit = limit;
    this.#weigh = weigh;
  }

  /** The value that is kept, else the one that is made now. */
  get(key: string, make: () => Value): Value {
    const known = this.#entries.get(key);
    const value = known ?? make();
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (known === undefined) this.#makeRoom(this.#weigh(value));
    return value;
  }

  #makeRoom(added: number): void {
    this.#weight += added;
    for (const [key, value] of this.#entries) {
      if (this.#weight <= this.#limit) break;
      this.#weight -= this.#weigh(value);
      this.#entries.delete(key);
    }
  }
}
