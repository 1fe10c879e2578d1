import type { ToolDocument } from '../../catalog/document.ts';
import { CHUNK, type SlicedWork } from '../../util/time-slices.ts';
import { NumberList } from './number-list.ts';

/** A sentence that more tools than this have in common says nothing about any of them. */
export const MAX_SHARED = 8;

const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])\s*|\n+/u;

/** The sentences of some tools, to tell which are boilerplate. */
export class Sentences {
  readonly #numbers = new Map<string, number>();
  /** Counts of the tools that have a sentence, by its number. */
  readonly #counts = new NumberList();
  /** Few, so that most sentences need no look at the many numbers. */
  readonly #shared = new Set<string>();
  /** The numbers of the sentences of tool 0, then of 1, and where those of each tool end. */
  readonly #all = new NumberList();
  readonly #ends = new NumberList();

  /** The sentences of the next tool. */
  add(sentences: readonly string[]): void {
    const start = this.#all.length;
    for (const sentence of sentences) {
      const number = this.#numberOf(sentence);
      if (this.#all.includes(number, start)) continue;
      this.#all.push(number);
      const count = this.#counts.at(number) + 1;
      this.#counts.set(number, count);
      if (count === MAX_SHARED + 1) this.#shared.add(sentence);
    }
    this.#ends.push(this.#all.length);
  }

  /** The sentences that say something about a tool. */
  distinctive(sentences: readonly string[]): readonly string[] {
    return without(sentences, (sentence) => this.#shared.has(sentence));
  }

  /**
   * Counts anew what is boilerplate when some of the tools are gone and others have come.
   *
   * @param gone - by the number of a tool: 1 for one that is gone.
   * @param added - the sentences of each that has come.
   */
  after(gone: Uint8Array, added: readonly (readonly string[])[]): ChangedSentences {
    const counts = this.#countsWithout(gone);
    const others = new Map<string, number>();
    for (const sentence of added.flatMap((sentences) => [...new Set(sentences)])) {
      const number = this.#numbers.get(sentence);
      if (number === undefined) others.set(sentence, (others.get(sentence) ?? 0) + 1);
      else counts[number] = (counts[number] ?? 0) + 1;
    }
    const isShared = (sentence: string): boolean => {
      const number = this.#numbers.get(sentence);
      return ((number === undefined ? others.get(sentence) : counts[number]) ?? 0) > MAX_SHARED;
    };
    return {
      changed: this.#changed(counts, gone),
      distinctive: (sentences) => without(sentences, isShared),
    };
  }

  /** The tools that are still there and say what has become boilerplate, or is none any longer. */
  #changed(counts: Uint32Array, gone: Uint8Array): number[] {
    const hasChanged = counts.map((count, number) =>
      count > MAX_SHARED === this.#counts.at(number) > MAX_SHARED ? 0 : 1,
    );
    if (!hasChanged.includes(1)) return [];
    const changed: number[] = [];
    let at = 0;
    for (let tool = 0; tool < this.#ends.length; tool++) {
      let says = false;
      for (const end = this.#ends.at(tool); at < end; at++) says ||= hasChanged[this.#all.at(at)] === 1;
      if (says && !gone[tool]) changed.push(tool);
    }
    return changed;
  }

  #countsWithout(gone: Uint8Array): Uint32Array {
    const counts = this.#counts.toArray();
    let at = 0;
    for (let tool = 0; tool < this.#ends.length; tool++) {
      const end = this.#ends.at(tool);
      if (!gone[tool]) at = end;
      for (; at < end; at++) {
        const number = this.#all.at(at);
        counts[number] = (counts[number] ?? 0) - 1;
      }
    }
    return counts;
  }

  #numberOf(sentence: string): number {
    const earlier = this.#numbers.get(sentence);
    if (earlier !== undefined) return earlier;
    const number = this.#counts.length;
    this.#numbers.set(sentence, number);
    this.#counts.push(0);
    return number;
  }
}

/** The effect of a change of the tools on their sentences. */
export interface ChangedSentences {
  /** The numbers of the tools that are still there, of which other sentences count now. */
  readonly changed: readonly number[];
  /** Returns the sentences that say something about a tool. */
  readonly distinctive: (sentences: readonly string[]) => readonly string[];
}

/** The sentences of a description; lines are sentences as well. */
export function sentencesOf({ description }: ToolDocument): readonly string[] {
  const sentences = description.split(SENTENCE_END).map((sentence) => sentence.trim());
  return sentences.every((sentence) => sentence !== '') ? sentences : sentences.filter((sentence) => sentence !== '');
}

/** Reads the sentences of tools, to tell which are boilerplate. */
export function* readSentences(documents: readonly ToolDocument[]): SlicedWork<Sentences> {
  const sentences = new Sentences();
  let read = 0;
  for (const document of documents) {
    sentences.add(sentencesOf(document));
    if (++read % CHUNK === 0) yield;
  }
  return sentences;
}

/** Documents without the sentences that many of them have in common: an index of a part of them needs no look at all. */
export function* withoutBoilerplate(documents: readonly ToolDocument[]): SlicedWork<readonly ToolDocument[]> {
  const sentences = yield* readSentences(documents);
  const distinctive: ToolDocument[] = [];
  for (const document of documents) {
    const all = sentencesOf(document);
    const kept = sentences.distinctive(all);
    if (distinctive.push(kept === all ? document : { ...document, description: kept.join('\n') }) % CHUNK === 0) yield;
  }
  return distinctive;
}

function without(sentences: readonly string[], isShared: (sentence: string) => boolean): readonly string[] {
  return sentences.some(isShared) ? sentences.filter((sentence) => !isShared(sentence)) : sentences;
}
