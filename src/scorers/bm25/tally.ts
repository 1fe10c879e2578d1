/** Sums by the number of a document: as fast as an array, and as easy to empty as a map. */
export class Tally {
  /** Sums by document; 0 for one that has nothing. */
  readonly sums: Float64Array;
  readonly #ids: Uint32Array<ArrayBuffer>;
  size = 0;

  /** @param documents - how many there are. */
  constructor(documents: number) {
    this.sums = new Float64Array(documents);
    this.#ids = new Uint32Array(documents);
  }

  /** @param value - above 0. */
  add(id: number, value: number): void {
    const sum = this.sums[id] ?? 0;
    if (sum === 0) this.#ids[this.size++] = id;
    this.sums[id] = sum + value;
  }

  /** Keeps the higher value, and says whether it is this one. */
  raise(id: number, value: number): boolean {
    const sum = this.sums[id] ?? 0;
    if (value <= sum) return false;
    if (sum === 0) this.#ids[this.size++] = id;
    this.sums[id] = value;
    return true;
  }

  /** Keeps only what the other one has as well, with the lower value. */
  keepLower(other: Tally): void {
    let size = 0;
    for (const id of this.idsSoFar()) {
      const value = Math.min(this.sums[id] ?? 0, other.sums[id] ?? 0);
      this.sums[id] = value;
      if (value > 0) this.#ids[size++] = id;
    }
    this.size = size;
  }

  /** Keeps only these documents. */
  keepOnly(kept: ReadonlySet<number>): void {
    let size = 0;
    for (const id of this.idsSoFar()) {
      if (kept.has(id)) this.#ids[size++] = id;
      else this.sums[id] = 0;
    }
    this.size = size;
  }

  /** The sums of these documents, in their order. */
  of(ids: Uint32Array): Float64Array {
    const sums = new Float64Array(ids.length);
    for (let at = 0; at < ids.length; at++) sums[at] = this.sums[ids[at] ?? 0] ?? 0;
    return sums;
  }

  /** The documents that have something, as they came. A view: it is good until the next change. */
  idsSoFar(): Uint32Array {
    return this.#ids.subarray(0, this.size);
  }

  clear(): void {
    for (let at = 0; at < this.size; at++) this.sums[this.#ids[at] ?? 0] = 0;
    this.size = 0;
  }
}
