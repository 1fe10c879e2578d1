import { hash } from 'node:crypto';
import type { ToolDocument } from '../catalog/document.ts';
import type { MemoryCatalog } from '../catalog/memory.ts';
import type { EventOrigin } from '../events/origin.ts';
import { placeIn } from '../events/reporter.ts';
import { firstOf } from '../filter/permissions.ts';
import type { IncrementalIndex, ScorerContext, ToolIndex, ToolMatch, ToolScorer } from '../scorers/scorer.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import { Lru } from '../util/lru.ts';
import { CHUNK, inSlices, type SlicedWork } from '../util/time-slices.ts';
import { isIterable, matchedEntries } from './find.ts';
import type { SearchCall, Searched, Searcher } from './searcher.ts';

/** The best matches that the filter is asked about first: there may not be time for all tools. */
const ASKED_FIRST = 1_000;

/** Ranks the catalog to know which tools to ask the filter about first, then what the filter permits alone. */
export class IndexSearcher implements Searcher {
  readonly ranks = 'scorer';
  readonly maxQueries: number = Number.POSITIVE_INFINITY;
  readonly #indexes: Indexes;
  readonly #minScore: number;

  /** @param base - a catalog that stays, whose index is kept beside the others. */
  constructor(scorer: ToolScorer, context: ScorerContext, base: MemoryCatalog, minScore = 0) {
    this.#indexes = new Indexes(scorer, context, base);
    this.#minScore = minScore;
  }

  async search({ query, catalog, permissions, origin }: SearchCall<MemoryCatalog>): Promise<Searched> {
    const ofAll: IncrementalIndex = await this.#indexes.get(catalog, origin);
    let matchesOfAll: Iterable<ToolMatch> = [];
    const visible = await permissions.visible(catalog, async () => {
      if (!ofAll.draft) matchesOfAll = await matchesOf(ofAll, query);
      const draft = (await ofAll.draft?.(query)) ?? matchesOfAll;
      return firstOf(matchedEntries(draft, this.#minScore, catalog), ASKED_FIRST).map(({ name }) => name);
    });
    const index = await this.#indexes.get(visible.catalog as MemoryCatalog, origin);
    const isReusable = index === ofAll && Array.isArray(matchesOfAll) && matchesOfAll.length > 0;
    const matches = isReusable ? matchesOfAll : await matchesOf(index, query);
    return { visible, index, matches, candidates: visible.catalog.size };
  }

  ready(catalog: MemoryCatalog, origin?: EventOrigin): Promise<unknown> {
    return this.#indexes.get(catalog, origin);
  }

  prepare(origin?: EventOrigin): void {
    this.#indexes.prepare(origin);
  }

  clear(): void {
    this.#indexes.clear();
  }
}

async function matchesOf(index: IncrementalIndex, query: ToolQuery): Promise<Iterable<ToolMatch>> {
  const matches = await (index.ranked ? index.ranked(query) : index.search(query));
  if (!isIterable(matches)) throw new TypeError('search() of the index did not return an array of matches');
  return matches;
}

/** The indexes of a processor. */
export class Indexes {
  readonly #parts: ConstructorParameters<typeof IndexCache>;
  readonly #base: MemoryCatalog | undefined;
  #cache: IndexCache | undefined;
  #isPrepared = false;

  /** @param base - a catalog that stays, whose index is kept beside the others. */
  constructor(scorer: ToolScorer, context: ScorerContext, base?: MemoryCatalog) {
    this.#parts = [scorer, context, base];
    this.#base = base;
  }

  /**
   * The index of a catalog. It is built at the first call, in slices, so that other requests are served meanwhile. After
   * a failure the next search builds it again.
   *
   * @param origin - where the search comes from.
   */
  async get(catalog: MemoryCatalog, origin?: EventOrigin): Promise<ToolIndex> {
    this.#cache ??= new IndexCache(...this.#parts);
    return this.#cache.get(catalog, origin);
  }

  /**
   * Builds the index of the base as soon as the process has time, so that the first search need not wait for it. A
   * failure is left to the first search to report.
   *
   * @param origin - where the step comes from that is likely to be followed by a search.
   */
  prepare(origin?: EventOrigin): void {
    const base = this.#base;
    if (this.#isPrepared || base === undefined || base.size === 0) return;
    this.#isPrepared = true;
    setImmediate(() => this.get(base, origin).catch(() => {}));
  }

  /** Lets go of all indexes; they are built again when they are needed. */
  clear(): void {
    this.#cache = undefined;
    this.#isPrepared = false;
  }
}

/** Sets of documents that keep their index, and the documents that these may have together. */
const MAX_INDEXES = 64;
const MAX_DOCUMENTS = 250_000;
/** The last sets that a new set of documents is compared with, to find one that differs little. */
const MAX_COMPARED = 4;

/** Parts of one set of documents that keep their index, and the documents that these may have together. */
const MAX_PARTS = 64;
const MAX_PART_DOCUMENTS = 100_000;

/** A set of documents with its index. */
interface Indexed {
  readonly documents: readonly ToolDocument[];
  readonly index: Promise<IncrementalIndex>;
}

/** How an index came to be: of all tools, or of the index of nearly the same tools. */
type Making = 'built' | 'updated';

/** The index of the part of a catalog that some requests may see. */
interface VisiblePart {
  /** Documents in it. */
  readonly size: number;
  readonly index: Promise<ToolIndex>;
}

/** Indexes of visible parts, by the index of the whole catalog and the names. */
const partsOf = new WeakMap<ToolIndex, Lru<VisiblePart>>();

/**
 * The indexes of a process that scorers with one key have made. It keeps none of them: an index lives as long as a
 * processor holds it, or the tools that were indexed are there. Nothing of a request is in it.
 */
class SharedIndexes {
  readonly #bySize = new Map<number, WeakRef<Indexed>[]>();
  /** By the first document of each, which lives as long as its tool. */
  readonly #kept = new WeakMap<ToolDocument, Indexed>();

  #version = 0;

  /** Those of a scorer; undefined for one without a key. */
  static of({ key }: ToolScorer): SharedIndexes | undefined {
    if (key === undefined) return undefined;
    const known = sharedBy.get(key) ?? new SharedIndexes();
    sharedBy.set(key, known);
    return known;
  }

  /** The index of these documents, or of equal ones in their order; else the one that is built now. */
  async get(documents: readonly ToolDocument[], build: () => Promise<IncrementalIndex>): Promise<Indexed> {
    let known: Indexed | undefined;
    let version: number;
    do {
      version = this.#version;
      known = await inSlices(this.#find(documents));
      // Another processor may have begun the same build meanwhile.
    } while (!known && version !== this.#version);
    if (known) return known;
    const indexed = { documents, index: build() };
    this.#add(indexed);
    return indexed;
  }

  *#find(documents: readonly ToolDocument[]): SlicedWork<Indexed | undefined> {
    for (const each of this.#bySize.get(documents.length) ?? []) {
      const indexed = each.deref();
      if (indexed && (yield* areEqual(indexed.documents, documents))) return indexed;
    }
    return undefined;
  }

  #add(indexed: Indexed): void {
    const { documents, index } = indexed;
    const [first] = documents;
    if (first) this.#kept.set(first, indexed);
    const own = new WeakRef(indexed);
    const others = (without?: WeakRef<Indexed>) =>
      (this.#bySize.get(documents.length) ?? []).filter((each) => each !== without && each.deref());
    this.#bySize.set(documents.length, [...others(), own]);
    this.#version++;
    index.catch(() => {
      this.#bySize.set(documents.length, others(own));
      if (first && this.#kept.get(first) === indexed) this.#kept.delete(first);
    });
  }
}

/** Shared indexes by the key of the scorer. */
const sharedBy = new Map<string, SharedIndexes>();

function* areEqual(some: readonly ToolDocument[], others: readonly ToolDocument[]): SlicedWork<boolean> {
  for (let at = 0; at < some.length; at++) {
    const [one, other] = [some[at] as ToolDocument, others[at] as ToolDocument];
    if (one === other) continue;
    if (one.name !== other.name || fingerprint(one) !== fingerprint(other)) return false;
    if (at % CHUNK === 0) yield;
  }
  return true;
}

/**
 * The indexes of a processor: one for each distinct set of documents, shared by all requests that have this set. They
 * hold documents and never a tool, so that no request can meet a tool of another one here.
 *
 * A set that differs little from an indexed one gets an update of that index, where the scorer can make one.
 */
export class IndexCache {
  readonly #scorer: ToolScorer;
  readonly #context: ScorerContext;
  readonly #base: MemoryCatalog | undefined;
  readonly #byCatalog = new WeakMap<MemoryCatalog, Promise<ToolIndex>>();
  #ofBase: Indexed | undefined;
  readonly #byContent = emptyCache();
  readonly #shared: SharedIndexes | undefined;
  /** Who first waits for an index that is being built: it is shown there, and may have been begun for nobody. */
  readonly #waiting = new WeakMap<MemoryCatalog, { origin: EventOrigin | undefined }>();

  /** @param base - a catalog that stays, whose index is kept beside the others. */
  constructor(scorer: ToolScorer, context: ScorerContext, base?: MemoryCatalog) {
    this.#scorer = scorer;
    this.#context = context;
    this.#base = base;
    this.#shared = SharedIndexes.of(scorer);
  }

  /**
   * The index of a catalog. It is built at the first call, in slices, so that other requests are served meanwhile. After
   * a failure the next search builds it again.
   *
   * @param origin - where the search comes from.
   */
  get(catalog: MemoryCatalog, origin?: EventOrigin): Promise<ToolIndex> {
    const byCatalog = this.#byCatalog;
    const cached = byCatalog.get(catalog);
    const waiting = this.#waiting.get(catalog);
    if (waiting && !placeIn(waiting.origin)) waiting.origin = origin;
    if (cached !== undefined) return cached;
    const index = catalog.whole ? this.#openPart(catalog, catalog.whole, origin) : this.#open(catalog, origin);
    byCatalog.set(catalog, index);
    index.catch(() => byCatalog.delete(catalog)).finally(() => this.#waiting.delete(catalog));
    return index;
  }

  async #open(catalog: MemoryCatalog, origin?: EventOrigin): Promise<ToolIndex> {
    const begun = performance.now();
    const byContent = this.#byContent;
    const waiting = { origin };
    this.#waiting.set(catalog, waiting);
    const made = (how: Making): void => {
      const ms = Math.round(performance.now() - begun);
      const index = { type: 'index', scorer: this.#scorer.name, tools: documents.length, how, ms };
      placeIn(waiting.origin)?.show({ time: Date.now(), ...index });
    };
    const documents = await inSlices(catalog.readDocuments());
    if (catalog === this.#base) {
      const shared = this.#shared && (await this.#shared.get(documents, () => this.#build(documents, made)));
      const indexed: Indexed = shared ?? { documents, index: this.#build(documents, made) };
      this.#ofBase = indexed;
      indexed.index.catch(() => {
        if (this.#ofBase === indexed) this.#ofBase = undefined;
      });
      return indexed.index;
    }
    const key = await inSlices(fingerprintOf(documents));
    const cached = byContent.get(key);
    if (cached) return cached.index;
    // Without a scorer's key there is no wait here, so that requests at once share one build.
    const shared = this.#shared && (await this.#shared.get(documents, () => this.#build(documents, made)));
    const indexed: Indexed = shared ?? { documents, index: this.#build(documents, made) };
    byContent.set(key, indexed);
    // Another build may stand under the key by now.
    indexed.index.catch(() => byContent.drop(key, indexed));
    return indexed.index;
  }

  /** The index of a part; that of the whole catalog, where no tool's score depends on the others. */
  async #openPart(catalog: MemoryCatalog, whole: MemoryCatalog, origin?: EventOrigin): Promise<ToolIndex> {
    const ofWhole = await this.get(whole, origin);
    if (!ofWhole.restrictedTo) return ofWhole;
    const parts = partsOf.get(ofWhole) ?? new Lru<VisiblePart>(MAX_PARTS, MAX_PART_DOCUMENTS, ({ size }) => size);
    partsOf.set(ofWhole, parts);
    const names = [...catalog.names];
    const key = hash('sha256', JSON.stringify(names), 'base64');
    const cached = parts.get(key);
    if (cached) return cached.index;
    const part: VisiblePart = {
      size: names.length,
      index: (async () => ofWhole.restrictedTo?.(new Set(names)) ?? ofWhole)(),
    };
    parts.set(key, part);
    part.index.catch(() => parts.drop(key, part));
    return part.index;
  }

  async #build(documents: readonly ToolDocument[], made: (how: Making) => void): Promise<IncrementalIndex> {
    const others = [...(this.#ofBase ? [this.#ofBase] : []), ...this.#byContent.newest(MAX_COMPARED)];
    const changes = await inSlices(changesBetween(others, documents));
    if (changes) {
      try {
        const { index } = changes.from;
        if (changes.added.length + changes.removed.length === 0) return await index;
        const updated = await (await index).update?.(changes.added, changes.removed);
        if (updated) {
          made('updated');
          return updated;
        }
      } catch (error) {
        this.#context.report({ scorer: this.#scorer.name, error });
      }
    }
    const index = await this.#scorer.index(documents, this.#context);
    made('built');
    return index;
  }
}

function emptyCache(): Lru<Indexed> {
  return new Lru(MAX_INDEXES, MAX_DOCUMENTS, ({ documents }) => documents.length);
}

/** One fingerprint for the same documents in the same order. */
function* fingerprintOf(documents: readonly ToolDocument[]): SlicedWork<string> {
  const fingerprints: string[] = [];
  for (const document of documents) {
    if (fingerprints.push(fingerprint(document)) % CHUNK === 0) yield;
  }
  return hash('sha256', fingerprints.join(), 'base64');
}

/** The share of new and gone documents above which an update gains nothing. */
const MAX_CHANGED_SHARE = 0.25;

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
  const most = documents.length * MAX_CHANGED_SHARE;
  let least: Changes<Set> | undefined;
  for (const from of sets) {
    if (Math.abs(from.documents.length - documents.length) > most) continue;
    const changes = changesFrom(from, documents);
    if (sizeOf(changes) <= (least ? sizeOf(least) : most)) least = changes;
    yield;
  }
  return least;
}

function changesFrom<Set extends { readonly documents: readonly ToolDocument[] }>(
  from: Set,
  documents: readonly ToolDocument[],
): Changes<Set> {
  const before = new Map(from.documents.map((document) => [document.name, document]));
  const added: ToolDocument[] = [];
  for (const document of documents) {
    const old = before.get(document.name);
    if (old && (old === document || fingerprint(old) === fingerprint(document))) before.delete(document.name);
    else added.push(document);
  }
  return { from, added, removed: [...before.keys()] };
}

function sizeOf({ added, removed }: Changes<unknown>): number {
  return added.length + removed.length;
}

const fingerprints = new WeakMap<ToolDocument, string>();

/** A fingerprint of a document. It is cryptographic, so that nobody can write a tool that passes for another. */
export function fingerprint(document: ToolDocument): string {
  const cached = fingerprints.get(document);
  if (cached !== undefined) return cached;
  const made = hash('sha256', JSON.stringify(document), 'base64');
  fingerprints.set(document, made);
  return made;
}
