import { Lru, type ToolQuery } from '../kit.ts';

/** The pause after the first failure, in ms. It doubles with each further one, up to the longest. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** So many different queries fail when a service is down; a single one may fail by what it asks. */
const QUERIES = 3;
/** Queries that are remembered to have failed. */
const REMEMBERED = 100;

/**
 * A circuit breaker, so that a service that is down neither slows every search nor is flooded. A query that fails is
 * paused alone, and the others still reach the service. When three have failed since the last success, all are paused.
 */
export class CircuitBreaker {
  #ofAll = new Pause();
  #ofQueries = new Lru<Pause>(REMEMBERED);
  #queries = 0;

  /** @param query - its words, see `wordsOf`. */
  isOpen(query: string): boolean {
    return this.#ofAll.isOn || this.#ofQueries.get(query)?.isOn === true;
  }

  /** @param query - undefined for what fails whatever the query. */
  failed(query?: string): void {
    if (query === undefined) {
      this.#ofAll.lengthen();
      return;
    }
    const known = this.#ofQueries.get(query);
    const pause = known ?? new Pause();
    pause.lengthen();
    if (!known) {
      this.#ofQueries.set(query, pause);
      this.#queries++;
    }
    if (this.#queries >= QUERIES) this.#ofAll.lengthen();
  }

  worked(): void {
    if (this.#queries > 0) this.#ofQueries = new Lru(REMEMBERED);
    this.#queries = 0;
    this.#ofAll = new Pause();
  }

  /** Ends the pause of all; the next failure makes a longer one all the same. */
  end(): void {
    this.#ofAll.end();
  }
}

/** The words of a query, as a service is asked. */
export function askedText({ keywords }: ToolQuery): string {
  return keywords.join(' ');
}

class Pause {
  #failures = 0;
  #until = 0;

  get isOn(): boolean {
    return Date.now() < this.#until;
  }

  /** Failures of one moment count as one. */
  lengthen(): void {
    if (this.isOn) return;
    this.#until = Date.now() + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#failures);
    this.#failures++;
  }

  end(): void {
    this.#until = 0;
  }
}
