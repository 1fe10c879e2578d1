import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { CROWD, crowds } from './crowds.ts';
import type { NamespaceOfEntry } from './namespaces.ts';

/** Reports OpenAI's namespaces of too many functions, each once. */
export function reportCrowded(
  entries: Iterable<CatalogEntry>,
  namespaceOf: NamespaceOfEntry,
  { problems }: Catalog,
): void {
  for (const [name, size] of crowds([...entries].flatMap((entry) => namespaceOf(entry)?.name ?? []))) {
    const message = `The namespace ${JSON.stringify(name)} has ${size} functions; OpenAI advises fewer than ${CROWD}. Split it with native.namespace.`;
    problems.once(name, 'crowded-namespace', () => message);
  }
}
