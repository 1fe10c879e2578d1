import type { LearnedUse, LearningStore, Reporter } from '../kit.ts';
import { Lru } from '../util/lru.ts';
import { inTime, KeyedQueue } from '../util/timeout.ts';
import { type Circumstances, PastQueries } from './past-queries.ts';
import { latestUses, MAX_READ, MAX_USES, newKey, readUse, type Use, withinBounds, withUse } from './uses.ts';

/** Milliseconds after which a scope is read again, so that what other processes learned, or cleared, counts. */
const FRESH = 10_000;
/** Milliseconds that a search waits for a store. */
const PATIENCE = 250;
/** The age, in half-lives, at which a use no longer counts. */
export const HALF_LIVES = 7;
/** Uses age in steps: this many in a half-life. */
const STEPS = 50;
/** Most scopes in memory, and most uses of all scopes together. */
const MAX_SCOPES = 500;
const MAX_HELD = 100_000;
/** Characters of the longest key of a scope. A key is part of the computation of every hash. */
const MAX_KEY = 500;

/** The uses that a scope has learned, with the key of its hashes. */
export interface Experience {
  readonly scope: string;
  /** The key that the words of the scope are hashed with. */
  readonly key: string;
  readonly uses: readonly Use[];
  /** The distinct tools of the uses. */
  readonly tools: readonly string[];
}

const experienceWith = (scope: string, key: string, uses: readonly Use[]): Experience => ({
  scope,
  key,
  uses,
  tools: [...new Set(uses.map(({ tool }) => tool))],
});

/** The last reading of a scope. */
interface Held {
  /** Undefined for a scope that has learned nothing. */
  readonly experience: Experience | undefined;
  /** When the scope was read. */
  readonly since: number;
}

/**
 * Reads and writes a store, and caches what it read lately. If the store fails, which is reported, a scope counts as
 * one that has learned nothing.
 */
export class Recall {
  readonly #store: LearningStore;
  readonly #halfLife: number;
  readonly #timeout: number;
  readonly #reporter: Reporter;
  readonly #queue: KeyedQueue;
  readonly #held = new Lru<Held>(MAX_SCOPES, MAX_HELD, ({ experience }) => experience?.uses.length ?? 0);
  /** Past queries by the set of visible tools; making them takes tens of milliseconds. */
  readonly #views = new Lru<PastQueries>(MAX_SCOPES, MAX_HELD, ({ size }) => size);
  /** The last clearing of each scope. The result of a read that began before it is not kept. */
  readonly #cleared = new Lru<object>(MAX_SCOPES);
  /** The appends under way. A slow store may finish one after a clearing. */
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

  /**
   * What the scope has learned, at most ten seconds old; undefined if that is nothing, or the store does not answer in
   * time.
   */
  async of(scope: string): Promise<Experience | undefined> {
    const held = this.#held.get(scope);
    if (held && Date.now() - held.since < FRESH) return held.experience;
    try {
      // The read is queued behind pending appends.
      const reading = this.#queue.run(scope, () => this.#read(scope));
      return await inTime(reading, Math.min(PATIENCE, this.#timeout));
    } catch (error) {
      this.#failed(error);
      // This spares the next searches the same wait.
      this.#hold(scope, undefined);
      return undefined;
    }
  }

  /**
   * The past queries of an experience, as if no hidden tool had ever been used, so that nothing reveals one. Uses are
   * weighted by their age at the beginning of the current fiftieth of a half-life. Their age at the last reading would
   * reveal that a hidden tool was used.
   */
  pastQueries(
    { scope, key, uses, tools }: Experience,
    isVisible: (tool: string) => boolean,
    circumstances: Pick<Circumstances, 'tools' | 'isShared'>,
  ): PastQueries {
    const visible = new Set(tools.filter(isVisible));
    const step = this.#halfLife / STEPS;
    const now = Number.isFinite(step) ? Math.floor(Date.now() / step) * step : 0;
    const view = JSON.stringify([scope, key, uses.length, uses.at(-1)?.usedAt, now, circumstances.tools, ...visible]);
    const cached = this.#views.get(view);
    if (cached) return cached;
    const seen = uses.filter(({ tool }) => visible.has(tool));
    const made = new PastQueries(seen, { ...circumstances, now, halfLife: this.#halfLife });
    this.#views.set(view, made);
    return made;
  }

  /**
   * Adds a use, whose words are hashed with the key of the scope. Resolves when the use is stored, or that has failed;
   * never rejects.
   */
  async add(scope: string, useOf: (key: string) => Promise<Use>): Promise<void> {
    const append = async (): Promise<boolean> => this.#append(scope, useOf, await this.#read(scope));
    try {
      // A second attempt is needed if another process has given the scope another key meanwhile.
      await this.#queue.run(scope, async () => (await append()) || (await append()));
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Forgets the scope. Rejects if the store does, so that the caller knows. */
  async clear(scope: string): Promise<void> {
    const clear = async (): Promise<void> => this.#store.clear(scope);
    const late = this.#appends.get(scope);
    this.#forget(scope);
    await this.#queue.run(scope, () => inTime(clear(), this.#timeout));
    // Clears again after a pending append, which may write late.
    if (late !== undefined && this.#appends.get(scope) === late)
      late.then(clear, clear).catch((error: unknown) => this.#failed(error));
    this.#forget(scope);
  }

  #forget(scope: string): void {
    this.#cleared.set(scope, {});
    this.#hold(scope, undefined);
  }

  async #read(scope: string): Promise<Experience | undefined> {
    const before = this.#cleared.get(scope);
    const learned = await inTime((async () => this.#store.read(scope))(), this.#timeout);
    const isEmpty = learned === undefined || learned === null;
    const experience = isEmpty ? undefined : this.#experienceOf(scope, learned.key, learned.uses);
    if (this.#cleared.get(scope) === before) this.#hold(scope, experience);
    return experience;
  }

  /** Checks what a store returned, whatever its type says: it may have too many uses, and other values among them. */
  #experienceOf(scope: string, key: unknown, uses: unknown): Experience {
    if (typeof key !== 'string' || key.length > MAX_KEY || !Array.isArray(uses))
      throw new TypeError('read() of the store returned neither undefined nor what a scope has learned');
    const oldest = Date.now() - HALF_LIVES * this.#halfLife;
    const latest = latestUses(uses.slice(-MAX_READ).flatMap(usable), 2 * MAX_USES);
    const readable = latest.filter(({ usedAt }) => usedAt >= oldest).flatMap((use) => readUse(use) ?? []);
    return experienceWith(scope, key, withinBounds(readable));
  }

  async #append(scope: string, useOf: (key: string) => Promise<Use>, known: Experience | undefined): Promise<boolean> {
    const { key, uses } = known ?? { key: newKey(), uses: [] };
    const { added, drop, stay } = withUse(uses, await useOf(key));
    const bounds = { ttl: HALF_LIVES * this.#halfLife, max: MAX_USES, ...(drop.length > 0 ? { drop } : {}) };
    const append = (async () => this.#store.append(scope, { key, uses: [added] }, bounds))();
    this.#appends.set(scope, append);
    const forget = (): boolean => this.#appends.get(scope) === append && this.#appends.delete(scope);
    append.then(forget, forget);
    const isTaken = await inTime(append, this.#timeout);
    if (isTaken) this.#hold(scope, experienceWith(scope, key, stay));
    return isTaken;
  }

  #hold(scope: string, experience: Experience | undefined): void {
    this.#held.set(scope, { experience, since: Date.now() });
  }

  #failed(error: unknown): void {
    this.#reporter.report({ type: 'scorer-failed', scorer: 'learning', error, survived: true });
  }
}

/** A use from a store; empty if the value is not a use, or cannot be read. */
function usable(given: unknown): readonly LearnedUse[] {
  try {
    const { use, usedAt } = given as LearnedUse;
    return typeof use === 'string' && Number.isFinite(usedAt) ? [{ use, usedAt }] : [];
  } catch {
    return [];
  }
}
