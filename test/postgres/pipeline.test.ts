import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Pipeline } from '../../src/postgres/pipeline.ts';

it('works on two batches at once, and does their parts in turn', async () => {
  const pipeline = new Pipeline();
  let [under, inTurn, most] = [0, 0, 0];
  const done: number[] = [];
  for (let at = 0; at < 6; at++) {
    await pipeline.begin(async () => {
      most = Math.max(most, ++under);
      await setTimeout(1);
      await pipeline.inTurn(async () => {
        expect(++inTurn).toBe(1);
        await setTimeout(1);
        done.push(at);
        inTurn--;
      });
      under--;
    });
  }
  await pipeline.end();
  expect(most).toBe(2);
  expect(done.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
});

it('tells of a fault where the next work begins, or at the end, and waits for what is under way', async () => {
  const pipeline = new Pipeline();
  let isDone = false;
  await pipeline.begin(async () => {
    throw new Error('broken');
  });
  await pipeline.begin(async () => {
    await setTimeout(5);
    isDone = true;
  });
  await expect(pipeline.begin(async () => {})).rejects.toThrow('broken');
  await pipeline.settle();
  expect(isDone).toBe(true);
  await expect(pipeline.end()).rejects.toThrow('broken');
});

it('does further parts after one that failed', async () => {
  const pipeline = new Pipeline();
  await expect(pipeline.inTurn(async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await pipeline.inTurn(async () => 'done')).toBe('done');
});
