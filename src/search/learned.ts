import type { Catalog } from '../catalog/catalog.ts';
import type { ToolMatch } from '../scorers/scorer.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import type { FoundEntry } from './extras.ts';

/** A match with the part of its score that past use added. */
export interface LiftedMatch extends ToolMatch {
  readonly byUse?: number;
}

/** What past use says of a query: the matches with the tools lifted that were used after such queries. */
export type Lift = (matches: Iterable<ToolMatch>) => Iterable<LiftedMatch>;

/** What is learned from use, as a search of one request needs it. */
export interface Learner {
  /**
   * What use says of a query; undefined where it says nothing. Never rejects, and waits for a store no longer than a
   * quarter of a second.
   *
   * @param catalog - the part of it that the request may see.
   */
  liftFor(query: ToolQuery, catalog: Catalog): Promise<Lift | undefined>;
  /** Notes what a query has shown to the model: a call of one of these tools is a use after it. */
  noteShown(query: string, shown: readonly LiftedMatch[]): void;
}

/** Entries of which each that use has lifted is at least as likely as what it passed. */
export function asLikelyAsPassed(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  let likeliest = 0;
  const fromLast = entries.toReversed().map((entry) => {
    const { confidence, byUse } = entry;
    if (confidence === undefined) return entry;
    likeliest = Math.max(likeliest, confidence);
    return byUse === undefined ? entry : { ...entry, confidence: likeliest };
  });
  return fromLast.reverse();
}
