import { hash, randomUUID } from 'node:crypto';
import type { RequestContext } from '@mastra/core/request-context';
import {
  type AnyTool,
  type CatalogEntry,
  type DocumentCache,
  descriptionOf,
  isAcceptedName,
  isLazyTool,
  isPattern,
  isProviderTool,
  type MastraTool,
  parseQuery,
  proxyOfLazyTool,
  type Reporter,
  resolveLazyTool,
  type SourceCall,
  type SourceCandidate,
  type SourceListing,
  type SourceOperation,
  type SourceRequest,
  type SourceSearchRequest,
  serverOf,
  type ToolQuery,
  type ToolSource,
  type ToolStub,
  toMastraTool,
} from '../kit.ts';
import { Lru } from '../util/lru.ts';
import { LETTER_OR_DIGIT, upToLast } from '../util/text.ts';
import { inTime, unlessAborted } from '../util/timeout.ts';
import { splitIdentifier } from '../util/words.ts';
import { checkedTools, readCandidates, type SourceAnswer } from './answers.ts';

/** Size of the LRU cache that serves tools while the source is down. */
const MAX_LAST_TOOLS = 1_000;

/** A source, and what all its runs share. */
export interface SharedSource {
  readonly source: ToolSource;
  readonly reporter: Reporter;
  readonly documentCache: DocumentCache;
  readonly reservedNames: readonly string[];
  /** Milliseconds that one call of the source may take. */
  readonly timeout: number;
  readonly lastTools: LastTools;
}

/** LRU cache of fetched tools by scope, request-context hash and name. It serves while the source is down. */
export type LastTools = Lru<AnyTool | ToolStub>;

export function lastTools(): LastTools {
  return new Lru(MAX_LAST_TOOLS);
}

/** Names fetched in one call of `get`. */
const MAX_NAMES = 1_000;
/** Limit of tools that one pattern or group lists. */
const MAX_LISTED = 200;
/** Milliseconds until a name is asked for again after a failure. */
const RETRY = 10_000;

/** Characters of a name that become search words. */
const MAX_TEXT = 200;

/** The tools that a source has named in one run. The run's catalogs are views of these. */
export class SourceRun {
  readonly shared: SharedSource;
  readonly entries: Map<string, CatalogEntry> = new Map();
  readonly #requestContext: RequestContext | undefined;
  /** Names and patterns that are not asked for again before the given time. Infinity: never again in this run. */
  readonly #retryAt = new Map<string, number>();
  /** Each definition is fetched once in a run. */
  readonly #definitions = new Map<string, AnyTool | ToolStub>();
  /** The default scope of the request. */
  #scope: string | undefined;
  /** Hash that tells this request from others of the same thread. */
  readonly #contextOf: string;

  constructor(shared: SharedSource, requestContext: RequestContext | undefined) {
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

  /** Fetches the tools of unknown names and patterns. Never rejects: failures are reported. */
  async reach(written: Iterable<string>, call: SourceCall): Promise<void> {
    this.#scope ??= call.scope?.();
    const now = Date.now();
    // Names that a search already found are fetched too: a forbidden tool must look like a name without a tool.
    const isUnknown = (name: string): boolean => !this.#definitions.has(name) && !this.#waits(name, now);
    const unknown = [...new Set(written)].filter(isUnknown).slice(0, MAX_NAMES);
    const names = unknown.filter((name) => isAcceptedName(name));
    const patterns = unknown.filter((name) => isPattern(name));
    await Promise.all([
      names.length > 0 ? this.#fetch(names, now, call) : undefined,
      ...patterns.map((pattern) => this.#list(pattern, now, call)),
    ]);
  }

  #waits(name: string, now: number): boolean {
    return (this.#retryAt.get(name) ?? 0) > now;
  }

  /** Whether the source failed on this name or pattern: then the retry time is finite. */
  failedToReach(name: string): boolean {
    return Number.isFinite(this.#retryAt.get(name));
  }

  async #fetch(names: readonly string[], now: number, call: SourceCall): Promise<void> {
    const brought = await this.#get(names, call).catch(() => undefined);
    for (const name of names) {
      const tool = brought?.tools.get(name);
      if (tool) this.#take(name, tool);
      else this.#retryAt.set(name, brought?.isWhole ? Number.POSITIVE_INFINITY : now + RETRY);
    }
  }

  #take(name: string, tool: AnyTool | ToolStub): void {
    this.#definitions.set(name, tool);
    this.#retryAt.delete(name);
    try {
      const group = serverOf(tool as MastraTool);
      const parameters = isLazyTool(tool) ? tool.parameters : undefined;
      this.#entryOf({ name, description: descriptionOf(tool), group, parameters }, toolOf(name, tool));
    } catch {
      // A tool that cannot be read counts as missing.
      this.#retryAt.set(name, Number.POSITIVE_INFINITY);
    }
  }

  /** Lists the tools whose names start with the pattern's prefix, and those of the group of that name. */
  async #list(pattern: string, now: number, call: SourceCall): Promise<void> {
    const { source } = this.shared;
    const prefix = pattern.slice(0, -1);
    const group = upToLast(prefix, LETTER_OR_DIGIT(prefix));
    const list = (of: SourceListing): Promise<unknown> =>
      this.#candidates('list', MAX_LISTED, call, async (request) => (await source.list?.(of, request)) ?? []);
    this.#retryAt.set(pattern, Number.POSITIVE_INFINITY);
    try {
      if (typeof source.list !== 'function') await this.searchWords(prefix, MAX_LISTED, call);
      else await Promise.all([list({ prefix }), ...(group === '' ? [] : [list({ group })])]);
    } catch {
      this.#retryAt.set(pattern, now + RETRY);
    }
  }

  /** Fetches tools. When the source fails, cached tools of the same thread and context replace them, and `isWhole` is false. */
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

  /** Asks for candidates, and adds them to the run's entries. */
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

  /** Asks the source, within the timeout. Rethrows a failure after reporting it; after an abort it only rethrows. */
  async #ask<Answer>(
    operation: SourceOperation,
    { abortSignal, origin }: SourceCall,
    work: (request: SourceRequest) => Promise<Answer>,
  ): Promise<Answer> {
    const { source, timeout, reporter } = this.shared;
    const requestContext = this.#requestContext;
    const own = new AbortController();
    const end = (): void => own.abort(abortSignal?.reason);
    abortSignal?.addEventListener('abort', end, { once: true });
    try {
      abortSignal?.throwIfAborted();
      const request = { ...(requestContext ? { requestContext } : {}), abortSignal: own.signal };
      const answer = await inTime(unlessAborted(work(request), own.signal), timeout);
      own.signal.throwIfAborted();
      return answer as Answer;
    } catch (error) {
      // Tells a source that timed out to stop its work.
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
   * Adds the entry of a candidate, once per run. A name that the model cannot call is reported instead.
   *
   * @param whole - the fetched tool. Without it, a lazy proxy stands in.
   */
  #entryOf({ name, description, group, parameters }: Described, whole?: MastraTool): void {
    if (this.entries.has(name)) return;
    const { documentCache, reservedNames } = this.shared;
    const refusal = !isAcceptedName(name)
      ? 'a tool of a source is called by 1 to 64 letters, digits, "_" and "-".'
      : reservedNames.includes(name) && 'a meta-tool has that name. Rename the tool, or the meta-tool in metaTools.';
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
    const isAsked = this.#waits(name, Date.now());
    const tool = this.#definitions.get(name) ?? (isAsked ? undefined : (await this.#get([name], {})).tools.get(name));
    if (!tool && this.failedToReach(name)) throw new Error(`the source could not be asked for "${name}"`);
    if (!tool) throw new Error(`the source has no tool "${name}" for this request`);
    this.#definitions.set(name, tool);
    return isLazyTool(tool) ? resolveLazyTool(tool, this.#requestContext, this.shared.timeout) : (tool as AnyTool);
  }
}

/** The fields of a tool that are known before it is loaded. */
type Described = Pick<SourceCandidate, 'name' | 'description'> & {
  readonly group?: string | undefined;
  readonly parameters?: readonly string[] | undefined;
};

/**
 * A hash of the user's part of a request context: a source may bring each request other tools, with other rights and keys.
 * A context that cannot be read equals no other.
 */
function contextHash(requestContext: RequestContext | undefined): string {
  try {
    const provided = Object.entries(requestContext?.toJSON() ?? {}).filter(([key]) => !isMastras(key));
    return hash('sha256', JSON.stringify(provided.sort(([one], [other]) => (one < other ? -1 : 1))), 'base64');
  } catch {
    return randomUUID();
  }
}

/** Mastra's own keys that identify the user, and therefore belong to the hash. */
const IDENTIFYING: ReadonlySet<string> = new Set(['mastra__authToken', 'mastra__messageAuthor']);

/** Whether a key of a request context is Mastra's own, and does not identify the user. */
function isMastras(key: string): boolean {
  return key.replaceAll('_', '').toLowerCase().startsWith('mastra') && !IDENTIFYING.has(key);
}

/** The tool in its catalog form. Undefined for a lazy tool, and for a tool that loading will refuse. */
function toolOf(name: string, tool: AnyTool | ToolStub): MastraTool | undefined {
  try {
    return isLazyTool(tool) || isProviderTool(tool) ? undefined : toMastraTool(name, tool);
  } catch {
    return undefined;
  }
}
