/** Whole numbers from 0, in a flat array that grows. */
export class NumberList {
  length = 0;
  #items: Uint32Array<ArrayBuffer> = new Uint32Array(1 << 10);

  push(item: number): void {
    if (this.length === this.#items.length) {
      const items = new Uint32Array(this.length * 2);
      items.set(this.#items);
      this.#items = items;
    }
    this.#items[this.length++] = item;
  }

  /** @param place - below the length. */
  at(place: number): number {
    return this.#items[place] ?? 0;
  }

  /** @param place - below the length. */
  set(place: number, item: number): void {
    this.#items[place] = item;
  }

  includes(item: number, from = 0): boolean {
    for (let place = from; place < this.length; place++) if (this.#items[place] === item) return true;
    return false;
  }

  /** Keeps its memory. */
  clear(): void {
    this.length = 0;
  }

  toArray(): Uint32Array {
    return this.#items.slice(0, this.length);
  }
}
