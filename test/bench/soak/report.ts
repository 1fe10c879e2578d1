import { markdownTable } from '../retrieval/table.ts';
import type { Ledger } from './ledger.ts';
import type { Measured, Trend } from './meter.ts';

export interface Soaked {
  readonly conversations: number;
  readonly seconds: number;
  readonly ledger: Ledger;
  readonly measured: Measured;
  readonly trend: Trend;
  /** Megabytes, when all have ended. */
  readonly idle: number;
}

export function reportOf({ conversations, seconds, ledger, measured, trend, idle }: Soaked): string {
  const { counts, faults } = ledger;
  const { delays, busy, served } = measured;
  const count = (value: number): string => value.toLocaleString('en');
  const table = markdownTable([
    ['one processor', `${seconds} s`],
    ['conversations at once', count(conversations)],
    ['requests', count(counts.requests)],
    ['of these aborted', count(counts.aborted)],
    ['model calls', count(counts.modelCalls)],
    ['searches', count(counts.searches)],
    ['tools loaded by name', count(counts.loads)],
    ['loaded because they were called', count(counts.loadsOnMiss)],
    ['unloaded', count(counts.unloads)],
    ['evicted', count(counts.evictions)],
    ['tools called', count(counts.calls)],
    ['calls refused', count(counts.refusedCalls)],
    ['questions to the filter', count(counts.questions)],
    ['of these denied', count(counts.denials)],
    ['searches that ran out of time for the filter', count(counts.filterBudgets)],
    ['indexes built', count(counts.builds)],
    ['indexes made of another one', count(counts.updates)],
    ['heap, start to end, MB', `${trend.start.toFixed(1)} to ${trend.end.toFixed(1)}`],
    ['heap, MB a minute', trend.slope.toFixed(2)],
    ['heap, growth in percent of the mean', (trend.growth * 100).toFixed(1)],
    ['heap when all have ended, MB', idle.toFixed(1)],
    ['event loop delay, median, ms', delays.p50.toFixed(1)],
    ['event loop delay, p99, ms', delays.p99.toFixed(1)],
    ['event loop delay, longest, ms', delays.max.toFixed(1)],
    ['event loop in use, percent of the time', (busy * 100).toFixed(0)],
    ['of that with a processor, percent', (served * 100).toFixed(0)],
    ['faults', count(faults)],
  ]);
  return `${table}\n\n${NOTES}`;
}

const NOTES = [
  'The heap is sampled behind a forced collection, after a quarter of the time; start and end are those of the straight',
  'line through the samples. The delay is how late a timer of 10 ms is, without those collections and the time it takes',
  'to catch up on them. It is that of the whole process: agent, Mastra, processor, and the checks; on a machine that has',
  'other things to do, and gives it no processor when it wants one, also that of the machine.',
].join('\n');
