import { hashed, MAX_SHARED } from '../kit.ts';

/** Counters of each row: 4 MB. */
const COUNTERS = 1 << 22;
const SALTS = ['', '\0'] as const;

/**
 * Counts in how many tools a sentence stands, for tools that are too many to keep: two rows of counters by two hashes, of
 * which the lower one is right but for a few in a million. What has been met so far counts.
 */
export class SentenceSketch {
  readonly #rows = SALTS.map(() => new Uint8Array(COUNTERS));

  /** The sentences of the next tool. */
  add(sentences: readonly string[]): void {
    for (const sentence of new Set(sentences)) {
      for (const [row, counters] of this.#rows.entries()) {
        const at = placeIn(row, sentence);
        // Beyond the bound it makes no difference.
        if ((counters[at] ?? 0) <= MAX_SHARED) counters[at] = (counters[at] ?? 0) + 1;
      }
    }
  }

  /** The sentences that say something about a tool. */
  distinctive(sentences: readonly string[]): readonly string[] {
    return sentences.filter((sentence) =>
      this.#rows.some((counters, row) => (counters[placeIn(row, sentence)] ?? 0) <= MAX_SHARED),
    );
  }
}

function placeIn(row: number, sentence: string): number {
  const hash = hashed(sentence, hashed(SALTS[row] ?? ''));
  return (hash ^ (hash >>> 15)) & (COUNTERS - 1);
}
