import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { Permissions } from '../filter/permissions.ts';
import { threadScopeOf } from '../processor/request/identity.ts';
import type { RequestState } from '../processor/request/request-state.ts';
import type { ToolCall } from './conversation/calls.ts';
import {
  believableLoads,
  type ConversationArgs,
  type LoadingCalls,
  loadsInConversation,
} from './conversation/loads.ts';
import type { Caps } from './eviction.ts';
import type { Registry } from './registry.ts';

/** Loaded names that are kept though the catalog does not have them: those of a server that is down, for example. */
const MAX_ABSENT = 1_000;

/** The loaded tools of requests, as entries of their catalogs. */
export class LoadedTools {
  readonly #registry: Registry;
  readonly #loading: LoadingCalls;
  readonly #caps: Caps;

  constructor(registry: Registry, loading: LoadingCalls, caps: Caps) {
    this.#registry = registry;
    this.#loading = { ...loading, withMissed: true };
    this.#caps = caps;
  }

  /**
   * The loaded tools in load order. Names that left the catalog are skipped; they come back with it, as long as
   * there is room. The phase active is not asked yet.
   *
   * @param calls - the conversation's; undefined where there is no conversation.
   */
  async of(
    state: RequestState,
    catalog: Catalog,
    calls: readonly ToolCall[] | undefined,
    args: ConversationArgs,
    permissions: Permissions,
  ): Promise<readonly CatalogEntry[]> {
    const subjectOf = (name: string): CatalogEntry | undefined => catalog.get(name);
    const call = { ...permissions.asker, origin: state.origin, scope: catalog.reach && threadScopeOf(args) };
    if (catalog.reach && this.#registry.readsConversation && calls)
      await catalog.reach(
        loadsInConversation(calls, this.#loading).map(({ name }) => name),
        call,
      );
    const shown =
      this.#registry.readsConversation && calls
        ? await believableLoads(calls, args, this.#loading, subjectOf, permissions, state.own)
        : undefined;
    const names = await this.#registry.loaded(state, shown);
    await catalog.reach?.(names, call);
    // By way of a set: a record key from core's days and the name behind it are one tool.
    const entries = [...new Set(names.flatMap((name) => catalog.get(name) ?? []))];
    const room = Math.max(0, Math.min(this.#caps.tools - entries.length, MAX_ABSENT));
    const absent = names.filter((name) => !catalog.get(name));
    await this.#registry.forget(state, absent.slice(0, Math.max(0, absent.length - Math.floor(room))));
    return entries;
  }
}
