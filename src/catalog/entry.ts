import type { MastraTool } from './tool.ts';

/** A searchable tool under the name the model calls. */
export interface CatalogEntry {
  readonly name: string;
  readonly tool: MastraTool;
  /** Empty when the tool has none. */
  readonly description: string;
  /** What @mastra/core calls it, where that is no name for the model: the filter is asked by it. */
  readonly originalName?: string;
  /** The key under which it stands in its record. */
  readonly key: string;
  /** Whether it came from this request (`args.tools`) rather than from the constructor. */
  readonly isResolved: boolean;
}
