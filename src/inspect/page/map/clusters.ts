import type { Confusion } from '../../../workbench/evaluate/measure.ts';
import type { AlikePair } from './similarity.ts';

/** Two tools of a cluster that are alike, or that searches confuse. */
export interface Link {
  readonly one: string;
  readonly other: string;
  /** From 0 to 1; 0 for tools that are confused without being alike. */
  readonly similarity: number;
  /** The cases in which one of them came first in place of the other. */
  readonly confused: number;
  /** The words that both have, or by which one wins. */
  readonly words: readonly string[];
}

/** Tools that are taken for each other. */
export interface Cluster {
  readonly names: readonly string[];
  readonly links: readonly Link[];
  /** The words that most of its links have, at most three. */
  readonly words: readonly string[];
}

/** Chains of similarity end here: in a larger cluster the ends have nothing in common. */
const MOST_IN_CLUSTER = 12;

/** What a map shows. */
export interface Clusters {
  readonly shown: readonly Cluster[];
  /** Count of the tools in clusters for which there was no room. */
  readonly left: number;
}

/**
 * Groups tools that are confused or alike, the strongest links first. A link that would make a cluster too large stays
 * out. The clusters with the most confusions stand first, then those of the tools that are most alike.
 *
 * @param most - tools on the map.
 */
export function clustersOf(pairs: readonly AlikePair[], confusions: readonly Confusion[], most: number): Clusters {
  const owners = new Map<string, Set<string>>();
  const ownerOf = (name: string): Set<string> => owners.get(name) ?? new Set([name]);
  const links = linksOf(pairs, confusions);
  for (const { one, other } of links) {
    const joined = new Set([...ownerOf(one), ...ownerOf(other)]);
    if (joined.size > MOST_IN_CLUSTER) continue;
    for (const name of joined) owners.set(name, joined);
  }
  const linksIn = new Map<Set<string>, Link[]>();
  for (const link of links) {
    const owner = owners.get(link.one);
    if (!owner || owner !== owners.get(link.other)) continue;
    const own = linksIn.get(owner) ?? [];
    linksIn.set(owner, own);
    own.push(link);
  }
  const all = Array.from(
    linksIn,
    ([names, own]): Cluster => ({ names: [...names], links: own, words: commonWords(own) }),
  );
  return fitting(all.sort(byStrength), most);
}

function fitting(clusters: readonly Cluster[], most: number): Clusters {
  const shown: Cluster[] = [];
  let room = most;
  let left = 0;
  for (const cluster of clusters) {
    if (cluster.names.length <= room) {
      shown.push(cluster);
      room -= cluster.names.length;
    } else {
      left += cluster.names.length;
    }
  }
  return { shown, left };
}

/** All links, the most confused first, then the most alike. */
function linksOf(pairs: readonly AlikePair[], confusions: readonly Confusion[]): readonly Link[] {
  const links = new Map<string, Link>();
  const keyOf = (one: string, other: string): string => JSON.stringify([one, other].sort());
  for (const { one, other, similarity, words } of pairs) {
    links.set(keyOf(one, other), { one, other, similarity, confused: 0, words });
  }
  for (const { wanted, instead, count, words } of confusions) {
    if (instead === undefined || instead === wanted) continue;
    const key = keyOf(wanted, instead);
    const known = links.get(key) ?? { one: wanted, other: instead, similarity: 0, confused: 0, words };
    links.set(key, { ...known, confused: known.confused + count });
  }
  return [...links.values()].sort((one, other) => other.confused - one.confused || other.similarity - one.similarity);
}

function byStrength(one: Cluster, other: Cluster): number {
  const confused = ({ links }: Cluster): number => links.reduce((sum, link) => sum + link.confused, 0);
  const similarity = ({ links }: Cluster): number => Math.max(...links.map((link) => link.similarity));
  return (
    confused(other) - confused(one) || similarity(other) - similarity(one) || other.names.length - one.names.length
  );
}

function commonWords(links: readonly Link[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { words } of links) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort((one, other) => other[1] - one[1])
    .slice(0, 3)
    .map(([word]) => word);
}
