import type { Catalog } from '../catalog/catalog.ts';
import { definitionTokens } from '../catalog/definition-tokens.ts';
import { type CatalogEntry, isClients } from '../catalog/entry.ts';
import { serverOf } from '../catalog/groups.ts';
import { saidByServer } from '../catalog/server-hints.ts';

/** Tokens of the definitions that servers may pin in a request. */
const MAX_TOKENS = 4_000;

/** Cache: the tools of catalogs that their servers want to be sent always. A processor trusts the same servers for ever. */
const wanted = new WeakMap<Catalog, readonly CatalogEntry[]>();

/**
 * The tools that trusted servers want to be sent always, `_meta["anthropic/alwaysLoad"]`, as far as there is room. The
 * others are reported.
 *
 * @param named - tools that are pinned anyway, and take no room.
 * @param usable - the part that the request may use; what it may not takes no room either.
 */
export async function pinnedByServers(
  catalog: Catalog,
  trusted: true | ReadonlySet<string>,
  named: readonly CatalogEntry[],
  usable: (entries: readonly CatalogEntry[]) => Promise<readonly CatalogEntry[]>,
): Promise<readonly CatalogEntry[]> {
  const entries = wanted.get(catalog) ?? [...catalog.entries].filter((entry) => isWanted(entry, trusted));
  wanted.set(catalog, entries);
  let room = MAX_TOKENS;
  return (await usable(entries.filter((entry) => !named.includes(entry)))).filter((entry) => {
    const tokens = definitionTokens(entry);
    const fits = tokens <= room;
    if (fits) room -= tokens;
    else reportUnpinned(entry, catalog);
    return fits;
  });
}

function isWanted(entry: CatalogEntry, trusted: true | ReadonlySet<string>): boolean {
  try {
    const isAsked = saidByServer(entry.tool, 'anthropic/alwaysLoad').includes(true);
    return isAsked && !isClients(entry) && (trusted === true || trusted.has(serverOf(entry.tool) ?? ''));
  } catch {
    return false;
  }
}

function reportUnpinned({ name }: CatalogEntry, { problems }: Catalog): void {
  const message = `The server of tool ${JSON.stringify(name)} wants it to be sent always, but there is room for ${MAX_TOKENS} tokens of such tools; it is searched. Pin it with alwaysLoaded.`;
  problems.once(name, 'not-pinned', () => message);
}
