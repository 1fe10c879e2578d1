/** Runs the tasks of a key one after the other; those of different keys at once. */
export class KeyedQueue {
  readonly #patience: number;
  /** The last task of each key that has one. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** @param patience - milliseconds that a task which hangs may hold up the next. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const result = before === undefined ? task() : this.#settled(before).then(task);
    this.#last.set(key, result);
    const forget = (): void => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    };
    result.then(forget, forget);
    return result;
  }

  /** Done or failed, or hanging for too long. */
  #settled(task: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#patience);
      const settle = (): void => {
        clearTimeout(timer);
        resolve();
      };
      task.then(settle, settle);
    });
  }
}
