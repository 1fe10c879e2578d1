import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { StoreOperation } from '../events/reasons.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Permissions } from '../filter/permissions.ts';
import { Memory } from '../util/memory.ts';
import { inTime } from '../util/timeout.ts';
import {
  believableLoads,
  type ConversationArgs,
  loadsInConversation,
  type ToolCall,
} from './conversation/conversation.ts';
import { defaultScope, threadOfScope, threadScopeOf } from './identity.ts';
import type { LoadedToolStore } from './stores/store.ts';

/** Maximum of loaded names that are kept while the catalog lacks them, for example because their server is down. */
const MAX_ABSENT = 1_000;

interface RegistrySettings {
  readonly ttl: number;
  /** Milliseconds that a store may take for one operation. */
  readonly timeout: number;
  readonly maxTools: number;
  /** Whether every tool that was called with success counts as loaded: `preselect` has tools called without a load. */
  readonly countsCalled: boolean;
}

/** The part of a request that concerns its loads. */
export interface LoadingRequest {
  /** The scope that the loads are stored for; undefined for a request that stores none. */
  readonly scope: string | undefined;
  readonly origin: EventOrigin;
  /** Tools that are sent for one run only. Loading such a tool makes it a loaded tool. */
  readonly preselected: Set<string>;
}

/** The loads of one request. */
interface Loads {
  /** Everything that the request loaded itself, in order. */
  readonly own: Set<string>;
  /** The names in the store's last answer, without names that were unloaded since. */
  stored: readonly string[];
  /** The part of `own` that the store could not take. */
  readonly unsaved: Set<string>;
  /** Unloaded names that the store, or the conversation, still has. */
  readonly removed: Set<string>;
}

/** The rules over the store: where loads go, in what order they come back, and what happens when the store fails. */
export class Registry {
  readonly #store: LoadedToolStore;
  readonly #settings: RegistrySettings;
  readonly #reporter: Reporter;
  readonly readsConversation: boolean;
  /** Whether the conversation is the only record: loads and unloads stay in the request's state and its messages. */
  readonly #readsNothingElse: boolean;
  #hasMastra = false;

  readonly #loads = new Memory<Loads, LoadingRequest>(() => ({
    ...{ own: new Set(), stored: [], unsaved: new Set(), removed: new Set() },
  }));

  constructor(store: LoadedToolStore, settings: RegistrySettings, reporter: Reporter) {
    this.#store = store;
    this.#settings = settings;
    this.#reporter = reporter;
    this.#readsNothingElse = store.readsConversation === 'only';
    this.readsConversation = store.readsConversation === true || this.#readsNothingElse;
  }

  /** Gives the store the Mastra instance. A hook of Mastra must not throw, so a fault of the store is reported. */
  useMastra(mastra: unknown): void {
    this.#hasMastra ||= Boolean(mastra);
    this.#ask('useMastra', (store): unknown => store.useMastra?.(mastra));
  }

  get wantsMastra(): boolean {
    return !this.#hasMastra && typeof this.#store.useMastra === 'function';
  }

  /** Calls an optional method of the store. Undefined where the store lacks the method, or fails, which is reported. */
  #ask<Value>(operation: StoreOperation, task: (store: LoadedToolStore) => Value): Value | undefined {
    const failed = (error: unknown): void => this.#reporter.report({ type: 'store-failed', operation, error });
    try {
      const value = task(this.#store);
      // A rejection must not become an unhandled one.
      if (value instanceof Promise) value.catch(failed);
      return value;
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  /**
   * The loaded tools in load order. Names that left the catalog are skipped; they count again once the catalog has
   * them, if there was room to keep them. The filter's active phase is not asked yet.
   *
   * @param calls - undefined without a conversation.
   */
  async entries(
    state: LoadingRequest,
    catalog: Catalog,
    calls: readonly ToolCall[] | undefined,
    args: ConversationArgs,
    permissions: Permissions,
  ): Promise<readonly CatalogEntry[]> {
    const subjectOf = (name: string): CatalogEntry | undefined => catalog.get(name);
    const call = { ...permissions.asker, origin: state.origin, scope: () => threadScopeOf(args) };
    let shown: readonly string[] | undefined;
    if (this.readsConversation && calls) {
      await catalog.reach(this.namesShown(calls), call);
      shown = await believableLoads(
        calls,
        args,
        subjectOf,
        permissions,
        this.#loads.of(state).own,
        this.#settings.countsCalled,
      );
    }
    const names = await this.loaded(state, shown);
    await catalog.reach(names, call);
    // A Set, because a tool's name and its record key, under which @mastra/core stored tools, may resolve to one entry.
    const entries = [...new Set(names.flatMap((name) => catalog.get(name) ?? []))];
    const room = Math.max(0, Math.min(this.#settings.maxTools - entries.length, MAX_ABSENT));
    const absent = names.filter((name) => !catalog.get(name));
    const forgotten = absent.slice(0, Math.max(0, absent.length - Math.floor(room)));
    // A store that reads the conversation forgets a tool when its result leaves the messages.
    if (forgotten.length === 0 || this.readsConversation) return entries;
    await this.remove(state, forgotten);
    this.#reporter.report({ type: 'evict', toolNames: forgotten, cause: 'left-catalog' }, state.origin);
    return entries;
  }

  /** The names that a conversation shows as loaded, oldest first; they are not verified. */
  namesShown(calls: readonly ToolCall[]): readonly string[] {
    return loadsInConversation(calls, this.#settings.countsCalled).map(({ name }) => name);
  }

  /**
   * The loaded names, oldest load first. When the store fails, the request uses the store's last answer and its own
   * loads; when the store is back, it receives the loads that it missed. `fromConversation` is what the messages show, for a
   * store that reads the conversation.
   */
  async loaded(state: LoadingRequest, fromConversation?: readonly string[]): Promise<readonly string[]> {
    const { scope } = state;
    const loads = this.#loads.of(state);
    const { own, unsaved, removed } = loads;
    const without = (list: Iterable<string>): string[] => [...new Set(list)].filter((name) => !removed.has(name));
    const ofRequest = [...(fromConversation ?? []), ...own];
    if (scope === undefined) return without(ofRequest);
    const shown = this.#readsNothingElse ? ofRequest : fromConversation;
    const read = async () => names(await (shown ? this.#store.get(scope, shown) : this.#store.get(scope)));
    const stored = await this.#attempt('get', read, state.origin);
    if (!stored) return without([...loads.stored, ...ofRequest]);
    if (!shown) loads.stored = stored;
    const all = without([...stored, ...unsaved]);
    if (unsaved.size > 0) await this.#save(state, scope, [...unsaved]);
    if (this.#readsNothingElse) return all;
    const missed = [...removed];
    // The set may have grown while the store removed these.
    if (await this.#removeFrom(scope, missed, state.origin)) for (const name of missed) removed.delete(name);
    return all;
  }

  /** Loads names for the request's scope. They count for this request even when the store cannot take them. */
  async add(state: LoadingRequest, added: readonly string[]): Promise<void> {
    if (added.length === 0) return;
    const { own, removed, unsaved } = this.#loads.of(state);
    for (const name of added) {
      own.add(name);
      removed.delete(name);
      state.preselected.delete(name);
    }
    // Loads that the store missed are saved first, so that the names stay in load order.
    if (state.scope !== undefined) await this.#save(state, state.scope, [...unsaved, ...added]);
  }

  async remove(state: LoadingRequest, removed: readonly string[]): Promise<void> {
    const loads = this.#loads.of(state);
    for (const name of removed) {
      loads.own.delete(name);
      loads.unsaved.delete(name);
      state.preselected.delete(name);
    }
    loads.stored = loads.stored.filter((name) => !removed.includes(name));
    const isStored = state.scope !== undefined && !this.#readsNothingElse;
    const isDone = isStored && (await this.#removeFrom(state.scope, removed, state.origin));
    if (!isDone) for (const name of removed) loads.removed.add(name);
  }

  /**
   * Unloads the names that are loaded. A store that reads the conversation cannot tell which are, so all names count.
   */
  async unload(scope: string, unloaded: Iterable<string>): Promise<readonly string[]> {
    let removed = [...new Set(unloaded)];
    if (!this.readsConversation) {
      const stored = new Set(await this.#attempt('get', async () => names(await this.#store.get(scope))));
      removed = removed.filter((name) => stored.has(name));
    }
    return (await this.#removeFrom(scope, removed)) ? removed : [];
  }

  /** A store without `remove` is cleared and given the rest, which is not atomic. */
  async #removeFrom(scope: string, removed: readonly string[], origin?: EventOrigin): Promise<boolean> {
    if (removed.length === 0) return true;
    const isDone = await this.#attempt(
      'remove',
      async (isInTime) => {
        if (this.#store.remove) {
          await this.#store.remove(scope, [...removed]);
          return true;
        }
        const gone = new Set(removed);
        const rest = names(await this.#store.get(scope)).filter((name) => !gone.has(name));
        // A late answer of the store is outdated. Tools that were loaded since must stay.
        if (!isInTime()) return false;
        await this.#store.clear(scope);
        if (rest.length > 0) await this.#store.add(scope, rest, { ttl: this.#settings.ttl });
        return true;
      },
      origin,
    );
    return isDone === true;
  }

  /**
   * Forgets a thread, of one resource or of all. If the store cannot list its scopes, other resources keep the thread.
   */
  async clearThread(threadId: string, resourceId: string | undefined): Promise<void> {
    const kept: unknown = this.#ask('get', (store) => store.scopes?.());
    const all: readonly string[] = resourceId === undefined && Array.isArray(kept) ? kept : [];
    const exact = defaultScope({ threadId, ...(resourceId === undefined ? {} : { resourceId }) });
    // A thread id in the form of another thread's scope must not clear that thread.
    const asScope = threadOfScope(threadId) === undefined ? [threadId] : [];
    const scopes = [...all.filter((scope) => threadOfScope(scope) === threadId), ...(exact ? [exact] : []), ...asScope];
    await this.clear([...new Set(scopes)]);
  }

  async clear(scopes: readonly string[]): Promise<void> {
    for (const scope of scopes) await this.#attempt('clear', async () => this.#store.clear(scope));
  }

  clearAll(): void {
    this.#ask('clear', (store) => store.clearAll?.());
  }

  stats(): { threadCount: number; oldestAccessTime: number | null } {
    const { scopeCount, oldestAccessTime } = this.#ask('get', (store) => store.stats?.()) ?? {};
    return { threadCount: typeof scopeCount === 'number' ? scopeCount : 0, oldestAccessTime: oldestAccessTime ?? null };
  }

  cleanup(): number {
    const count: unknown = this.#ask('clear', (store) => store.cleanup?.());
    return typeof count === 'number' ? count : 0;
  }

  async #save(state: LoadingRequest, scope: string, added: readonly string[]): Promise<void> {
    const isSaved = await this.#attempt(
      'add',
      async () => {
        await this.#store.add(scope, added, { ttl: this.#settings.ttl });
        return true;
      },
      state.origin,
    );
    const { unsaved } = this.#loads.of(state);
    for (const name of added) {
      if (isSaved) unsaved.delete(name);
      else unsaved.add(name);
    }
  }

  /** The result of an operation of the store; undefined when it failed or took too long, which is reported. */
  async #attempt<Value>(
    operation: StoreOperation,
    task: (isInTime: () => boolean) => Promise<Value>,
    origin?: EventOrigin,
  ): Promise<Value | undefined> {
    let isInTime = true;
    try {
      return await inTime(
        task(() => isInTime),
        this.#settings.timeout,
      );
    } catch (error) {
      isInTime = false;
      this.#reporter.report({ type: 'store-failed', operation, error }, origin);
      return undefined;
    }
  }
}

/** Limits on what is read of a scope: the number of names, of which the last are kept, and the characters of a name. */
const MAX_NAMES = 10_000;
const MAX_NAME = 1_000;

/** The names in what a store returned, which is not trusted to be what its type says. */
function names(value: unknown): string[] {
  if (!Array.isArray(value)) throw new TypeError('get() of the store did not return an array of names');
  return value.slice(-MAX_NAMES).filter((name) => typeof name === 'string' && name.length <= MAX_NAME);
}
