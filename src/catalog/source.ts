import { hash, randomUUID } from 'node:crypto';
import type { RequestContext } from '@mastra/core/request-context';
import type { Reporter } from '../events/reporter.ts';
import { LETTER_OR_DIGIT, parseQuery, type ToolQuery } from '../scorers/words/query.ts';
import { splitIdentifier } from '../scorers/words/words.ts';
import { Lru } from '../util/lru.ts';
import { upToLast } from '../util/text.ts';
import type { SlicedWork } from '../util/time-slices.ts';
import { type Catalog, type CatalogEntry, type SourceCall, ToolProblems } from './catalog.ts';
import type { ToolDocument } from './document.ts';
import { DocumentCache, type GroupOf } from './document-cache.ts';
import { isPattern, serverOf } from './groups.ts';
import { isLazyTool, proxyOfLazyTool, resolveLazyTool, type ToolStub } from './lazy-tools.ts';
import { MemoryCatalog } from './memory.ts';
import { isAcceptedName } from './names.ts';
import { type AnyTool, descriptionOf, isProviderTool, type MastraTool, toMastraTool } from './tool.ts';
import {
  type Candidates,
  type SourceCandidate,
  SourceClient,
  type SourceListing,
  type ToolSource,
} from './tool-source.ts';

/** A candidate of a source, with the entry of the catalog that it became. */
export interface CandidateEntry extends SourceCandidate {
  readonly entry: CatalogEntry;
}

/** What a source found. */
interface CandidateAnswer {
  /** Best first. */
  readonly found: readonly CandidateEntry[];
  /** Whether there are no more. */
  readonly isAll: boolean;
}

/**
 * The catalog of a run over a source: the tools that the source has named in this run. It grows, in all of its views at once.
 */
export class SourceCatalog implements Catalog {
  readonly #run: SourceRun;
  readonly #documents: DocumentCache;
  /** Names that the agent itself has. */
  readonly #without: ReadonlySet<string>;
  readonly isUnknown = false;
  readonly total = undefined;

  constructor(run: SourceRun, documentCache: DocumentCache, without: ReadonlySet<string> = new Set()) {
    this.#run = run;
    this.#documents = documentCache;
    this.#without = without;
  }

  get problems(): ToolProblems {
    return this.#documents.problems;
  }

  get size(): number {
    return [...this.entries].length;
  }

  get entries(): Iterable<CatalogEntry> {
    return [...this.#run.entries.values()].filter(({ name }) => !this.#without.has(name));
  }

  get names(): Iterable<string> {
    return [...this.entries].map(({ name }) => name);
  }

  spellings(): Iterable<string> {
    return this.names;
  }

  get spellingCount(): number {
    return this.size;
  }

  nameOf(spelling: string): string {
    return spelling;
  }

  spellingsOf(name: string): readonly string[] {
    return [name];
  }

  get(name: string): CatalogEntry | undefined {
    return this.#without.has(name) ? undefined : this.#run.entries.get(name);
  }

  without(names: readonly string[]): Catalog {
    return names.length === 0 ? this : new SourceCatalog(this.#run, this.#documents, new Set(names));
  }

  noteSentAnyway(): void {}

  /** The source ranks its own tools alone. */
  withSent(): Catalog {
    return this;
  }

  /** The options refuse `includeResolvedTools` over a source. */
  withResolved(): Catalog {
    return this;
  }

  readDocuments(): SlicedWork<readonly ToolDocument[]> {
    return this.restrictedTo(new Set(this.entries)).readDocuments();
  }

  readDocument(entry: CatalogEntry): ToolDocument {
    return this.#documents.read(entry);
  }

  /** A search knows them among the candidates of its source. */
  copiesOf(): readonly CatalogEntry[] {
    return [];
  }

  restrictedTo(visible: ReadonlySet<CatalogEntry>): MemoryCatalog {
    const entries = new Map([...visible].map((entry) => [entry.name, entry]));
    return new MemoryCatalog(entries, new Map(), this.#documents);
  }

  reach(names: Iterable<string>, call: SourceCall = {}): Promise<void> {
    return this.#run.reach(
      [...names].filter((name) => !this.#without.has(name)),
      call,
    );
  }

  isUnreachable(name: string): boolean {
    return this.#run.isUnreachable(name);
  }

  async near(name: string, call: SourceCall): Promise<Catalog> {
    const entries = await this.#run.near(name, call);
    return this.restrictedTo(new Set(entries.filter((entry) => !this.#without.has(entry.name))));
  }

  /**
   * What the source finds for a query, best first.
   *
   * @throws what the source throws, which is reported.
   */
  async candidates(query: ToolQuery, limit: number, call: SourceCall): Promise<CandidateAnswer> {
    const { found, isAll } = await this.#run.search(query, limit, call);
    return { found: found.filter(({ name }) => !this.#without.has(name)), isAll };
  }
}

/** Tools that are kept for the time when the source is down. */
const MAX_LAST_TOOLS = 1_000;

/** Settings that catalogs of runs share. */
interface SourceSettings {
  readonly reservedNames: readonly string[];
  readonly groupOf: GroupOf;
  /** Milliseconds that one call of the source may take. */
  readonly timeout: number;
}

/** Makes the catalog of each run over a source. */
export class SourceCatalogs {
  readonly #client: SourceClient;
  readonly #settings: SourceSettings;
  readonly #documentCache: DocumentCache;
  readonly #lastTools: LastTools = new Lru(MAX_LAST_TOOLS);

  constructor(source: ToolSource, settings: SourceSettings, reporter: Reporter) {
    this.#client = new SourceClient(source, settings.timeout, reporter);
    this.#settings = settings;
    this.#documentCache = new DocumentCache(new ToolProblems(reporter), new Map(), settings.groupOf);
  }

  /** The catalog of a run, which knows no tool yet. */
  catalog(requestContext: RequestContext | undefined): Catalog {
    const run = new SourceRun(requestContext, this.#client, this.#settings, this.#documentCache, this.#lastTools);
    return new SourceCatalog(run, this.#documentCache);
  }
}

/** Names that are fetched at once. */
const MAX_NAMES = 1_000;
/** Tools that a pattern, or a group, brings. */
const MAX_LISTED = 200;
/** Tools that an unknown name is compared with. */
const MAX_NEAR = 48;
/** Milliseconds after which a source is asked again for a name that it could not bring. */
const RETRY = 10_000;

/** Characters of a name that are searched for. */
const MAX_TEXT = 200;

/** The tools that a source brought last, by scope, request and name: for the time when it is down. */
type LastTools = Lru<AnyTool | ToolStub>;

/** Tools by name. */
interface Brought {
  readonly tools: ReadonlyMap<string, AnyTool | ToolStub>;
  /** Whether the source brought them: then it has no others of these names. */
  readonly isWhole: boolean;
}

const NOTHING: Brought = { tools: new Map(), isWhole: false };

/** What one run knows of a source. */
class SourceRun {
  readonly entries: Map<string, CatalogEntry> = new Map();
  readonly #requestContext: RequestContext | undefined;
  readonly #client: SourceClient;
  readonly #settings: SourceSettings;
  readonly #documentCache: DocumentCache;
  readonly #lastTools: LastTools;
  /** Names and patterns that there is no tool of, with the time until which that is believed. */
  readonly #missing = new Map<string, number>();
  /** Definitions that were brought: each comes once in a run. */
  readonly #definitions = new Map<string, AnyTool | ToolStub>();
  /** The scope of the step that read these tools last. */
  #scope: string | undefined;
  /** What distinguishes the request from others of its thread. */
  readonly #contextOf: string;

  constructor(
    requestContext: RequestContext | undefined,
    client: SourceClient,
    settings: SourceSettings,
    documentCache: DocumentCache,
    lastTools: LastTools,
  ) {
    this.#requestContext = requestContext;
    this.#client = client;
    this.#settings = settings;
    this.#documentCache = documentCache;
    this.#lastTools = lastTools;
    this.#contextOf = contextHash(requestContext);
  }

  async search(query: ToolQuery, limit: number, call: SourceCall): Promise<CandidateAnswer> {
    return this.#answer(await this.#client.search(query, limit, this.#with(call)));
  }

  /** What it finds for the words of a name. Never rejects: what fails is reported. */
  async near(name: string, call: SourceCall): Promise<readonly CatalogEntry[]> {
    const found = await this.#searchWords(name, MAX_NEAR, call).catch(() => undefined);
    return found?.found.map(({ entry }) => entry) ?? [];
  }

  /** Fetches the tools of names and patterns that are not known yet. Never rejects: what fails is reported. */
  async reach(written: Iterable<string>, call: SourceCall): Promise<void> {
    this.#scope ??= call.scope;
    const now = Date.now();
    // A candidate is asked for as well: a forbidden one must look like a name that no tool has.
    const isUnknown = (name: string): boolean => !this.#definitions.has(name) && !this.#isMissing(name, now);
    const unknown = [...new Set(written)].filter(isUnknown).slice(0, MAX_NAMES);
    const names = unknown.filter((name) => isAcceptedName(name));
    const patterns = unknown.filter((name) => isPattern(name));
    await Promise.all([
      names.length > 0 ? this.#fetch(names, now, call) : undefined,
      ...patterns.map((pattern) => this.#list(pattern, now, call)),
    ]);
  }

  #isMissing(name: string, now: number): boolean {
    return (this.#missing.get(name) ?? 0) > now;
  }

  /** Whether the source failed when it was asked for a name, or a pattern. */
  isUnreachable(name: string): boolean {
    return Number.isFinite(this.#missing.get(name));
  }

  async #fetch(names: readonly string[], now: number, call: SourceCall): Promise<void> {
    const { tools, isWhole } = await this.#get(names, call).catch(() => NOTHING);
    for (const name of names) {
      const tool = tools.get(name);
      if (tool) this.#take(name, tool);
      else this.#missing.set(name, isWhole ? Number.POSITIVE_INFINITY : now + RETRY);
    }
  }

  #take(name: string, tool: AnyTool | ToolStub): void {
    this.#definitions.set(name, tool);
    this.#missing.delete(name);
    try {
      this.#entryOf({ name, description: descriptionOf(tool), ...describedBy(tool) }, toolOf(name, tool));
    } catch {
      // What cannot be read is none.
      this.#missing.set(name, Number.POSITIVE_INFINITY);
    }
  }

  /** Lists what a pattern means: tools whose names begin so, and those of the group of that name. */
  async #list(pattern: string, now: number, call: SourceCall): Promise<void> {
    const prefix = pattern.slice(0, -1);
    const group = upToLast(prefix, LETTER_OR_DIGIT(prefix));
    const list = async (of: SourceListing): Promise<unknown> =>
      this.#answer(await this.#client.list(of, MAX_LISTED, this.#with(call)));
    this.#missing.set(pattern, Number.POSITIVE_INFINITY);
    try {
      if (!this.#client.lists) await this.#searchWords(prefix, MAX_LISTED, call);
      else await Promise.all([list({ prefix }), ...(group === '' ? [] : [list({ group })])]);
    } catch {
      this.#missing.set(pattern, now + RETRY);
    }
  }

  async #searchWords(text: string, limit: number, call: SourceCall): Promise<CandidateAnswer> {
    const query = parseQuery(splitIdentifier(text.slice(0, MAX_TEXT)).join(' '));
    return query.keywords.length > 0 ? this.search(query, limit, call) : { found: [], isAll: true };
  }

  /** The tools of names; while the source is down, those that were brought last for the same thread. */
  async #get(names: readonly string[], call: SourceCall): Promise<Brought> {
    try {
      const tools = await this.#client.get(names, this.#with(call));
      this.#remember(names, tools);
      return { tools, isWhole: true };
    } catch (error) {
      const kept = names.flatMap((name) => {
        const tool = this.#scope === undefined ? undefined : this.#lastTools.get(this.#keyOf(name));
        return tool ? [[name, tool] as const] : [];
      });
      if (kept.length === 0 || call.abortSignal?.aborted) throw error;
      return { tools: new Map(kept), isWhole: false };
    }
  }

  /** Keeps what was brought, and forgets what the source has no more. */
  #remember(names: readonly string[], tools: Brought['tools']): void {
    if (this.#scope === undefined) return;
    for (const name of names) {
      const [key, tool] = [this.#keyOf(name), tools.get(name)];
      const last = this.#lastTools.get(key);
      if (tool) this.#lastTools.set(key, tool);
      else if (last) this.#lastTools.drop(key, last);
    }
  }

  #keyOf(name: string): string {
    return JSON.stringify([this.#scope, this.#contextOf, name]);
  }

  #with(call: SourceCall): SourceCall {
    return { ...call, requestContext: this.#requestContext };
  }

  #answer({ candidates, isAll }: Candidates): CandidateAnswer {
    const found = candidates.flatMap((candidate) => {
      const entry = this.#entryOf(candidate);
      return entry ? [{ ...candidate, entry }] : [];
    });
    return { found, isAll };
  }

  /**
   * The entry of a candidate, which is made once in a run; undefined for a name that the model cannot call.
   *
   * @param whole - the tool, where it was fetched.
   */
  #entryOf(candidate: Omit<SourceCandidate, 'score'>, whole?: MastraTool): CatalogEntry | undefined {
    const { name, description, group, parameters } = candidate;
    const known = this.entries.get(name);
    if (known) return known;
    const { problems } = this.#documentCache;
    if (!isAcceptedName(name)) {
      problems.refused(name, 'a tool of a source is called by 1 to 64 letters, digits, "_" and "-".');
      return undefined;
    }
    if (this.#settings.reservedNames.includes(name)) {
      problems.refused(name, 'a meta-tool has that name. Rename the tool, or the meta-tool in metaTools.');
      return undefined;
    }
    const tool = whole ?? this.#proxyOf(name, description, group, parameters);
    const entry: CatalogEntry = { name, key: name, tool, description: description.trim(), isResolved: false };
    this.entries.set(name, entry);
    return entry;
  }

  #proxyOf(name: string, description: string, group?: string, parameters?: readonly string[]): MastraTool {
    const stub: ToolStub = {
      ...{ id: name, description },
      ...(parameters ? { parameters } : {}),
      resolve: () => this.#definition(name),
    };
    const tool = proxyOfLazyTool(name, stub);
    return group ? Object.assign(tool, { mcpMetadata: { serverName: group } }) : tool;
  }

  async #definition(name: string): Promise<AnyTool> {
    const isAsked = this.#isMissing(name, Date.now());
    const tool = this.#definitions.get(name) ?? (isAsked ? undefined : (await this.#get([name], {})).tools.get(name));
    if (!tool && this.isUnreachable(name)) throw new Error(`the source could not be asked for "${name}"`);
    if (!tool) throw new Error(`the source has no tool "${name}" for this request`);
    this.#definitions.set(name, tool);
    return isLazyTool(tool) ? resolveLazyTool(tool, this.#requestContext, this.#settings.timeout) : (tool as AnyTool);
  }
}

/**
 * What the user's request context says, in short: a source brings each request its own tools, those of its tenant, with its
 * rights and keys. A context that cannot be read is like no other.
 */
function contextHash(requestContext: RequestContext | undefined): string {
  try {
    const provided = Object.entries(requestContext?.toJSON() ?? {}).filter(([key]) => !isMastras(key));
    return hash('sha256', JSON.stringify(provided.sort(([one], [other]) => (one < other ? -1 : 1))), 'base64');
  } catch {
    return randomUUID();
  }
}

/** Keys of Mastra's that identify the user. */
const IDENTIFYING: ReadonlySet<string> = new Set(['mastra__authToken', 'mastra__messageAuthor']);

/** Whether a key of a request context is Mastra's own, and says nothing of the user. */
function isMastras(key: string): boolean {
  return key.replaceAll('_', '').toLowerCase().startsWith('mastra') && !IDENTIFYING.has(key);
}

/** A tool in the form of a catalog; undefined for a lazy tool, and for what is refused when it is loaded. */
function toolOf(name: string, tool: AnyTool | ToolStub): MastraTool | undefined {
  try {
    return isLazyTool(tool) || isProviderTool(tool) ? undefined : toMastraTool(name, tool);
  } catch {
    return undefined;
  }
}

/** What is known of a tool before it is loaded. */
function describedBy(tool: AnyTool | ToolStub): Pick<SourceCandidate, 'group' | 'parameters'> {
  const group = serverOf(tool as MastraTool);
  const parameters = isLazyTool(tool) ? tool.parameters : undefined;
  return { ...(group ? { group } : {}), ...(parameters ? { parameters } : {}) };
}
