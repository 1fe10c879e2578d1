import type { CatalogEntry } from '../catalog/catalog.ts';

/**
 * What a step knows of a tool:
 *
 * - `meta`: a tool of this processor.
 * - `spent`: a tool of this processor that is not sent, because the run repeats its calls.
 * - `own`: the agent's own, sent for certain.
 * - `hideable`: the agent's own; `activeTools` or another processor may hide it.
 * - `pinned`: sent on every step, because of `alwaysLoaded` or `trustServerHints`.
 * - `loaded`: loaded before this step, and sent.
 * - `denied`: loaded before this step, but denied by the filter's phase `active`.
 * - `preselected`: sent for this run, because the user's words ask for it.
 * - `fresh`: loaded by a call of this step.
 */
export type Presence = 'meta' | 'spent' | 'own' | 'hideable' | 'pinned' | 'loaded' | 'denied' | 'preselected' | 'fresh';

const RESIDENT: readonly (Presence | undefined)[] = ['meta', 'spent', 'own', 'hideable', 'pinned'];

/** What a step knows of each tool, by name. Loaded tools keep the order in which they were loaded. */
export class ToolPresence {
  readonly #all = new Map<string, Presence>();
  /** The catalog tool that the step's `toolChoice` forces, if the request may use it. */
  forced: CatalogEntry | undefined;

  /** Adds tools, given as names or entries. A tool that the step already knows keeps its presence. */
  add(presence: Presence, tools: Iterable<string | CatalogEntry>): void {
    for (const tool of tools) {
      const name = typeof tool === 'string' ? tool : tool.name;
      if (!this.has(name)) this.#all.set(name, presence);
    }
  }

  has(name: string): boolean {
    return this.#all.has(name);
  }

  /** Marks known tools as `denied`. Tools that the step does not know are skipped. */
  deny(entries: readonly CatalogEntry[]): void {
    for (const { name } of entries) if (this.has(name)) this.#all.set(name, 'denied');
  }

  /** Marks meta-tools as `spent`: the run repeats their calls, so they are not sent. */
  spend(names: Iterable<string>): void {
    for (const name of names) if (this.#all.get(name) === 'meta') this.#all.set(name, 'spent');
  }

  isSpent(name: string): boolean {
    return this.#all.get(name) === 'spent';
  }

  /** Whether a tool is sent on every step, and needs no load. */
  isResident(name: string): boolean {
    return RESIDENT.includes(this.#all.get(name));
  }

  /** Whether a tool is resident, and nothing can hide it. */
  isAvailable(name: string): boolean {
    return this.isResident(name) && !this.isBlocked(name);
  }

  isLoaded(name: string): boolean {
    return this.has(name) && !this.isResident(name);
  }

  isFresh(name: string): boolean {
    return this.#all.get(name) === 'fresh';
  }

  /** Whether the model can call a tool in this step, or from the next one on, without another load. */
  isCallable(name: string): boolean {
    return this.has(name) && !this.isBlocked(name);
  }

  /** Whether a tool is denied or may be hidden: it cannot be called, and loading it again would not help. */
  isBlocked(name: string): boolean {
    const presence = this.#all.get(name);
    return presence === 'hideable' || presence === 'denied';
  }

  get loaded(): string[] {
    return [...this.#all.keys()].filter((name) => this.isLoaded(name));
  }

  get available(): string[] {
    return [...this.#all.keys()].filter((name) => this.isAvailable(name));
  }

  namesOf(presences: readonly Presence[]): string[] {
    return [...this.#all].flatMap(([name, presence]) => (presences.includes(presence) ? [name] : []));
  }

  get callable(): string[] {
    return [...this.#all.keys()].filter((name) => this.isCallable(name));
  }

  /** The names of loaded tools that are sent. */
  get active(): string[] {
    return this.loaded.filter((name) => !this.isBlocked(name));
  }

  unload(names: Iterable<string>): void {
    for (const name of names) if (this.isLoaded(name)) this.#all.delete(name);
  }

  /** Moves the named loaded tools to the end, in this order. */
  reorder(names: Iterable<string>): void {
    for (const name of names) {
      const presence = this.#all.get(name);
      if (!presence || !this.isLoaded(name)) continue;
      this.#all.delete(name);
      this.#all.set(name, presence);
    }
  }
}
