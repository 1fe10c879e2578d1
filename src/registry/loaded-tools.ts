import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { Permissions } from '../permissions.ts';
import type { MetaToolNames } from './conversation.ts';
import { believableLoads, type ConversationArgs } from './conversation-loads.ts';
import type { LoadState, Registry } from './registry.ts';

/** The loaded tools of requests, as entries of their catalogs. */
export class LoadedTools {
  readonly #registry: Registry;
  readonly #names: MetaToolNames;

  constructor(registry: Registry, names: MetaToolNames) {
    this.#registry = registry;
    this.#names = names;
  }

  /**
   * In load order. Names that left the catalog are skipped; they come back with it. The phase active is not asked yet.
   */
  async of(
    state: LoadState,
    catalog: Catalog,
    args: ConversationArgs,
    permissions: Permissions,
  ): Promise<readonly CatalogEntry[]> {
    const fromConversation =
      this.#registry.readsConversation && args.messages
        ? await believableLoads(args, this.#names, (name) => catalog.get(name), permissions, state.own)
        : undefined;
    const names = await this.#registry.loaded(state, fromConversation);
    // By way of a set: a record key from core's days and the name behind it are one tool.
    return [...new Set(names.flatMap((name) => catalog.get(name) ?? []))];
  }
}
