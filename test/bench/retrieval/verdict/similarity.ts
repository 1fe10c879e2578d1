import { contentWords, stem } from '../../../../src/scorers/words/stem.ts';
import { splitIdentifier, words } from '../../../../src/scorers/words/words.ts';
import type { LabelledTool } from '../sets.ts';

/** Tools whose names share this much of their words are taken for twins, as are those whose names end in the same two. */
const NAMESAKE = 0.6;
/** A word of the name counts so much more than one of the description. */
const NAME = 1.5;
/** Characters of a description that count: what follows are examples and hints. */
const DESCRIPTION = 600;

/** Tells which tools of a catalog may serve what another tool serves, by their words alone. */
export class Similarity {
  readonly #tools: readonly LabelledTool[];
  readonly #names: readonly (readonly string[])[];
  /** For each word, the tools that have it, and how much it says of each. */
  readonly #places = new Map<string, { readonly place: number; readonly share: number }[]>();
  readonly #counts = new Map<string, number>();

  constructor(tools: readonly LabelledTool[]) {
    this.#tools = tools;
    this.#names = tools.map(({ id }) => nameOf(id));
    for (const word of tools.flatMap((tool) => [...weightsOf(tool).keys()])) {
      this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    }
    for (const [place, tool] of tools.entries()) {
      for (const [word, share] of this.#sharesOf(tool)) {
        const places = this.#places.get(word) ?? [];
        this.#places.set(word, places);
        places.push({ place, share });
      }
    }
  }

  /**
   * The ids of the tools that are like this one, itself included where it is here.
   *
   * @param tool - of this catalog, or of another.
   * @param least - the likeness from which on they count, from 0 to 1.
   */
  twinsOf(tool: LabelledTool, least: number): readonly string[] {
    const similarity = new Float64Array(this.#tools.length);
    for (const [word, share] of this.#sharesOf(tool)) {
      for (const entry of this.#places.get(word) ?? [])
        similarity[entry.place] = (similarity[entry.place] ?? 0) + share * entry.share;
    }
    const name = nameOf(tool.id);
    const isNamesake = (other: readonly string[] = []): boolean =>
      overlap(name, other) >= NAMESAKE || rhyme(name, other);
    return this.#tools.flatMap(({ id }, place) =>
      id === tool.id || (similarity[place] ?? 0) >= least || isNamesake(this.#names[place]) ? [id] : [],
    );
  }

  /** The words of a tool by how much they say: the likeness of two tools is the sum of the products, from 0 to 1. */
  #sharesOf(tool: LabelledTool): ReadonlyMap<string, number> {
    const shares = weightsOf(tool);
    for (const [word, weight] of shares) {
      const rarity = Math.log(1 + this.#tools.length / ((this.#counts.get(word) ?? 0) + 0.5));
      shares.set(word, (1 + Math.log(weight)) * rarity);
    }
    const length = Math.hypot(...shares.values());
    for (const [word, weight] of shares) shares.set(word, weight / length);
    return shares;
  }
}

function weightsOf({ id, description }: LabelledTool): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (word: string, weight: number): void => void weights.set(word, (weights.get(word) ?? 0) + weight);
  for (const word of nameOf(id)) add(word, NAME);
  for (const word of contentWords(words(description.slice(0, DESCRIPTION)))) add(stem(word), 1);
  return weights;
}

function nameOf(id: string): readonly string[] {
  return splitIdentifier(id).map(stem);
}

/** The words that two names share, as a share of all that they have. */
function overlap(one: readonly string[], other: readonly string[]): number {
  const shared = one.filter((word) => other.includes(word)).length;
  return shared / (one.length + other.length - shared);
}

/** Whether two names end in the same two words. */
function rhyme(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 1 && other.length > 1 && one.at(-1) === other.at(-1) && one.at(-2) === other.at(-2);
}
