import { vi } from 'vitest';

/** The time of `Date`, which stands still until it is set; timers stay real. `vi.useRealTimers()` lets it run again. */
export const dateClock = {
  get time(): number {
    return Date.now();
  },
  set time(time: number) {
    vi.setSystemTime(time);
  },
};

/** The same, from a time on. */
export function clockAt(time: number): typeof dateClock {
  dateClock.time = time;
  return dateClock;
}
