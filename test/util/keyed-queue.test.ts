import { describe, expect, it, vi } from 'vitest';
import { KeyedQueue } from '../../src/util/timeout.ts';
import { ownTimers } from '../support/own-timers.ts';

/** A task that ends when it is told to. */
function gate(log: string[], name: string) {
  let resolve = (_name: string): void => {};
  let reject = (_error: Error): void => {};
  const promise = new Promise<string>((...settle) => {
    [resolve, reject] = settle;
  });
  const task = async (): Promise<string> => {
    log.push(`${name} starts`);
    return promise;
  };
  return { task, end: () => resolve(name), fail: () => reject(new Error(name)) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('runs the tasks of a key one after the other, and gives each its own result', async () => {
  const [queue, log] = [new KeyedQueue(1000), [] as string[]];
  const [one, two] = [gate(log, 'one'), gate(log, 'two')];
  const results = [queue.run('key', one.task), queue.run('key', two.task)];
  await turn();
  expect(log).toEqual(['one starts']);
  one.end();
  two.end();
  expect(await Promise.all(results)).toEqual(['one', 'two']);
  expect(log).toEqual(['one starts', 'two starts']);
});

it('runs those of different keys at once', async () => {
  const [queue, log] = [new KeyedQueue(1000), [] as string[]];
  for (const name of ['one', 'two']) queue.run(name, gate(log, name).task).catch(() => {});
  await turn();
  expect(log).toEqual(['one starts', 'two starts']);
});

it('goes on after a task that failed, which fails alone', async () => {
  const [queue, log] = [new KeyedQueue(1000), [] as string[]];
  const [one, two] = [gate(log, 'one'), gate(log, 'two')];
  const failing = queue.run('key', one.task);
  const next = queue.run('key', two.task);
  one.fail();
  two.end();
  await expect(failing).rejects.toThrow('one');
  expect(await next).toBe('two');
});

describe('the patience of the queue', () => {
  const timers = ownTimers();

  it('is all that a task waits for one that hangs', async () => {
    const [queue, log] = [new KeyedQueue(1000), [] as string[]];
    queue.run('key', gate(log, 'hanging').task).catch(() => {});
    const [two, three] = [gate(log, 'two'), gate(log, 'three')];
    const results = [queue.run('key', two.task), queue.run('key', three.task)];
    two.end();
    three.end();
    await vi.advanceTimersByTimeAsync(999);
    expect(log).toEqual(['hanging starts']);
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all(results)).toEqual(['two', 'three']);
  });

  it('leaves no timer behind where a task ends in time', async () => {
    const queue = new KeyedQueue(1000);
    const [one, two] = [gate([], 'one'), gate([], 'two')];
    const results = [queue.run('key', one.task), queue.run('key', two.task)];
    expect(timers()).toBe(1);
    one.end();
    two.end();
    expect(await Promise.all(results)).toEqual(['one', 'two']);
    expect(timers()).toBe(0);
  });
});
