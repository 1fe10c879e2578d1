import { hash } from 'node:crypto';
import { type Catalog, documentsOf, namesIn } from '../catalog/catalog.ts';
import type { EventOrigin } from '../events/origin.ts';
import { placeIn } from '../events/reporter.ts';
import { firstOf } from '../filter/permissions.ts';
import type { ToolDocument } from '../scorers/document.ts';
import type { IncrementalIndex, ScorerContext, ToolIndex, ToolMatch, ToolScorer } from '../scorers/scorer.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import { Lru } from '../util/lru.ts';
import { inSlices, type SlicedWork } from '../util/time-slices.ts';
import { matchedEntries } from './find.ts';
import type { SearchCall, Searched, Searcher } from './searcher.ts';

/** How many of the best matches the filter checks first: it may run out of time before it checks all tools. */
const ASKED_FIRST = 1_000;

/** Limits of the index cache: indexes, and documents in all of them together. */
const MAX_INDEXES = 64;
const MAX_DOCUMENTS = 250_000;
/** The last sets that a new set of documents is compared with, to find one that differs little. */
const MAX_COMPARED = 4;
/** The share of new and gone documents above which an update gains nothing. */
const MAX_CHANGED_SHARE = 0.25;

/** Limits of the cache of visible parts of one index: parts, and documents in all of them together. */
const MAX_PARTS = 64;
const MAX_PART_DOCUMENTS = 100_000;

interface Indexed {
  readonly documents: readonly ToolDocument[];
  readonly index: Promise<IncrementalIndex>;
}

/** The first request that waits for an index: its progress is shown there. A background build starts without one. */
interface Waiting {
  origin: EventOrigin | undefined;
}

/** A searcher's indexes. They hold documents, never tools, so that no request can reach another request's tool here. */
class Kept {
  readonly byCatalog = new WeakMap<Catalog, { index: Promise<ToolIndex>; waiting?: Waiting | undefined }>();
  ofBase: Indexed | undefined;
  /** Indexes by the fingerprint of their documents: requests with equal documents share one. */
  readonly byContent = new Lru<Indexed>(MAX_INDEXES, MAX_DOCUMENTS, ({ documents }) => documents.length);
}

/**
 * Ranks the whole catalog to decide which tools the filter checks first, then ranks only the permitted tools.
 *
 * A set of documents that differs little from an indexed one gets an update of that index, where the scorer can make one.
 */
export class IndexSearcher implements Searcher {
  readonly ranks = 'scorer';
  readonly maxQueries: number = Number.POSITIVE_INFINITY;
  readonly #scorer: ToolScorer;
  readonly #context: ScorerContext;
  readonly #base: Catalog | undefined;
  readonly #minScore: number;
  #kept = new Kept();
  #isPrepared = false;

  /** @param base - a permanent catalog: its index is kept outside the LRU cache. */
  constructor(scorer: ToolScorer, context: ScorerContext, base?: Catalog, minScore = 0) {
    this.#scorer = scorer;
    this.#context = context;
    this.#base = base;
    this.#minScore = minScore;
  }

  async search({ query, catalog, permissions, origin }: SearchCall): Promise<Searched> {
    const ofAll: IncrementalIndex = await this.ready(catalog, origin);
    let matchesOfAll: Iterable<ToolMatch> = [];
    const visible = await permissions.visible(catalog, async () => {
      if (!ofAll.draft) matchesOfAll = await matchesOf(ofAll, query);
      const draft = (await ofAll.draft?.(query)) ?? matchesOfAll;
      return firstOf(matchedEntries(draft, this.#minScore, catalog), ASKED_FIRST).map(({ name }) => name);
    });
    const index = await this.ready(visible.catalog, origin);
    const isReusable = index === ofAll && Array.isArray(matchesOfAll) && matchesOfAll.length > 0;
    const matches = isReusable ? matchesOfAll : await matchesOf(index, query);
    return { visible, index, matches, candidates: visible.catalog.size };
  }

  /** The index of a catalog. It is built at the first call, in slices, so that other requests are served meanwhile. */
  async ready(catalog: Catalog, origin?: EventOrigin): Promise<ToolIndex> {
    const { byCatalog } = this.#kept;
    const known = byCatalog.get(catalog);
    if (known?.waiting && !placeIn(known.waiting.origin)) known.waiting.origin = origin;
    if (known) return known.index;
    const waiting: Waiting = { origin };
    const index = catalog.whole ? this.#openPart(catalog, catalog.whole, origin) : this.#open(catalog, waiting);
    const opened = { index, waiting: catalog.whole ? undefined : waiting };
    byCatalog.set(catalog, opened);
    index
      .catch(() => byCatalog.delete(catalog))
      .finally(() => {
        opened.waiting = undefined;
      });
    return index;
  }

  prepare(origin?: EventOrigin): void {
    const base = this.#base;
    if (this.#isPrepared || base === undefined || base.size === 0) return;
    this.#isPrepared = true;
    // A failure is left to the first search to report.
    setImmediate(() => this.ready(base, origin).catch(() => {}));
  }

  clear(): void {
    this.#kept = new Kept();
    this.#isPrepared = false;
  }

  async #open(catalog: Catalog, waiting: Waiting): Promise<ToolIndex> {
    const kept = this.#kept;
    const begun = performance.now();
    const documents = await inSlices(documentsOf(catalog));
    const isBase = catalog === this.#base;
    const key = isBase ? '' : await inSlices(fingerprintOf(documents));
    const cached = isBase ? undefined : kept.byContent.get(key);
    if (cached) return cached.index;
    const build = async (): Promise<IncrementalIndex> => {
      const { index, how } = await this.#build(documents, kept);
      const ms = Math.round(performance.now() - begun);
      const shown = { type: 'index', scorer: this.#scorer.name, tools: documents.length, how, ms };
      if (how) placeIn(waiting.origin)?.show({ time: Date.now(), ...shown });
      return index;
    };
    // Without a scorer's key nothing is awaited here, so that concurrent requests share one build.
    const shared = SharedIndexes.of(this.#scorer);
    const indexed = shared ? await inSlices(shared.find(documents, build)) : { documents, index: build() };
    if (isBase) kept.ofBase = indexed;
    else kept.byContent.set(key, indexed);
    indexed.index.catch(() => {
      // A newer build may have replaced the failed one.
      if (kept.ofBase === indexed) kept.ofBase = undefined;
      kept.byContent.drop(key, indexed);
    });
    return indexed.index;
  }

  /** The index of a visible part; the whole catalog's index, where scores do not depend on other tools. */
  async #openPart(catalog: Catalog, whole: Catalog, origin?: EventOrigin): Promise<ToolIndex> {
    const ofWhole = await this.ready(whole, origin);
    if (!ofWhole.restrictedTo) return ofWhole;
    const parts = partsOf.get(ofWhole) ?? new Lru<VisiblePart>(MAX_PARTS, MAX_PART_DOCUMENTS, ({ size }) => size);
    partsOf.set(ofWhole, parts);
    const names = namesIn(catalog);
    const key = hash('sha256', JSON.stringify(names), 'base64');
    const cached = parts.get(key);
    if (cached) return cached.index;
    const index = (async () => ofWhole.restrictedTo?.(new Set(names)) ?? ofWhole)();
    const part: VisiblePart = { size: names.length, index };
    parts.set(key, part);
    index.catch(() => parts.drop(key, part));
    return index;
  }

  /** Builds or updates an index. Without `how`, it is the index that an equal set of documents has already. */
  async #build(
    documents: readonly ToolDocument[],
    { ofBase, byContent }: Kept,
  ): Promise<{ readonly index: IncrementalIndex; readonly how?: 'built' | 'updated' }> {
    const others = [...(ofBase ? [ofBase] : []), ...byContent.newest(MAX_COMPARED)];
    const changes = await inSlices(changesBetween(others, documents));
    if (changes) {
      try {
        const index = await changes.from.index;
        if (changes.added.length + changes.removed.length === 0) return { index };
        const updated = await index.update?.(changes.added, changes.removed);
        if (updated) return { index: updated, how: 'updated' };
      } catch (error) {
        this.#context.report({ scorer: this.#scorer.name, error });
      }
    }
    return { index: await this.#scorer.index(documents, this.#context), how: 'built' };
  }
}

async function matchesOf(index: IncrementalIndex, query: ToolQuery): Promise<Iterable<ToolMatch>> {
  const matches: unknown = await (index.ranked ? index.ranked(query) : index.search(query));
  // A text is iterable too, but no list of matches.
  if (typeof matches === 'object' && matches !== null && Symbol.iterator in matches)
    return matches as Iterable<ToolMatch>;
  throw new TypeError('search() of the index did not return an array of matches');
}

/** The index of a catalog's visible part, shared by requests that see the same tools. */
interface VisiblePart {
  readonly size: number;
  readonly index: Promise<ToolIndex>;
}

/** Indexes of visible parts, by the index of the whole catalog and the names. */
const partsOf = new WeakMap<ToolIndex, Lru<VisiblePart>>();

/** The shared indexes by the hash of the scorer's key, which may be long. A key is forgotten with its last index. */
const sharedBy = new Map<string, SharedIndexes>();
const goneIndexes = new FinalizationRegistry<{ readonly shared: SharedIndexes; readonly ref: WeakRef<Indexed> }>(
  ({ shared, ref }) => shared.forget(ref),
);

/**
 * The indexes of a process that scorers with one key have made. It keeps none of them alive: an index lives as long as
 * a processor holds it, or the tools that were indexed exist. Nothing of a request is in it.
 */
class SharedIndexes {
  readonly #all = new Set<WeakRef<Indexed>>();
  /** The indexes by the first document of each, which lives as long as its tool. */
  readonly #kept = new WeakMap<ToolDocument, Indexed>();

  readonly #key: string;

  private constructor(key: string) {
    this.#key = key;
  }

  /** The shared indexes of a scorer's key. They are kept only once there is an index. */
  static of({ key }: ToolScorer): SharedIndexes | undefined {
    if (key === undefined) return undefined;
    const hashed = hash('sha256', key, 'base64');
    return sharedBy.get(hashed) ?? new SharedIndexes(hashed);
  }

  /** Forgets an index that is gone, and the key with the last one. */
  forget(ref: WeakRef<Indexed>): void {
    this.#all.delete(ref);
    if (this.#all.size === 0 && sharedBy.get(this.#key) === this) sharedBy.delete(this.#key);
  }

  /** The index of these documents, or of equal ones in the same order; otherwise a new one. */
  *find(documents: readonly ToolDocument[], build: () => Promise<IncrementalIndex>): SlicedWork<Indexed> {
    // Iterating a Set also visits what another processor adds to it between two slices.
    for (const each of this.#all) {
      const known = each.deref();
      if (!known) this.forget(each);
      else if (yield* areEqual(known.documents, documents)) return known;
    }
    const indexed: Indexed = { documents, index: build() };
    const own = new WeakRef(indexed);
    const [first] = documents;
    this.#all.add(own);
    // Of two that were made at once for a new key, the first stays.
    if (!sharedBy.has(this.#key)) sharedBy.set(this.#key, this);
    goneIndexes.register(indexed, { shared: this, ref: own });
    if (first) this.#kept.set(first, indexed);
    indexed.index.catch(() => {
      this.forget(own);
      if (first && this.#kept.get(first) === indexed) this.#kept.delete(first);
    });
    return indexed;
  }
}

function* areEqual(some: readonly ToolDocument[], others: readonly ToolDocument[]): SlicedWork<boolean> {
  if (some.length !== others.length) return false;
  for (const [at, one] of some.entries()) {
    const other = others[at] as ToolDocument;
    if (one === other) continue;
    if (one.name !== other.name || fingerprint(one) !== fingerprint(other)) return false;
    yield;
  }
  return true;
}

/** A fingerprint of a list of documents; the order counts. */
function* fingerprintOf(documents: readonly ToolDocument[]): SlicedWork<string> {
  const fingerprints: string[] = [];
  for (const document of documents) {
    fingerprints.push(fingerprint(document));
    yield;
  }
  return hash('sha256', fingerprints.join(), 'base64');
}

/** The changes that make one set of documents another. */
export interface Changes<Set> {
  readonly from: Set;
  readonly added: readonly ToolDocument[];
  /** Names of removed documents, and of changed ones. */
  readonly removed: readonly string[];
}

/** The changes from the set that differs least; undefined where all differ much. */
export function* changesBetween<Set extends { readonly documents: readonly ToolDocument[] }>(
  sets: readonly Set[],
  documents: readonly ToolDocument[],
): SlicedWork<Changes<Set> | undefined> {
  let most = documents.length * MAX_CHANGED_SHARE;
  let least: Changes<Set> | undefined;
  for (const from of sets) {
    if (Math.abs(from.documents.length - documents.length) > most) continue;
    const left = new Map(from.documents.map((document) => [document.name, document]));
    const added = documents.filter((document) => {
      const old = left.get(document.name);
      const isSame = old && (old === document || fingerprint(old) === fingerprint(document));
      return !(isSame && left.delete(document.name));
    });
    if (added.length + left.size <= most) {
      most = added.length + left.size;
      least = { from, added, removed: [...left.keys()] };
    }
    yield;
  }
  return least;
}

const fingerprints = new WeakMap<ToolDocument, string>();

/** A cryptographic hash of a document, so that nobody can craft a tool that collides with another. */
export function fingerprint(document: ToolDocument): string {
  const cached = fingerprints.get(document);
  if (cached !== undefined) return cached;
  const made = hash('sha256', JSON.stringify(document), 'base64');
  fingerprints.set(document, made);
  return made;
}
