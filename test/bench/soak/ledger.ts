// What happened in the whole run: figures, and what should not have been.
import type { ToolSearchEvent } from '../../../src/index.ts';

const SHOWN = 10;

export class Ledger {
  readonly counts = {
    requests: 0,
    aborted: 0,
    modelCalls: 0,
    calls: 0,
    questions: 0,
    denials: 0,
    searches: 0,
    loads: 0,
    loadsOnMiss: 0,
    unloads: 0,
    evictions: 0,
    refusedCalls: 0,
    filterBudgets: 0,
  };
  /** What the conversations reckon with, to be compared with the events. */
  readonly expected = { evictions: 0, unloads: 0, refusedCalls: 0 };
  faults = 0;
  /** The first faults. */
  readonly shown: string[] = [];

  fault(text: string): void {
    this.faults += 1;
    if (this.shown.length < SHOWN) this.shown.push(text);
  }

  readonly onEvent = (event: ToolSearchEvent): void => {
    const { counts } = this;
    switch (event.type) {
      case 'search':
        counts.searches += 1;
        break;
      case 'load':
        counts.loads += event.loaded.length;
        break;
      case 'load-on-miss':
        counts.loadsOnMiss += 1;
        break;
      case 'unload':
        counts.unloads += event.toolNames.length;
        break;
      case 'evict':
        counts.evictions += event.toolNames.length;
        break;
      case 'call-denied':
        counts.refusedCalls += 1;
        break;
      case 'filter-budget':
        counts.filterBudgets += 1;
        break;
      case 'step':
      case 'call':
      case 'miss':
        break;
      default:
        this.fault(`unexpected event ${event.type}: ${'error' in event ? String(event.error) : JSON.stringify(event)}`);
    }
  };

  /** At the end: every eviction, unloading and refusal that was reckoned with was reported, and no other. */
  compare(): void {
    for (const kind of ['evictions', 'unloads', 'refusedCalls'] as const) {
      const { [kind]: events } = this.counts;
      const { [kind]: expected } = this.expected;
      if (events !== expected) this.fault(`${events} ${kind} in events, ${expected} expected`);
    }
  }
}
