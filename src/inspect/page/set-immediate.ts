/** Runs a task after those that wait already: browsers have no such function, and delay nested timers. */
function immediately(task: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    task();
  };
  port2.postMessage(null);
}

/** Gives the browser a `setImmediate`, which slices of work call. */
export function provideSetImmediate(): void {
  globalThis.setImmediate ??= immediately as never;
}
