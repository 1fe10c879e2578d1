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
  let tools = 0;
  let tokens = 0;
  const count = (name: string, sign: 1 | -1 = 1): void => {
    tools += sign;
    // Tokens that nobody bounds need not be counted.
    if (caps.tokens !== Number.POSITIVE_INFINITY) tokens += sign * tokensOf(name);
  };
  const fits = (): boolean => tools <= caps.tools && tokens <= caps.tokens;

  for (const name of [...loaded, ...added]) count(name);
  if (fits()) return { accepted: added, evicted: [], leftOut: [] };

  const { lastUse, needed } = uses();
  const evictable = loaded.filter((name) => !needed.has(name));
  for (const name of [...evictable, ...added]) count(name, -1);
  const accepted: string[] = [];
  const leftOut: string[] = [];
  for (const name of added) {
    count(name);
    const hasRoom = fits();
    if (!hasRoom) count(name, -1);
    (hasRoom ? accepted : leftOut).push(name);
  }

  for (const name of evictable) count(name);
  // A stable sort: of tools that were never used, the oldest load goes first.
  evictable.sort((first, second) => (lastUse.get(first) ?? -1) - (lastUse.get(second) ?? -1));
  const evicted: string[] = [];
  for (const name of evictable) {
    if (fits()) break;
    count(name, -1);
    evicted.push(name);
  }
  return { accepted, evicted, leftOut };
}
