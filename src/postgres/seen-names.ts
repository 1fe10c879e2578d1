import { hash } from 'node:crypto';

/** A slot of two numbers is full where either is not 0. */
const SLOT = 2;
const FIRST_SLOTS = 1 << 10;

/**
 * The names that were met, by 64 bits of their hashes: 16 bytes for each of a million, where the names would take ten
 * times as much. Two of a million names have the same hash once in thirty million times.
 */
export class SeenNames {
  #slots = new Uint32Array(FIRST_SLOTS * SLOT);
  #size = 0;

  has(name: string): boolean {
    const [high, low] = hashOf(name);
    const at = placeOf(this.#slots, high, low);
    return this.#slots[at] !== 0 || this.#slots[at + 1] !== 0;
  }

  add(name: string): void {
    const [high, low] = hashOf(name);
    const at = placeOf(this.#slots, high, low);
    if (this.#slots[at] !== 0 || this.#slots[at + 1] !== 0) return;
    this.#slots[at] = high;
    this.#slots[at + 1] = low;
    if (++this.#size * SLOT * 2 > this.#slots.length) this.#grow();
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += SLOT) {
      const [high = 0, low = 0] = [before[at], before[at + 1]];
      if (high === 0 && low === 0) continue;
      const place = placeOf(this.#slots, high, low);
      this.#slots[place] = high;
      this.#slots[place + 1] = low;
    }
  }
}

/** The place of a hash among the slots: where it stands, or the next free one. */
function placeOf(slots: Uint32Array, high: number, low: number): number {
  const last = slots.length - SLOT;
  let at = (low * SLOT) & last;
  while ((slots[at] !== 0 || slots[at + 1] !== 0) && (slots[at] !== high || slots[at + 1] !== low))
    at = (at + SLOT) & last;
  return at;
}

function hashOf(name: string): readonly [high: number, low: number] {
  const bytes = hash('sha1', name, 'buffer');
  return [bytes.readUInt32LE(0) || 1, bytes.readUInt32LE(4)];
}
