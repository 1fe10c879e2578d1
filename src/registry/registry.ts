import type { Reporter } from '../events.ts';
import type { LoadedToolStore } from './store.ts';

/** What one request, over all its steps, has loaded. */
export interface LoadState {
  /** Where its loads are kept; undefined for a request without a thread, which keeps them here alone. */
  readonly scope: string | undefined;
  /** Everything this request loaded itself, in order. */
  readonly own: Set<string>;
  /** The part of `own` that the store could not take. */
  readonly unsaved: Set<string>;
}

export function createLoadState(scope: string | undefined): LoadState {
  return { scope, own: new Set(), unsaved: new Set() };
}

/** The rules over the store: where loads go, in what order they come back, and what happens when the store fails. */
export class Registry {
  readonly #store: LoadedToolStore;
  readonly #ttl: number;
  readonly #reporter: Reporter;

  constructor(store: LoadedToolStore, ttl: number, reporter: Reporter) {
    this.#store = store;
    this.#ttl = ttl;
    this.#reporter = reporter;
  }

  get readsConversation(): boolean {
    return this.#store.readsConversation === true;
  }

  /**
   * The loaded names, oldest load first. When the store fails, the request is left with what it loaded itself.
   *
   * @param fromConversation - what the messages show, where the store wants it and they are at hand.
   */
  async loaded(state: LoadState, fromConversation?: readonly string[]): Promise<readonly string[]> {
    const { scope, own, unsaved } = state;
    if (scope === undefined) return [...new Set([...(fromConversation ?? []), ...own])];
    try {
      const stored = await (fromConversation ? this.#store.get(scope, fromConversation) : this.#store.get(scope));
      return [...new Set([...names(stored), ...unsaved])];
    } catch (error) {
      this.#reporter.report({ type: 'store-failed', operation: 'get', error });
      return [...new Set([...(fromConversation ?? []), ...own])];
    }
  }

  /** Loads names for the request's scope. They count for this request even when the store cannot take them. */
  async add(state: LoadState, added: readonly string[]): Promise<void> {
    if (added.length === 0) return;
    for (const name of added) state.own.add(name);
    if (state.scope === undefined) return;
    try {
      await this.#store.add(state.scope, added, { ttl: this.#ttl });
    } catch (error) {
      for (const name of added) state.unsaved.add(name);
      this.#reporter.report({ type: 'store-failed', operation: 'add', error });
    }
  }

  /** Forgets scopes. Returns when the store has; a store that fails is reported. */
  async clear(scopes: readonly string[]): Promise<void> {
    for (const scope of scopes) {
      try {
        await this.#store.clear(scope);
      } catch (error) {
        this.#reporter.report({ type: 'store-failed', operation: 'clear', error });
      }
    }
  }
}

/** What a store returns is not trusted to be what its type says. */
function names(value: unknown): string[] {
  if (!Array.isArray(value)) throw new TypeError('get() of the store did not return an array of names');
  return value.filter((name): name is string => typeof name === 'string');
}
