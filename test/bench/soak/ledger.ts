// What happened in the whole run: figures, and what should not have been.
import { entries } from '../../../src/events/table.ts';
import type { ToolSearchEvent } from '../../../src/index.ts';

const SHOWN = 10;

/** The figures that count events. Of the others, those with a line in the log are faults. */
const COUNTED = {
  search: 'searches',
  load: 'loads',
  'load-on-miss': 'loadsOnMiss',
  unload: 'unloads',
  evict: 'evictions',
  'call-denied': 'refusedCalls',
  'filter-budget': 'filterBudgets',
} as const satisfies Partial<Record<ToolSearchEvent['type'], string>>;

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
    const name = event.type in COUNTED ? COUNTED[event.type as keyof typeof COUNTED] : undefined;
    if (name)
      counts[name] += 'toolNames' in event ? event.toolNames.length : event.type === 'load' ? event.loaded.length : 1;
    else if (entries[event.type]?.warns)
      this.fault(`unexpected event ${event.type}: ${'error' in event ? String(event.error) : JSON.stringify(event)}`);
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
