import { contentWords, splitIdentifier, stem, words } from '../../../src/util/words.ts';
import { grouped } from '../statistics.ts';
import { type LabelledQuery, type LabelledSet, type LabelledTool, nearMissesOf, unservedBy } from './sets.ts';

/**
 * The kinds of queries that are put to a catalog: `own`, which has tools that fit; `without`, the same ones after what
 * fits is gone, with everything like it; `foreign`, queries of other sets, of whose tools none has a twin here;
 * `unserved`, requests of people that nothing in the catalog serves, which was looked up; `near`, such ones of which
 * something in the catalog is near.
 */
export type Kind = 'own' | 'without' | 'foreign' | 'unserved' | 'near';

/** A catalog with the queries that are put to it. */
export interface Trial {
  readonly kind: Kind;
  readonly tools: readonly LabelledTool[];
  readonly queries: readonly LabelledQuery[];
}

/** The trials of one set. */
export interface SetTrials {
  readonly set: string;
  /** Sets of one catalog are of one family: what is fitted on one of them has seen the others. */
  readonly family: string;
  readonly trials: readonly Trial[];
}

/** Tools of this similarity do much the same: of two servers, or of one server that has a tool for one and one for many. */
const TWIN = 0.35;
/** Tools of this similarity, in another catalog, may do the same in other words. */
const RELATIVE = 0.25;
/** Queries of other sets for each catalog. */
const FOREIGN = 150;
/** The share of a catalog that may be gone at once. */
const GONE = 0.1;

/** Every query of a set three times: what fits is there, is gone, was never there. */
export function trialsOf(sets: readonly LabelledSet[]): readonly SetTrials[] {
  const familyOf = ({ tools }: LabelledSet): string => `${tools.length} ${tools[0]?.id} ${tools.at(-1)?.id}`;
  const families = grouped(sets, familyOf);
  return sets.map((set) => {
    const family = familyOf(set);
    const twinsOf = twinsIn(set.tools);
    const others = [...families].flatMap(([name, members]) => (name === family ? [] : [members]));
    const foreign = foreignQueries(twinsOf, others);
    const unserved = unservedBy(set.name);
    const near = nearMissesOf(set.name);
    return {
      set: set.name,
      family,
      trials: [
        { kind: 'own', tools: set.tools, queries: set.queries },
        ...withoutWhatFits(set, twinsOf),
        ...(foreign.length > 0 ? [{ kind: 'foreign' as const, tools: set.tools, queries: foreign }] : []),
        ...(unserved.length > 0 ? [{ kind: 'unserved' as const, tools: set.tools, queries: unserved }] : []),
        ...(near.length > 0 ? [{ kind: 'near' as const, tools: set.tools, queries: near }] : []),
      ],
    };
  });
}

/**
 * The queries with catalogs that lack what fits them. Several share one, so that it need not be built for each; queries
 * for the same tools come together, so that little of the catalog is gone.
 */
function withoutWhatFits(set: LabelledSet, twinsOf: TwinsOf): readonly Trial[] {
  const tools = new Map(set.tools.map((tool) => [tool.id, tool]));
  const twins = new Map<string, readonly string[]>();
  for (const id of set.queries.flatMap(({ relevant }) => relevant)) {
    if (!twins.has(id)) twins.set(id, twinsOf(tools.get(id)!, TWIN));
  }
  const keyOf = ({ relevant }: LabelledQuery): string => relevant.toSorted().join();
  const trials: { gone: Set<string>; queries: LabelledQuery[] }[] = [];
  for (const query of set.queries.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))) {
    const fitting = query.relevant.flatMap((id) => twins.get(id) ?? []);
    const last = trials.at(-1);
    if (last && new Set([...last.gone, ...fitting]).size <= GONE * set.tools.length) {
      for (const id of fitting) last.gone.add(id);
      last.queries.push(query);
    } else trials.push({ gone: new Set(fitting), queries: [query] });
  }
  return trials.map(({ gone, queries }) => {
    return { kind: 'without', tools: set.tools.filter(({ id }) => !gone.has(id)), queries };
  });
}

/** The queries of other sets, the same number of each family, of whose tools none has a twin here. */
function foreignQueries(twinsOf: TwinsOf, families: readonly (readonly LabelledSet[])[]): readonly LabelledQuery[] {
  return families.flatMap((sets) => {
    const candidates = sets.flatMap(({ tools, queries }) => {
      const byId = new Map(tools.map((tool) => [tool.id, tool]));
      return queries.map((query) => ({ query, wanted: query.relevant.map((id) => byId.get(id)!) }));
    });
    const chosen: LabelledQuery[] = [];
    for (const { query, wanted } of spread(candidates)) {
      if (chosen.length === Math.ceil(FOREIGN / families.length)) break;
      if (wanted.every((tool) => twinsOf(tool, RELATIVE).length === 0)) chosen.push(query);
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

/**
 * The ids of the tools that may serve what a tool serves, by their words alone; itself included where it is here.
 *
 * @param least - the similarity from which on they count, from 0 to 1.
 */
type TwinsOf = (tool: LabelledTool, least: number) => readonly string[];

export function twinsIn(tools: readonly LabelledTool[]): TwinsOf {
  const counts = new Map<string, number>();
  for (const word of tools.flatMap((tool) => [...weightsOf(tool).keys()]))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  /** The words of a tool by how much they say: the similarity of two tools is the sum of the products, from 0 to 1. */
  const sharesOf = (tool: LabelledTool): ReadonlyMap<string, number> => {
    const shares = weightsOf(tool);
    for (const [word, weight] of shares) {
      const idf = Math.log(1 + tools.length / ((counts.get(word) ?? 0) + 0.5));
      shares.set(word, (1 + Math.log(weight)) * idf);
    }
    const length = Math.hypot(...shares.values());
    for (const [word, weight] of shares) shares.set(word, weight / length);
    return shares;
  };
  const names = tools.map(({ id }) => nameOf(id));
  const places = new Map<string, { readonly place: number; readonly share: number }[]>();
  for (const [place, tool] of tools.entries()) {
    for (const [word, share] of sharesOf(tool)) {
      if (!places.has(word)) places.set(word, []);
      places.get(word)!.push({ place, share });
    }
  }
  return (tool, least) => {
    const similarity = new Float64Array(tools.length);
    for (const [word, share] of sharesOf(tool)) {
      for (const entry of places.get(word) ?? []) similarity[entry.place]! += share * entry.share;
    }
    const name = nameOf(tool.id);
    const isTwin = (id: string, place: number): boolean =>
      id === tool.id || similarity[place]! >= least || areNamesakes(name, names[place]!);
    return tools.flatMap(({ id }, place) => (isTwin(id, place) ? [id] : []));
  };
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

/** Whether two names share most of their words, or end in the same two. */
function areNamesakes(one: readonly string[], other: readonly string[]): boolean {
  const shared = one.filter((word) => other.includes(word)).length;
  if (shared / (one.length + other.length - shared) >= NAMESAKE) return true;
  return one.length > 1 && other.length > 1 && one.at(-1) === other.at(-1) && one.at(-2) === other.at(-2);
}
