import { Lru } from '../kit.ts';
import { Associations } from './associations.ts';
import type { Use } from './use.ts';

/** Sets of visible tools whose associations are kept. */
const MAX_VIEWS = 8;

/** Everything that a scope has learned. Each request sees the part of it that is about the tools that it may see. */
export class Experience {
  /** The key that its words are hashed with. */
  readonly key: string;
  readonly uses: readonly Use[];
  /** The time from which its uses have their weights. */
  readonly since: number;
  readonly #halfLife: number;
  readonly #tools: readonly string[];
  readonly #views = new Lru<Associations>(MAX_VIEWS);

  /** @param halfLife - milliseconds after which a use weighs half. */
  constructor(key: string, uses: readonly Use[], halfLife: number) {
    this.key = key;
    this.uses = uses;
    this.#halfLife = halfLife;
    this.since = agedTo(halfLife);
    this.#tools = [...new Set(uses.map(({ tool }) => tool))];
  }

  /** What is known of these tools alone, as if no other had ever been used: nothing tells of a tool that is hidden. */
  of(isVisible: (tool: string) => boolean): Associations {
    const visible = new Set(this.#tools.filter(isVisible));
    const view = visible.size === this.#tools.length ? '' : JSON.stringify([...visible]);
    const cached = this.#views.get(view);
    if (cached) return cached;
    const uses = this.uses.filter(({ tool }) => visible.has(tool));
    const made = new Associations(uses, this.since, this.#halfLife);
    this.#views.set(view, made);
    return made;
  }
}

/** Steps of a half-life in which uses age. */
const STEPS = 50;

/**
 * The time to which uses are aged: the beginning of a fiftieth of a half-life, whoever asks. The time of the last reading
 * would tell that a hidden tool was used.
 */
function agedTo(halfLife: number): number {
  const step = halfLife / STEPS;
  const now = Date.now();
  return Number.isFinite(step) && step >= 1 ? Math.floor(now / step) * step : now;
}
