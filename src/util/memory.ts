/** A value for each object of a kind, made when it is first asked for and forgotten with its object. */
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

  /** The value, as far as one was made. */
  known(key: Key): Value | undefined {
    return this.#values.get(key);
  }
}
