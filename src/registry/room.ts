/** How much may be loaded at once. */
export interface Caps {
  readonly tools: number;
  /** Estimated tokens of the definitions. */
  readonly tokens: number;
}

export interface RoomRequest {
  /** Load order. */
  readonly loaded: readonly string[];
  /** In the order asked; none of them is loaded. */
  readonly added: readonly string[];
  readonly caps: Caps;
  /** What a tool's definition costs. */
  readonly tokensOf: (name: string) => number;
  /** When each tool was last used; a larger number is later, and a missing one never. */
  readonly lastUse: ReadonlyMap<string, number>;
  /** Tools that have to stay: a call of theirs is not at its end. */
  readonly needed: ReadonlySet<string>;
}

export interface Room {
  readonly accepted: readonly string[];
  /** What has to go, the least recently used first. */
  readonly evicted: readonly string[];
  /** Part of `added` for which there is no room even then. */
  readonly leftOut: readonly string[];
}

/**
 * Decides what goes when something comes. What is added is taken as long as it fits beside the tools that have to stay;
 * then the least recently used of the others go, until the rest fits too.
 */
export function makeRoom({ loaded, added, caps, tokensOf, lastUse, needed }: RoomRequest): Room {
  const cost = (names: readonly string[]): Caps => ({
    tools: names.length,
    tokens: names.reduce((sum, name) => sum + tokensOf(name), 0),
  });
  const fits = (names: readonly string[]): boolean => {
    const { tools, tokens } = cost(names);
    return tools <= caps.tools && tokens <= caps.tokens;
  };

  const kept = loaded.filter((name) => needed.has(name));
  const accepted: string[] = [];
  const leftOut: string[] = [];
  for (const name of added) (fits([...kept, ...accepted, name]) ? accepted : leftOut).push(name);

  const evictable = loaded.filter((name) => !needed.has(name));
  // A stable sort: of tools that were never used, the oldest load goes first.
  evictable.sort((first, second) => (lastUse.get(first) ?? -1) - (lastUse.get(second) ?? -1));
  const evicted: string[] = [];
  const remaining = [...evictable];
  while (remaining.length > 0 && !fits([...kept, ...remaining, ...accepted])) evicted.push(remaining.shift() ?? '');
  return { accepted, evicted, leftOut };
}
