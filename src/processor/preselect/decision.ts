import type { Mastra } from '@mastra/core/mastra';
import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import type { PreselectReason } from '../../events/reasons.ts';
import type { Step } from '../step.ts';

/** The tools that a run is to begin with, and why there are none. */
export interface Decision {
  /** Tools to send for this run, that are not there yet, best first. */
  readonly entries: readonly CatalogEntry[];
  /** Names of tools that were loaded for the thread. */
  readonly loaded?: readonly string[];
  readonly reason?: PreselectReason;
  readonly confidence?: number;
  readonly choice?: string;
  readonly probability?: number;
  readonly error?: unknown;
}

/** Decides what a run begins with. */
export interface Source {
  /** Never rejects. */
  decide(step: Step): Promise<Decision>;
  /** Told of the catalog of a run that begins. */
  prepare?(catalog: Catalog): void;
  useMastra?(mastra: Mastra): void;
}
