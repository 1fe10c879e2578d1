import type { RequestContext } from '@mastra/core/request-context';
import type { ToolQuery } from '../query/query.ts';
import { isAcceptedName } from './accepted-name.ts';
import type { DocumentCache } from './document-cache.ts';
import type { CandidateAnswer, CatalogEntry } from './entry.ts';
import { serverOf } from './groups.ts';
import type { SourceCall, SourceClient } from './source-client.ts';
import { isStub, placeholderOf, resolveStub, type ToolStub } from './stub.ts';
import { type AnyTool, descriptionOf, isProviderTool, type MastraTool, toMastraTool } from './tool.ts';
import type { SourceCandidate } from './tool-source.ts';

/** Names that are fetched at once: providers take 128 tools in all. */
const MAX_NAMES = 1_000;
/** Milliseconds after which a source is asked again for a name that it could not bring. */
const RETRY = 10_000;

/** Whose run it is, and what holds for every run. */
interface RunSettings {
  readonly requestContext: RequestContext | undefined;
  readonly reservedNames: readonly string[];
  /** Milliseconds that one call of the source may take. */
  readonly timeout: number;
}

/** What one run knows of a source. */
export class SourceRun {
  readonly entries: Map<string, CatalogEntry> = new Map();
  readonly #client: SourceClient;
  readonly #settings: RunSettings;
  readonly #documentCache: DocumentCache;
  /** Names that there is no tool of, with the time until which that is believed. */
  readonly #missing = new Map<string, number>();
  /** What the source brought. */
  readonly #fetched = new Map<string, AnyTool | ToolStub>();

  constructor(client: SourceClient, settings: RunSettings, documentCache: DocumentCache) {
    this.#client = client;
    this.#settings = settings;
    this.#documentCache = documentCache;
  }

  async search(query: ToolQuery, limit: number, call: SourceCall): Promise<CandidateAnswer> {
    const { candidates, isAll } = await this.#client.search(query, limit, this.#with(call));
    const found = candidates.flatMap((candidate) => {
      const entry = this.#met(candidate);
      return entry ? [{ ...candidate, entry }] : [];
    });
    return { found, isAll };
  }

  /** Fetches the tools of names that are not known yet. Never throws: what fails is reported. */
  async reach(names: Iterable<string>, call: SourceCall): Promise<void> {
    const now = Date.now();
    const isUnknown = (name: string): boolean =>
      isAcceptedName(name) && !this.entries.has(name) && !((this.#missing.get(name) ?? 0) > now);
    const unknown = [...new Set(names)].filter(isUnknown).slice(0, MAX_NAMES);
    if (unknown.length === 0) return;
    try {
      const tools = await this.#client.get(unknown, this.#with(call));
      for (const name of unknown) {
        const tool = tools.get(name);
        if (!tool) this.#missing.set(name, Number.POSITIVE_INFINITY);
        else {
          this.#fetched.set(name, tool);
          this.#met({ name, description: descriptionOf(tool), ...toldOf(tool) }, toolOf(name, tool));
        }
      }
    } catch {
      for (const name of unknown) this.#missing.set(name, now + RETRY);
    }
  }

  #with(call: SourceCall): SourceCall {
    return { ...call, requestContext: this.#settings.requestContext };
  }

  /**
   * The entry of a tool that the run meets; undefined for one whose name the model cannot call.
   *
   * @param whole - the tool, where it is known.
   */
  #met(told: Omit<SourceCandidate, 'score'>, whole?: MastraTool): CatalogEntry | undefined {
    const { name, description, group, parameters } = told;
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
    const tool = whole ?? this.#placeholder(name, description, group, parameters);
    const entry: CatalogEntry = { name, key: name, tool, description: description.trim(), isResolved: false };
    this.entries.set(name, entry);
    return entry;
  }

  #placeholder(name: string, description: string, group?: string, parameters?: readonly string[]): MastraTool {
    const stub: ToolStub = {
      ...{ id: name, description },
      ...(parameters ? { parameters } : {}),
      resolve: () => this.#definition(name),
    };
    const tool = placeholderOf(name, stub);
    return group ? Object.assign(tool, { mcpMetadata: { serverName: group } }) : tool;
  }

  async #definition(name: string): Promise<AnyTool> {
    const fetched = this.#fetched.get(name) ?? (await this.#client.get([name], this.#with({}))).get(name);
    if (!fetched) throw new Error(`the source has no tool "${name}" for this request`);
    this.#fetched.set(name, fetched);
    return isStub(fetched)
      ? resolveStub(fetched, this.#settings.requestContext, this.#settings.timeout)
      : (fetched as AnyTool);
  }
}

/** A tool in the form of a catalog; undefined for a stub, and for what is refused when it is loaded. */
function toolOf(name: string, tool: AnyTool | ToolStub): MastraTool | undefined {
  try {
    return isStub(tool) || isProviderTool(tool) ? undefined : toMastraTool(name, tool);
  } catch {
    return undefined;
  }
}

/** What can be told of a tool before it is loaded. */
function toldOf(tool: AnyTool | ToolStub): Pick<SourceCandidate, 'group' | 'parameters'> {
  const group = serverOf(tool as MastraTool);
  const parameters = isStub(tool) ? tool.parameters : undefined;
  return { ...(group ? { group } : {}), ...(parameters ? { parameters } : {}) };
}
