import { hash, randomUUID } from 'node:crypto';
import type { RequestContext } from '@mastra/core/request-context';
import type { SourceOperation } from '../events/reasons.ts';
import type { Reporter } from '../events/reporter.ts';
import { parseQuery, type ToolQuery } from '../scorers/words/query.ts';
import { Lru } from '../util/lru.ts';
import { LETTER_OR_DIGIT, upToLast } from '../util/text.ts';
import { inTime, unlessAborted } from '../util/timeout.ts';
import { splitIdentifier } from '../util/words.ts';
import { Catalog, type CatalogEntry, type SourceCall } from './catalog.ts';
import { DocumentCache, type GroupOf } from './document-cache.ts';
import { ToolProblems } from './entry.ts';
import { isPattern, serverOf } from './groups.ts';
import { isLazyTool, proxyOfLazyTool, resolveLazyTool, type ToolStub } from './lazy-tools.ts';
import { isAcceptedName } from './names.ts';
import { type AnyTool, descriptionOf, isProviderTool, type MastraTool, toMastraTool } from './tool.ts';
import {
  checkedTools,
  readCandidates,
  type SourceAnswer,
  type SourceCandidate,
  type SourceListing,
  type SourceRequest,
  type SourceSearchRequest,
  type ToolSource,
} from './tool-source.ts';

/**
 * The catalog of a run over a source: the tools that the source has named in this run. It grows, in all of its views at once.
 */
export class SourceCatalog extends Catalog {
  readonly #run: SourceRun;
  /** Names that the agent itself has. */
  readonly #without: ReadonlySet<string>;

  constructor(run: SourceRun, without: ReadonlySet<string> = new Set()) {
    super(new Map(), new Map(), run.shared.documentCache);
    this.#run = run;
    this.#without = without;
  }

  override get total(): undefined {
    return undefined;
  }

  override get size(): number {
    return this.entries.length;
  }

  override get entries(): readonly CatalogEntry[] {
    return [...this.#run.entries.values()].filter(({ name }) => !this.#without.has(name));
  }

  override get(name: string): CatalogEntry | undefined {
    return this.#without.has(name) ? undefined : this.#run.entries.get(name);
  }

  override without(names: readonly string[]): Catalog {
    return names.length === 0 ? this : new SourceCatalog(this.#run, new Set(names));
  }

  /** The source ranks its own tools alone. */
  override withSent(): Catalog {
    return this;
  }

  /** In the order of what is visible, and without the others: a search knows copies among its candidates alone. */
  override restrictedTo(visible: Iterable<CatalogEntry>): Catalog {
    const entries = new Map([...visible].map((entry) => [entry.name, entry]));
    return new Catalog(entries, new Map(), this.#run.shared.documentCache);
  }

  override reach(names: Iterable<string>, call: SourceCall = {}): Promise<void> {
    return this.#run.reach(
      [...names].filter((name) => !this.#without.has(name)),
      call,
    );
  }

  override isUnreachable(name: string): boolean {
    return this.#run.isUnreachable(name);
  }

  override async near(name: string, call: SourceCall): Promise<Catalog> {
    const answer = await this.#run.searchWords(name, MAX_NEAR, call).catch(() => undefined);
    return this.restrictedTo(answer?.found.flatMap((candidate) => this.get(candidate.name) ?? []) ?? []);
  }

  /**
   * What the source finds for a query, best first. Each is an entry of this catalog.
   *
   * @throws what the source throws, which is reported.
   */
  async candidates(query: ToolQuery, limit: number, call: SourceCall): Promise<SourceAnswer> {
    const { found, isAll } = await this.#run.search(query, limit, call);
    return { found: found.filter(({ name }) => this.get(name)), isAll };
  }
}

interface SourceSettings {
  readonly reservedNames: readonly string[];
  readonly groupOf: GroupOf;
  /** Milliseconds that one call of the source may take. */
  readonly timeout: number;
}

/** Tools that are kept for the time when the source is down. */
const MAX_LAST_TOOLS = 1_000;

/** Makes the catalog of each run over a source, and holds what the runs share. */
export class SourceCatalogs {
  readonly source: ToolSource;
  readonly settings: SourceSettings;
  readonly reporter: Reporter;
  readonly documentCache: DocumentCache;
  /** The tools that the source brought last, by scope, request and name: for the time when it is down. */
  readonly lastTools: Lru<AnyTool | ToolStub> = new Lru(MAX_LAST_TOOLS);

  constructor(source: ToolSource, settings: SourceSettings, reporter: Reporter) {
    this.source = source;
    this.settings = settings;
    this.reporter = reporter;
    this.documentCache = new DocumentCache(new ToolProblems(reporter), new Map(), settings.groupOf);
  }

  catalog(requestContext: RequestContext | undefined): Catalog {
    return new SourceCatalog(new SourceRun(this, requestContext));
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

/** What one run knows of a source. */
class SourceRun {
  readonly shared: SourceCatalogs;
  readonly entries: Map<string, CatalogEntry> = new Map();
  readonly #requestContext: RequestContext | undefined;
  /** Names and patterns that there is no tool of, with the time until which that is believed. */
  readonly #missing = new Map<string, number>();
  /** Definitions that were brought: each comes once in a run. */
  readonly #definitions = new Map<string, AnyTool | ToolStub>();
  /** The scope of the step that read these tools last. */
  #scope: string | undefined;
  /** What distinguishes the request from others of its thread. */
  readonly #contextOf: string;

  constructor(shared: SourceCatalogs, requestContext: RequestContext | undefined) {
    this.shared = shared;
    this.#requestContext = requestContext;
    this.#contextOf = contextHash(requestContext);
  }

  search(query: ToolQuery, limit: number, call: SourceCall): Promise<SourceAnswer> {
    const explain = call.explain ? { explain: true } : {};
    return this.#candidates('search', limit, call, (request) =>
      this.shared.source.search(query, { ...request, ...explain }),
    );
  }

  async searchWords(text: string, limit: number, call: SourceCall): Promise<SourceAnswer> {
    const query = parseQuery(splitIdentifier(text.slice(0, MAX_TEXT)).join(' '));
    return query.keywords.length > 0 ? this.search(query, limit, call) : { found: [], isAll: true };
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
    const brought = await this.#get(names, call).catch(() => undefined);
    for (const name of names) {
      const tool = brought?.tools.get(name);
      if (tool) this.#take(name, tool);
      else this.#missing.set(name, brought?.isWhole ? Number.POSITIVE_INFINITY : now + RETRY);
    }
  }

  #take(name: string, tool: AnyTool | ToolStub): void {
    this.#definitions.set(name, tool);
    this.#missing.delete(name);
    try {
      const group = serverOf(tool as MastraTool);
      const parameters = isLazyTool(tool) ? tool.parameters : undefined;
      this.#entryOf({ name, description: descriptionOf(tool), group, parameters }, toolOf(name, tool));
    } catch {
      // What cannot be read is none.
      this.#missing.set(name, Number.POSITIVE_INFINITY);
    }
  }

  /** Lists what a pattern means: tools whose names begin so, and those of the group of that name. */
  async #list(pattern: string, now: number, call: SourceCall): Promise<void> {
    const { source } = this.shared;
    const prefix = pattern.slice(0, -1);
    const group = upToLast(prefix, LETTER_OR_DIGIT(prefix));
    const list = (of: SourceListing): Promise<unknown> =>
      this.#candidates('list', MAX_LISTED, call, async (request) => (await source.list?.(of, request)) ?? []);
    this.#missing.set(pattern, Number.POSITIVE_INFINITY);
    try {
      if (typeof source.list !== 'function') await this.searchWords(prefix, MAX_LISTED, call);
      else await Promise.all([list({ prefix }), ...(group === '' ? [] : [list({ group })])]);
    } catch {
      this.#missing.set(pattern, now + RETRY);
    }
  }

  /** The tools of names: all that there are, or while the source is down, those that were brought last for the same thread. */
  async #get(
    names: readonly string[],
    call: SourceCall,
  ): Promise<{ readonly tools: ReadonlyMap<string, AnyTool | ToolStub>; readonly isWhole: boolean }> {
    const { source, reporter, lastTools } = this.shared;
    const keyOf = (name: string): string => JSON.stringify([this.#scope, this.#contextOf, name]);
    const remembered = this.#scope === undefined ? [] : names;
    try {
      const tools = await this.#ask('get', call, async (request) =>
        checkedTools(await source.get([...names], request), names, (toolName, error) =>
          reporter.report({ type: 'stub-failed', toolName, error }, call.origin),
        ),
      );
      for (const name of remembered) {
        const [key, tool] = [keyOf(name), tools.get(name)];
        if (tool) lastTools.set(key, tool);
        else lastTools.drop(key, lastTools.get(key));
      }
      return { tools, isWhole: true };
    } catch (error) {
      const kept = remembered.flatMap((name) => {
        const tool = lastTools.get(keyOf(name));
        return tool ? [[name, tool] as const] : [];
      });
      if (kept.length === 0 || call.abortSignal?.aborted) throw error;
      return { tools: new Map(kept), isWhole: false };
    }
  }

  /** Asks for candidates, which become entries of the catalog. */
  async #candidates(
    operation: SourceOperation,
    limit: number,
    call: SourceCall,
    ask: (request: SourceSearchRequest) => unknown,
  ): Promise<SourceAnswer> {
    const answer = await this.#ask(operation, call, async (request) =>
      readCandidates(await ask({ ...request, limit }), limit),
    );
    for (const candidate of answer.found) this.#entryOf(candidate);
    return answer;
  }

  /** Asks the source, in time. What fails is reported, unless the run has ended, and thrown. */
  async #ask<Answer>(
    operation: SourceOperation,
    { abortSignal, origin }: SourceCall,
    work: (request: SourceRequest) => Promise<Answer>,
  ): Promise<Answer> {
    const { source, settings, reporter } = this.shared;
    const requestContext = this.#requestContext;
    const own = new AbortController();
    const end = (): void => own.abort(abortSignal?.reason);
    abortSignal?.addEventListener('abort', end, { once: true });
    try {
      abortSignal?.throwIfAborted();
      const request = { ...(requestContext ? { requestContext } : {}), abortSignal: own.signal };
      const answer = await inTime(unlessAborted(work(request), own.signal), settings.timeout);
      own.signal.throwIfAborted();
      return answer as Answer;
    } catch (error) {
      // Who still works on the answer works for nobody.
      own.abort(error);
      const { name } = source;
      const sourceName = typeof name === 'string' && name !== '' ? name : 'source';
      if (!abortSignal?.aborted)
        reporter.report({ type: 'source-failed', source: sourceName, operation, error }, origin);
      throw error;
    } finally {
      abortSignal?.removeEventListener('abort', end);
    }
  }

  /**
   * Makes the entry of a candidate, once in a run, and none for a name that the model cannot call.
   *
   * @param whole - the tool, where it was fetched.
   */
  #entryOf({ name, description, group, parameters }: Described, whole?: MastraTool): void {
    if (this.entries.has(name)) return;
    const { documentCache, settings } = this.shared;
    const refusal = !isAcceptedName(name)
      ? 'a tool of a source is called by 1 to 64 letters, digits, "_" and "-".'
      : settings.reservedNames.includes(name) &&
        'a meta-tool has that name. Rename the tool, or the meta-tool in metaTools.';
    if (refusal) {
      documentCache.problems.refused(name, refusal);
      return;
    }
    const stub: ToolStub = {
      ...{ id: name, description },
      ...(parameters ? { parameters } : {}),
      resolve: () => this.#definition(name),
    };
    const tool = whole ?? Object.assign(proxyOfLazyTool(name, stub), group && { mcpMetadata: { serverName: group } });
    const entry = { name, key: name, tool, description: description.trim(), isResolved: false };
    this.entries.set(name, whole ? entry : { ...entry, isLazy: true });
  }

  async #definition(name: string): Promise<AnyTool> {
    const isAsked = this.#isMissing(name, Date.now());
    const tool = this.#definitions.get(name) ?? (isAsked ? undefined : (await this.#get([name], {})).tools.get(name));
    if (!tool && this.isUnreachable(name)) throw new Error(`the source could not be asked for "${name}"`);
    if (!tool) throw new Error(`the source has no tool "${name}" for this request`);
    this.#definitions.set(name, tool);
    return isLazyTool(tool)
      ? resolveLazyTool(tool, this.#requestContext, this.shared.settings.timeout)
      : (tool as AnyTool);
  }
}

/** What is known of a tool before it is loaded. */
type Described = Pick<SourceCandidate, 'name' | 'description'> & {
  readonly group?: string | undefined;
  readonly parameters?: readonly string[] | undefined;
};

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
