import { expect, it } from 'vitest';
import { Semaphore } from '../../src/postgres/semaphore.ts';

it('lets four through at once, and the others in their order', async () => {
  const semaphore = new Semaphore();
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = Array.from({ length: 7 }, (_, at) =>
    semaphore.within(async () => {
      begun.push(at);
      await new Promise<void>((resolve) => ends.push(resolve));
      return at;
    }),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[1]?.();
  await all[1];
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  // Those that follow begin as soon as there is room.
  for (let at = 0; at < ends.length; at++) {
    ends[at]?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

it('gives a place on where the work fails', async () => {
  const semaphore = new Semaphore();
  const failing = Array.from({ length: 10 }, () => semaphore.within(() => Promise.reject(new Error('down'))));
  const settled = await Promise.allSettled(failing);
  expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
  expect(await semaphore.within(async () => 'done')).toBe('done');
});
