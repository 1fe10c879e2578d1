import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { NamespaceOfEntry } from './namespaces.ts';

/** OpenAI advises fewer functions in a namespace. */
const CROWD = 10;

/** Reports OpenAI's namespaces of too many functions, each once. */
export function reportCrowded(
  entries: Iterable<CatalogEntry>,
  namespaceOf: NamespaceOfEntry,
  { problems }: Catalog,
): void {
  const sizes = new Map<string, number>();
  for (const entry of entries) {
    const namespace = namespaceOf(entry);
    if (namespace) sizes.set(namespace.name, (sizes.get(namespace.name) ?? 0) + 1);
  }
  for (const [name, size] of sizes) {
    if (size < CROWD) continue;
    const message = `The namespace ${JSON.stringify(name)} has ${size} functions; OpenAI advises fewer than ${CROWD}. Split it with native.namespace.`;
    problems.once(name, 'crowded-namespace', () => message);
  }
}
