import { contentWords, splitIdentifier, stem, words } from '../../../src/scorers/words/words.ts';
import type { LabelledQuery, LabelledSet, LabelledTool } from './sets.ts';

/**
 * The kinds of queries that are put to a catalog: `own`, which has tools that fit; `without`, the same ones after what
 * fits is gone, with everything like it; `foreign`, queries of other sets, of whose tools none has a twin here.
 */
export type Kind = 'own' | 'without' | 'foreign';

/** A catalog with the queries that are put to it. */
export interface Trial {
  readonly kind: Kind;
  readonly tools: readonly LabelledTool[];
  /** Of `own` queries, with the tools that fit; of the others, no tool does. */
  readonly queries: readonly LabelledQuery[];
}

/** The trials of one set. */
export interface SetTrials {
  readonly set: string;
  /** Sets of one catalog are of one family: what is fitted on one of them has seen the others. */
  readonly family: string;
  readonly trials: readonly Trial[];
}

/** Tools of this likeness do much the same: of two servers, or of one server that has a tool for one and one for many. */
const TWIN = 0.35;
/** Tools of this likeness, in another catalog, may do the same in other words. */
const RELATIVE = 0.25;
/** Queries of other sets for each catalog. */
const FOREIGN = 150;
/** The share of a catalog that may be gone at once. */
const GONE = 0.1;

/** Every query of a set three times: what fits is there, is gone, was never there. */
export function trialsOf(sets: readonly LabelledSet[]): readonly SetTrials[] {
  const families = new Map<string, LabelledSet[]>();
  for (const set of sets) {
    const family = familyOf(set);
    families.set(family, [...(families.get(family) ?? []), set]);
  }
  return sets.map((set) => {
    const family = familyOf(set);
    const similarity = new Similarity(set.tools);
    const others = [...families].flatMap(([name, members]) => (name === family ? [] : [members]));
    const foreign = foreignQueries(similarity, others);
    return {
      set: set.name,
      family,
      trials: [
        { kind: 'own', tools: set.tools, queries: set.queries },
        ...withoutWhatFits(set, similarity),
        ...(foreign.length > 0 ? [{ kind: 'foreign' as const, tools: set.tools, queries: foreign }] : []),
      ],
    };
  });
}

/** The name of the first tools tells the catalog. */
function familyOf({ tools }: LabelledSet): string {
  return `${tools.length} ${tools[0]?.id} ${tools.at(-1)?.id}`;
}

/**
 * The queries with catalogs that lack what fits them. Several share one, so that it need not be built for each; queries
 * for the same tools come together, so that little of the catalog is gone.
 */
function withoutWhatFits(set: LabelledSet, similarity: Similarity): readonly Trial[] {
  const tools = new Map(set.tools.map((tool) => [tool.id, tool]));
  const twins = new Map<string, readonly string[]>();
  const twinsOf = (id: string): readonly string[] => {
    const known = twins.get(id) ?? similarity.twinsOf(tools.get(id) as LabelledTool, TWIN);
    twins.set(id, known);
    return known;
  };
  const keyOf = ({ relevant }: LabelledQuery): string => relevant.toSorted().join();
  const queries = set.queries.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const trials: Trial[] = [];
  let gone = new Set<string>();
  let together: LabelledQuery[] = [];
  const finish = (): void => {
    const left = set.tools.filter(({ id }) => !gone.has(id));
    if (together.length > 0) trials.push({ kind: 'without', tools: left, queries: together });
    gone = new Set();
    together = [];
  };
  for (const query of queries) {
    const more = new Set([...gone, ...query.relevant.flatMap(twinsOf)]);
    if (more.size > GONE * set.tools.length) finish();
    for (const id of query.relevant.flatMap(twinsOf)) gone.add(id);
    together.push(query);
  }
  finish();
  return trials;
}

/** The queries of other sets, the same number of each family, of whose tools none has a twin here. */
function foreignQueries(
  similarity: Similarity,
  families: readonly (readonly LabelledSet[])[],
): readonly LabelledQuery[] {
  const places = Math.ceil(FOREIGN / families.length);
  return families.flatMap((sets) => {
    const candidates = sets.flatMap(({ tools, queries }) => {
      const byId = new Map(tools.map((tool) => [tool.id, tool]));
      return queries.map((query) => ({ query, wanted: query.relevant.map((id) => byId.get(id) as LabelledTool) }));
    });
    const chosen: LabelledQuery[] = [];
    for (const { query, wanted } of spread(candidates)) {
      if (chosen.length === places) break;
      if (wanted.every((tool) => similarity.twinsOf(tool, RELATIVE).length === 0)) chosen.push(query);
    }
    return chosen;
  });
}

/** All of a list, in an order in which neighbours come far apart: the same one each time. */
function spread<Item>(list: readonly Item[]): readonly Item[] {
  const golden = (Math.sqrt(5) - 1) / 2;
  const keyed = list.map((item, place) => ({ item, key: (place * golden) % 1 }));
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
}

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
