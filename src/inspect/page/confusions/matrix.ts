import type { Confusion } from '../../../workbench/evaluate/measure.ts';

/** A field of the matrix: in so many cases the tool of the column came first where that of the row was wanted. */
export interface MatrixCell {
  readonly wanted: string;
  /** Left out where nothing matched. */
  readonly instead?: string;
  readonly count: number;
  /** The words that did it, the most frequent first. */
  readonly words: readonly string[];
}

/** The most frequent confusions, in an order in which tools that are confused with each other stand together. */
export interface ConfusionMatrix {
  /** The tools that were wanted. */
  readonly rows: readonly string[];
  /** The tools that came first instead. */
  readonly columns: readonly string[];
  /** The fields that are not empty, by `cellKey`. */
  readonly cells: ReadonlyMap<string, MatrixCell>;
  /** Whether there is a last column, for cases in which nothing matched. */
  readonly hasNothing: boolean;
  /** What has no place in the matrix. */
  readonly left: { readonly pairs: number; readonly cases: number };
}

/** The key of a field in `cells`. */
export function cellKey(wanted: string, instead: string | undefined): string {
  return JSON.stringify(instead === undefined ? [wanted] : [wanted, instead]);
}

/**
 * Takes the most frequent confusions, and of equally frequent ones those of the tools that are confused most often, as
 * long as there are at most so many rows, and columns.
 */
export function confusionMatrix(confusions: readonly Confusion[], most: number): ConfusionMatrix {
  const weightOf = weightsIn(linksOf(confusions));
  const weight = ({ wanted, instead }: Confusion): number => weightOf(wanted) + weightOf(instead ?? wanted);
  const rows = new Set<string>();
  const columns = new Set<string>();
  const shown: Confusion[] = [];
  const left = { pairs: 0, cases: 0 };
  for (const one of [...confusions].sort((a, b) => b.count - a.count || weight(b) - weight(a))) {
    const { wanted, instead, count } = one;
    const hasRow = rows.has(wanted) || rows.size < most;
    const hasColumn = instead === undefined || columns.has(instead) || columns.size < most;
    if (!hasRow || !hasColumn) {
      left.pairs++;
      left.cases += count;
      continue;
    }
    rows.add(wanted);
    if (instead !== undefined) columns.add(instead);
    shown.push(one);
  }
  const names = inClusters(shown);
  return {
    ...{ rows: names.filter((name) => rows.has(name)), columns: names.filter((name) => columns.has(name)), left },
    cells: new Map(shown.map((one) => [cellKey(one.wanted, one.instead), one])),
    hasNothing: shown.some(({ instead }) => instead === undefined),
  };
}

/** The confusions between servers, as those between tools: `groupOf` names the server of a tool. */
export function betweenGroups(
  confusions: readonly Confusion[],
  groupOf: (name: string) => string,
): readonly Confusion[] {
  const sums = new Map<string, { confusion: Confusion; count: number; words: Set<string> }>();
  for (const confusion of confusions) {
    const wanted = groupOf(confusion.wanted);
    const instead = confusion.instead === undefined ? undefined : groupOf(confusion.instead);
    const key = cellKey(wanted, instead);
    const pair = instead === undefined ? { wanted } : { wanted, instead };
    const sum = sums.get(key) ?? { confusion: { ...confusion, ...pair }, count: 0, words: new Set<string>() };
    sums.set(key, sum);
    sum.count += confusion.count;
    for (const word of confusion.words) sum.words.add(word);
  }
  return [...sums.values()]
    .map(({ confusion, count, words }) => ({ ...confusion, count, words: [...words] }))
    .sort((one, other) => other.count - one.count);
}

/** The tools, cluster by cluster, the most confused first; in a cluster each stands behind those it is confused with. */
function inClusters(confusions: readonly Confusion[]): readonly string[] {
  const links = linksOf(confusions);
  const weightOf = weightsIn(links);
  const byWeight = [...links.keys()].sort((one, other) => weightOf(other) - weightOf(one) || (one < other ? -1 : 1));
  const placed = new Set<string>();
  const order: string[] = [];
  for (const start of byWeight) {
    // The pull of those that were placed on the others of the cluster.
    const pulls = placed.has(start) ? new Map<string, number>() : new Map([[start, 0]]);
    while (pulls.size > 0) {
      const [next = ''] = [...pulls].reduce((best, one) => (one[1] > best[1] ? one : best));
      pulls.delete(next);
      placed.add(next);
      order.push(next);
      for (const [other, weight] of links.get(next) ?? []) {
        if (!placed.has(other)) pulls.set(other, (pulls.get(other) ?? 0) + weight);
      }
    }
  }
  return order;
}

/** How often each tool is confused with each other one, in either direction. */
type Links = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** How often a tool is confused at all. */
function weightsIn(links: Links): (name: string) => number {
  const weights = new Map(
    Array.from(links, ([name, others]) => [name, [...others.values()].reduce((sum, count) => sum + count, 0)]),
  );
  return (name) => weights.get(name) ?? 0;
}

function linksOf(confusions: readonly Confusion[]): Links {
  const links = new Map<string, Map<string, number>>();
  const add = (one: string, other: string | undefined, count: number): void => {
    const own = links.get(one) ?? new Map<string, number>();
    links.set(one, own);
    if (other !== undefined && other !== one) own.set(other, (own.get(other) ?? 0) + count);
  };
  for (const { wanted, instead, count } of confusions) {
    add(wanted, instead, count);
    if (instead !== undefined) add(instead, wanted, count);
  }
  return links;
}
