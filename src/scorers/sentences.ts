import type { ToolDocument } from '../catalog/document.ts';

/** A sentence that more tools than this have in common says nothing about any of them. */
const MAX_SHARED = 8;

const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])\s*|\n+/u;

/** How many tools have each sentence, to tell which sentences are boilerplate. */
export class Sentences {
  readonly #base: Sentences | undefined;
  readonly #counts = new Map<string, number>();
  /** Those of the counts alone, without the base: few, so that most sentences need no look at the many counts. */
  readonly #shared = new Set<string>();

  /** @param base - counts from which these differ by what is added and removed. They must not change any more. */
  constructor(base?: Sentences) {
    this.#base = base;
  }

  /** @param by - 1 for a tool that comes, -1 for one that goes. */
  count(sentences: readonly string[], by: 1 | -1): void {
    const counted = sentences.length > 1 ? new Set(sentences) : sentences;
    for (const sentence of counted) {
      const count = (this.#counts.get(sentence) ?? 0) + by;
      this.#counts.set(sentence, count);
      if (count > MAX_SHARED) this.#shared.add(sentence);
      else if (by < 0) this.#shared.delete(sentence);
    }
  }

  /** Those that say something about a tool. */
  telling(sentences: readonly string[]): readonly string[] {
    return sentences.some((sentence) => this.#isShared(sentence))
      ? sentences.filter((sentence) => !this.#isShared(sentence))
      : sentences;
  }

  /** Sentences that are boilerplate here and were none in the base, or the other way round. */
  get changed(): string[] {
    const base = this.#base ?? new Sentences();
    return [...this.#counts.keys()].filter((sentence) => this.#isShared(sentence) !== base.#isShared(sentence));
  }

  /** A copy, over the same base. */
  copy(): Sentences {
    const copy = new Sentences(this.#base);
    for (const [sentence, count] of this.#counts) copy.#counts.set(sentence, count);
    for (const sentence of this.#shared) copy.#shared.add(sentence);
    return copy;
  }

  #isShared(sentence: string): boolean {
    return this.#base ? this.#countOf(sentence) > MAX_SHARED : this.#shared.has(sentence);
  }

  #countOf(sentence: string): number {
    const before = this.#base ? this.#base.#countOf(sentence) : 0;
    return before + (this.#counts.get(sentence) ?? 0);
  }
}

/** The sentences of a description; lines are sentences as well. */
export function sentencesOf({ description }: ToolDocument): readonly string[] {
  const sentences = description.split(SENTENCE_END).map((sentence) => sentence.trim());
  return sentences.every((sentence) => sentence !== '') ? sentences : sentences.filter((sentence) => sentence !== '');
}
