import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Services, Step } from './step.ts';

/**
 * The tools that a written name, or a pattern such as `github_*`, means for this request: those that all phases permit.
 * What a pattern may mean goes kind by kind, so that a kind without a permitted tool does not hide the next.
 */
export async function namedAndPermitted(
  name: string,
  { catalog, permissions }: Pick<Step, 'catalog' | 'permissions'>,
  { groups }: Services,
  phases: readonly ('search' | 'load')[],
): Promise<readonly CatalogEntry[]> {
  const exact = catalog.get(name);
  for (const kind of exact ? [[exact]] : groups.members(name, catalog)) {
    let entries: readonly CatalogEntry[] = kind;
    for (const phase of phases) entries = await permissions.allowed(entries, phase);
    if (entries.length > 0) return entries;
  }
  return [];
}
