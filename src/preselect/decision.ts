import type { CatalogEntry } from '../catalog/entry.ts';
import type { PreselectReason } from '../events.ts';

/** The tools that a run is to begin with, and why there are none. */
export interface Decision {
  /** Tools that are not there yet, best first. */
  readonly entries: readonly CatalogEntry[];
  readonly reason?: PreselectReason;
  readonly confidence?: number;
  readonly error?: unknown;
}
