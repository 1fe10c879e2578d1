import type { ToolQuery } from '../kit.ts';
import { Lru } from '../util/lru.ts';

/** The pause after the first failure, in ms. It doubles with each further one, up to the longest. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** This many different queries fail when a service is down; a single query may be at fault itself. */
const QUERIES = 3;
/** Most failed queries that are remembered. */
const REMEMBERED = 100;

/**
 * A circuit breaker, so that a service that is down neither slows every search nor is flooded. A query that fails is
 * paused alone, and the others still reach the service. When three have failed since the last success, all are paused.
 */
export class CircuitBreaker {
  #ofAll: Pause | undefined;
  #ofQueries = new Lru<Pause>(REMEMBERED);
  #queries = 0;

  /** @param query - the query's words; see {@link askedText}. */
  isOpen(query: string): boolean {
    return isOn(this.#ofAll) || isOn(this.#ofQueries.get(query));
  }

  /** @param query - undefined for a failure that no query causes. */
  failed(query?: string): void {
    if (query !== undefined) {
      const known = this.#ofQueries.get(query);
      this.#ofQueries.set(query, lengthened(known));
      if (!known) this.#queries++;
    }
    if (query === undefined || this.#queries >= QUERIES) this.#ofAll = lengthened(this.#ofAll);
  }

  worked(): void {
    if (this.#queries > 0) this.#ofQueries = new Lru(REMEMBERED);
    this.#queries = 0;
    this.#ofAll = undefined;
  }
}

export function askedText({ keywords }: ToolQuery): string {
  return keywords.join(' ');
}

interface Pause {
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

function isOn(pause: Pause | undefined): boolean {
  return pause !== undefined && Date.now() < pause.until;
}

/**
 * The next pause, longer than the last. A failure during a pause changes nothing: calls that fail at once count as one.
 */
function lengthened(pause: Pause = { failures: 0, until: 0 }): Pause {
  if (isOn(pause)) return pause;
  const { failures } = pause;
  return { failures: failures + 1, until: Date.now() + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures) };
}
