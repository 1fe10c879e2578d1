/** Bounds of what a scope may have loaded at once. */
export interface Caps {
  readonly tools: number;
  /** Estimated tokens of the definitions. */
  readonly tokens: number;
}

export interface EvictionRequest {
  /** In load order. */
  readonly loaded: readonly string[];
  /** Names to load, in the order asked; none of them is loaded. */
  readonly added: readonly string[];
  readonly caps: Caps;
  readonly tokensOf: (name: string) => number;
  /** Called only where a tool has to be evicted. */
  readonly uses: () => Uses;
}

export interface Uses {
  /** Last use of each tool: a larger number is later; a tool without one was never used. */
  readonly lastUse: ReadonlyMap<string, number>;
  /** Tools that have to stay, because a call of them has not ended. */
  readonly needed: ReadonlySet<string>;
}

export interface Eviction {
  readonly accepted: readonly string[];
  /** The least recently used first. */
  readonly evicted: readonly string[];
  /** The part of `added` for which there is no room even after the evictions. */
  readonly leftOut: readonly string[];
}

/**
 * Decides which tools are evicted for added ones. Added tools are taken as long as they fit beside the tools that have to
 * stay; then the least recently used of the other tools are evicted until the rest fits.
 */
export function makeRoom({ loaded, added, caps, tokensOf, uses }: EvictionRequest): Eviction {
  // Without a bound, tokens need not be counted.
  const sizeOf = (name: string): number => (caps.tokens === Number.POSITIVE_INFINITY ? 0 : tokensOf(name));
  const total = (names: readonly string[]): number => names.reduce((sum, name) => sum + sizeOf(name), 0);
  const fits = (count: number, size: number): boolean => count <= caps.tools && size <= caps.tokens;
  const all = [...loaded, ...added];
  if (fits(all.length, total(all))) return { accepted: added, evicted: [], leftOut: [] };

  const { lastUse, needed } = uses();
  const staying = loaded.filter((name) => needed.has(name));
  let [tools, tokens] = [staying.length, total(staying)];
  const accepted: string[] = [];
  for (const name of added) {
    const size = sizeOf(name);
    if (!fits(tools + 1, tokens + size)) continue;
    tools += 1;
    tokens += size;
    accepted.push(name);
  }
  // A stable sort: of tools that were never used, the oldest load goes first.
  const evictable = loaded
    .filter((name) => !needed.has(name))
    .sort((first, second) => (lastUse.get(first) ?? -1) - (lastUse.get(second) ?? -1));
  tools += evictable.length;
  tokens += total(evictable);
  const evicted: string[] = [];
  for (const name of evictable) {
    if (fits(tools, tokens)) break;
    tools -= 1;
    tokens -= sizeOf(name);
    evicted.push(name);
  }
  return { accepted, evicted, leftOut: added.filter((name) => !accepted.includes(name)) };
}
