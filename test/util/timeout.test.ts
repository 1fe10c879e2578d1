import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { inTime } from '../../src/util/timeout.ts';
import { ownTimers } from '../support/own-timers.ts';

describe('work with a time limit', () => {
  const timers = ownTimers();

  it('is rejected when the time is up, not before', async () => {
    const late = expect(inTime(new Promise(() => {}), 500)).rejects.toThrow('it took longer than 500 ms');
    await vi.advanceTimersByTimeAsync(499);
    expect(timers()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(timers()).toBe(0);
    await late;
  });

  it('leaves no timer behind', async () => {
    expect(await inTime(Promise.resolve('in time'), 500)).toBe('in time');
    await expect(inTime(Promise.reject(new Error('no')), 500)).rejects.toThrow('no');
    expect(await inTime(Promise.resolve('at ease'), Number.POSITIVE_INFINITY)).toBe('at ease');
    expect(timers()).toBe(0);
  });
});

describe('work with a time limit that waits for a server', () => {
  let server: Server;
  let socket: Socket;
  beforeAll(async () => {
    server = createServer((other) => other.pipe(other)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
  });
  afterAll(() => {
    socket.destroy();
    server.close();
  });

  /** Keeps this process from everything else. */
  function beBusy(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  }

  it('is not rejected because this process was busy when the answer came', async () => {
    const answer = new Promise((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write('hello');
    const work = inTime(answer, 500);
    beBusy(1_000);
    expect(await work).toBe('hello');
  });

  it('is rejected all the same, where no answer comes', async () => {
    const work = inTime(new Promise(() => {}), 50);
    beBusy(150);
    await expect(work).rejects.toThrow('it took longer than 50 ms');
  });
});
