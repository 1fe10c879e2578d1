import { invalidOption, ToolSearchError } from '../errors.ts';
import type { LoadedToolStore } from '../kit.ts';
import { must, type OptionTable, readOptions } from '../util/check.ts';
import { isRecord } from '../util/record.ts';
import { lazyRegex } from '../util/text.ts';
import { KeyedQueue } from '../util/timeout.ts';
import { escapeUnits, scopeHash, unescapeUnits } from './scope-keys.ts';

/**
 * The part of a Mastra instance that `threadStateStore` needs.
 *
 * @example
 * ```ts
 * import { Mastra } from '@mastra/core/mastra';
 * import { InMemoryStore } from '@mastra/core/storage';
 *
 * const mastra: MastraWithStorage = new Mastra({ storage: new InMemoryStore() });
 * threadStateStore({ mastra });
 * ```
 */
export interface MastraWithStorage {
  getStorage(): { getStore(domain: 'threadState'): unknown } | undefined;
}

/**
 * The options of `threadStateStore`.
 *
 * @example
 * ```ts
 * import { Mastra } from '@mastra/core/mastra';
 * import { InMemoryStore } from '@mastra/core/storage';
 *
 * const options: ThreadStateStoreOptions = { mastra: new Mastra({ storage: new InMemoryStore() }) };
 * threadStateStore(options);
 * ```
 */
export interface ThreadStateStoreOptions {
  /** The Mastra instance whose storage is used. @default the instance that the processor's agent is registered with */
  readonly mastra?: MastraWithStorage;
}

const storeOptions: OptionTable<ThreadStateStoreOptions> = { mastra: { check: must('a Mastra instance', hasStorage) } };

/** The part of Mastra's domain `threadState` that is used: one value for each thread id and type. */
export interface ThreadState {
  getState(address: Address): Promise<unknown>;
  setState(addressAndValue: Address & { readonly value: unknown }): Promise<void>;
  deleteState(address: Address): Promise<void>;
}

export interface Address {
  readonly threadId: string;
  readonly type: string;
}

interface State {
  readonly names: readonly string[];
  readonly ttl: number;
  readonly usedAt: number;
}

/** The type of the state that holds loaded tools. Mastra's own types are `task` and `goal`. */
const TYPE = 'tool-search';
/** Reading restarts the clock once this part of the ttl has passed, so that not every read writes. */
const RENEWAL = 0.1;
/** Longest time in milliseconds that a hanging write delays the next one of its scope. */
const PATIENCE = 10_000;
/** Stores over the same storage share its queue. */
const queues = new WeakMap<ThreadState, KeyedQueue>();

/**
 * Keeps loaded tools in the storage that the Mastra instance already has, in its domain `threadState`: with
 * `@mastra/libsql` or `@mastra/pg` they survive a restart and are seen by all replicas. No thread needs to exist.
 *
 * An add reads, merges and writes. In one process adds wait for each other; of two processes that add to the same scope
 * within the few milliseconds between read and write, one may lose its names. Where replicas share threads at the same
 * time, use `redisStore`. Reading restarts the clock after a tenth of the ttl, so that a scope may be forgotten a tenth
 * early. Replicas should agree on the time. Rows of expired scopes stay until Mastra's retention prunes `threadState`.
 *
 * Every operation rejects with ToolSearchError `storage-unavailable` if there is no such storage.
 *
 * @throws ToolSearchError `invalid-option`, for something that is no Mastra instance.
 *
 * @example
 * ```ts
 * import { threadStateStore } from 'mastra-tool-search/thread-state';
 *
 * const processor = new ToolSearchProcessor({ tools, storage: threadStateStore() });
 * ```
 */
export function threadStateStore(options: ThreadStateStoreOptions = {}): LoadedToolStore {
  const given = readThreadStateOptions('threadStateStore', options);
  let mastra = given;

  /** Undefined for a scope that has expired, and for a value that this version cannot read. */
  const read = async (domain: ThreadState, address: Address): Promise<State | undefined> => {
    const state = decode(await domain.getState(address));
    return state && (state.ttl === 0 || Date.now() - state.usedAt <= state.ttl) ? state : undefined;
  };

  /** Reads, changes and writes the state of a scope. An unchanged state is not written. */
  const update = async (
    scope: string,
    change: (state: State | undefined) => State | undefined,
  ): Promise<State | undefined> => {
    const { state, address, queue } = await threadStateOf(mastra, scope, TYPE);
    return queue.run(address.threadId, async () => {
      const before = await read(state, address);
      const after = change(before);
      if (after === before) return after;
      if (after) await state.setState({ ...address, value: encode(after) });
      else await state.deleteState(address);
      return after;
    });
  };

  const renew = (state: State | undefined): State | undefined => {
    const isDue = state && state.ttl > 0 && Date.now() - state.usedAt > state.ttl * RENEWAL;
    return isDue ? { ...state, usedAt: Date.now() } : state;
  };

  return {
    useMastra(registered) {
      if (given === undefined && hasStorage(registered)) mastra = registered;
    },
    async get(scope) {
      const { state, address } = await threadStateOf(mastra, scope, TYPE);
      const found = await read(state, address);
      // A renewal waits in the queue of writers.
      const current = renew(found) === found ? found : await update(scope, renew);
      return current?.names ?? [];
    },
    async add(scope, names, { ttl, max = Number.POSITIVE_INFINITY }) {
      if (names.length === 0) return;
      const added = [...names];
      await update(scope, (state) => {
        const all = [...new Set([...(state?.names ?? []), ...added])];
        return { names: all.slice(Math.max(0, all.length - max)), ttl, usedAt: Date.now() };
      });
    },
    async clear(scope) {
      const { state, address, queue } = await threadStateOf(mastra, scope, TYPE);
      await queue.run(address.threadId, () => state.deleteState(address));
    },
    async remove(scope, names) {
      const removed = new Set(names);
      await update(scope, (state) => {
        const rest = state?.names.filter((name) => !removed.has(name));
        if (!state || !rest || rest.length === state.names.length) return state;
        return rest.length > 0 ? { ...state, names: rest } : undefined;
      });
    },
  };
}

/**
 * The Mastra instance of a store's options, where they name one.
 *
 * @throws ToolSearchError `invalid-option`
 */
export function readThreadStateOptions(store: string, options: ThreadStateStoreOptions): MastraWithStorage | undefined {
  if (!isRecord(options)) throw invalidOption('options', options, 'an object, e.g. { mastra }');
  if (hasStorage(options)) {
    throw new ToolSearchError('invalid-option', `${store}() was given the Mastra instance itself: pass { mastra }.`);
  }
  return readOptions<ThreadStateStoreOptions>(store, options, storeOptions).mastra;
}

/**
 * The place of a scope's value in an instance's storage, and the queue of its writers. The address has the scope's
 * hash, because databases differ in the keys that they accept, in their length, and in which of them are equal.
 */
export async function threadStateOf(
  mastra: MastraWithStorage | undefined,
  scope: string,
  type: string,
): Promise<{ readonly state: ThreadState; readonly address: Address; readonly queue: KeyedQueue }> {
  const state = await domainOf(mastra);
  return { state, address: { threadId: scopeHash(scope), type }, queue: queueOf(state) };
}

/** The initialised domain of Mastra's storage. Asked for each time, because the storage may come later. */
async function domainOf(mastra: MastraWithStorage | undefined): Promise<ThreadState> {
  if (!mastra) {
    throw unavailable(
      'has no Mastra instance. Register the agent with one that has a storage. Mastra tells no processor of it that "inputProcessors" returns as a function: then pass it, threadStateStore({ mastra })',
    );
  }
  const domain = await mastra.getStorage()?.getStore('threadState');
  if (!isThreadState(domain)) {
    throw unavailable(
      'found no domain "threadState" in the storage of the Mastra instance. Give it one that has it, such as @mastra/libsql or @mastra/pg',
    );
  }
  return domain;
}

function unavailable(fact: string): ToolSearchError {
  const alternatives = `redisStore({ client }), storage: 'context' or storage: 'in-memory'`;
  return new ToolSearchError('storage-unavailable', `threadStateStore() ${fact}. Otherwise use ${alternatives}.`);
}

function queueOf(domain: ThreadState): KeyedQueue {
  const queue = queues.get(domain) ?? new KeyedQueue(PATIENCE);
  queues.set(domain, queue);
  return queue;
}

/** Null characters and lone surrogates, which PostgreSQL's jsonb refuses, and "%", which begins an escape. */
const UNSTORABLE = lazyRegex(String.raw`[%\0]|\p{Surrogate}`, 'gu');

function encode(state: State): State {
  return { ...state, names: state.names.map((name) => escapeUnits(name, UNSTORABLE())) };
}

function decode(value: unknown): State | undefined {
  const { names, ttl, usedAt } = (isRecord(value) ? value : {}) as Partial<State>;
  const isState = Array.isArray(names) && typeof ttl === 'number' && typeof usedAt === 'number';
  if (!isState) return undefined;
  const texts = names.filter((name) => typeof name === 'string');
  return { names: texts.map(unescapeUnits), ttl, usedAt };
}

function hasStorage(value: unknown): value is MastraWithStorage {
  return typeof (value as Partial<MastraWithStorage> | undefined)?.getStorage === 'function';
}

function isThreadState(value: unknown): value is ThreadState {
  const domain = value as Partial<ThreadState> | undefined | null;
  return [domain?.getState, domain?.setState, domain?.deleteState].every((method) => typeof method === 'function');
}
