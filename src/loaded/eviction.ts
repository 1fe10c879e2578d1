/** Bounds of what a scope may have loaded at once. */
export interface Caps {
  readonly tools: number;
  /** Estimated tokens of the definitions. */
  readonly tokens: number;
}

export interface EvictionRequest {
  /** Loaded names, in load order. */
  readonly loaded: readonly string[];
  /** Names to load, in the order asked; none of them is loaded. */
  readonly added: readonly string[];
  readonly caps: Caps;
  /** Estimated tokens of a tool's definition. */
  readonly tokensOf: (name: string) => number;
  /** Asked for only when something has to go. */
  readonly uses: () => Uses;
}

export interface Uses {
  /** Last use of each tool: a larger number is later; a tool without one was never used. */
  readonly lastUse: ReadonlyMap<string, number>;
  /** Tools that have to stay: a call of theirs is not at its end. */
  readonly needed: ReadonlySet<string>;
}

export interface Eviction {
  readonly accepted: readonly string[];
  /** Loaded tools that have to go, the least recently used first. */
  readonly evicted: readonly string[];
  /** Part of `added` for which there is no room even then. */
  readonly leftOut: readonly string[];
}

/**
 * Decides what goes when something comes. What is added is taken as long as it fits beside the tools that have to stay;
 * then the least recently used of the others go, until the rest fits too.
 */
export function makeRoom({ loaded, added, caps, tokensOf, uses }: EvictionRequest): Eviction {
  const all = new Pile(caps, tokensOf);
  for (const name of [...loaded, ...added]) all.add(name);
  if (all.fits()) return { accepted: added, evicted: [], leftOut: [] };

  const { lastUse, needed } = uses();
  const taken = new Pile(caps, tokensOf);
  for (const name of loaded) if (needed.has(name)) taken.add(name);
  const accepted: string[] = [];
  const leftOut: string[] = [];
  for (const name of added) {
    const fits = taken.add(name).fits();
    if (!fits) taken.remove(name);
    (fits ? accepted : leftOut).push(name);
  }

  const evictable = loaded.filter((name) => !needed.has(name));
  for (const name of evictable) taken.add(name);
  // A stable sort: of tools that were never used, the oldest load goes first.
  evictable.sort((first, second) => (lastUse.get(first) ?? -1) - (lastUse.get(second) ?? -1));
  const evicted: string[] = [];
  for (const name of evictable) {
    if (taken.fits()) break;
    taken.remove(name);
    evicted.push(name);
  }
  return { accepted, evicted, leftOut };
}

/** Tools, as far as they count for the caps. */
class Pile {
  readonly #caps: Caps;
  readonly #tokensOf: (name: string) => number;
  #tools = 0;
  #tokens = 0;

  constructor(caps: Caps, tokensOf: (name: string) => number) {
    this.#caps = caps;
    // Tokens that nobody bounds need not be counted.
    this.#tokensOf = caps.tokens === Number.POSITIVE_INFINITY ? () => 0 : tokensOf;
  }

  add(name: string): this {
    this.#tools += 1;
    this.#tokens += this.#tokensOf(name);
    return this;
  }

  remove(name: string): void {
    this.#tools -= 1;
    this.#tokens -= this.#tokensOf(name);
  }

  fits(): boolean {
    return this.#tools <= this.#caps.tools && this.#tokens <= this.#caps.tokens;
  }
}
