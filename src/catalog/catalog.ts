import type { RequestContext } from '@mastra/core/request-context';
import type { EventOrigin } from '../events/origin.ts';
import type { ToolProblem } from '../events/reasons.ts';
import type { Reporter } from '../events/reporter.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { ended } from '../util/text.ts';
import type { SlicedWork } from '../util/time-slices.ts';
import type { ToolDocument } from './document.ts';
import type { MastraTool } from './tool.ts';

/** A searchable tool under the name the model calls. */
export interface CatalogEntry {
  readonly name: string;
  readonly tool: MastraTool;
  readonly description: string;
  /** The name by which @mastra/core calls the tool, where it is no name for the model. The filter is asked by it. */
  readonly originalName?: string;
  readonly key: string;
  /** Whether the tool came from this request (`args.tools`) rather than from the constructor. */
  readonly isResolved: boolean;
  /** Whether it is one of the agent's own tools, which is sent anyway: a search shows it, and nothing loads it. */
  readonly isSent?: boolean;
  /** Its document under this name, where that is all that is kept of the tool. */
  readonly document?: ToolDocument;
}

/**
 * Whether a tool may be a client's: Mastra takes `execute` from the tools that a client sent, and a client cannot send one.
 */
export function isClients({ tool, isResolved }: Pick<CatalogEntry, 'tool' | 'isResolved'>): boolean {
  return isResolved && typeof tool.execute !== 'function';
}

/**
 * All tools that a request can search, by the name the model calls: in memory (`memory.ts`), or over a source (`source.ts`).
 * Which one it is, only the code that makes it knows.
 */
export interface Catalog {
  readonly problems: ToolProblems;
  /** Whether the catalog is empty because its tools could not be resolved. */
  readonly isUnknown: boolean;
  /** The number of all tools; undefined over a source, which does not say: then `entries` has a part of them. */
  readonly total: number | undefined;
  /** The number of the tools that are here. */
  readonly size: number;
  /** The tools that are here: over a source, those that it has named in this run. */
  readonly entries: Iterable<CatalogEntry>;
  readonly names: Iterable<string>;

  /** The tool that the model calls `name`, or the one that stands under the record key `name`. */
  get(name: string): CatalogEntry | undefined;
  /** The name by which the model calls the tool of this spelling; the spelling itself where there is none. */
  nameOf(spelling: string): string;
  /** A tool's name and its other spellings: stores and conversations may have the tool under each. */
  spellingsOf(name: string): readonly string[];
  /** The names, and the other spellings that lead to a tool: record keys, and ids that are no name for the model. */
  spellings(): Iterable<string>;
  /** The number of spellings, at most. */
  readonly spellingCount: number;

  /** The documents that scorers see of the tools that are here. */
  readDocuments(): SlicedWork<readonly ToolDocument[]>;
  /** The document of an entry of this catalog, also under another name. */
  readDocument(entry: CatalogEntry): ToolDocument;
  /** The other copies of a tool that are here: of the same server, installed several times. */
  copiesOf(name: string): readonly CatalogEntry[];

  /** Fetches the tools of names, and of patterns such as `github_*`, that are not here yet. Never rejects. */
  reach(names: Iterable<string>, call?: SourceCall): MaybePromise<void>;
  /** Whether the source could not be asked for a name, or a pattern. */
  isUnreachable(name: string): boolean;
  /** A catalog with the tools that an unknown name may mean. Never rejects. */
  near(name: string, call: SourceCall): MaybePromise<Catalog>;

  /** The part of this catalog that a request may see. It has no trace of the other tools. */
  restrictedTo(visible: ReadonlySet<CatalogEntry>): Catalog;
  /** This catalog without the tools that the agent sends itself, under the same name; they are reported. */
  without(names: readonly string[]): Catalog;
  /** This catalog and tools that are sent anyway, for a search. Their entries have a document, and cannot be called. */
  withSent(tools: Iterable<readonly [name: string, tool: object]>): Catalog;
  /**
   * This catalog and the tools of one request, which replace those of the same name or record key.
   *
   * @param isTaken - whether no tool of the request may have a name.
   */
  withResolved(tools: Readonly<Record<string, unknown>>, isTaken?: (name: string) => boolean): Catalog;
  /** Reports tools that the agent sends itself, under another name. */
  noteSentAnyway(own: Iterable<readonly [key: string, tool: unknown]>): void;
}

/** One call of a source: for whom, until when, and where its events come from. */
export interface SourceCall {
  readonly requestContext?: RequestContext | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly origin?: EventOrigin | undefined;
  /** Whose tools are remembered for the time when the source is down: the resource and the thread, as the default scope. */
  readonly scope?: string | undefined;
  readonly explain?: boolean | undefined;
}

/** Problems that are remembered as reported: names come from requests, so their number has no bound of its own. */
const MAX_REPORTED = 10_000;

/** The problems that are explained here: others are met by code that not everybody loads. */
type ExplainedProblem = Exclude<ToolProblem, 'not-pinned' | 'crowded-namespace'>;

/** Reports each problem of each tool once, however many requests meet it. */
export class ToolProblems {
  readonly #reporter: Reporter;
  readonly #reported = new Set<string>();

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  report(toolName: string, problem: ExplainedProblem, detail = ''): void {
    this.once(toolName, problem, () => explain(toolName, problem, detail));
  }

  /** Reports a tool of a request that has the name of another one, and is called by its key instead. */
  sharedName(originalName: string, name: string): void {
    const [own, other] = [JSON.stringify(name), JSON.stringify(originalName)];
    this.once(
      name,
      'renamed',
      () =>
        `Several tools are called ${other}; the one under key ${own} is searched, loaded and called as ${own}. Give it another id.`,
    );
  }

  /** Reports a tool that cannot be taken: the run goes on without it. */
  refused(toolName: string, reason: string): void {
    this.once(toolName, 'left-out', () => `Tool ${JSON.stringify(toolName)} is left out: ${reason}`);
  }

  once(toolName: string, problem: ToolProblem, message: () => string): void {
    const key = `${problem} ${toolName}`;
    if (this.#reported.has(key) || this.#reported.size >= MAX_REPORTED) return;
    this.#reported.add(key);
    this.#reporter.report({ type: 'tool-problem', toolName, problem, message: message() });
  }
}

function explain(toolName: string, problem: ExplainedProblem, detail: string): string {
  const name = JSON.stringify(toolName);
  switch (problem) {
    case 'missing-description':
      return `Tool ${name} has no description, so it can only be found by its name and parameters. Describe it.`;
    case 'renamed':
      return `Tool ${name} has a name that some providers refuse; it is searched, loaded and called as "${detail}". Use 1 to 64 letters, digits, "_" and "-".`;
    case 'left-out':
      return `Tool ${name} has a name that some providers refuse, and "${detail}" is taken or reserved, so it is left out. Use 1 to 64 letters, digits, "_" and "-".`;
    case 'unreadable-schema':
      return `The input schema of tool ${name} could not be read for searching: ${ended(detail)} The tool itself works.`;
    case 'sent-anyway':
      return `Tool ${name} is sent on every step anyway, as the agent's own tool "${detail}". Take one of the two away.`;
    case 'unsendable':
      return `Tool ${name} cannot be sent to a model, and is neither loaded nor called: ${detail}`;
  }
}
