/** Runs the tasks of a key one after the other; those of different keys at once. */
export class KeyedQueue {
  /** The last task of each key that has one. */
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    // One that failed does not hold up the next.
    const result = before.then(task, task);
    this.#last.set(key, result);
    const forget = (): void => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    };
    result.then(forget, forget);
    return result;
  }
}
