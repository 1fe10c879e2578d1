import {
  inTime,
  KeyedQueue,
  type LearnedUse,
  type LearningStore,
  Lru,
  latestUses,
  MAX_READ,
  type Reporter,
} from '../kit.ts';
import { MAX_USES, withinBounds } from './bounds.ts';
import { Experience } from './experience.ts';
import { isUse, newKey, readUse, type Use, written } from './use.ts';

/** Conversations of which a scope keeps that they used a tool after the very same words. */
const MAX_ALIKE = 8;
/** Milliseconds after which a scope is read again: what other processes learned, or cleared, counts by then. */
const FRESH = 10_000;
/** Milliseconds that a search waits for a store. */
const PATIENCE = 250;
/** Half-lives after which a use weighs nothing any more. */
const HALF_LIVES = 7;
/** Scopes that are held in memory, and their uses together. */
const MAX_SCOPES = 500;
const MAX_HELD = 100_000;

/** Characters of the longest key of a scope, which is at work in every hash. */
const MAX_KEY = 500;

/** What is known of a scope. */
interface Held {
  /** Undefined for a scope that has learned nothing. */
  readonly experience: Experience | undefined;
  /** The time of the reading. */
  readonly since: number;
}

/**
 * The store, with what was read of it lately. Where the store is at fault, which is reported, nothing is known of the
 * scope.
 */
export class Recall {
  readonly #store: LearningStore;
  readonly #halfLife: number;
  readonly #timeout: number;
  readonly #reporter: Reporter;
  readonly #queue: KeyedQueue;
  readonly #held = new Lru<Held>(MAX_SCOPES, MAX_HELD, ({ experience }) => experience?.uses.length ?? 0);
  /** The last clearing of each scope: what was read before it is not held. */
  readonly #cleared = new Lru<object>(MAX_SCOPES);
  /** The appends under way, which a slow store may end after a clearing. */
  readonly #appends = new Map<string, Promise<unknown>>();

  /**
   * @param halfLife - milliseconds.
   * @param timeout - milliseconds that the store may take for one operation.
   */
  constructor(store: LearningStore, halfLife: number, timeout: number, reporter: Reporter) {
    this.#store = store;
    this.#halfLife = halfLife;
    this.#timeout = timeout;
    this.#reporter = reporter;
    this.#queue = new KeyedQueue(timeout);
  }

  /** What the scope had learned ten seconds ago, or later; undefined where that is nothing, or not to be had in time. */
  async of(scope: string): Promise<Experience | undefined> {
    try {
      return await inTime(this.#current(scope), Math.min(PATIENCE, this.#timeout));
    } catch (error) {
      this.#failed(error);
      // The next searches need not wait as well.
      this.#hold(scope, undefined);
      return undefined;
    }
  }

  /** Adds a use, whose words are hashed with the key of the scope. Ends when it is stored, or has failed; never rejects. */
  async add(scope: string, useOf: (key: string) => Use): Promise<void> {
    try {
      await this.#queue.run(scope, async () => {
        const isTaken = await this.#append(scope, useOf, await this.#read(scope));
        // Another process has given the scope another key meanwhile.
        if (!isTaken) await this.#append(scope, useOf, await this.#read(scope));
      });
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Forgets the scope. Rejects where the store does: whoever asks for it has to know. */
  async clear(scope: string): Promise<void> {
    this.#cleared.set(scope, {});
    this.#hold(scope, undefined);
    const late = this.#appends.get(scope);
    await this.#queue.run(scope, () => this.#ask(async () => this.#store.clear(scope)));
    if (late !== undefined && this.#appends.get(scope) === late) this.#clearAgainAfter(late, scope);
    this.#cleared.set(scope, {});
    this.#hold(scope, undefined);
  }

  /** What a late append writes is forgotten as well. */
  #clearAgainAfter(late: Promise<unknown>, scope: string): void {
    const clear = async (): Promise<void> => this.#store.clear(scope);
    late.then(clear, clear).catch((error: unknown) => this.#failed(error));
  }

  async #current(scope: string): Promise<Experience | undefined> {
    const held = this.#held.get(scope);
    if (held && Date.now() - held.since < FRESH) return held.experience;
    // Behind the appends under way.
    return this.#queue.run(scope, () => this.#read(scope));
  }

  async #read(scope: string): Promise<Experience | undefined> {
    const before = this.#cleared.get(scope);
    const learned = await this.#ask(async () => this.#store.read(scope));
    const read = learned === undefined || learned === null ? undefined : { key: learned.key, uses: learned.uses };
    if (read && (typeof read.key !== 'string' || read.key.length > MAX_KEY || !Array.isArray(read.uses)))
      throw new TypeError('read() of the store returned neither undefined nor what a scope has learned');
    const oldest = Date.now() - HALF_LIVES * this.#halfLife;
    // A store may put off what is above the most that it is to keep, and may have anything among it.
    const given = read ? read.uses.slice(-MAX_READ).flatMap(usable) : [];
    const latest = latestUses(given, 2 * MAX_USES);
    const uses = latest.filter(({ usedAt }) => usedAt >= oldest).flatMap((use) => readUse(use) ?? []);
    const made = read && new Experience(read.key, withinBounds(uses), this.#halfLife);
    const experience = made && this.#asHeld(scope, made);
    if (this.#cleared.get(scope) === before) this.#hold(scope, experience);
    return experience;
  }

  async #append(scope: string, useOf: (key: string) => Use, known: Experience | undefined): Promise<boolean> {
    const { key, uses } = known ?? { key: newKey(), uses: [] };
    const own = useOf(key);
    const use = inPlaceOf(own, uses);
    const { added, drop, stay } = changeOf(uses, use);
    const bounds = { ttl: HALF_LIVES * this.#halfLife, max: MAX_USES, ...(drop.length > 0 ? { drop } : {}) };
    const append = (async () => this.#store.append(scope, { key, uses: [added] }, bounds))();
    this.#appends.set(scope, append);
    const forget = (): boolean => this.#appends.get(scope) === append && this.#appends.delete(scope);
    append.then(forget, forget);
    const isTaken = await inTime(append, this.#timeout);
    if (isTaken) this.#hold(scope, new Experience(key, stay, this.#halfLife));
    return isTaken;
  }

  /** What is held already, where it is the same, as its associations take tens of milliseconds; not when it has aged. */
  #asHeld(scope: string, read: Experience): Experience {
    const held = this.#held.get(scope)?.experience;
    const isFresh = held && held.key === read.key && read.since - held.since < this.#halfLife / 50;
    return isFresh && held.uses.length === read.uses.length && isSame(held.uses.at(-1), read.uses.at(-1)) ? held : read;
  }

  #hold(scope: string, experience: Experience | undefined): void {
    this.#held.set(scope, { experience, since: Date.now() });
  }

  #ask<Value>(task: () => Promise<Value>): Promise<Value> {
    return inTime(task(), this.#timeout);
  }

  #failed(error: unknown): void {
    this.#reporter.report({ type: 'scorer-failed', scorer: 'learning', error, survived: true });
  }
}

/** A use as a store gave it; none for what is no use, or cannot be read. */
function usable(given: unknown): readonly LearnedUse[] {
  try {
    const { use, usedAt } = given as LearnedUse;
    return isUse(use) && Number.isFinite(usedAt) ? [{ use, usedAt }] : [];
  } catch {
    return [];
  }
}

/** A use as it is added, which uses go to make room for it, and which stay. */
function changeOf(
  uses: readonly Use[],
  use: Use,
): { readonly added: LearnedUse; readonly drop: readonly string[]; readonly stay: readonly Use[] } {
  const added = written(use);
  const all = [...uses.filter((other) => written(other).use !== added.use), use];
  const stay = withinBounds(all);
  const kept = new Set(stay);
  return { added, stay, drop: all.flatMap((one) => (kept.has(one) ? [] : [written(one).use])) };
}

function isSame(one: Use | undefined, other: Use | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * The use as it is kept: where enough conversations have used the tool after the same words, in the place of the one
 * whose use is the longest ago. So no question that everybody asks fills the scope.
 */
function inPlaceOf(use: Use, uses: readonly Use[]): Use {
  const words = use.words.join();
  const alike = uses.filter((other) => other.tool === use.tool && other.words.join() === words);
  const voters = new Set(alike.map(({ voter }) => voter));
  const [oldest] = alike;
  return !oldest || voters.has(use.voter) || voters.size < MAX_ALIKE ? use : { ...use, voter: oldest.voter };
}
