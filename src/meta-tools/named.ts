import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { Permissions } from '../permissions.ts';
import { inSlices, type SlicedWork } from '../slices.ts';
import type { Services } from './step.ts';

/** What a written name, or a pattern such as `github_*`, may mean, kind by kind. */
export type Meaning = readonly (readonly CatalogEntry[])[];

/** Of each name. In slices, as a pattern takes a look at the whole catalog. */
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
        meanings.push(exact ? [[exact]] : yield* groups.members(name, catalog));
      }
      return meanings;
    })(),
  );
}

/**
 * The tools that are meant for this request: those that all phases permit, of the first kind that has one. A kind without
 * a permitted tool does not hide the next.
 */
export async function permittedOf(
  meaning: Meaning,
  permissions: Permissions,
  phases: readonly ('search' | 'load')[],
): Promise<readonly CatalogEntry[]> {
  for (const kind of meaning) {
    let entries: readonly CatalogEntry[] = kind;
    for (const phase of phases) entries = await permissions.allowed(entries, phase);
    if (entries.length > 0) return entries;
  }
  return [];
}
