import { contentWords, type SlicedWork, splitIdentifier, stem, words } from '../../../kit.ts';

/** What is compared of a tool. */
export interface ComparedTool {
  readonly name: string;
  readonly description: string;
  /** Its MCP server. The words of its name do not count: users seldom say them, and all its tools have them. */
  readonly group?: string | undefined;
}

/** Two tools that say nearly the same. */
export interface AlikePair {
  readonly one: string;
  readonly other: string;
  /** The cosine of their words, the rarer the weightier, from 0 to 1. */
  readonly similarity: number;
  /** The words that make them alike, the weightiest first. */
  readonly words: readonly string[];
}

/** Tools that have less in common are told of nowhere. */
export const MIN_SIMILARITY = 0.5;
/** A word of a name counts like so many of the description. */
const NAME_WEIGHT = 2;
/** Characters of a description that are compared: what a tool does stands at its beginning. */
const DESCRIPTION_START = 200;
/** The nearest tools that are kept of each. */
const NEAREST = 6;
/** The words told of a pair. */
const TOLD = 4;

/** The words of a tool by their stems, with weights that make a vector of length 1. */
type Vector = ReadonlyMap<string, number>;

/** The pairs of tools that are alike at least so much, the most alike first. */
export function* alikePairs(
  tools: readonly ComparedTool[],
  least: number = MIN_SIMILARITY,
): SlicedWork<readonly AlikePair[]> {
  const spelled = new Map<string, string>();
  const vectors: Vector[] = [];
  for (const tool of tools) {
    vectors.push(countsOf(tool, spelled));
    yield;
  }
  const weighted = yield* weigh(vectors);
  const holders = new Map<string, [tool: number, weight: number][]>();
  const pairs: AlikePair[] = [];
  for (const [at, vector] of weighted.entries()) {
    const sums = new Map<number, number>();
    for (const [word, weight] of vector) {
      const others = holders.get(word) ?? [];
      for (const [other, otherWeight] of others) sums.set(other, (sums.get(other) ?? 0) + weight * otherWeight);
      others.push([at, weight]);
      holders.set(word, others);
    }
    const near = [...sums].filter(([, similarity]) => similarity >= least).sort((one, other) => other[1] - one[1]);
    for (const [other, similarity] of near.slice(0, NEAREST)) {
      pairs.push({
        one: tools[other]?.name ?? '',
        other: tools[at]?.name ?? '',
        similarity: Math.min(1, similarity),
        words: sharedWords(vector, weighted[other] ?? new Map(), spelled),
      });
    }
    yield;
  }
  return pairs.sort((one, other) => other.similarity - one.similarity || (one.other < other.other ? -1 : 1));
}

/** How often a tool says each word; a word that it says in several forms is remembered in the first. */
function countsOf({ name, description, group = '' }: ComparedTool, spelled: Map<string, string>): Vector {
  const counts = new Map<string, number>();
  const add = (word: string, weight: number): void => {
    const root = stem(word);
    if (!spelled.has(root)) spelled.set(root, word);
    counts.set(root, Math.max(counts.get(root) ?? 0, weight));
  };
  const ofServer = new Set(splitIdentifier(group).map(stem));
  const isOwn = (word: string): boolean => !ofServer.has(stem(word));
  for (const word of contentWords(splitIdentifier(name)).filter(isOwn)) add(word, NAME_WEIGHT);
  for (const word of contentWords(words(description.slice(0, DESCRIPTION_START))).filter(isOwn)) add(word, 1);
  return counts;
}

/** Makes rare words weightier, and each vector one of length 1. */
function* weigh(vectors: readonly Vector[]): SlicedWork<readonly Vector[]> {
  const frequencies = new Map<string, number>();
  for (const vector of vectors)
    for (const word of vector.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  const weighted: Vector[] = [];
  for (const vector of vectors) {
    const scaled = Array.from(vector, ([word, count]): [string, number] => [
      word,
      count * Math.log(1 + vectors.length / (frequencies.get(word) ?? 1)),
    ]);
    const length = Math.sqrt(scaled.reduce((sum, [, weight]) => sum + weight * weight, 0));
    weighted.push(new Map(scaled.map(([word, weight]) => [word, weight / length])));
    yield;
  }
  return weighted;
}

function sharedWords(one: Vector, other: Vector, spelled: ReadonlyMap<string, string>): readonly string[] {
  return Array.from(one, ([word, weight]): [string, number] => [word, weight * (other.get(word) ?? 0)])
    .filter(([, product]) => product > 0)
    .sort((first, second) => second[1] - first[1])
    .slice(0, TOLD)
    .map(([word]) => spelled.get(word) ?? word);
}
