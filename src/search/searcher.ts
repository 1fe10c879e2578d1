import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { SourceCatalog } from '../catalog/source.ts';
import type { SourceCandidate } from '../catalog/tool-source.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Permissions, Visible } from '../filter/permissions.ts';
import type { IncrementalIndex, MatchExplanation, ToolIndex, ToolMatch, WordExplanation } from '../scorers/scorer.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import { splitIdentifier } from '../util/words.ts';

/** One search, as a {@link Searcher} is asked for it. */
export interface SearchCall<Of extends Catalog = Catalog> {
  readonly query: ToolQuery;
  readonly wanted: number;
  readonly catalog: Of;
  readonly permissions: Permissions;
  /** Whether a tool counts among those that are wanted. */
  readonly counts: (entry: CatalogEntry) => boolean;
  readonly explain?: boolean | undefined;
  readonly origin?: EventOrigin | undefined;
}

/** What a query found, of what the request may see. */
export interface Searched {
  readonly visible: Visible;
  readonly matches: Iterable<ToolMatch>;
  readonly index: ToolIndex & Pick<IncrementalIndex, 'unmentionedApp'>;
  /** How many tools were searched; absent where nobody knows. */
  readonly candidates?: number;
}

/**
 * Finds what matches a query among the tools that a request may see: by the scorer's indexes, or by asking a source. A
 * processor has the one that its catalogs are for.
 */
export interface Searcher {
  /** What ranks, as events name it. */
  readonly ranks: 'scorer' | 'source';
  /** How many queries one message of the user may become. */
  readonly maxQueries: number;
  /**
   * Undefined where the search failed, which is reported.
   *
   * @throws what the scorer throws, for the caller to report.
   */
  search(call: SearchCall): Promise<Searched | undefined>;
  /** Makes a catalog ready to be searched. Rejects where the scorer fails; the next search tries again. */
  ready(catalog: Catalog, origin?: EventOrigin): Promise<unknown>;
  /** Makes the constructor's catalog ready as soon as the process has time, so that the first search need not wait. */
  prepare(origin?: EventOrigin): void;
  /** Forgets what can be made again. */
  clear(): void;
}

/** Candidates for each result that is wanted: the filter may hide some. */
const FIRST = 4;
/** How much larger each next window is, and the largest. */
const GROWTH = 4;
const MAX_CANDIDATES = 1_000;

/**
 * Asks a source for more and more candidates, until the request may see as many as are wanted. The filter is asked about
 * candidates alone.
 */
export class SourceSearcher implements Searcher {
  readonly ranks = 'source';
  /** Each search may be a request to another service. */
  readonly maxQueries = 1;

  async search({
    query,
    wanted,
    catalog,
    permissions,
    counts,
    explain,
  }: SearchCall<SourceCatalog>): Promise<Searched | undefined> {
    for (let limit = Math.min(FIRST * wanted, MAX_CANDIDATES); ; limit = Math.min(GROWTH * limit, MAX_CANDIDATES)) {
      const call = { ...permissions.asker, explain };
      // What fails is reported by the catalog.
      const answer = await catalog.candidates(query, limit, call).catch(() => undefined);
      if (!answer) return undefined;
      const { found, isAll } = answer;
      const visible = await permissions.visible(
        catalog.restrictedTo(found.flatMap(({ name }) => catalog.get(name) ?? [])),
      );
      const count = [...visible.catalog.entries].filter(counts).length;
      if (count < wanted && !isAll && limit < MAX_CANDIDATES && visible.left === 0 && !permissions.isAborted) continue;
      const matches = found.filter(({ name }) => visible.catalog.get(name));
      return { visible, matches, index: indexOf(matches) };
    }
  }

  async ready(): Promise<void> {}

  prepare(): void {}

  clear(): void {}
}

/** What the candidates say of themselves, in the form of an index. */
function indexOf(candidates: readonly SourceCandidate[]): ToolIndex {
  const byName = new Map(candidates.map((candidate) => [candidate.name, candidate]));
  const isRated = candidates.length === 0 || candidates.some(({ confidence }) => confidence !== undefined);
  return {
    search: () => candidates,
    ...(isRated ? { confidence: (_, names) => names.map((name) => byName.get(name)?.confidence ?? Number.NaN) } : {}),
    explain: (_, name) => {
      const candidate = byName.get(name);
      return candidate && explanationOf(candidate);
    },
  };
}

/** As much of an explanation as the words of a candidate tell; undefined without words. */
function explanationOf({ name, words: given, features }: SourceCandidate): MatchExplanation | undefined {
  if (!given) return undefined;
  const words = given.map(({ word, found = '', by, fields = {}, score = 0 }): WordExplanation => {
    const how = found === '' ? 'nothing' : found === word ? 'word' : 'form';
    return { word, found, by: by ?? how, fields, score };
  });
  const found = words.filter((word) => word.found !== '');
  const ofName = splitIdentifier(name);
  const inQuery = new Set(found.flatMap((word) => [word.word.toLowerCase(), word.found.toLowerCase()]));
  const coverage = words.length === 0 ? 0 : found.length / words.length;
  const nameCoverage = ofName.filter((word) => inQuery.has(word)).length / Math.max(1, ofName.length);
  const isNamed = words.some(({ word }) => word === name);
  return { words, coverage, nameCoverage, isNamed, ...(features ? { features } : {}) };
}
