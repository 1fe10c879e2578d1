import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inSlices, type SlicedWork } from '../../src/util/time-slices.ts';

/** Milliseconds, as the work tells them. */
let now = 0;
let log: string[] = [];

beforeEach(() => {
  now = 1_000;
  log = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Work of so many steps, each of so many milliseconds. */
function* work(steps: number, milliseconds: number, name = ''): SlicedWork<string> {
  for (let step = 1; step <= steps; step++) {
    now += milliseconds;
    log.push(`${name}${step}`);
    yield;
  }
  return `${name}done`;
}

/** Notes each turn of the event loop until it is told to stop. */
function turns(): { stop: () => void } {
  let isOn = true;
  const turn = (): void => {
    if (!isOn) return;
    log.push('turn');
    setImmediate(turn);
  };
  setImmediate(turn);
  return { stop: () => (isOn = false) };
}

describe('work that fits in one slice', () => {
  it.each([
    { why: 'it has no place to stop', steps: 0, milliseconds: 0 },
    { why: 'one step takes long', steps: 0, milliseconds: 500 },
    { why: 'it takes less than 10 ms', steps: 9, milliseconds: 1 },
    { why: 'it takes no time', steps: 100_000, milliseconds: 0 },
  ])('returns its result without a promise: $why', ({ steps, milliseconds }) => {
    expect(inSlices(work(steps, milliseconds))).toBe('done');
  });

  it('may have undefined for its result', () => {
    // biome-ignore lint/correctness/useYield: it has no place to stop.
    const nothing = function* (): SlicedWork<undefined> {
      return undefined;
    };
    expect(inSlices(nothing())).toBeUndefined();
  });

  it('throws its error without a promise', () => {
    const failing = function* (): SlicedWork<void> {
      yield;
      throw new Error('in the first slice');
    };
    expect(() => inSlices(failing())).toThrow('in the first slice');
  });
});

describe('work that takes several slices', () => {
  it('returns a promise of its result', async () => {
    const result = inSlices(work(10, 1));
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toBe('done');
  });

  it('gives the event loop a turn every 10 ms', async () => {
    const { stop } = turns();
    const result = inSlices(work(8, 4));
    expect(log).toEqual(['1', '2', '3']);
    await result;
    stop();
    expect(log.join(' ')).toBe('1 2 3 turn 4 5 6 turn 7 8');
  });

  it('gives it a turn after each step that is longer than a slice', async () => {
    const { stop } = turns();
    await inSlices(work(4, 50));
    stop();
    expect(log.join(' ')).toContain('1 turn 2 turn 3 turn 4');
  });

  it('takes turns with other sliced work', async () => {
    const both = await Promise.all([inSlices(work(3, 10, 'a')), inSlices(work(3, 10, 'b'))]);
    expect(both).toEqual(['adone', 'bdone']);
    expect(log).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });

  it('rejects with an error of a later slice', async () => {
    const failing = function* (): SlicedWork<void> {
      yield* work(5, 4);
      throw new Error('in the second slice');
    };
    await expect((async () => inSlices(failing()))()).rejects.toThrow('in the second slice');
    expect(log).toEqual(['1', '2', '3', '4', '5']);
  });

  it('does not count the time of a turn towards the next slice', async () => {
    const other = (): void => {
      // What others do in between is not the work's own time.
      now += 1_000;
      log.push('other');
    };
    setImmediate(other);
    await inSlices(work(5, 4));
    expect(log).toEqual(['1', '2', '3', 'other', '4', '5']);
  });
});
