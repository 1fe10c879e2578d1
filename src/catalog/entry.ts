import type { MastraTool } from './tool.ts';
import type { SourceCandidate } from './tool-source.ts';

/** A searchable tool under the name the model calls. */
export interface CatalogEntry {
  readonly name: string;
  readonly tool: MastraTool;
  /** Empty when the tool has none. */
  readonly description: string;
  /** The name by which @mastra/core calls the tool, where it is no name for the model. The filter is asked by it. */
  readonly originalName?: string;
  /** The tool's key in its record. */
  readonly key: string;
  /** Whether the tool came from this request (`args.tools`) rather than from the constructor. */
  readonly isResolved: boolean;
  /** Whether it is one of the agent's own tools, which is sent anyway: a search shows it, and nothing loads it. */
  readonly isSent?: boolean;
}

/** A candidate of a source, with the entry of the catalog that it became. */
export interface CandidateEntry extends SourceCandidate {
  readonly entry: CatalogEntry;
}

/** What a source found. */
export interface CandidateAnswer {
  /** Best first. */
  readonly found: readonly CandidateEntry[];
  /** Whether there are no more. */
  readonly isAll: boolean;
}

/**
 * Whether a tool may be a client's: Mastra takes `execute` from the tools that a client sent, and a client cannot send one.
 */
export function isClients({ tool, isResolved }: Pick<CatalogEntry, 'tool' | 'isResolved'>): boolean {
  return isResolved && typeof tool.execute !== 'function';
}
