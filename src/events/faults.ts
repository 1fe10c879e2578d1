import { messageOf, ToolSearchError } from '../errors.ts';
import type { PlacedOrigin } from './reporter.ts';

/** A fault as far as its sentence needs it. */
interface Fault {
  readonly type: string;
  readonly error?: unknown;
  readonly survived?: true;
  readonly scorer?: string;
  readonly source?: string;
  readonly operation?: string;
  readonly toolName?: string;
  readonly phase?: string;
}

/**
 * Notes the faults of one question that a developer asks: a run goes on without what failed, but for a person an empty
 * answer is not to stand for a fault.
 */
export class Faults {
  readonly #faults: Fault[] = [];
  /** The origin of what is asked. */
  readonly origin: PlacedOrigin = { place: { show: (event) => this.#note(event), ofCall: () => undefined } };

  /** The error to throw: where the tools could not be had, and for an empty answer anything that failed; else undefined. */
  errorFor(isEmpty: boolean): ToolSearchError | undefined {
    const fault = this.#faults.find(({ type }) => isEmpty || type === 'tools-failed');
    return fault && new ToolSearchError('search-failed', sentenceOf(fault), { cause: fault.error });
  }

  #note(event: Fault): void {
    const isFault = event.type.endsWith('-failed') || event.type === 'filter-budget';
    if (isFault && !event.survived) this.#faults.push(event);
  }
}

function sentenceOf({ type, error, scorer, source, operation, toolName, phase }: Fault): string {
  const why = `: ${messageOf(error)}`;
  switch (type) {
    case 'tools-failed':
      return `The function "tools" failed${why}`;
    case 'source-failed':
      return `The source "${source}" failed at ${operation}()${why}`;
    case 'scorer-failed':
      return `The scorer "${scorer}" failed${why}`;
    case 'filter-failed':
      return `The filter failed for "${toolName}" in phase ${phase}${why}`;
    case 'filter-budget':
      return 'The filter is so slow that there was no time to ask it about all tools; those that are left count as denied.';
    default:
      return `${type}${why}`;
  }
}
