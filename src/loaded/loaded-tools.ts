import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { believableLoads, type ConversationArgs } from '../conversation/believable-loads.ts';
import type { LoadingCalls } from '../conversation/messages.ts';
import type { Permissions } from '../filter/permissions.ts';
import type { RequestState } from '../request/request-state.ts';
import type { Caps } from './eviction.ts';
import type { Registry } from './registry.ts';

/** Loaded names that are kept though the catalog does not have them: those of a server that is down, for example. */
const MAX_ABSENT = 1_000;

/** The loaded tools of requests, as entries of their catalogs. */
export class LoadedTools {
  readonly #registry: Registry;
  readonly #names: LoadingCalls;
  readonly #caps: Caps;

  constructor(registry: Registry, names: LoadingCalls, caps: Caps) {
    this.#registry = registry;
    this.#names = { ...names, withMissed: true };
    this.#caps = caps;
  }

  /**
   * The loaded tools in load order. Names that left the catalog are skipped; they come back with it, as long as
   * there is room. The phase active is not asked yet.
   */
  async of(
    state: RequestState,
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
    const entries = [...new Set(names.flatMap((name) => catalog.get(name) ?? []))];
    const room = Math.max(0, Math.min(this.#caps.tools - entries.length, MAX_ABSENT));
    const absent = names.filter((name) => !catalog.get(name));
    await this.#registry.forget(state, absent.slice(0, Math.max(0, absent.length - Math.floor(room))));
    return entries;
  }
}
