// The heap, and how late timers are, sampled over a run.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { collectGarbage, percentile } from '../speed/clock.ts';

/** Milliseconds between two looks at the event loop; what is more is delay. */
const RESOLUTION = 10;
/** Milliseconds after a forced collection in which is done what had to wait for it. */
const SETTLE = 1_500;
/** Of a sample's time, so many figures from its distribution are kept. */
const KEPT = 200;

export interface HeapSample {
  readonly seconds: number;
  readonly megabytes: number;
}

/** Straight through the samples, by least squares. */
export interface Trend {
  /** Megabytes at the first and the last sample. */
  readonly start: number;
  readonly end: number;
  /** Megabytes a minute. */
  readonly slope: number;
  /** What was gained from the first to the last sample, as a share of the mean. */
  readonly growth: number;
}

export function trendOf(samples: readonly HeapSample[]): Trend {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const seconds = mean(samples.map((sample) => sample.seconds));
  const megabytes = mean(samples.map((sample) => sample.megabytes));
  const spread = mean(samples.map((sample) => (sample.seconds - seconds) ** 2));
  const common = mean(samples.map((sample) => (sample.seconds - seconds) * (sample.megabytes - megabytes)));
  const slope = spread === 0 ? 0 : common / spread;
  const at = (time: number): number => megabytes + slope * (time - seconds);
  const start = at(samples[0]?.seconds ?? Number.NaN);
  const end = at(samples.at(-1)?.seconds ?? Number.NaN);
  return { start, end, slope: slope * 60, growth: (end - start) / megabytes };
}

export interface Delays {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface Measured {
  readonly heap: readonly HeapSample[];
  readonly delays: Delays;
  /** The share of the time in which the event loop had something to do. */
  readonly busy: number;
  /** The share of that in which the machine let it. */
  readonly served: number;
}

/**
 * Samples until the time is over. Garbage is collected before each look at the heap. That stops everything for a while,
 * so the event loop is looked at anew when what had to wait has been done.
 */
export async function measure(milliseconds: number, every: number): Promise<Measured> {
  const heap: HeapSample[] = [];
  const kept: number[] = [];
  let max = 0;
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION });
  const start = performance.now();
  const loop = performance.eventLoopUtilization();
  const processor = process.threadCpuUsage();
  for (;;) {
    monitor.disable();
    const megabytes = heapMegabytes();
    const time = performance.now() - start;
    heap.push({ seconds: time / 1000, megabytes });
    if (time > milliseconds - every / 2) break;
    await setTimeout(SETTLE);
    monitor.reset();
    monitor.enable();
    await setTimeout(every - SETTLE);
    max = Math.max(max, delay(monitor.max));
    for (let part = 0.5; part < KEPT; part++) kept.push(delay(monitor.percentile((100 * part) / KEPT)));
  }
  const { utilization: busy, active } = performance.eventLoopUtilization(loop);
  const { user, system } = process.threadCpuUsage(processor);
  const served = Math.min(1, (user + system) / 1000 / active);
  return { heap, busy, served, delays: { p50: percentile(kept, 0.5), p99: percentile(kept, 0.99), max } };
}

/** Without garbage. */
export function heapMegabytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function delay(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - RESOLUTION);
}
