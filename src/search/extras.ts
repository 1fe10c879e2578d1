import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { ToolQuery } from '../scorers/words/query.ts';

/** A tool that a search found. */
export interface FoundEntry extends CatalogEntry {
  /** The score, on the scale of the scorer. */
  readonly score: number;
  /** How likely the tool is what was asked for, from 0 to 1, where the scorer can tell. */
  readonly confidence?: number;
  /** The part of the score that past use added. */
  readonly byUse?: number;
  /** Whether its name stands in the query: then it is shown, also where there is no place left. */
  readonly isNamed?: boolean;
}

/** Tools that are shown beyond the limit of a search. */
export interface Extras {
  /** Names that stand in the query, exactly. */
  readonly named: ReadonlySet<string>;
  /** Names of tools that the model has already: it needs no place in the list to be told of them. */
  readonly besides: ReadonlySet<string>;
}

/** Nothing is shown beyond the limit. */
const NONE: Extras = { named: new Set(), besides: new Set() };

/** The share of the best score below which a result is noise: leaving noise out costs no labelled set 0.1 nDCG. */
const TAIL = 0.05;
/** Tools of one search that are shown besides. */
export const MAX_SHOWN = 20;

/** The names of tools that stand in a query as the model would call them. */
export function namesIn({ keywords }: ToolQuery, catalog: Catalog): ReadonlySet<string> {
  return new Set(keywords.flatMap((word) => catalog.get(word)?.name ?? []));
}

/**
 * The first of a ranking, with the tools at hand that rank among them, and with all that are named, up to 20 in all.
 */
export function* pick<Match extends Pick<FoundEntry, 'name' | 'isNamed'>>(
  ranking: Iterable<Match>,
  limit: number,
  { named, besides }: Extras,
): Iterable<Match> {
  const missing = new Set(named);
  let places = limit;
  let room = Math.max(limit, MAX_SHOWN);
  for (const entry of ranking) {
    const isNamed = missing.delete(entry.name);
    const isBesides = besides.has(entry.name);
    if (places > 0 || isNamed) {
      if (!isBesides) places -= 1;
      room -= 1;
      yield isNamed ? { ...entry, isNamed } : entry;
    }
    if (room <= 0 || (places <= 0 && missing.size === 0)) return;
  }
}

/**
 * The results without the tail, which counts from the best that is not at hand. A scale that goes below zero, or has no
 * end, has none that could be told.
 */
export function withoutTail<Match extends Pick<FoundEntry, 'name' | 'score' | 'byUse'>>(
  entries: readonly Match[],
  { named, besides }: Extras = NONE,
): readonly Match[] {
  // What use adds makes none of the others noise.
  const bestOf = (some: readonly Match[]): number => {
    const isLifted = some.some(({ byUse }) => byUse !== undefined);
    return isLifted ? Math.max(...some.map(({ score, byUse = 0 }) => score - byUse)) : (some[0]?.score ?? 0);
  };
  const best = bestOf(entries);
  const bestOther = bestOf(entries.filter(({ name }) => !besides.has(name)));
  const worst = entries.at(-1)?.score ?? 0;
  if (!(worst >= 0 && Number.isFinite(best))) return entries;
  return entries.filter(({ name, score }) => named.has(name) || score >= TAIL * (besides.has(name) ? best : bestOther));
}
