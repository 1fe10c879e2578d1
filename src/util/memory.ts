/** Holds one value for each key object. The value is made on first use, and released with its key. */
export class Memory<Value, Key extends object> {
  readonly #make: () => Value;
  readonly #values = new WeakMap<Key, Value>();

  constructor(make: () => Value) {
    this.#make = make;
  }

  of(key: Key): Value {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = this.#make();
    this.#values.set(key, value);
    return value;
  }

  /** Returns the value if it was already made. */
  known(key: Key): Value | undefined {
    return this.#values.get(key);
  }
}
