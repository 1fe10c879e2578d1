// Files share their worker: a test that fails before it puts the timers back does not leave fake ones to the next.
import { afterEach, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});
