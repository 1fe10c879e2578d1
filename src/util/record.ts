/** The fields of any object, whose types nobody vouches for; undefined for what is none. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** What a record held at a time. */
export class RecordSnapshot {
  readonly #keys: readonly string[];
  readonly #values: readonly unknown[];

  /** @param each - called for every entry, in order. */
  constructor(record: Readonly<Record<string, unknown>>, each: (key: string, value: unknown) => void) {
    this.#keys = Object.keys(record);
    this.#values = this.#keys.map((key) => {
      const value = record[key];
      each(key, value);
      return value;
    });
  }

  /** Whether the record holds the same, in the same order. Faster than looking at what it holds. */
  isStill(record: Readonly<Record<string, unknown>>): boolean {
    const keys = Object.keys(record);
    if (keys.length !== this.#keys.length) return false;
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] ?? '';
      if (key !== this.#keys[at] || record[key] !== this.#values[at]) return false;
    }
    return true;
  }
}
