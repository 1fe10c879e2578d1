import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Lanes } from '../../src/postgres/lanes.ts';

it('works on two batches at once, and does their parts in turn', async () => {
  const lanes = new Lanes();
  let [under, inTurn, most] = [0, 0, 0];
  const done: number[] = [];
  for (let at = 0; at < 6; at++) {
    await lanes.begin(async () => {
      most = Math.max(most, ++under);
      await setTimeout(1);
      await lanes.inTurn(async () => {
        expect(++inTurn).toBe(1);
        await setTimeout(1);
        done.push(at);
        inTurn--;
      });
      under--;
    });
  }
  await lanes.end();
  expect(most).toBe(2);
  expect(done.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
});

it('tells of a fault where the next work begins, or at the end, and waits for what is under way', async () => {
  const lanes = new Lanes();
  let isDone = false;
  await lanes.begin(async () => {
    throw new Error('broken');
  });
  await lanes.begin(async () => {
    await setTimeout(5);
    isDone = true;
  });
  await expect(lanes.begin(async () => {})).rejects.toThrow('broken');
  await lanes.settle();
  expect(isDone).toBe(true);
  await expect(lanes.end()).rejects.toThrow('broken');
});

it('does further parts after one that failed', async () => {
  const lanes = new Lanes();
  await expect(lanes.inTurn(async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await lanes.inTurn(async () => 'done')).toBe('done');
});
