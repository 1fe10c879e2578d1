import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { Permissions } from '../filter/permissions.ts';
import type { ToolSearchFilterPhase } from '../phase.ts';
import { inSlices, type SlicedWork } from '../util/time-slices.ts';
import type { Services } from './step.ts';

/** What a written name, or a pattern such as `github_*`, may mean. */
export interface Meaning {
  /** Whether it is written as the catalog has it. */
  readonly isExact: boolean;
  /** The kinds of tools, from the likeliest to the least likely. */
  readonly kinds: readonly (readonly CatalogEntry[])[];
}

/** The meanings of each name. In slices, as a pattern takes a look at the whole catalog. */
export async function meaningsOf(
  names: readonly string[],
  catalog: Catalog,
  { groups }: Services,
): Promise<readonly Meaning[]> {
  return inSlices(
    (function* (): SlicedWork<readonly Meaning[]> {
      const meanings: Meaning[] = [];
      for (const name of names) {
        const exact = catalog.get(name);
        const kinds = exact ? [[exact]] : yield* groups.members(name, catalog);
        meanings.push({ isExact: exact !== undefined, kinds });
      }
      return meanings;
    })(),
  );
}

/**
 * The tools that are meant for this request: those that all phases permit, of the first kind that has one. A kind without
 * a permitted tool does not hide the next.
 *
 * Who writes an exact name knows of the tool. Whatever else finds a tool shows it, so the search phase is asked first.
 */
export async function permittedOf(
  { isExact, kinds }: Meaning,
  permissions: Permissions,
  phases: readonly ('search' | 'load')[],
): Promise<readonly CatalogEntry[]> {
  const asked = isExact ? phases : new Set(['search', ...phases] as const);
  for (const kind of kinds) {
    const entries = await allPermit(asked, kind, permissions);
    if (entries.length > 0) return entries;
  }
  return [];
}

/** The tools that all phases permit, asked one after the other. */
export async function allPermit(
  phases: Iterable<ToolSearchFilterPhase>,
  entries: readonly CatalogEntry[],
  permissions: Permissions,
): Promise<readonly CatalogEntry[]> {
  let permitted = entries;
  for (const phase of phases) permitted = await permissions.allowed(permitted, phase);
  return permitted;
}
